/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_line.h - one line of `perf script`
 *
 *	bash 32200/32201 [001]   553.342217:     250000 cpu-clock:ppp:		a head
 *		           e45c _dl_relocate_object+0x83c (/usr/lib/ld.so)	a frame
 *	bash 32200/32200   553.341: PERF_RECORD_MMAP2 32200/32200: [0x...	an event
 *
 * Which fields a head has depends on -F and on the version: of a command, numbers of a process, a CPU,
 * a time, a period and an event each may be missing, or all of them; then the head is an empty line.
 * A command's name may have blanks, so it is what stands before the first numbers that can be a
 * process, and the fields behind them. Where there are none it is what stands before a time, or before
 * an event at the line's end. perf ends each field with a blank: a line of only a command, or of a
 * command and a number, is a head if one is there.
 */
#ifndef STACKPROOF_PERF_LINE_H
#define STACKPROOF_PERF_LINE_H

#include "profile.h"

/* Bytes of a line. */
struct span {
	const char *at;
	size_t size;
};

static inline bool span_is(struct span span, const char *text)
{
	return span.size == __builtin_strlen(text) && !__builtin_memcmp(span.at, text, span.size);
}

static inline bool span_begins(struct span span, const char *text)
{
	return span.size >= __builtin_strlen(text) &&
	       !__builtin_memcmp(span.at, text, __builtin_strlen(text));
}

/* Without blanks at both ends. */
struct span span_trim(struct span span);
/* Takes the first word away, and the blanks around it; empty: there is none. */
struct span span_word(struct span *rest);
/* Takes the first line away; it is without its newline. */
struct span span_line(struct span *rest);
/* The number that all of span is; false: it is none, or does not fit, and *ret is 0. */
bool span_decimal(struct span span, uint64_t *ret);
bool span_hexadecimal(struct span span, uint64_t *ret);

struct perf_head {
	struct span comm;
	int32_t pid, tid; /* -1: not said */
	bool timed;
	struct span event; /* without its ':' */
	struct span rest;  /* behind that: a sample without a callchain has its frame there */
};
/* line: with the blanks at its end. */
bool perf_head_parse(struct span line, struct perf_head *ret);

struct perf_frame {
	uint64_t address;
	struct span name;     /* empty: [unknown], or not said */
	uint64_t name_offset; /* or PROFILE_NO_OFFSET */
	struct span image;    /* empty: [unknown], or not said */
	bool has_image;	      /* it is said, be it as [unknown] */
	bool inlined;
};
/* no_images: perf was asked for none, so that brackets are the name's. */
bool perf_frame_parse(struct span line, bool no_images, struct perf_frame *ret);
/* The line begins as a frame does: a blank, and a number in hexadecimal. */
bool perf_frame_begins(struct span line);
/* Of a sample without a callchain: a frame that has an image, and what -F adds to it. */
bool perf_frame_alone_parse(struct span text, struct perf_frame *ret);
/* "  a.c:12", behind a frame: -F srcline. */
bool perf_line_is_source(struct span line);
/* The line behind a sample's frames by which -F adds to it, in place of the empty one: registers, the
 * instruction, a physical address, sizes of pages, branches. A head's line may begin so, too. */
bool perf_line_is_extra(struct span line);
/* It begins with a word by which that says what it is. */
bool perf_extra_begins(struct span text);
/* A frame's source line, which has what else would be behind its name. */
bool perf_source_is_inlined(struct span line);

#define PERF_EVENT_PREFIX "PERF_RECORD_"
/* What changes a process's mappings; behind a head's time. */
enum perf_event_kind { PERF_EVENT_OTHER, PERF_EVENT_MMAP, PERF_EVENT_FORK, PERF_EVENT_EXEC };
struct perf_event {
	enum perf_event_kind kind;
	int32_t pid;
	int32_t parent; /* of a fork */
	uint64_t start, size, offset;
	struct span image;
};
/* text begins with PERF_EVENT_PREFIX. False: it should be one of these, and can't be read. */
bool perf_event_parse(struct span text, struct perf_event *ret);

#endif
