/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile.h - profiles of all formats in one model: samples of frames, innermost first
 *
 *	profile.c	texts and frames, each kept once; samples handed on; losses counted
 *	profile_read.c	opens a file, and calls the reader for its format
 *	profile_format.c	finds a file's format by its content; describes what has no known format
 *	json_outline.c	which keys JSON has
 *	profile_lines.c	a file or a pipe, gzip'd or not, line by line
 *	perf_script.c	the text of `perf script`
 *	perf_line.c	a line of this text: a sample's head, a frame, a mapping
 *	perf_data.c	perf.data, by running `perf script`
 *	folded.c	folded stacks: "main;work;leaf 12"
 *	frame_text.c	a frame, or a count, as one word of text
 *	bpftrace.c	maps of bpftrace: "@[...]: 12"
 *	speedscope.c	speedscope's JSON
 *	firefox.c	the processed profile of the Firefox Profiler: JSON
 *	otlp.c		OpenTelemetry's profiles: tables, and samples of them
 *	otlp_wire.c	the same as protocol buffers
 *	otlp_json.c	the same as JSON
 *	pprof.c		pprof: protocol buffers
 *	stacks.c	the NDJSON of `sample --profile`
 *
 * To add a format, add a reader here. A profile is read as a stream: a million samples take only the
 * memory of their different frames. Every reader distrusts its input. A sample that can't be read is
 * counted by reason, with the place of the first ones. It does not end the reading, unless nothing after
 * it can be read either.
 */
#ifndef STACKPROOF_PROFILE_H
#define STACKPROOF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "error.h"
#include "number_map.h"

#define PROFILE_FRAMES_MAX   65536	 /* of a sample */
#define PROFILE_LINE_MAX     (16 << 20)	 /* bytes */
#define PROFILE_PPROF_MAX    (1 << 30)	 /* bytes, unpacked; of OTLP, too */
#define PROFILE_JSON_MAX     (256 << 20) /* bytes, unpacked, of JSON that is one object */
#define PROFILE_SHARED_MAX   (1 << 30)	 /* frames of all samples, where samples share stacks */
#define PROFILE_COUNT_MAX    INT64_MAX	 /* sum of all counts: what JSON and pprof can hold */
#define PROFILE_NO_OFFSET    UINT64_MAX	 /* "name" without "+0x..." */
#define PROFILE_TEXT_UNKNOWN "[unknown]" /* what profilers write for no name */
/* What this program writes in the place of frames, with a reason and a ']' behind: the outermost frame of a stack that
 * ends early, and the only one of a sample that has no stack. */
#define PROFILE_INCOMPLETE "[incomplete: "
#define PROFILE_LOST	   "[lost: "
#define PROFILE_OFF	   "[off: " /* why its thread was off the CPU: the innermost frame */

enum profile_format {
	PROFILE_ANY, /* by its content */
	PROFILE_PERF_SCRIPT,
	PROFILE_PERF_DATA,
	PROFILE_FOLDED,
	PROFILE_PPROF,
	PROFILE_STACKS,
	PROFILE_BPFTRACE,
	PROFILE_SPEEDSCOPE,
	PROFILE_FIREFOX,
	PROFILE_OTLP,
	PROFILE_FORMAT_COUNT,
};

/* What a frame's address is. */
enum profile_address {
	PROFILE_NO_ADDRESS,
	PROFILE_FILE_OFFSET, /* an offset in the image's file */
	PROFILE_VADDR,	     /* the image's own address */
	PROFILE_RUNTIME,     /* an address of the process, in an unknown mapping */
	PROFILE_RELATIVE, /* relative to the image's first segment: the image's own if that is at 0 */
};

enum profile_flag {
	PROFILE_INLINED = 1, /* an inlined function, in the machine's frame of the next one */
	PROFILE_KERNEL = 2,
	PROFILE_REPEATED = 4, /* one of several equal ones at an address: recursion, or inlined */
};

/* Texts are numbers for profile_text(); 0: not known. */
struct profile_frame {
	uint32_t image;	   /* the path, or its last part */
	uint32_t build_id; /* in hexadecimal */
	uint32_t name;
	uint32_t text; /* all that a text has of the frame, if that is not the name alone */
	uint16_t kind; /* enum profile_address */
	uint16_t flags;
	uint32_t unused; /* 0 */
	uint64_t address;
	uint64_t mapped;      /* file offset of address if that is an address of the process; or
			       * PROFILE_NO_OFFSET: it is in no mapping of this image */
	uint64_t name_offset; /* address - the name's, or PROFILE_NO_OFFSET */
};

struct profile_sample {
	int32_t pid, tid; /* -1: not known */
	bool pid_is_tid;  /* pid is a thread's number; the process's may be another */
	uint32_t comm;
	uint32_t event;
	uint64_t count;
	const uint32_t *frame; /* numbers for profile_frame(); innermost first */
	uint32_t frame_count;
	bool timed;
	uint64_t time_ns,
		within_ns; /* when it was taken: so much later at most, by how it is printed */
	uint64_t place;	   /* in the file: profile_place_word() */
};

/* Why a sample was not read. */
enum profile_loss {
	PROFILE_BAD_HEAD,  /* the line before its frames */
	PROFILE_BAD_FRAME, /* one of its frames */
	PROFILE_BAD_COUNT,
	PROFILE_TOO_DEEP,      /* more than PROFILE_FRAMES_MAX frames */
	PROFILE_TOO_LONG,      /* a line longer than PROFILE_LINE_MAX */
	PROFILE_CUT_OFF,       /* the file ends in the sample */
	PROFILE_BAD_REFERENCE, /* to a location, a function or a text that does not exist */
	PROFILE_ZERO_COUNT,    /* the count is 0 */
	PROFILE_LOSS_COUNT,
};

/* Texts, each kept once, by numbers from 1. Zero-initialise. */
struct profile_texts {
	char *text; /* all texts, each ends in NUL */
	size_t bytes, room;
	size_t *at;
	uint32_t count, capacity;
	struct number_map map;
};

/* A file's build-id. */
struct profile_build {
	uint32_t image, build_id; /* texts */
	/* Of what is at that path now. inode 0: nothing is, or not all is known of it. */
	uint64_t device, inode, generation;
	uint64_t
		since_ns; /* it lies there as it is: by the clock of perf's times, if they are of this boot */
};

struct profile {
	enum profile_format format; /* of the file */
	const char *
		root; /* where the files of the machine that was profiled are; borrowed; NULL: here */
	struct profile_texts texts;
	struct profile_frame *frame;
	uint32_t frames, frame_capacity;
	struct number_map frame_map;
	/* perf's: "1234 /usr/lib/libc.so.6", that its events say is mapped in the process. */
	struct profile_texts mapped;
	/* perf's table of build-ids: of what was at these paths when the recording ended. */
	struct profile_build *build;
	size_t builds;
	uint64_t samples; /* samples that were handed on */
	uint64_t weight;  /* the sum of their counts */
	uint64_t scale;	  /* a count of 1 is 1/scale; 0 is as 1 */
	uint64_t dropped; /* events that the profiler itself says it has lost */
	uint64_t shared;  /* frames of samples that share stacks */
	uint64_t lost[PROFILE_LOSS_COUNT];
	struct error_list errors; /* the losses; offset is the place: profile_place_word() */
};

/* Takes a sample, which is valid during the call. -1: reading ends with error. */
typedef int profile_sample_fn(void *context, const struct profile *profile,
			      const struct profile_sample *sample, struct error *error);

/* ---- profile.c ------------------------------------------------------------------------------ */

/* Adds a text if it is new (*ret_new), and returns its number. A text ends at its first NUL or after size
 * bytes. 0: it is empty. UINT32_MAX: ERROR_MEMORY. */
uint32_t profile_texts_add(struct profile_texts *texts, const char *text, size_t size,
			   bool *ret_new, struct error *error);
/* The number of a text; 0: texts does not have it. */
uint32_t profile_texts_find(const struct profile_texts *texts, const char *text, size_t size);
/* The text of a number, "" for 0. Valid until the next text is added. */
const char *profile_texts_get(const struct profile_texts *texts, uint32_t number);
void profile_texts_deinit(struct profile_texts *texts);

void profile_init(struct profile *profile);
void profile_deinit(struct profile *profile);
static inline const char *profile_text(const struct profile *profile, uint32_t number)
{
	return profile_texts_get(&profile->texts, number);
}
static inline const struct profile_frame *profile_frame(const struct profile *profile,
							uint32_t number)
{
	return &profile->frame[number];
}
/* A loss's name in JSON ("bad_head"), and its text for people. */
const char *profile_loss_name(enum profile_loss loss);
const char *profile_loss_text(enum profile_loss loss);
/* The sum of all losses. */
uint64_t profile_lost(const struct profile *profile);

/* True if text is such a frame, PROFILE_INCOMPLETE, PROFILE_LOST or PROFILE_OFF. */
bool profile_is_marker(const char *text);

/* What a sample's place is a number of: "line", "offset" or "sample". */
const char *profile_place_word(enum profile_format format);
static inline uint64_t profile_scale(const struct profile *profile)
{
	return profile->scale ? profile->scale : 1;
}

/* For readers: add a text or frame if it is new, and return its number: from 1, 0 for an empty text.
 * UINT32_MAX: ERROR_MEMORY. */
uint32_t profile_text_add(struct profile *profile, const char *text, size_t size,
			  struct error *error);
uint32_t profile_frame_add(struct profile *profile, const struct profile_frame *frame,
			   struct error *error);
/* Counts a lost sample at a place. */
void profile_lose(struct profile *profile, enum profile_loss loss, uint64_t place,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Counts a sample and hands it on to fn; a sample of count 0 is lost. ERROR_TEXT_SYNTAX: the sum of
 * all counts would be more than PROFILE_COUNT_MAX.
 */
int profile_hand_on(struct profile *profile, const struct profile_sample *sample,
		    profile_sample_fn *fn, void *context, struct error *error);

/*
 * Counts the frames of a sample whose stack other samples may share, before it is handed on: a small file
 * can have a million samples of one deep stack. ERROR_TABLE_LIMIT: more than PROFILE_SHARED_MAX in all.
 */
int profile_share(struct profile *profile, size_t frames, struct error *error);

/* ---- profile_format.c ----------------------------------------------------------------------- */

/* The format of this name, as "perf-script"; PROFILE_FORMAT_COUNT: there is none. */
enum profile_format profile_format_find(const char *name);
const char *profile_format_name(enum profile_format format);
/* The format of a file, by the size bytes at its beginning, unpacked; PROFILE_ANY: not a known one. */
enum profile_format profile_format_of(const void *data, size_t size);
/* Writes what a file of no known format looks like, as "an ELF file"; at most size bytes into text. */
void profile_format_guess(const void *data, size_t data_size, char *text, size_t size);

/* ---- profile_read.c ------------------------------------------------------------------------- */

/*
 * Reads the profile in the file at path, and hands its samples to fn. -1, also if fn returns -1.
 * ERROR_SYSTEM: the file can't be read. ERROR_TEXT_SYNTAX: its format is unknown, nothing in it can be
 * read, or its counts are too large. ERROR_UNAVAILABLE: it is perf.data, and there is no perf here.
 */
int profile_read(struct profile *profile, const char *path, enum profile_format format,
		 profile_sample_fn *fn, void *context, struct error *error);

/* The readers of the formats, called by profile_read(). */
struct profile_lines;
struct profile_reading {
	struct profile *profile;
	struct profile_lines *lines;
	const char *path;
	profile_sample_fn *fn;
	void *context;
};
int perf_script_read(const struct profile_reading *reading, struct error *error);
int perf_data_read(const struct profile_reading *reading, struct error *error);
int folded_read(const struct profile_reading *reading, struct error *error);
int pprof_read(const struct profile_reading *reading, struct error *error);
int stacks_read(const struct profile_reading *reading, struct error *error);
int bpftrace_read(const struct profile_reading *reading, struct error *error);
int speedscope_read(const struct profile_reading *reading, struct error *error);
int firefox_read(const struct profile_reading *reading, struct error *error);
int otlp_read(const struct profile_reading *reading, struct error *error);

/* ---- profile_lines.c ------------------------------------------------------------------------ */

struct profile_line {
	const char *text; /* not NUL-terminated; without the newline */
	size_t size;
	uint64_t number; /* from 1 */
	bool whole;	 /* the line ended with a newline */
};

/* Takes over file, a descriptor, and closes it in any case. */
int profile_lines_open(int file, struct profile_lines **ret, struct error *error);
void profile_lines_close(struct profile_lines *lines);
/* 1: *ret is a line, valid until the next call; 0: there is no more; -1: ERROR_SYSTEM, ERROR_MEMORY, or
 * ERROR_TEXT_SYNTAX: the compressed data are damaged. A line longer than PROFILE_LINE_MAX has text NULL. */
int profile_lines_next(struct profile_lines *lines, struct profile_line *ret, struct error *error);
/* The bytes at the beginning, which are not consumed; valid until the next call. -1: as above. */
int profile_lines_peek(struct profile_lines *lines, const char **ret, size_t *ret_size,
		       struct error *error);
/* True if the file is compressed; call it after the first bytes were read. */
bool profile_lines_zipped(struct profile_lines *lines);
/* All bytes, valid until the lines are closed. -1: as above; ERROR_TABLE_LIMIT: more than limit. */
int profile_lines_all(struct profile_lines *lines, size_t limit, const uint8_t **ret,
		      size_t *ret_size, struct error *error);

#endif
