/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_truth.h - a truth file, and what its frames are called
 *
 *	image		one of the truth's, opened here if its file is still the one that was run
 *	place		a frame's address, each once; a return address is named by the byte before
 *	function	what places are in
 *	leaf		a node where the program stood: the innermost frame of a stack
 *
 * Where in its function a program stands when it is sampled depends on more than what it does: how
 * its data are aligned, say, decides which way strlen() goes. So a leaf's address must be one that
 * the function had, but by which callers it came there is asked of the function, whatever the
 * address: of all leaves of one function and one caller one stands for all.
 *
 * A node has a place for each of the two things that it can be, a leaf and a caller. Names are
 * looked up by key (score_name.h); a key leads to all functions that have it.
 */
#ifndef STACKPROOF_SCORE_TRUTH_H
#define STACKPROOF_SCORE_TRUTH_H

#include "cfi/cfi.h"
#include "image/image.h"
#include "number_map.h"
#include "profiles/profile/profile.h"
#include "truth_file/truth_file.h"

#define SCORE_NO_OFFSET UINT64_MAX

struct score_image {
	const struct truth_image *truth;
	struct image *image; /* NULL: its file is not here, or another build by now */
	struct cfi *cfi;
	const char *name; /* the path's last part */
	bool other_build; /* the file that is here now */
	bool is_stripped; /* it has functions that no symbol names */
	struct profile_texts
		inlined; /* keys of functions that are inlined somewhere: their DWARF */
	bool inlined_read;
	struct score_dwarf *dwarf; /* its debugging information, once it was asked for */
};

struct score_function {
	uint32_t image;
	uint64_t start;
	bool is_gap;		       /* behind all that a symbol or CFI says begins there */
	char *name;		       /* as people read it */
	bool is_named;		       /* by a symbol or a PLT's stub */
	uint32_t leaf_place;	       /* one of its leaves'; 0: it is never a leaf */
	uint32_t first_leaf, end_leaf; /* in score_truth.leaf */
	bool is_doubted;	       /* at some points of its leaves the truth is */
	bool is_outermost;	       /* in some stack */
};

struct score_leaf {
	uint32_t node;
	uint32_t function;
	uint32_t parent;
	bool proven;
	bool is_doubted; /* at some points */
};

struct score_place {
	uint64_t address;
	uint64_t offset; /* in the image's file, or SCORE_NO_OFFSET */
	uint32_t image;
	uint32_t function;
	uint32_t nearest;  /* of a function without a name: the one of the symbol before; or 0 */
	uint32_t exported; /* of one whose name others don't see: the one they see before; or 0 */
	bool is_caller;
};

/* Functions by key: a list in the order in which they were added. */
struct score_keyed {
	uint32_t function;
	uint32_t next; /* 0: there is none */
};

struct score_truth {
	struct truth_file *file;
	struct score_image *image;
	struct score_function *function; /* 0: none */
	uint32_t functions;
	struct score_place *place; /* 0: none */
	uint32_t places;
	struct number_map function_map, place_map;
	uint32_t *leaf_place, *caller_place; /* by node; 0: it is none */
	struct score_leaf *leaf;	     /* by function, one for each parent */
	uint32_t leaves;
	uint32_t stacks; /* nodes that are leaves */
	struct profile_texts keys;
	uint32_t *key_first, *key_last; /* by key: in keyed; 0: a symbol, of no function here */
	size_t key_room, key_last_room;
	struct score_keyed *keyed;
	uint32_t keyed_count;
	bool symbols_read; /* keys has all symbols of all images */
	const char *program;
	char comm[16];	   /* what the kernel calls the program */
	const char **name; /* what its threads called themselves, and who asked said so */
	size_t names;
	uint32_t main_image; /* UINT32_MAX: not known */
};

/* ERROR_PROTOCOL and others of truth_file_open(); ERROR_MEMORY. */
int score_truth_open(struct score_truth *truth, const char *path, struct error *error);
void score_truth_close(struct score_truth *truth);

/* One more name of its threads, which must stay. ERROR_MEMORY. */
int score_truth_add_name(struct score_truth *truth, const char *name, struct error *error);

/* The share of its points that are unproven, in percent. */
double score_truth_unproven(const struct score_truth *truth);

/* The place of an address, 0 if the truth has none. */
uint32_t score_truth_place(const struct score_truth *truth, uint32_t image, uint64_t address,
			   bool is_caller);
/* The function that an address is in, 0 if the truth has none of its frames. */
uint32_t score_truth_function(const struct score_truth *truth, uint32_t image, uint64_t address);
/* A key's number, 0 if nobody has it. */
uint32_t score_truth_key(struct score_truth *truth, const char *key);
/* All symbols of all images have keys. Reads them when it is first asked. */
int score_truth_symbols(struct score_truth *truth, struct error *error);
/* A name whose key this is, is inlined somewhere in the image, as its DWARF has it. */
bool score_truth_inlines(struct score_truth *truth, uint32_t image, const char *key);
/* How many functions are inlined at an address, one within the other; UINT32_MAX: no DWARF of the
 * image has the function that it is in. An address is looked up once. */
uint32_t score_truth_inlined_at(struct score_truth *truth, uint32_t image, uint64_t address);
void score_dwarf_close(struct score_dwarf *dwarf);
/* An offset in an image's file as its own address; false: it is in none of its code. */
bool score_truth_vaddr(const struct score_image *image, uint64_t offset, uint64_t *ret);
/* What people read of any address in an image. */
void score_truth_describe(const struct score_truth *truth, uint32_t image, uint64_t address,
			  bool is_caller, char *text, size_t size);

#endif
