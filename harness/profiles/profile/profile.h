/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile.h - what any profiler wrote, as one model: samples of frames, innermost first
 *
 *	profile.c	texts and frames, each kept once; samples handed on; what could not be read
 *	profile_read.c	a file, and the reader for its format
 *	profile_format.c	which format it is, by its content; what it is that is none of them
 *	json_outline.c	which keys JSON has
 *	profile_lines.c	a file or a pipe, gzip'd or not, line by line
 *	perf_script.c	the text of `perf script`
 *	perf_line.c	one line of it: a sample's head, a frame, a mapping
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
 *	stacks.c	NDJSON of ours: `sample --profile`
 *
 * A profile is read as a stream: a million samples take the memory of their different frames. Every
 * reader distrusts its input. A sample that can't be read is counted by reason, with the line (or,
 * of pprof, the offset) of the first ones; it never ends the reading, unless nothing after it can
 * be read either.
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
#define PROFILE_COUNT_MAX    INT64_MAX	 /* of all samples; JSON's and pprof's numbers */
#define PROFILE_NO_OFFSET    UINT64_MAX	 /* "name" without "+0x..." */
#define PROFILE_TEXT_UNKNOWN "[unknown]" /* what profilers write for no name */

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
	PROFILE_FILE_OFFSET, /* in its image's file */
	PROFILE_VADDR,	     /* its image's own */
	PROFILE_RUNTIME,     /* of the process; which mapping it was in is not known */
	PROFILE_RELATIVE, /* behind its image's first segment: a VADDR, unless that is not at 0 */
};

enum profile_flag {
	PROFILE_INLINED = 1, /* no frame of the machine's: it shares the next one's */
	PROFILE_KERNEL = 2,
	PROFILE_REPEATED = 4, /* one of several alike at one address: calls of itself, or inlined */
};

/* Texts are numbers, to be had by profile_text(); 0: not known. */
struct profile_frame {
	uint32_t image;	   /* its path, or the last part of it */
	uint32_t build_id; /* in hexadecimal */
	uint32_t name;
	uint16_t kind; /* enum profile_address */
	uint16_t flags;
	uint64_t address;
	uint64_t mapped;      /* address read as one of the process, as a file offset; or
			       * PROFILE_NO_OFFSET: it lies in no mapping of that image */
	uint64_t name_offset; /* address - the name's, or PROFILE_NO_OFFSET */
};

struct profile_sample {
	int32_t pid, tid; /* -1: not known */
	bool pid_is_tid;  /* only a thread's number is known: the process's may be another */
	uint32_t comm;
	uint32_t event;
	uint64_t count;
	const uint32_t *frame; /* numbers, to be had by profile_frame(); innermost first */
	uint32_t frame_count;
	uint64_t place; /* line, or offset */
};

/* Why a sample was not read. */
enum profile_loss {
	PROFILE_BAD_HEAD,  /* the line before its frames */
	PROFILE_BAD_FRAME, /* one of its frames */
	PROFILE_BAD_COUNT,
	PROFILE_TOO_DEEP,      /* more than PROFILE_FRAMES_MAX frames */
	PROFILE_TOO_LONG,      /* a line above PROFILE_LINE_MAX */
	PROFILE_CUT_OFF,       /* the file ends in it */
	PROFILE_BAD_REFERENCE, /* to a location, a function or a text that is not there */
	PROFILE_ZERO_COUNT,    /* it was never seen */
	PROFILE_LOSS_COUNT,
};

/* Texts, each once, known by their numbers. Zero-initialise. */
struct profile_texts {
	char *text; /* all of them, each ends in NUL */
	size_t bytes, room;
	size_t *at;
	uint32_t count, capacity;
	struct number_map map;
};

struct profile {
	enum profile_format format; /* that was read */
	struct profile_texts texts;
	struct profile_frame *frame;
	uint32_t frames, frame_capacity;
	struct number_map frame_map;
	uint64_t samples; /* that were handed on */
	uint64_t weight;  /* the sum of their counts */
	uint64_t scale;	  /* counts are in so many parts of 1: 0 and 1 are whole ones */
	uint64_t shared;  /* frames of samples that share stacks */
	uint64_t lost[PROFILE_LOSS_COUNT];
	struct error_list errors; /* one for each loss; offset is its place: profile_place_word() */
};

/* Gets each sample in turn; what it points to is gone afterwards. 0, or -1: reading ends. */
typedef int profile_sample_fn(void *context, const struct profile *profile,
			      const struct profile_sample *sample, struct error *error);

/* ---- profile.c ------------------------------------------------------------------------------ */

/* The number of a text, which ends at its first NUL; 0: it is empty. *ret_new: it was not there.
 * UINT32_MAX and ERROR_MEMORY. */
uint32_t profile_texts_add(struct profile_texts *texts, const char *text, size_t size,
			   bool *ret_new, struct error *error);
/* The number of a text that is there; 0: it is not. */
uint32_t profile_texts_find(const struct profile_texts *texts, const char *text, size_t size);
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
/* "bad_head": a loss's name in JSON, and what people read. */
const char *profile_loss_name(enum profile_loss loss);
const char *profile_loss_text(enum profile_loss loss);
uint64_t profile_lost(const struct profile *profile);

/* What a sample's place is the number of: "line", "offset" or "sample". */
const char *profile_place_word(enum profile_format format);
static inline uint64_t profile_scale(const struct profile *profile)
{
	return profile->scale ? profile->scale : 1;
}

/* For readers: the number of a text (0 if it is empty), and of a frame; UINT32_MAX and
 * ERROR_MEMORY. */
uint32_t profile_text_add(struct profile *profile, const char *text, size_t size,
			  struct error *error);
uint32_t profile_frame_add(struct profile *profile, const struct profile_frame *frame,
			   struct error *error);
/* Counts a loss; place: its line or offset. */
void profile_lose(struct profile *profile, enum profile_loss loss, uint64_t place,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * Counts a sample and hands it on; of count 0 it is lost. ERROR_TEXT_SYNTAX: with it the counts add
 * up to more than PROFILE_COUNT_MAX, so that no sum of them can be told.
 */
int profile_hand_on(struct profile *profile, const struct profile_sample *sample,
		    profile_sample_fn *fn, void *context, struct error *error);

/*
 * A small file can have a million samples of one deep stack: where samples share stacks, their frames
 * are counted before each is handed on. ERROR_TABLE_LIMIT: more than PROFILE_SHARED_MAX.
 */
int profile_share(struct profile *profile, size_t frames, struct error *error);

/* ---- profile_format.c ----------------------------------------------------------------------- */

/* "perf-script": by name; PROFILE_FORMAT_COUNT: there is none such. */
enum profile_format profile_format_find(const char *name);
const char *profile_format_name(enum profile_format format);
/* The format of size bytes at the file's beginning, unpacked; PROFILE_ANY: none that is read. */
enum profile_format profile_format_of(const void *data, size_t size);
/* What it looks like that is none of them: "an ELF file"; at most size bytes go into text. */
void profile_format_guess(const void *data, size_t data_size, char *text, size_t size);

/* ---- profile_read.c ------------------------------------------------------------------------- */

/*
 * Reads the profile in the file at path. ERROR_SYSTEM: it can't be read. ERROR_TEXT_SYNTAX: it is
 * none of the formats, or of its own nothing can be read, or its counts are too large.
 * ERROR_UNAVAILABLE: perf.data, and no perf
 * here. What fn returns is handed back.
 */
int profile_read(struct profile *profile, const char *path, enum profile_format format,
		 profile_sample_fn *fn, void *context, struct error *error);

/* The readers, of what is open at lines (pprof: of the whole file's bytes). */
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
	bool whole;	 /* it ended in a newline */
};

/* file: a descriptor, which is closed at last. */
int profile_lines_open(int file, struct profile_lines **ret, struct error *error);
void profile_lines_close(struct profile_lines *lines);
/* 1: a line; 0: there is none any more; -1: ERROR_SYSTEM, ERROR_MEMORY, or ERROR_TEXT_SYNTAX: the
 * compressed data are damaged. A line above PROFILE_LINE_MAX has text NULL. */
int profile_lines_next(struct profile_lines *lines, struct profile_line *ret, struct error *error);
/* The bytes at the beginning, without taking them: at most size. */
int profile_lines_peek(struct profile_lines *lines, const char **ret, size_t *ret_size,
		       struct error *error);
/* It is compressed; known after the first bytes were read. */
bool profile_lines_zipped(struct profile_lines *lines);
/* All of it, at most limit bytes; valid until the lines are closed. */
int profile_lines_all(struct profile_lines *lines, size_t limit, const uint8_t **ret,
		      size_t *ret_size, struct error *error);

#endif
