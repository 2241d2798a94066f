/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_face.c - stackproof.h: sizes, numbers, errors, images, the walk in user space
 *
 * What needs BPF is a SKIP where there is none. Everything else is tried installed:
 * scripts/check-library.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/suite.h"
#include "face.h"

/* ---- sizes ------------------------------------------------------------------------------ */

struct known {
	size_t size;
	uint32_t first, second;
};

struct newer {
	struct known known;
	uint64_t more;
};

static const struct {
	const char *name;
	size_t size;
	uint64_t more;
	int status;
	uint32_t second;
} option_sizes[] = {
	{ "the_same", sizeof(struct known), 7, 0, 2 },
	{ "an_older_programs_is_filled_with_zeros", offsetof(struct known, second), 7, 0, 0 },
	{ "a_newer_programs_that_asks_nothing_more", sizeof(struct newer), 0, 0, 2 },
	{ "a_newer_programs_that_asks_more_is_rejected", sizeof(struct newer), 7, -1, 2 },
	{ "no_size_is_rejected", 0, 0, -1, 2 },
	{ "half_a_size_is_rejected", sizeof(size_t) - 1, 0, -1, 2 },
};

START_TEST(options_know_their_size)
{
	struct newer given = { { option_sizes[_i].size, 1, 2 }, option_sizes[_i].more };
	struct stackproof_error error = { 0 };
	struct known known;

	ck_assert_int_eq(face_take(&known, sizeof(known), &given, &error), option_sizes[_i].status);
	ck_assert_uint_eq(error.code, option_sizes[_i].status ? STACKPROOF_ERROR_ARGUMENT : 0);
	if (!option_sizes[_i].status) {
		ck_assert_uint_eq(known.first, 1);
		ck_assert_uint_eq(known.second, option_sizes[_i].second);
	}
	/* Nobody has to be told. */
	ck_assert_int_eq(face_take(&known, sizeof(known), &given, NULL), option_sizes[_i].status);
}
END_TEST

START_TEST(no_options_are_the_defaults)
{
	struct known known = { 1, 2, 3 };

	ck_assert(!face_take(&known, sizeof(known), NULL, NULL));
	ck_assert_uint_eq(known.first | known.second, 0);
}
END_TEST

START_TEST(results_know_their_size)
{
	const struct known made = { 0, 1, 2 };
	struct newer ret;

	memset(&ret, 0xff, sizeof(ret));
	ret.known.size = sizeof(ret);
	ck_assert(!face_give(&ret, &made, sizeof(made), NULL));
	ck_assert_uint_eq(ret.known.size, sizeof(ret));
	ck_assert_uint_eq(ret.known.second, 2);
	ck_assert_uint_eq(ret.more, 0); /* newer than the library */
	memset(&ret, 0xff, sizeof(ret));
	ret.known.size = offsetof(struct known, second);
	ck_assert(!face_give(&ret, &made, sizeof(made), NULL));
	ck_assert_uint_eq(ret.known.first, 1);
	ck_assert_uint_eq(ret.known.second, UINT32_MAX); /* not the older program's */
	ret.known.size = 4;
	ck_assert_int_eq(face_give(&ret, &made, sizeof(made), NULL), -1);
}
END_TEST

/* ---- numbers ---------------------------------------------------------------------------- */

START_TEST(only_a_complete_stack_is_complete)
{
	for (uint32_t reason = STOP_NONE; reason < STOP_REASON_COUNT + 2; reason++) {
		uint32_t stop = face_stop(reason);

		ck_assert_int_eq(stop == STACKPROOF_STOP_COMPLETE, reason == STOP_COMPLETE);
		ck_assert_uint_gt(stop, 0);
		ck_assert_uint_lt(stop, STACKPROOF_STOP_COUNT);
	}
	for (uint32_t stop = 1; stop < STACKPROOF_STOP_COUNT; stop++)
		ck_assert_str_ne(stackproof_stop_name(stop), "unknown");
	ck_assert_str_eq(stackproof_stop_name(0), "unknown");
	ck_assert_str_eq(stackproof_stop_name(STACKPROOF_STOP_COUNT), "unknown");
}
END_TEST

/* Every one that is not named is CFI's. */
static const uint32_t face_codes[ERROR_CODE_COUNT] = {
	[ERROR_SYSTEM] = STACKPROOF_ERROR_SYSTEM,
	[ERROR_MEMORY] = STACKPROOF_ERROR_MEMORY,
	[ERROR_NOT_ELF] = STACKPROOF_ERROR_ELF,
	[ERROR_THIN_ARCHIVE] = STACKPROOF_ERROR_ELF,
	[ERROR_UNSUPPORTED_ELF] = STACKPROOF_ERROR_ELF,
	[ERROR_ELF_BOUNDS] = STACKPROOF_ERROR_ELF,
	[ERROR_RELOCATION] = STACKPROOF_ERROR_ELF,
	[ERROR_NO_CFI] = STACKPROOF_ERROR_NO_CFI,
	[ERROR_TABLE_LIMIT] = STACKPROOF_ERROR_LIMIT,
	[ERROR_UNAVAILABLE] = STACKPROOF_ERROR_UNAVAILABLE,
	[ERROR_PROTOCOL] = STACKPROOF_ERROR_INTERNAL,
	[ERROR_TIMEOUT] = STACKPROOF_ERROR_INTERNAL,
};
static const char *const face_names[] = { "ok",		 "system",   "memory", "argument",
					  "unavailable", "limit",    "elf",    "cfi",
					  "no_cfi",	 "internal", "file" };

START_TEST(errors_have_numbers_and_names)
{
	struct stackproof_error none = { .code = 1 };

	for (int code = ERROR_SYSTEM; code < ERROR_CODE_COUNT; code++) {
		struct stackproof_error ret;
		struct error error;

		error_set(&error, code, ".eh_frame", 7, "message");
		ck_assert_int_eq(face_fail(&ret, &error), -1);
		ck_assert_uint_eq(ret.code,
				  face_codes[code] ? face_codes[code] : STACKPROOF_ERROR_CFI);
		ck_assert_str_eq(ret.kind, error_code_name(code));
		ck_assert_str_eq(ret.section, ".eh_frame");
		ck_assert_str_eq(ret.message, "message");
		ck_assert_uint_eq(ret.offset, 7);
	}
	ck_assert_int_eq(face_fail(&none, &(struct error) { .code = ERROR_NONE }), -1);
	ck_assert_uint_eq(none.code, STACKPROOF_OK);
	for (uint32_t code = 0; code < sizeof(face_names) / sizeof(face_names[0]); code++)
		ck_assert_str_eq(stackproof_error_name(code), face_names[code]);
	ck_assert_str_eq(stackproof_error_name(sizeof(face_names) / sizeof(face_names[0])),
			 "unknown");
	ck_assert_str_eq(stackproof_error_name(1000), "unknown");
}
END_TEST

/* As the header says, and by its own rule: a byte for each but the first. */
START_TEST(version_is_the_header_s)
{
	ck_assert_uint_eq(stackproof_version(), STACKPROOF_VERSION_NUMBER);
	ck_assert_uint_eq(stackproof_version() >> 16, STACKPROOF_VERSION_MAJOR);
	ck_assert_uint_eq(stackproof_version() >> 8 & 0xff, STACKPROOF_VERSION_MINOR);
	ck_assert_uint_eq(stackproof_version() & 0xff, STACKPROOF_VERSION_PATCH);
}
END_TEST

/* ---- images ----------------------------------------------------------------------------- */

struct seen {
	uint64_t rows, last, stop_after;
};

static int see_row(void *context, const struct stackproof_row *row)
{
	struct seen *seen = context;

	ck_assert_uint_lt(row->pc, row->pc_end);
	ck_assert_int_eq(strncmp(row->rules, "cfa=", 4), 0);
	seen->rows++;
	seen->last = row->pc;
	return seen->rows == seen->stop_after ? 5 : 0;
}

START_TEST(image_has_rows)
{
	struct stackproof_image_info info = STACKPROOF_INIT(struct stackproof_image_info);
	struct stackproof_images *images;
	struct stackproof_image *image;
	struct stackproof_error error;
	struct seen all = { 0 }, one = { 0 }, first = { .stop_after = 1 };

	ck_assert(!stackproof_images_create(&images, &error));
	ck_assert(!stackproof_image_open(images, "/proc/self/exe", NULL, 0, &image, &error));
	ck_assert(!stackproof_image_info(image, &info, &error));
	ck_assert_uint_gt(info.fdes, 100);
	ck_assert_uint_eq(info.build_id_size, 20);
	ck_assert_int_eq(stackproof_image_rows(image, 0, UINT64_MAX, see_row, &all, &error), 0);
	ck_assert_uint_gt(all.rows, info.fdes);
	ck_assert(!stackproof_image_rows(image, all.last, all.last + 1, see_row, &one, &error));
	ck_assert_uint_eq(one.rows, 1);
	ck_assert_uint_eq(one.last, all.last);
	ck_assert_int_eq(stackproof_image_rows(image, 0, UINT64_MAX, see_row, &first, &error), 5);
	ck_assert_uint_eq(first.rows, 1);
	stackproof_image_close(image);
	stackproof_images_destroy(images);
}
END_TEST

START_TEST(bad_images_are_errors)
{
	struct stackproof_images *images;
	struct stackproof_image *image = NULL;
	struct stackproof_error error;

	ck_assert(!stackproof_images_create(&images, NULL));
	ck_assert_int_eq(stackproof_image_open(images, "none", "no ELF", 6, &image, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ELF);
	ck_assert_int_eq(stackproof_image_open(images, "/nonexistent", NULL, 0, &image, &error),
			 -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_int_eq(stackproof_image_open(images, "/nonexistent", NULL, 0, &image, NULL), -1);
	ck_assert_ptr_null(image);
	stackproof_images_destroy(images);
}
END_TEST

/* An image that is open stays although no process has it. */
START_TEST(open_image_is_held)
{
	struct stackproof_images *images;
	struct stackproof_image *image;

	ck_assert(!stackproof_images_create(&images, NULL));
	ck_assert(!stackproof_image_open(images, "/proc/self/exe", NULL, 0, &image, NULL));
	image_store_forget(images->store, 0);
	ck_assert_uint_eq(image_store_count(images->store), 1);
	stackproof_image_close(image);
	image_store_forget(images->store, 0);
	ck_assert_uint_eq(image_store_count(images->store), 0);
	stackproof_images_destroy(images);
}
END_TEST

/* ---- the walk in user space --------------------------------------------------------------- */

struct walked {
	uint32_t count, stop, calls;
	char first[256], second[256];
};

static int read_own(void *context, uint64_t address, void *ret, size_t size)
{
	memcpy(ret, (const void *)address, size);
	return 0;
}

static void see_stack(void *context, const struct stackproof_stack *stack)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);
	struct walked *walked = context;

	walked->calls++;
	walked->count = stack->count;
	walked->stop = stack->stop;
	ck_assert(!stackproof_space_find(stack->space, stack->pc[0], &place, NULL));
	snprintf(walked->first, sizeof(walked->first), "%s", place.function);
	if (stack->count < 2)
		return;
	ck_assert(!stackproof_space_find(stack->space, stack->pc[1] - 1, &place, NULL));
	snprintf(walked->second, sizeof(walked->second), "%s", place.function);
}

static __attribute__((noinline, noipa)) int walk_here(const struct stackproof_space *space,
						      const struct stackproof_walk_options *options,
						      struct walked *ret,
						      struct stackproof_error *error)
{
	static const uint8_t order[17] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	struct stackproof_registers registers = { .known = (1u << 17) - 1 };
	ucontext_t here;

	getcontext(&here);
	for (int number = 0; number < 17; number++)
		registers.value[number] = here.uc_mcontext.gregs[order[number]];
	return stackproof_walk(space, options, &registers, read_own, NULL, see_stack, ret, error);
}

static const struct {
	const char *name;
	uint32_t by_rows, follow, frames;
	int status;
	uint32_t stop;
} walks[] = {
	{ "by_tables", 0, 0, 0, 0, STACKPROOF_STOP_COMPLETE },
	{ "by_rows", 1, 0, 0, 0, STACKPROOF_STOP_COMPLETE },
	{ "following", 0, 1, 0, 0, STACKPROOF_STOP_COMPLETE },
	{ "a_cut_stack_is_not_complete", 0, 0, 2, 0, STACKPROOF_STOP_DEPTH },
	{ "rows_follow_no_frame_pointers", 1, 1, 0, -1, 0 },
};

START_TEST(walks_in_user_space)
{
	struct stackproof_walk_options options = STACKPROOF_INIT(struct stackproof_walk_options);
	struct stackproof_error error = { 0 };
	struct stackproof_images *images;
	struct stackproof_space *space;
	struct walked walked = { 0 };

	options.by_rows = walks[_i].by_rows;
	options.follow_frame_pointers = walks[_i].follow;
	options.frames = walks[_i].frames;
	ck_assert(!stackproof_images_create(&images, &error));
	ck_assert(!stackproof_space_read(images, getpid(), &space, &error));
	ck_assert_int_eq(walk_here(space, &options, &walked, &error), walks[_i].status);
	ck_assert_uint_eq(walked.calls, !walks[_i].status);
	ck_assert_uint_eq(error.code, walks[_i].status ? STACKPROOF_ERROR_ARGUMENT : 0);
	if (!walks[_i].status) {
		ck_assert_uint_eq(walked.stop, walks[_i].stop);
		ck_assert_str_eq(walked.first, "walk_here");
		ck_assert_str_eq(walked.second, "walks_in_user_space_fn");
		ck_assert(!walks[_i].frames || walked.count == walks[_i].frames);
	}
	stackproof_space_close(space);
	stackproof_images_destroy(images);
}
END_TEST

START_TEST(unknown_space_maps_nothing)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	ck_assert(!stackproof_space_find(NULL, 0x1234, &place, NULL));
	ck_assert_ptr_null(place.path);
	ck_assert_uint_eq(place.address, 0x1234);
	ck_assert_str_eq(place.function, "");
	ck_assert(!stackproof_space_read_names(NULL, NULL));
}
END_TEST

/* ---- the session ------------------------------------------------------------------------ */

START_TEST(session_rejects_what_means_nothing)
{
	struct stackproof_session_options options =
		STACKPROOF_INIT(struct stackproof_session_options);
	struct stackproof_session_counters counters =
		STACKPROOF_INIT(struct stackproof_session_counters);
	struct stackproof_session *session;
	struct stackproof_error error;

	options.entries = 1u << 31;
	ck_assert_int_eq(stackproof_session_open(&options, &session, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
	options.entries = 0;
	options.method = 99;
	ck_assert_int_eq(stackproof_session_open(&options, &session, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
	if (stackproof_session_open(NULL, &session, &error)) {
		ck_assert_uint_eq(error.code, STACKPROOF_ERROR_UNAVAILABLE);
		printf("SKIP: %s\n", error.message);
		return;
	}
	ck_assert_int_eq(stackproof_session_attach_samples(session, -1, -1, 0, &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_ARGUMENT);
	ck_assert_int_eq(stackproof_session_attach_tracepoint(session, "sched_switch", &error), -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_UNAVAILABLE);
	ck_assert_int_eq(stackproof_session_take_counts(session, see_stack, NULL, NULL, &error),
			 -1);
	ck_assert_uint_eq(error.code, STACKPROOF_ERROR_UNAVAILABLE);
	ck_assert(!stackproof_session_counters(session, &counters, &error));
	ck_assert_ptr_nonnull(counters.method);
	ck_assert_uint_eq(counters.samples, 0);
	stackproof_session_close(session);
}
END_TEST

SUITE(face, LOOP(options_know_their_size, option_sizes), TEST(no_options_are_the_defaults),
      TEST(version_is_the_header_s), TEST(results_know_their_size),
      TEST(only_a_complete_stack_is_complete), TEST(errors_have_numbers_and_names),
      TEST(image_has_rows), TEST(bad_images_are_errors), TEST(open_image_is_held),
      LOOP(walks_in_user_space, walks), TEST(unknown_space_maps_nothing),
      TEST(session_rejects_what_means_nothing))
