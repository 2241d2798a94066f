/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_fixture.h - a case's truth and profile, as it writes them down, and what the one makes of the other
 *
 *	"0:2810 0:2010"		a stack of points: image and address in hexadecimal, the leaf first
 *	"u 0:2810"		in doubt; "k" in the kernel, "o" its outermost frame is not known,
 *				"i" its second frame interrupted the third; "p3 0:2810" of three points
 *	"points=5 partial='text"	fields of the truth's head
 *	"*3 0:2810 0:2010"	of a profile: with a count; "~ls 0:2810" of a command, "#5 0:2810" of a process, "*3 #5 ~ls"
 *	"exact 2 caller 1"	samples by class, or of those that are neither exact nor truncated by reason
 *
 * What a case makes is here, and closed by a suite's FIXTURE(NULL, truth_end): the truth as bytes, the truth, and the
 * score of the last profile.
 */
#ifndef STACKPROOF_TESTS_SCORE_FIXTURE_H
#define STACKPROOF_TESTS_SCORE_FIXTURE_H

#include <check.h>
#include "profiles/profile/tests/profile_fixture.h"
#include "profiles/score/score.h"
#include "truth/contexts/tests/truth_bytes.h"

static struct truth_bytes written;
static struct score_truth truth;
static struct score scored;

static inline void truth_end(void)
{
	score_deinit(&scored);
	score_truth_close(&truth);
	free(written.header);
	free(written.node);
	written = (struct truth_bytes) { 0 };
}

/* ---- truths ----------------------------------------------------------------------------------- */

/* "points=5 unproven_a='text": numbers and texts. */
static inline void truth_fields(const char *fields)
{
	char name[64], value[64];

	for (const char *at = fields; *at && *at != '\n';
	     at += strcspn(at, " \n"), at += *at == ' ') {
		ck_assert_int_eq(sscanf(at, "%63[^=]=%63s", name, value), 2);
		if (*value == '\'')
			truth_text(&written, name, value + 1);
		else
			truth_number(&written, name, strtoull(value, NULL, 10));
	}
}

/* Stacks, one a line; or fields. */
static inline void truth_stacks(const char *lines)
{
	for (char *end; *lines; lines = end + (*end == '\n')) {
		struct truth_stack stack = { .points = 1 };
		struct truth_frame frame[16];
		uint32_t count = 0;

		end = strchrnul(lines, '\n');
		if (memchr(lines, '=', end - lines)) {
			truth_fields(lines);
			continue;
		}
		if (*lines == 'p') {
			stack.points = strtoull(lines + 1, (char **)&lines, 10);
			lines++;
		} else if (strchr("ukoi", *lines)) {
			stack = (struct truth_stack) { .points = *lines == 'o' || *lines == 'i',
						       .interrupts = *lines == 'i',
						       .unproven = *lines == 'u',
						       .in_kernel = *lines == 'k',
						       .open = *lines == 'o' };
			lines++;
		}
		while (lines < end) {
			char *next;

			ck_assert_uint_lt(count, sizeof(frame) / sizeof(frame[0]));
			frame[count].image = strtoul(lines, &next, 10);
			ck_assert_int_eq(*next, ':');
			frame[count++].address = strtoull(next + 1, &next, 16);
			lines = next + (*next == ' ');
		}
		truth_stack(&written, &stack, frame, count);
	}
}

/* Files that are not there, one a word: their addresses are functions of their own. */
static inline void truth_images(const char *paths)
{
	char path[64];

	for (int size = 0; sscanf(paths, "%63s%n", path, &size) == 1; paths += size)
		truth_image(&written, TRUTH_IMAGE_FILE, path, "", 0);
}

/* Of what is written. */
static inline void open_truth(void)
{
	char path[64];
	int file = truth_write(&written, path);
	struct error error;

	ck_assert_msg(!score_truth_open(&truth, path, &error), "%s", error.message);
	truth.same = (struct score_same) { .build = true, .run = true };
	close(file);
}

/* ---- profiles ---------------------------------------------------------------------------------- */

/* One line of stacks as NDJSON. Numbers of images from images on are of none. */
static inline const char *print_stack_line(FILE *file, const char *line, unsigned long images)
{
	unsigned long count = *line == '*' ? strtoul(line + 1, (char **)&line, 10) : 1;
	const char *comma = "";
	char *end;

	line += *line == ' ';
	fprintf(file, "{\"type\":\"profile_stack\",\"count\":%lu,", count);
	while (*line == '~' || *line == '#') {
		int size = strcspn(line, " \n");

		fprintf(file, *line == '~' ? "\"comm\":\"%.*s\"," : "\"pid\":%.*s,", size - 1,
			line + 1);
		line += size + (line[size] == ' ');
	}
	fputs("\"frames\":[", file);
	for (; *line && *line != '\n'; line = end + (*end == ' '), comma = ",") {
		unsigned long image = strtoul(line, &end, 10);
		uint64_t address = strtoull(end + 1, &end, 16);

		if (image < images)
			fprintf(file, "%s{\"image\":%lu,\"vaddr\":\"0x%" PRIx64 "\"}", comma,
				image + 1, address);
		else
			fprintf(file, "%s{\"address\":\"0x%" PRIx64 "\"}", comma, address);
	}
	fputs("]}\n", file);
	return line + (*line == '\n');
}

/* Lines of stacks, of images with such paths, as NDJSON of ours; a profile as it is, but JSON has ' for ". To be freed. */
static inline char *profile_of(const char *lines, const char *const *paths, int images)
{
	char *ret;
	size_t size;
	FILE *file;

	if (*lines == '{')
		return quoted(lines);
	if (!strchr("*~#", *lines) && lines[strspn(lines, "0123456789")] != ':')
		return strdup(lines);
	file = open_memstream(&ret, &size);
	for (int i = 0; i < images; i++)
		fprintf(file, "{\"type\":\"profile_image\",\"image\":%d,\"path\":\"%s\"}\n", i + 1,
			paths[i]);
	while (*lines)
		lines = print_stack_line(file, lines, images);
	fclose(file);
	return ret;
}

static inline char *crafted_profile(const char *lines)
{
	static const char *const paths[] = { "/x/prog", "/x/lib.so", "/x/strip.so" };

	return profile_of(lines, paths, 3);
}

static inline void score_into(struct score *ret, const void *data, size_t size)
{
	char path[64];
	int file = profile_file(data, size, path);
	struct error error;

	ck_assert_msg(!score_init(ret, &truth, &error), "%s", error.message);
	ck_assert_msg(!score_profile(ret, path, PROFILE_ANY, &error), "%s", error.message);
	close(file);
}

/* Makes scored anew. */
static inline void score_text(const char *profile)
{
	char *text = crafted_profile(profile);

	score_deinit(&scored);
	score_into(&scored, text, strlen(text));
	free(text);
}

/* ---- what was counted ------------------------------------------------------------------------- */

/* The first class that was counted; -1: none. */
static inline int32_t class_of(const struct score *score)
{
	for (int i = 0; i < SCORE_CLASS_COUNT; i++)
		if (score->all.class[i])
			return i;
	return -1;
}

static inline int32_t reason_of(const struct score *score)
{
	for (int i = 0; i < SCORE_REASON_COUNT; i++)
		if (score->reason[i])
			return i;
	return -1;
}

/* "exact 1 truncated 2 caller 3"; "": nothing. */
static inline const char *crafted_counts(const struct score *score, char ret[256])
{
	static const enum score_reason first[] = { SCORE_LEAF, SCORE_OPEN, SCORE_EMPTY,
						   SCORE_REASON_COUNT };
	size_t size = 0;

	*ret = '\0';
	for (int i = SCORE_EXACT; i <= SCORE_TRUNCATED; i++)
		if (score->all.class[i])
			size += snprintf(ret + size, 256 - size, "%s%s %" PRIu64, size ? " " : "",
					 score_class_name(i), score->all.class[i]);
	for (int i = SCORE_LEAF; i < SCORE_REASON_COUNT; i++)
		if (score->reason[i])
			size += snprintf(ret + size, 256 - size, "%s%s %" PRIu64, size ? " " : "",
					 score_reason_name(i), score->reason[i]);
	/* Each class has the samples of its reasons. */
	for (int i = 0; i < 3; i++) {
		uint64_t count = 0;

		for (enum score_reason reason = first[i]; reason < first[i + 1]; reason++)
			count += score->reason[reason];
		ck_assert_uint_eq(score->all.class[SCORE_IMPOSSIBLE + i], count);
	}
	return ret;
}

static inline void check_counts(const char *name, const char *profile, const char *expected)
{
	char counts[256];

	score_text(profile);
	ck_assert_msg(!strcmp(crafted_counts(&scored, counts), expected), "%s: %s, not %s", name,
		      counts, expected);
}

/* All that is printed of scored, and of the truth in text; JSON has ' for ". To be freed. */
static __attribute__((noinline, unused)) char *score_told(bool json, uint64_t findings,
							  uint64_t functions)
{
	const struct score_shown shown = { "profile", "truth", findings, functions, NULL };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (json) {
		score_print_json(file, &scored, &shown);
	} else {
		score_print_truth_text(file, "truth", &truth);
		score_print_text(file, &scored, &shown);
	}
	fclose(file);
	for (char *at = text; json && (at = strchr(at, '"'));)
		*at = '\'';
	return text;
}

/* "3 ls, 1 cp": which names were not the program's. */
static inline void check_other_names(const char *name, const char *expected)
{
	struct error error;
	uint32_t count, *other = score_other_names(&scored, &count, &error);
	char said[256] = "";

	for (uint32_t i = 0; i < count; i++)
		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s%" PRIu64 " %s",
			 i ? ", " : "", scored.other_count[other[i]],
			 profile_texts_get(&scored.other_name, other[i]));
	ck_assert_msg(!strcmp(said, expected), "%s: %s", name, said);
	free(other);
}

#endif
