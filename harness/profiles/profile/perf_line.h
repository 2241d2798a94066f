/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_line.h - a line of `perf script`
 *
 *	bash 32200/32201 [001]   553.342217:     250000 cpu-clock:ppp:		a head
 *		           e45c _dl_relocate_object+0x83c (/usr/lib/ld.so)	a frame
 *	bash 32200/32200   553.341: PERF_RECORD_MMAP2 32200/32200: [0x...	an event
 *
 * The fields of a head depend on -F and on perf's version. Its fields are: command, process and thread
 * numbers, CPU, time, period, event; any may be missing, or all, and then the head is an empty line.
 * A command's name may have blanks. So the command is all that comes before the first number which can be
 * a process and is followed by valid fields; without such a number, all before a time, or before an event
 * at the line's end. perf ends each field with a blank: a line of only a command, or of a command and a
 * number, is a head only if it ends with a blank.
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

/* The span without blanks at both ends. */
struct span span_trim(struct span span);
/* Cuts off the first word and the blanks around it, and returns the word; empty: there is none. */
struct span span_word(struct span *rest);
/* Cuts off the first line, and returns it without its newline. */
struct span span_line(struct span *rest);
/* Reads all of span as a number. False: not a number, or too large; then *ret is 0. */
bool span_decimal(struct span span, uint64_t *ret);
bool span_hexadecimal(struct span span, uint64_t *ret);

struct perf_head {
	struct span comm;
	int32_t pid, tid; /* -1: not in the line */
	bool timed;
	uint64_t time_ns, within_ns; /* of perf's microseconds: within the next 999 ns */
	struct span event;	     /* without its ':' */
	struct span rest; /* after the event: the frame of a sample without a callchain */
};
/* False: line, which must have the blanks at its end, is not a head. */
bool perf_head_parse(struct span line, struct perf_head *ret);

struct perf_frame {
	uint64_t address;
	struct span name;     /* empty: [unknown], or not in the line */
	uint64_t name_offset; /* or PROFILE_NO_OFFSET */
	struct span image;    /* empty: [unknown], or not in the line */
	bool has_image;	      /* the line has an image, perhaps [unknown] */
	bool inlined;
};
/* no_images: perf printed no images, so that parentheses belong to the name. */
bool perf_frame_parse(struct span line, bool no_images, struct perf_frame *ret);
/* True if line begins as a frame: a blank, and a number in hexadecimal. */
bool perf_frame_begins(struct span line);
/* Parses the frame of a sample without a callchain: it has an image, and -F may add more after it. */
bool perf_frame_alone_parse(struct span text, struct perf_frame *ret);
/* True for "  a.c:12", the source line after a frame: -F srcline. */
bool perf_line_is_source(struct span line);
/* True for the line that may end a sample instead of an empty line, with what -F adds: registers, the
 * instruction, a physical address, page sizes, branches. A head's line may begin in the same way. */
bool perf_line_is_extra(struct span line);
/* True if text begins with a word that only such a line has: "insn:", "ilen:" or "ABI:". */
bool perf_extra_begins(struct span text);
/* True if a source line ends with "(inlined)", which else stands after the frame's name. */
bool perf_source_is_inlined(struct span line);

#define PERF_EVENT_PREFIX "PERF_RECORD_"
/* Events that change a process's mappings; they stand after a head's time. */
enum perf_event_kind {
	PERF_EVENT_OTHER,
	PERF_EVENT_MMAP,
	PERF_EVENT_FORK,
	PERF_EVENT_EXEC,
	PERF_EVENT_LOST,
};
struct perf_event {
	enum perf_event_kind kind;
	int32_t pid;
	int32_t parent; /* of a fork */
	uint64_t start, size, offset;
	uint64_t lost; /* events, or samples, for which there was no room */
	struct span image;
	uint64_t device, inode, generation; /* of the image's file; inode 0: it is not said */
	struct span build_id;		    /* in hexadecimal; empty: it is not said */
};
/* text begins with PERF_EVENT_PREFIX. False: text is one of these events, but can't be read. */
bool perf_event_parse(struct span text, struct perf_event *ret);

#endif
