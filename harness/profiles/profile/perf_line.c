/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_line.c - one line of `perf script`: a sample's head, a frame, an event
 *
 * The forms are those of perf 5.10 to 6.12 (tools/perf/builtin-script.c and
 * util/evsel_fprintf.c in the kernel's tree).
 */
#include <ctype.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "perf_line.h"

struct span span_trim(struct span span)
{
	while (span.size && isspace((unsigned char)span.at[0]))
		span.at++, span.size--;
	while (span.size && isspace((unsigned char)span.at[span.size - 1]))
		span.size--;
	return span;
}

struct span span_word(struct span *rest)
{
	struct span word = span_trim(*rest);
	size_t size = 0;

	*rest = word;
	while (size < word.size && !isspace((unsigned char)word.at[size]))
		size++;
	word.size = size;
	rest->at += size;
	rest->size -= size;
	*rest = span_trim(*rest);
	return word;
}

struct span span_line(struct span *rest)
{
	const char *end = rest->size ? memchr(rest->at, '\n', rest->size) : NULL;
	struct span line = { rest->at, end ? (size_t)(end - rest->at) : rest->size };

	rest->at += line.size + (end != NULL);
	rest->size -= line.size + (end != NULL);
	return line;
}

static bool span_number(struct span span, unsigned int base, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < span.size; i++) {
		unsigned int c = (unsigned char)span.at[i],
			     digit = c >= '0' && c <= '9'   ? c - '0'
				     : c >= 'a' && c <= 'f' ? c - 'a' + 10
				     : c >= 'A' && c <= 'F' ? c - 'A' + 10
							    : base;
		if (digit >= base || __builtin_mul_overflow(*ret, base, ret) ||
		    __builtin_add_overflow(*ret, digit, ret)) {
			*ret = 0;
			return false;
		}
	}
	return span.size > 0;
}

bool span_decimal(struct span span, uint64_t *ret)
{
	return span_number(span, 10, ret);
}

bool span_hexadecimal(struct span span, uint64_t *ret)
{
	return span_number(span, 16, ret);
}

/* "0x..." */
static bool span_prefixed(struct span span, uint64_t *ret)
{
	if (!span_begins(span, "0x"))
		return false;
	return span_hexadecimal((struct span) { span.at + 2, span.size - 2 }, ret);
}

/* What is before the first c, which is taken away, too. False: there is none. */
static bool span_until(struct span *rest, char c, struct span *ret)
{
	const char *at = rest->size ? memchr(rest->at, c, rest->size) : NULL;

	if (!at)
		return false;
	*ret = (struct span) { rest->at, at - rest->at };
	rest->size -= ret->size + 1;
	rest->at = at + 1;
	return true;
}

static bool parse_id(struct span span, int32_t *ret)
{
	uint64_t value;

	if (span_is(span, "-1")) {
		*ret = -1;
		return true;
	}
	if (!span_decimal(span, &value) || value > INT32_MAX)
		return false;
	*ret = value;
	return true;
}

/* "32200", a thread; "32200/32201", a process and its thread. */
static bool parse_ids(struct span word, int32_t *ret_pid, int32_t *ret_tid)
{
	struct span first;

	*ret_pid = -1;
	if (!span_until(&word, '/', &first))
		return parse_id(word, ret_tid);
	return parse_id(first, ret_pid) && parse_id(word, ret_tid);
}

#define SECOND_NS 1000000000ull

/* "553.342217:", or with perf's --ns nine digits. */
static bool parse_time(struct span word, struct perf_head *ret)
{
	struct span seconds;
	uint64_t value, unit = SECOND_NS;

	if (word.size < 2 || word.at[--word.size] != ':' || !span_until(&word, '.', &seconds) ||
	    !span_decimal(seconds, &ret->time_ns) || !span_decimal(word, &value))
		return false;
	for (size_t i = 0; i < word.size && unit > 1; i++)
		unit /= 10;
	ret->time_ns = ret->time_ns * SECOND_NS + value * unit;
	ret->within_ns = unit - 1;
	return true;
}

/* "[001]" */
static bool is_cpu(struct span word)
{
	uint64_t value;

	return word.size > 2 && word.at[0] == '[' && word.at[word.size - 1] == ']' &&
	       span_decimal((struct span) { word.at + 1, word.size - 2 }, &value);
}

/* What is behind the process's number. timed: a time must be there. */
static bool parse_fields(struct span rest, bool timed, struct perf_head *ret)
{
	struct span before = rest, word = span_word(&rest);
	uint64_t value;

	if (is_cpu(word)) {
		before = rest;
		word = span_word(&rest);
	}
	ret->timed = parse_time(word, ret);
	if (ret->timed != timed)
		return false;
	if (timed) {
		before = rest;
		word = span_word(&rest);
	}
	if (span_begins(word, PERF_EVENT_PREFIX)) {
		ret->rest = before;
		return true;
	}
	if (span_decimal(word, &value)) /* the period, if an event is behind it */
		word = span_word(&rest);
	if (word.size > 1 && word.at[word.size - 1] == ':') {
		ret->event = (struct span) { word.at, word.size - 1 };
		ret->rest = rest;
		return true;
	}
	ret->rest = before; /* no event was asked for */
	return true;
}

/* What of a head there is besides an event, a period and a CPU. */
static const struct form {
	bool comm, ids, timed;
} forms[] = {
	/* A number behind a time is a period: where there is a time it is looked for first. */
	{ true, true, true },	{ false, true, true },	 { true, false, true },
	{ false, false, true }, { true, true, false },	 { false, true, false },
	{ true, false, false }, { false, false, false },
};

/* What else must be so where no numbers, or no time, say what the words are. */
static bool is_plausible(const struct form *form, struct span line, const struct perf_head *head)
{
	bool at_end = !head->rest.size && line.size && line.at[line.size - 1] == ' ';
	struct perf_frame frame;

	if (form->timed || span_begins(head->rest, PERF_EVENT_PREFIX))
		return true;
	if (form->ids && perf_frame_alone_parse(head->rest, &frame))
		return true;
	if (head->event.size)
		return form->ids || at_end;
	return (form->comm || form->ids) && at_end;
}

/* What may be a command's name. Without a process behind it no word of it is another field. */
static bool is_comm(const struct form *form, struct span comm)
{
	struct span word;

	if (comm.size && memmem(comm.at, comm.size, PERF_EVENT_PREFIX, strlen(PERF_EVENT_PREFIX)))
		return false;
	while (!form->ids && comm.size) {
		word = span_word(&comm);
		if (is_cpu(word) || word.at[word.size - 1] == ':')
			return false;
	}
	return true;
}

/* rest: of all the line, from its word number words on. */
static bool parse_form(const struct form *form, struct span line, struct span all, struct span rest,
		       struct perf_head *ret)
{
	*ret = (struct perf_head) { .comm = { all.at, rest.at - all.at }, .pid = -1, .tid = -1 };
	ret->comm = span_trim(ret->comm);
	if (!is_comm(form, ret->comm))
		return false;
	if (form->ids) {
		struct span word = span_word(&rest);

		if (!parse_ids(word, &ret->pid, &ret->tid))
			return false;
	}
	return parse_fields(rest, form->timed, ret) && is_plausible(form, line, ret);
}

bool perf_head_parse(struct span line, struct perf_head *ret)
{
	const struct span all = span_trim(line);

	for (size_t i = 0; all.size && i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct span rest = all;

		while (forms[i].comm && rest.size) {
			span_word(&rest);
			if (parse_form(&forms[i], line, all, rest, ret))
				return true;
		}
		if (!forms[i].comm && parse_form(&forms[i], line, all, rest, ret))
			return true;
	}
	return false;
}

/* The last " (...)" of rest, whose brackets are in pairs; it is taken away. */
static bool take_brackets(struct span *rest, struct span *ret)
{
	size_t depth = 0;

	*rest = span_trim(*rest);
	if (!rest->size || rest->at[rest->size - 1] != ')')
		return false;
	for (size_t i = rest->size; i-- > 0;) {
		depth += rest->at[i] == ')';
		depth -= rest->at[i] == '(';
		if (depth || rest->at[i] != '(' || (i && !isspace((unsigned char)rest->at[i - 1])))
			continue;
		*ret = (struct span) { rest->at + i + 1, rest->size - i - 2 };
		rest->size = i;
		*rest = span_trim(*rest);
		return true;
	}
	return false;
}

bool perf_frame_begins(struct span line)
{
	uint64_t value;

	return line.size && isspace((unsigned char)line.at[0]) &&
	       span_hexadecimal(span_word(&line), &value);
}

bool perf_line_is_source(struct span line)
{
	return line.size > 2 && span_begins(line, "  ") && !isspace((unsigned char)line.at[2]);
}

bool perf_line_is_extra(struct span line)
{
	return span_begins(line, "\t\t") ||
	       (span_begins(line, " ") && !perf_line_is_source(line) && span_trim(line).size);
}

/* "4K" */
static bool is_page_size(struct span word)
{
	uint64_t value;

	return word.size > 1 && strchr("KMG", word.at[word.size - 1]) &&
	       span_decimal((struct span) { word.at, word.size - 1 }, &value);
}

bool perf_extra_begins(struct span text)
{
	struct span word = span_word(&text);

	return span_is(word, "insn:") || span_is(word, "ilen:") || span_begins(word, "ABI:");
}

/* What may be behind a frame in a head's line. */
static bool is_behind_frame(struct span text)
{
	struct span rest = text, word = span_word(&rest);
	uint64_t address;

	if (!word.size || perf_extra_begins(text))
		return true;
	return isspace((unsigned char)text.at[0]) &&
	       (span_is(word, "N/A") || is_page_size(word) || span_hexadecimal(word, &address));
}

bool perf_source_is_inlined(struct span line)
{
	struct span brackets;

	return take_brackets(&line, &brackets) && span_is(brackets, "inlined");
}

/* "/bin/a+0x1234", of the frame's own address: -F dsoff. */
static struct span take_image(struct span text, uint64_t address)
{
	const char *plus = text.size ? memrchr(text.at, '+', text.size) : NULL;
	struct span image = { text.at, plus ? (size_t)(plus - text.at) : 0 };
	uint64_t offset;

	return plus &&
			       span_prefixed((struct span) { plus + 1, text.size - image.size - 1 },
					     &offset) &&
			       offset == address
		       ? image
		       : text;
}

bool perf_frame_parse(struct span line, bool no_images, struct perf_frame *ret)
{
	struct span address = span_word(&line), brackets, before;

	*ret = (struct perf_frame) { .name_offset = PROFILE_NO_OFFSET };
	if (!span_hexadecimal(address, &ret->address))
		return false;
	for (before = line; take_brackets(&line, &brackets); before = line) {
		if (span_is(brackets, "inlined")) {
			ret->inlined = true;
			continue;
		}
		ret->has_image = !no_images;
		if (no_images)
			line = before;
		else
			ret->image = take_image(brackets, ret->address);
		break;
	}
	ret->name = line;
	for (size_t i = line.size; i-- > 1;)
		if (line.at[i] == '+') {
			struct span offset = { line.at + i + 1, line.size - i - 1 };

			if (span_prefixed(offset, &ret->name_offset))
				ret->name.size = i;
			else
				ret->name_offset = PROFILE_NO_OFFSET;
			break;
		}
	if (span_is(ret->name, PROFILE_TEXT_UNKNOWN))
		ret->name.size = 0;
	if (span_is(ret->image, PROFILE_TEXT_UNKNOWN))
		ret->image.size = 0;
	return true;
}

/* Without what may have brackets, too: an instruction's text, instructions per cycle. */
static struct span cut_text(struct span text)
{
	static const char *const begins[] = { "\t\t", " \t IPC:" };

	for (size_t i = 0; text.size && i < sizeof(begins) / sizeof(begins[0]); i++) {
		const char *at = memmem(text.at, text.size, begins[i], strlen(begins[i]));

		text.size = at ? (size_t)(at - text.at) : text.size;
	}
	return text;
}

bool perf_frame_alone_parse(struct span text, struct perf_frame *ret)
{
	const struct span rest = cut_text(text);
	const char *end = rest.size ? memrchr(rest.at, ')', rest.size) : NULL;
	const size_t size = end ? (size_t)(end + 1 - rest.at) : 0;

	return end && is_behind_frame((struct span) { rest.at + size, rest.size - size }) &&
	       perf_frame_parse((struct span) { rest.at, size }, false, ret) && ret->has_image;
}

/* "fe:00 246999 862321892": device, inode, the inode's generation. */
static void take_file(struct span text, struct perf_event *ret)
{
	struct span device = span_word(&text), major;
	uint64_t number[2];

	if (!span_until(&device, ':', &major) || !span_hexadecimal(major, &number[0]) ||
	    !span_hexadecimal(device, &number[1]) || !span_decimal(span_word(&text), &ret->inode) ||
	    !span_decimal(span_word(&text), &ret->generation)) {
		ret->inode = 0;
		return;
	}
	ret->device = makedev(number[0], number[1]);
}

/* "0x55837daea000(0xc1000) @ 0x2f000 fe:00 246999 0]: r-xp /usr/bin/bash", or of a build-id
 * "0x...(0x...) @ 0x2f000 <5c9a...>]: ...", or "... @ 0]: x [kernel]". */
static bool parse_mapping(struct span text, struct perf_event *ret)
{
	struct span start, size, behind, offset;

	if (!span_until(&text, '[', &behind) || !span_until(&text, '(', &start) ||
	    !span_until(&text, ')', &size) || !span_until(&text, '@', &behind) ||
	    !span_until(&text, ']', &behind))
		return false;
	offset = span_word(&behind);
	if (!span_prefixed(start, &ret->start) || !span_prefixed(size, &ret->size) ||
	    !(span_prefixed(offset, &ret->offset) || span_decimal(offset, &ret->offset)))
		return false;
	if (span_begins(behind, "<") && span_until(&behind, '>', &ret->build_id))
		ret->build_id = (struct span) { ret->build_id.at + 1, ret->build_id.size - 1 };
	take_file(behind, ret);
	span_word(&text); /* ":" */
	span_word(&text); /* "r-xp" */
	ret->image = span_trim(text);
	return true;
}

bool perf_event_parse(struct span text, struct perf_event *ret)
{
	struct span word, first, second;
	int32_t tid;

	*ret = (struct perf_event) { .kind = PERF_EVENT_OTHER };
	if (span_begins(text, "PERF_RECORD_FORK(")) {
		ret->kind = PERF_EVENT_FORK; /* (pid:tid):(parent's pid:tid) */
		return span_until(&text, '(', &word) && span_until(&text, ':', &first) &&
		       span_until(&text, '(', &word) && span_until(&text, ':', &second) &&
		       parse_id(first, &ret->pid) && parse_id(second, &ret->parent);
	}
	word = span_word(&text);
	if (span_is(word, "PERF_RECORD_COMM")) { /* exec: NAME:pid/tid */
		first = span_word(&text);
		if (!span_is(first, "exec:"))
			return true;
		ret->kind = PERF_EVENT_EXEC;
		while (span_until(&text, ':', &first))
			;
		return parse_ids(text, &ret->pid, &tid);
	}
	if (span_is(word, "PERF_RECORD_LOST") || span_is(word, "PERF_RECORD_LOST_SAMPLES")) {
		word = span_word(&text); /* lost N */
		ret->kind = span_is(word, "lost") && span_decimal(span_trim(text), &ret->lost)
				    ? PERF_EVENT_LOST
				    : PERF_EVENT_OTHER;
		return true;
	}
	if (!span_is(word, "PERF_RECORD_MMAP") && !span_is(word, "PERF_RECORD_MMAP2"))
		return true;
	ret->kind = PERF_EVENT_MMAP;
	return span_until(&text, ':', &first) && parse_ids(first, &ret->pid, &tid) &&
	       parse_mapping(text, ret);
}
