/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile_fixture.h - a profile of bytes, read, and all that its reader made of it as text
 *
 *	perf-script
 *	pid/tid 'comm' event x count: FRAME, FRAME		a sample, its innermost frame first
 *	~tid/tid 'comm' ...					of which only a thread is known
 *	x count:						of which nothing is known, without frames
 *	lost bad_frame 1
 *	line 4: a frame that can't be read
 *
 * A frame: name+0xoffset (image build_id) f|v|r|b0xaddress m0xmapped, and "i", "k", "r" for its flags.
 */
#ifndef STACKPROOF_TESTS_PROFILE_FIXTURE_H
#define STACKPROOF_TESTS_PROFILE_FIXTURE_H

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "profiles/profile/profile.h"

static inline void print_profile_frame(FILE *file, const struct profile *profile,
				       const struct profile_frame *frame)
{
	fputs(frame->name ? profile_text(profile, frame->name) : "?", file);
	if (frame->name_offset != PROFILE_NO_OFFSET)
		fprintf(file, "+0x%" PRIx64, frame->name_offset);
	if (frame->image || frame->build_id)
		fprintf(file, " (%s%s%s)", profile_text(profile, frame->image),
			frame->build_id ? " " : "", profile_text(profile, frame->build_id));
	if (frame->kind != PROFILE_NO_ADDRESS)
		fprintf(file, " %c0x%" PRIx64, ".fvrb"[frame->kind], frame -> address);
	else
		ck_assert_uint_eq(frame->address, 0);
	if (frame->mapped != PROFILE_NO_OFFSET)
		fprintf(file, " m0x%" PRIx64, frame->mapped);
	fprintf(file, "%s%s%s", frame->flags & PROFILE_INLINED ? " i" : "",
		frame->flags & PROFILE_KERNEL ? " k" : "",
		frame->flags & PROFILE_REPEATED ? " r" : "");
}

static inline int print_profile_sample(void *context, const struct profile *profile,
				       const struct profile_sample *sample, struct error *error)
{
	FILE *file = context;

	if (sample->pid != -1 || sample->tid != -1)
		fprintf(file, "%s%d/%d ", sample->pid_is_tid ? "~" : "", sample->pid, sample->tid);
	if (sample->comm)
		fprintf(file, "'%s' ", profile_text(profile, sample->comm));
	if (sample->event)
		fprintf(file, "%s ", profile_text(profile, sample->event));
	fprintf(file, "x %" PRIu64 ":", sample->count);
	for (uint32_t i = 0; i < sample->frame_count; i++) {
		fputs(i ? ", " : " ", file);
		print_profile_frame(file, profile, profile_frame(profile, sample->frame[i]));
	}
	fputc('\n', file);
	return 0;
}

/* A file of size bytes without a name; its path goes into path. */
static inline int profile_file(const void *data, size_t size, char path[64])
{
	int file = memfd_create("profile", 0);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, data, size), size);
	snprintf(path, 64, "/proc/self/fd/%d", file);
	return file;
}

/* All that is read of the file at path; to be freed. */
static inline char *profile_read_text(const char *path, enum profile_format format)
{
	struct profile profile;
	struct error error;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int status;

	profile_init(&profile);
	status = profile_read(&profile, path, format, print_profile_sample, file, &error);
	ck_assert(!status || status == -1);
	if (status)
		fprintf(file, "error %s: %s\n", error_code_name(error.code), error.message);
	for (int i = 0; i < PROFILE_LOSS_COUNT; i++)
		if (profile.lost[i])
			fprintf(file, "lost %s %" PRIu64 "\n", profile_loss_name(i),
				profile.lost[i]);
	for (size_t i = 0; i < profile.errors.count; i++)
		fprintf(file, "%s %" PRIu64 ": %s\n", profile.errors.error[i].section,
			profile.errors.error[i].offset, profile.errors.error[i].message);
	if (profile_scale(&profile) > 1)
		fprintf(file, "in parts of %" PRIu64 "\n", profile_scale(&profile));
	fprintf(file, "%s %" PRIu64 " of %" PRIu64 "\n", profile_format_name(profile.format),
		profile.samples, profile.weight);
	ck_assert_uint_eq(profile_lost(&profile), profile.errors.count + profile.errors.dropped);
	profile_deinit(&profile);
	fclose(file);
	return text;
}

static inline char *profile_bytes_text(const void *data, size_t size, enum profile_format format)
{
	char path[64];
	int file = profile_file(data, size, path);
	char *text = profile_read_text(path, format);

	close(file);
	return text;
}

/* What is read of a text; or of JSON, with ' for ". */
struct profile_case {
	const char *name, *input, *expected;
};

/* Frees text. */
static inline void check_profile_text(const char *name, char *text, const char *expected)
{
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s\nis\n%s", name, expected, text);
	free(text);
}

/* JSON that is written with ' for "; to be freed. */
static inline char *quoted(const char *text)
{
	char *ret = strdup(text);

	for (char *at = ret; (at = strchr(at, '\''));)
		*at = '"';
	return ret;
}

/* To be freed. */
static inline char *input_of_case(const char *text)
{
	return text[strspn(text, " \n")] == '{' ? quoted(text) : strdup(text);
}

/* What is read of a case's input; to be freed. */
static inline char *text_of_case(const char *text, enum profile_format format)
{
	char *input = input_of_case(text), *ret = profile_bytes_text(input, strlen(input), format);

	free(input);
	return ret;
}

static inline void check_profile_case(const struct profile_case *test)
{
	check_profile_text(test->name, text_of_case(test->input, PROFILE_ANY), test->expected);
}

/* As many frames as a sample may have, of which all is read, to the end that is said; and one more, so that the sample is
 * lost. */
struct most_frames {
	const char *head, *frame, *between, *tail, *end, *lost;
};

static inline void check_most_frames(const struct most_frames *test)
{
	for (int more = 0; more < 2; more++) {
		char *lines, *text;
		size_t size;
		FILE *file = open_memstream(&lines, &size);

		fprintf(file, "%s%s", test->head, test->frame);
		for (int i = 1; i < PROFILE_FRAMES_MAX + more; i++)
			fprintf(file, "%s%s", test->between, test->frame);
		fputs(test->tail, file);
		fclose(file);
		text = text_of_case(lines, PROFILE_ANY);
		ck_assert_msg(more ? !strcmp(text, test->lost) : strstr(text, test->end) != NULL,
			      "%.300s", text);
		free(text);
		free(lines);
	}
}

/* Cut off at every byte, and with a byte changed, 4,000 times the same way: whatever is read, the
 * reader comes to its end, and what it hands on is well-formed. */
static inline void check_profile_hostile(const void *data, size_t size, enum profile_format format)
{
	uint8_t *copy = malloc(size);
	uint64_t state = 1;

	for (size_t cut = 0; cut < size; cut++)
		free(profile_bytes_text(data, cut, format));
	for (int i = 0; i < 4000; i++) {
		memcpy(copy, data, size);
		for (int change = 0; change <= i % 3; change++) {
			state = state * 6364136223846793005ull + 1442695040888963407ull;
			copy[(state >> 33) % size] = state >> 24;
		}
		free(profile_bytes_text(copy, size, format));
	}
	free(copy);
}

static inline void check_case_hostile(const struct profile_case *test, enum profile_format format)
{
	char *input = input_of_case(test->input);

	check_profile_hostile(input, strlen(input), format);
	free(input);
}

#endif
