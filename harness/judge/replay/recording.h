/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording.h - all that the walk of each point of a run needs, in a file
 *
 * A recording is made where the program runs and is held against the truth (compare --record), and
 * is played where the walk is to be proven again: in a guest, where a point costs a twenty-fifth of
 * a step. What is in it is what a walk by the compact table asked for: the registers, the
 * executable mappings, and the words of memory that it read; and the stack that it found.
 *
 *	recording_write.c	makes one
 *	recording_truth.c	the true stacks among them, as a tree
 *	recording_read.c	reads one, distrusting every byte
 *	replay.c		plays one, on this kernel
 *
 * The file: "stackproof recording 4\n", then items, each a letter and numbers. Numbers are LEB128
 * (DWARF 5, 7.6), u unsigned and s signed; bytes are given by their number, which is u. Differences
 * are modulo 2^64.
 *
 *	N  bytes		the program, once, first
 *	M  count, and for each	the executable mappings from now on, ascending
 *	   u start - end of the one before, u size, s bias, kind, bytes path
 *				kind 0: no image; 1: that of the file, and u its size;
 *				2: the bytes that follow, for there is no such file elsewhere
 *	W  s address - last W's, bytes	what memory holds from now on, 1 to 8 bytes in one page
 *	A  u address		the page of this address can't be read from now on
 *	P  u mask, s difference for each register in it (recording_register: from the point before),
 *	   u frames, u stop, 8 bytes: the stack's digest
 *	F  u number - caller's, a frame of true stacks, numbered from 1 on; its caller has a lower
 *	   s PC - caller's	number, 0 is none: it is an outermost one, counted from PC 0
 *	T  s frame - last T's,	the innermost frame of the next point's true stack; u 1: the whole of it
 *	   u whole		is known, else others may have called the outermost one
 *	U  u point		the truth of that point, which is there already, did not prove itself
 *	E  u points		the end; nothing follows but the digest
 *
 * The digest is the CRC-32 of all bytes before it (crc32.h), four bytes, the lowest first.
 * "stackproof recording 2\n" is the same without it, and "stackproof recording 1\n" without F, T and
 * U, too: it has no truth. Both are still read.
 * There is no version 3: one flipped bit would make 2 or 1 of it, without a digest.
 */
#ifndef STACKPROOF_RECORDING_H
#define STACKPROOF_RECORDING_H

#include "walk/address_space.h"
#include "cfi/expression.h"
#include "walk/stack.h"

#define RECORDING_MAGIC	       "stackproof recording 4\n"
#define RECORDING_MAGIC_2      "stackproof recording 2\n" /* as long */
#define RECORDING_MAGIC_1      "stackproof recording 1\n" /* as long */
#define RECORDING_DIGEST_BYTES 4
#define RECORDING_MAPPINGS_MAX 65536u
#define RECORDING_PATH_MAX     4096u
#define RECORDING_IMAGE_MAX    (64u << 20)
/* Memory is recorded from here to there: user space with four levels of page tables, but for its
 * first page. */
#define RECORDING_ADDRESS_MIN	4096u
#define RECORDING_ADDRESS_LIMIT (1ull << 47)
#define RECORDING_WRITE_MAX	8u
/* Of a true stack: one more than the walk can have, so that it is seen to be deeper. */
#define RECORDING_TRUTH_FRAMES_MAX (WALK_FRAMES_MAX + 1)

enum recording_image {
	RECORDING_NO_IMAGE,
	RECORDING_FILE,
	RECORDING_BYTES,
};

/* ---- recording_write.c ------------------------------------------------------------------ */

struct recording_writer;
/* Begins a recording of a program. *ret: recording_writer_close(). */
int recording_writer_create(const char *path, const char *program, struct recording_writer **ret,
			    struct error *error);
/*
 * Adds a point: walks it by the compact table, and keeps what that reads and finds. memory is the
 * stopped process's. Errors stick: the next call, or the last, says them again.
 */
int recording_writer_point(struct recording_writer *writer, const struct address_space *space,
			   const struct register_values *regs, const struct memory_reader *memory,
			   struct error *error);
/* Before a point is added: its true stack; whole: nothing is below its last frame. Of a deeper one
 * than RECORDING_TRUTH_FRAMES_MAX the innermost frames are kept, as one that is known only so far.
 * Errors stick. */
void recording_writer_truth(struct recording_writer *writer, const struct stack *truth, bool whole);
/* The truth of a point, by its number from 0 on, did not prove itself. */
void recording_writer_unproven(struct recording_writer *writer, uint64_t point);
/* Ends the file and closes it. finish: false leaves no file behind. */
int recording_writer_close(struct recording_writer *writer, bool finish, struct error *error);

/* ---- recording_truth.c ------------------------------------------------------------------ */

/* Frames by number, as the writer gives them and the reader gets them. Zero-initialise. */
struct recording_frames {
	struct recording_frame {
		uint64_t pc;
		uint32_t caller, depth;
	} * frame; /* number 1 is the first */
	uint32_t count;
	uint32_t *slot; /* the writer's: numbers by hash */
	uint32_t slot_count;
};
/* The number of a frame below its caller; *ret_new: it is new. 0: no memory. */
uint32_t recording_frames_find(struct recording_frames *frames, uint32_t caller, uint64_t pc,
			       bool *ret_new);
/* The same of one that is new to the reader, without looking. */
uint32_t recording_frames_add(struct recording_frames *frames, uint32_t caller, uint64_t pc);
void recording_frames_deinit(struct recording_frames *frames);

/* Of a stack's PCs. */
uint64_t recording_digest(const struct stack *stack);

/* ---- recording_read.c ------------------------------------------------------------------- */

struct recording_mapping {
	uint64_t start, end, bias;
	enum recording_image kind;
	char path[RECORDING_PATH_MAX];
	uint64_t file_bytes;  /* RECORDING_FILE */
	const uint8_t *bytes; /* RECORDING_BYTES, and their number; the recording's */
	size_t size;
};

struct recording_point {
	struct register_values regs; /* all known */
	uint32_t frames;
	uint32_t stop; /* enum stop_reason */
	uint64_t digest;
	/* The true stack, innermost first, valid during the call; truth_frames 0: it is not known. */
	uint64_t truth[RECORDING_TRUTH_FRAMES_MAX];
	uint32_t truth_frames;
	bool truth_whole;
};

/* Told each item, in order; NULL: not of such. -1 ends the reading with that error. */
struct recording_handler {
	/* mapping: valid during the call. number: of count; with count 0 it is called once, with
	 * NULL. */
	int (*mapping)(void *context, const struct recording_mapping *mapping, size_t number,
		       size_t count, struct error *error);
	int (*write)(void *context, uint64_t address, const uint8_t *bytes, size_t size,
		     struct error *error);
	int (*absent)(void *context, uint64_t address, struct error *error);
	int (*frame)(void *context, uint32_t caller, uint64_t pc, struct error *error);
	int (*truth)(void *context, uint32_t frame, bool whole, struct error *error);
	int (*unproven)(void *context, uint64_t point, struct error *error);
	int (*point)(void *context, const struct recording_point *point, struct error *error);
	void *context;
};

struct recording;
/* Reads the file and checks its beginning and its digest. ERROR_PROTOCOL with an offset: it is none,
 * or is damaged. *ret: recording_close(). */
int recording_open(const char *path, struct recording **ret, struct error *error);
/* The same of bytes, which must outlive it. */
int recording_create(const uint8_t *bytes, size_t size, struct recording **ret,
		     struct error *error);
void recording_close(struct recording *recording);
const char *recording_program(const struct recording *recording);
/* False: it is of a version that had none: damage may not show. */
bool recording_has_digest(const struct recording *recording);
/* Goes through all items. ERROR_PROTOCOL with an offset: malformed, or cut off. */
int recording_play(struct recording *recording, const struct recording_handler *handler,
		   struct error *error);

#endif
