/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording.h - all that the walk of each point of a run needs, in a file
 *
 * A recording is made while the program is stepped (compare --record). It is played in a guest, where
 * a recorded point costs a twenty-fifth of a step. It holds what a walk by the compact table asked for
 * (the registers, the executable mappings, and the words of memory that it read), and the stack that
 * the walk found.
 *
 *	recording_write.c	writes a recording
 *	recording_truth.c	its true stacks, as a tree of frames
 *	recording_read.c	reads a recording, distrusting every byte
 *	replay.c		plays a recording on this kernel
 *
 * The file: "stackproof recording 4\n", then items, each a letter and numbers. Numbers are LEB128
 * (DWARF 5, 7.6), u unsigned and s signed. Bytes are preceded by their count, a u. Differences are
 * modulo 2^64.
 *
 *	N  bytes		the program, once, first
 *	M  count, and for each	the executable mappings from now on, ascending
 *	   u start - end of the mapping before, u size, s bias, kind, bytes path
 *				kind 0: no image; 1: the file is the image, u its size follows;
 *				2: the image's bytes follow, because the player has no such file
 *	W  s address - last W's, bytes	1 to 8 bytes of memory from now on, all in one page
 *	A  u address		the page of this address can't be read from now on
 *	P  u mask, s difference to the point before for each register in mask,
 *	   u frames, u stop, 8 bytes: the stack's digest
 *	F  u number - caller's, a frame of true stacks; numbers count from 1, and a caller's number is
 *	   s PC - caller's	lower. Caller 0 is none: the frame is an outermost one, its PC - 0
 *	T  s frame - last T's,	the innermost frame of the next point's true stack. whole 1: the stack
 *	   u whole		is whole; 0: its outermost frame may have callers
 *	U  u point		the truth of this earlier point did not prove itself
 *	E  u points		the end; only the digest follows
 *
 * The digest is the CRC-32 of all bytes before it (crc32.h), four bytes, the lowest first.
 * "stackproof recording 2\n" has no digest; "stackproof recording 1\n" has neither a digest nor F, T
 * and U, so no truth. Both can still be read. There is no version 3: one flipped bit would turn 3 into
 * 2 or 1, which have no digest.
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
#define RECORDING_IMAGE_MAX    (64u << 20) /* bytes */
/* The range of recorded memory: user space with four levels of page tables, except its first page. */
#define RECORDING_ADDRESS_MIN	4096u
#define RECORDING_ADDRESS_LIMIT (1ull << 47)
#define RECORDING_WRITE_MAX	8u
/* One frame more than the walk can have, so that a deeper true stack shows. */
#define RECORDING_TRUTH_FRAMES_MAX (WALK_FRAMES_MAX + 1)

enum recording_image {
	RECORDING_NO_IMAGE,
	RECORDING_FILE,
	RECORDING_BYTES,
};

/* ---- recording_write.c ------------------------------------------------------------------ */

struct recording_writer;
/* Begins a recording of a program. recording_writer_close() frees *ret. */
int recording_writer_create(const char *path, const char *program, struct recording_writer **ret,
			    struct error *error);
/*
 * Adds a point: walks it by the compact table, and keeps what the walk reads and finds. memory is the
 * stopped process's. Errors stick: later calls, and recording_writer_close(), return the first error.
 */
int recording_writer_point(struct recording_writer *writer, const struct address_space *space,
			   const struct register_values *regs, const struct memory_reader *memory,
			   struct error *error);
/* Sets the true stack of the point that is added next. whole: its last frame has no caller. Of a stack
 * deeper than RECORDING_TRUTH_FRAMES_MAX the innermost frames are kept, as not whole. Errors stick. */
void recording_writer_truth(struct recording_writer *writer, const struct stack *truth, bool whole);
/* The truth of a point, counted from 0, did not prove itself. */
void recording_writer_unproven(struct recording_writer *writer, uint64_t point);
/* Ends and closes the file, and frees the writer. finish false: removes the file. */
int recording_writer_close(struct recording_writer *writer, bool finish, struct error *error);

/* ---- recording_truth.c ------------------------------------------------------------------ */

/* Frames of true stacks by number. Zero-initialise. */
struct recording_frames {
	struct recording_frame {
		uint64_t pc;
		uint32_t caller, depth;
	} * frame; /* number 1 is the first */
	uint32_t count;
	uint32_t *slot; /* hash table of numbers; only the writer's */
	uint32_t slot_count;
};
/* The number of the frame with this caller and PC, which is added if it is new. 0: no memory. */
uint32_t recording_frames_find(struct recording_frames *frames, uint32_t caller, uint64_t pc,
			       bool *ret_new);
/* Adds a frame without looking for it, and returns its number. 0: no memory. For the reader. */
uint32_t recording_frames_add(struct recording_frames *frames, uint32_t caller, uint64_t pc);
void recording_frames_deinit(struct recording_frames *frames);

/* A hash of the stack's PCs. */
uint64_t recording_digest(const struct stack *stack);

/* ---- recording_read.c ------------------------------------------------------------------- */

struct recording_mapping {
	uint64_t start, end, bias;
	enum recording_image kind;
	char path[RECORDING_PATH_MAX];
	uint64_t file_bytes;  /* RECORDING_FILE: the file's size */
	const uint8_t *bytes; /* RECORDING_BYTES: size bytes of the recording, borrowed */
	size_t size;
};

struct recording_point {
	struct register_values regs; /* all known */
	uint32_t frames;
	uint32_t stop; /* enum stop_reason */
	uint64_t digest;
	/* The true stack, innermost frame first; truth_frames 0: it is not known. */
	uint64_t truth[RECORDING_TRUTH_FRAMES_MAX];
	uint32_t truth_frames;
	bool truth_whole;
};

/* Callbacks, told each item in order; each may be NULL. -1 ends the reading with that error. */
struct recording_handler {
	/* Called for each of count mappings; number counts from 0. mapping is valid during the
	 * call. With count 0 it is called once, with mapping NULL. */
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
/* Reads the file and checks its beginning and its digest. ERROR_PROTOCOL with an offset: the file is
 * not a recording, or is damaged. recording_close() frees *ret. */
int recording_open(const char *path, struct recording **ret, struct error *error);
/* The same from memory; bytes must outlive *ret. */
int recording_create(const uint8_t *bytes, size_t size, struct recording **ret,
		     struct error *error);
void recording_close(struct recording *recording);
const char *recording_program(const struct recording *recording);
/* False: the recording's version has no digest, so damage may go unnoticed. */
bool recording_has_digest(const struct recording *recording);
/* Reads all items. ERROR_PROTOCOL with an offset: malformed, or cut off. */
int recording_play(struct recording *recording, const struct recording_handler *handler,
		   struct error *error);

#endif
