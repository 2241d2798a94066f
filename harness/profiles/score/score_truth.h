/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_truth.h - a truth file, and the names of its frames
 *
 *	image		an image of the truth, opened if its file is still the one that was run: by its build-id
 *			or digest
 *	place		a frame's address, each once; a return address is named by the byte before
 *	function	the function that a place is in
 *	leaf		a node where the program stood: the innermost frame of a stack
 *
 * Where in a function a sample falls depends not only on the program: which path strlen() takes, say,
 * depends on how data are aligned. So a leaf's address must be one that the truth has, but its callers
 * may be those of any leaf in the same function. Of all leaves with the same function and the same
 * caller, only one is kept.
 *
 * A node can be a leaf and a caller, and has a place for each. Names are looked up by key
 * (score_name.h); a key leads to all functions that have it, and to all symbols, also those that were never run.
 */
#ifndef STACKPROOF_SCORE_TRUTH_H
#define STACKPROOF_SCORE_TRUTH_H

#include <time.h>
#include "cfi/cfi.h"
#include "image/image.h"
#include "number_map.h"
#include "profiles/profile/profile.h"
#include "score_grade.h"
#include "truth_file/truth_file.h"

#define SCORE_NO_OFFSET UINT64_MAX

enum frame_match { FRAME_NO, FRAME_MAYBE, FRAME_YES };

struct score_image {
	const struct truth_image *truth;
	struct image *image; /* NULL: the file is not here, or not for certain the one that ran */
	struct cfi *cfi;
	const char *name;      /* the path's last part */
	bool other_build;      /* the file is here, but another build */
	bool is_unproven;      /* the file is here, and nothing tells whether it is another build */
	bool is_newer;	       /* the file came there after the profile was written */
	bool is_stripped;      /* a function of the truth has no symbol */
	uint32_t first_symbol; /* number of its first symbol, once symbols_read */
	struct profile_texts
		inlined; /* keys of the functions that are inlined somewhere, from the DWARF */
	bool inlined_read;
	struct score_dwarf *dwarf; /* the debugging information; NULL: not read yet */
};

struct score_function {
	uint32_t image;
	uint64_t start;
	bool is_gap;		       /* code from start on that no symbol or FDE covers */
	char *name;		       /* for people */
	bool is_named;		       /* it is named by a symbol or a PLT stub */
	bool is_symbol;		       /* it is named by a symbol */
	uint32_t leaf_place;	       /* place of one of its leaves; 0: it has none */
	uint32_t first_leaf, end_leaf; /* range in score_truth.leaf */
	bool is_doubted;	       /* its leaves have unproven points */
	bool is_outermost;	       /* it is the outermost function of a stack */
};

struct score_leaf {
	uint32_t node;
	uint32_t function;
	uint32_t parent;
	bool proven;
	bool is_doubted; /* it has unproven points */
};

struct score_place {
	uint64_t address;
	uint64_t offset; /* in the image's file, or SCORE_NO_OFFSET */
	uint32_t image;
	uint32_t function;
	uint32_t nearest;  /* if the address is in no symbol: function of the symbol before; or 0 */
	uint32_t exported; /* if its symbol is local: function of the global symbol before; or 0 */
	bool is_caller;
};

/* A list of the functions of a key, in the order in which they were added; or of its symbols. */
struct score_keyed {
	uint32_t function; /* or the symbol's number */
	uint32_t next;	   /* 0: the end */
};

/* A mapping of an image's code: an address of the process less the image's own. An exec brings others. */
struct score_bias {
	uint32_t image;
	uint64_t bias;
};

/* What is known of a profile's samples, or what its user vouches for. */
struct score_same {
	bool build;	       /* they are of the files that are here */
	struct timespec since; /* but for files that came later; 0: than the profile */
	bool run; /* the profiled run did what the truth's did: it is that one, or the program does the same in each */
};

struct score_truth {
	struct truth_file *file;
	struct score_image *image;
	struct score_function *function; /* [0] means none */
	uint32_t functions;
	struct score_place *place; /* [0] means none */
	uint32_t places;
	struct number_map function_map, place_map;
	uint32_t *leaf_place, *caller_place; /* place by node; 0: not a leaf, or caller */
	struct score_leaf *leaf;	     /* sorted by function, one for each parent */
	uint32_t leaves;
	uint32_t stacks; /* number of nodes that are leaves */
	struct profile_texts keys;
	uint32_t *key_first, *key_last; /* index in keyed, by key; 0: no function of the truth */
	size_t key_room, key_last_room;
	struct score_keyed *keyed;
	uint32_t keyed_count;
	uint32_t *symbol_first; /* index in symbol, by key; 0: no symbol */
	size_t symbol_room;
	struct score_keyed *symbol; /* once symbols_read */
	uint32_t symbols;
	bool symbols_read;	 /* keys has all symbols of all images */
	struct score_bias *bias; /* of a truth of kernel entries: by image, and then by itself */
	size_t biases;
	const char *program;
	char comm[16];	   /* the kernel's name for the program */
	const char **name; /* names of its threads: from the file, and by score_truth_add_name() */
	size_t names;
	uint32_t main_image; /* UINT32_MAX: not known */
	bool has_open_build; /* an image may be another build of the profile's: score_build.h */
	struct score_same same;
};

/* ERROR_PROTOCOL and others of truth_file_open(); ERROR_MEMORY. */
int score_truth_open(struct score_truth *truth, const char *path, struct error *error);
/* The same of a run whose files are below root here, which is borrowed; NULL: where its images' paths say. */
int score_truth_open_in(struct score_truth *truth, const char *path, const char *root,
			struct error *error);
void score_truth_close(struct score_truth *truth);

/* Adds a name of the program's threads; it is borrowed. -1: ERROR_MEMORY. */
int score_truth_add_name(struct score_truth *truth, const char *name, struct error *error);

/* Why a stack that the truth doesn't have may still be one of the program's, as of truth_file_gap(). Of a truth that
 * was driven: of the profile's, which has the stops of the stepped run alone. NULL: it has all. */
const char *score_truth_gap(const struct score_truth *truth);
/* It was made of a process that ran already, in bursts: every stack is known only so far. */
bool score_truth_attached(const struct score_truth *truth);
/* The share of the truth's points that are unproven, in percent. */
double score_truth_unproven(const struct score_truth *truth);

/* Whether an address of the process can be the place, by a truth of kernel entries, which know where images were mapped.
 * MAYBE: it is not known of the place's image. */
enum frame_match score_truth_runtime(const struct score_truth *truth, uint32_t place,
				     uint64_t address);
/* The place of an address; 0: the truth has none. */
uint32_t score_truth_place(const struct score_truth *truth, uint32_t image, uint64_t address,
			   bool is_caller);
/* The function that an address is in; 0: no frame of the truth is in it. */
uint32_t score_truth_function(const struct score_truth *truth, uint32_t image, uint64_t address);
/* A key's number; 0: no symbol has the key. */
uint32_t score_truth_key(const struct score_truth *truth, const char *key);
/* True if the function is one of those that have a key. */
bool score_truth_has_key(const struct score_truth *truth, uint32_t key, uint32_t function);
/* Makes a key of a name that is no symbol's, for functions that are added to it; -1: ERROR_MEMORY. *ret_is_new: it was
 * not there yet. */
int score_truth_add_key(struct score_truth *truth, const char *key, uint32_t *ret, bool *ret_is_new,
			struct error *error);
int score_truth_add_function(struct score_truth *truth, uint32_t key, uint32_t function,
			     struct error *error);
/* A symbol of a key's list, and its image. */
const struct image_symbol *score_truth_symbol(const struct score_truth *truth, uint32_t number,
					      uint32_t *ret_image);
/* Calls fn with each symbol that a profile's name may mean, in an image or in any (UINT32_MAX), once for each key that
 * both have, until it returns other than 0; returns that. score_truth_symbols() goes before. */
typedef int score_symbol_fn(void *context, uint32_t image, const struct image_symbol *symbol);
int score_truth_each_symbol(const struct score_truth *truth, const char *name, uint32_t image,
			    score_symbol_fn *fn, void *context);
/* How a name means a function that has one of its keys, by the best of the function's names. */
enum name_grade score_truth_grade(const struct score_truth *truth, const struct name_asked *name,
				  uint32_t function);
/* Adds the keys of all symbols of all images, unless that was done. -1: ERROR_MEMORY. */
int score_truth_symbols(struct score_truth *truth, struct error *error);
/* True if a function with this key is inlined somewhere in the image, by its DWARF. */
bool score_truth_inlines(struct score_truth *truth, uint32_t image, const char *key);
/* The number of nested inlined functions at an address; UINT32_MAX: the image's DWARF does not have the
 * function at the address. Answers are cached. */
uint32_t score_truth_inlined_at(struct score_truth *truth, uint32_t image, uint64_t address);
/* Adds the keys of what the image's DWARF has at an address: the function, and those that are inlined there. 1; 0: it
 * has no function there; -1: ERROR_MEMORY. */
int score_truth_names_at(struct score_truth *truth, uint32_t image, uint64_t address,
			 struct profile_texts *keys, struct error *error);
void score_dwarf_close(struct score_dwarf *dwarf);
/* Converts an offset in an image's file to the image's own address; false: no code has the offset. */
bool score_truth_vaddr(const struct score_image *image, uint64_t offset, uint64_t *ret);
/* Describes an address in an image for people. */
void score_truth_describe(const struct score_truth *truth, uint32_t image, uint64_t address,
			  bool is_caller, char *text, size_t size);

#endif
