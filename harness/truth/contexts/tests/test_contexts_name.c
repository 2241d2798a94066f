/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_contexts_name.c - which function a frame of a truth file is named after
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "base/images/own_vdso.h"
#include "cfi/code_name.h"
#include "plain_text.h"
#include "truth/contexts/contexts.h"
#include "truth_bytes.h"

static struct assembled assembled;
static uint64_t f, g, h; /* one behind another */

static void begin(void)
{
	assembled_open(&assembled,
		       "f: nop\n ret\n .size f, . - f\n"
		       ".globl g\n .type g, @function\ng: nop\n ret\n .size g, . - g\n"
		       ".globl h\n .type h, @function\nh: nop\n ret\n .size h, . - h\n");
	f = image_symbol_address(assembled.image, "f");
	g = image_symbol_address(assembled.image, "g");
	h = image_symbol_address(assembled.image, "h");
	ck_assert(g == f + 2 && h == g + 2);
}

static void end(void)
{
	assembled_close(&assembled);
}

/* A file with one image, of this build or of another. */
static void describe(struct truth_bytes *truth, bool same_build)
{
	uint8_t id[BUILD_ID_MAX] = { 0 };
	size_t size = assembled.image->build_id_size;

	ck_assert_uint_gt(size, 0);
	memcpy(id, assembled.image->build_id, size);
	id[size - 1] ^= !same_build;
	truth_image(truth, TRUTH_IMAGE_FILE, assembled.path, id, size);
}

static void check_folded(struct truth_bytes *truth, const char *want, size_t want_missing)
{
	struct truth_file *file;
	struct error error;
	size_t missing;
	char path[64];
	int fd = truth_write(truth, path);

	ck_assert_msg(!truth_file_open(path, &file, &error), "%s", error.message);
	char *text = PRINTED(out, ck_assert_msg(!contexts_print_folded(out, file, &missing, &error),
						"%s", error.message));
	ck_assert_str_eq(text, want);
	ck_assert_uint_eq(missing, want_missing);
	free(text);
	truth_file_close(file);
	close(fd);
}

/* A return address is of the function that called, though it is the next one's first. */
START_TEST(callers_are_named_by_their_calls)
{
	const struct truth_frame frame[] = { { 0, f }, { 0, g }, { 0, h } };
	struct truth_bytes truth = { 0 };

	describe(&truth, true);
	truth_stack(&truth, &(struct truth_stack) { .points = 3 }, frame, 3);
	truth_stack(&truth, &(struct truth_stack) { .points = 2 }, &frame[2], 1);
	check_folded(&truth, "h 2\ng;f;f 3\n", 0);
}
END_TEST

/* What was interrupted goes on at its own address, and what returns there was not called either. */
START_TEST(what_was_interrupted_is_named_by_its_address)
{
	const struct truth_frame frame[] = { { 0, f }, { 0, g }, { 0, h } };
	struct truth_bytes truth = { 0 };

	describe(&truth, true);
	truth_stack(&truth, &(struct truth_stack) { .points = 1, .interrupts = 1 }, frame, 3);
	check_folded(&truth, "h;g;f 1\n", 0);
}
END_TEST

/* The file was made anew since: its names are not those of the code that ran. */
START_TEST(names_of_another_build_are_not_taken)
{
	const struct truth_frame frame[] = { { 0, f + 1 }, { 0, g + 1 } };
	struct truth_bytes truth = { 0 };

	describe(&truth, false);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, 2);
	check_folded(&truth, "[f.so];[f.so] 1\n", 1);
}
END_TEST

/* That one has no build-id says nothing if the other has one; then, and if neither has one, its code tells. */
START_TEST(a_build_id_is_of_both_or_of_neither)
{
	const struct truth_frame frame[] = { { 0, f + 1 } };
	struct truth_bytes truth = { 0 };
	struct assembled bare;
	char command[128];
	uint64_t at;

	truth_bare_image(&truth, TRUTH_IMAGE_FILE, assembled.path, "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, 1);
	check_folded(&truth, "[f.so] 1\n", 1);
	truth_image(&truth, TRUTH_IMAGE_FILE, assembled.path, assembled.image->build_id,
		    assembled.image->build_id_size - 1);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, 1);
	check_folded(&truth, "[f.so] 1\n", 1);
	assembled_open(&bare, "f: nop\n ret\n .size f, . - f\n");
	at = image_symbol_address(bare.image, "f");
	snprintf(command, sizeof(command), "objcopy -R .note.gnu.build-id %s", bare.path);
	ck_assert_int_eq(system(command), 0);
	truth_image(&truth, TRUTH_IMAGE_FILE, bare.path, "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, &(struct truth_frame) { 0, at },
		    1);
	check_folded(&truth, "f 1\n", 0);
	truth_bare_image(&truth, TRUTH_IMAGE_FILE, bare.path, "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, &(struct truth_frame) { 0, at },
		    1);
	check_folded(&truth, "[f.so] 1\n", 1);
	truth_image(&truth, TRUTH_IMAGE_FILE, bare.path, "id", 2);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, 1);
	check_folded(&truth, "[f.so] 1\n", 1);
	assembled_close(&bare);
}
END_TEST

/* Of this kernel's vDSO the names are known; another's is not missed. */
START_TEST(vdso_is_this_kernel_s)
{
	struct truth_bytes truth = { 0 };
	struct error error;
	struct image *vdso = own_vdso_open(&error);
	uint64_t address = vdso ? image_symbol_address(vdso, "__vdso_clock_gettime") : 0;
	char name[128], wanted[200];
	struct code_name known;
	uint8_t id[BUILD_ID_MAX];

	if (!address || !vdso->build_id_size) {
		printf("SKIP: no vDSO with names\n");
		return;
	}
	ck_assert(!code_name_prepare(vdso, &error));
	code_name_find(vdso, NULL, address, &known);
	code_name_print(&known, name, sizeof(name));
	memcpy(id, vdso->build_id, vdso->build_id_size);
	truth_image(&truth, TRUTH_IMAGE_VDSO, "[vdso]", id, vdso->build_id_size);
	id[0] ^= 1;
	truth_image(&truth, TRUTH_IMAGE_VDSO, "[vdso]", id, vdso->build_id_size);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 },
		    &(struct truth_frame) { 0, address }, 1);
	truth_stack(&truth, &(struct truth_stack) { .points = 2 },
		    &(struct truth_frame) { 1, address }, 1);
	snprintf(wanted, sizeof(wanted), "%s 1\n[vdso] 2\n", name);
	check_folded(&truth, wanted, 0);
	image_destroy(vdso);
}
END_TEST

/* What has no name is called by its file's, or by what it is. */
START_TEST(code_without_a_name)
{
	static const struct {
		enum truth_image_kind kind;
		const char *path;
	} images[] = {
		{ TRUTH_IMAGE_FILE, "/no/such/a" },
		{ TRUTH_IMAGE_FILE, "b" },
		{ TRUTH_IMAGE_MEMFD, "/memfd:c (deleted)" },
		{ TRUTH_IMAGE_OTHER, "/dev/zero" },
		{ TRUTH_IMAGE_OTHER, "/d/" },
		{ TRUTH_IMAGE_OTHER, "" },
		{ TRUTH_IMAGE_VDSO, "[vdso]" },
		{ TRUTH_IMAGE_ANONYMOUS, "" },
	};
	struct truth_frame frame[COUNT(images)];
	struct truth_bytes truth = { 0 };
	char wanted[256];

	for (uint32_t i = 0; i < COUNT(images); i++) {
		truth_image(&truth, images[i].kind, images[i].path, "", 0);
		frame[i] = (struct truth_frame) { i, 0x10 };
	}
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, COUNT(images));
	snprintf(wanted, sizeof(wanted),
		 "[anonymous];[vdso];[%s];[%s];[zero];[memfd:c (deleted)];[b];[a] 1\n",
		 truth_image_kind_name(TRUTH_IMAGE_OTHER),
		 truth_image_kind_name(TRUTH_IMAGE_OTHER));
	check_folded(&truth, wanted, 2);
}
END_TEST

/* A name has no end that is not its own, and no mark between frames; nor does a terminal obey it. */
START_TEST(names_of_any_kind)
{
	enum { LONG = 3 * PLAIN_BYTES };
	static const char text[] =
		".type \"a;b;c d\", @function\n\"a;b;c d\": nop\n.size \"a;b;c d\", 1\n"
		".type \"e\33f\", @function\n\"e\33f\": nop\n.size \"e\33f\", 1\n"
		".type g, @function\ng: nop\n.size g, 1\n";
	static char longest[LONG + 1], wanted[2 * LONG];
	struct assembled odd;
	struct truth_bytes truth = { 0 };
	uint64_t first;

	longest[0] = 'x'; /* so that no part ends where a character does */
	for (int i = 1; i + 1 < LONG; i += 2)
		memcpy(longest + i, "\xc3\xa9", 2);
	assembled_open(&odd, text);
	first = image_symbol_address(odd.image, "a;b;c d");
	truth_image(&truth, TRUTH_IMAGE_FILE, odd.path, odd.image->build_id,
		    odd.image->build_id_size);
	for (int i = 0; i < 3; i++)
		truth_stack(&truth, &(struct truth_stack) { .points = i + 1 },
			    &(struct truth_frame) { 0, first + i }, 1);
	check_folded(&truth, "a:b:c d 1\ne?f 2\ng 3\n", 0);
	assembled_close(&odd);
	truth_image(&truth, TRUTH_IMAGE_FILE, longest, "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 },
		    &(struct truth_frame) { 0, 0x10 }, 1);
	snprintf(wanted, sizeof(wanted), "[%s] 1\n", longest);
	check_folded(&truth, wanted, 1);
}
END_TEST

/* A stub is what it leads to, as a function is its name: no file is behind it. */
START_TEST(stubs_are_named_as_functions)
{
	struct truth_bytes truth = { 0 };
	struct assembled calls;
	const uint8_t *call;
	uint64_t at;
	int32_t to;

	assembled_open(&calls, "f: call somewhere@PLT\n ret\n .size f, . - f\n");
	at = image_symbol_address(calls.image, "f");
	call = image_bytes(calls.image, at, 5);
	ck_assert_ptr_nonnull(call);
	memcpy(&to, call + 1, sizeof(to));
	truth_image(&truth, TRUTH_IMAGE_FILE, calls.path, calls.image->build_id,
		    calls.image->build_id_size);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 },
		    &(struct truth_frame) { 0, at + 5 + (uint64_t)(int64_t)to }, 1);
	check_folded(&truth, "somewhere@plt 1\n", 0);
	assembled_close(&calls);
}
END_TEST

/* Of an image that is asked for again it is known already that it is not there; each is counted once. */
START_TEST(stacks_of_one_name_are_one_line)
{
	const struct truth_frame frame[] = { { 0, f }, { 0, f + 1 }, { 0, h }, { 0, h + 1 } };
	struct truth_bytes truth = { 0 };

	describe(&truth, true);
	truth_stack(&truth, &(struct truth_stack) { .points = 3, .in_kernel = 9 }, &frame[0], 1);
	truth_stack(&truth, &(struct truth_stack) { .points = 4, .unproven = 8 }, &frame[1], 1);
	truth_stack(&truth, &(struct truth_stack) { .points = 5 }, &frame[2], 1);
	truth_stack(&truth, &(struct truth_stack) { .unproven = 7 }, &frame[3], 1);
	truth_stack(&truth, &(struct truth_stack) { .points = 6, .open = true }, &frame[0], 1);
	truth_stack(&truth, &(struct truth_stack) { .points = 2, .open = true }, &frame[0], 2);
	check_folded(&truth, "f 7\nh 5\n[open];f 6\n[open];f;f 2\n", 0);
}
END_TEST

/* A file that is gone is missing, whether or not it had a build-id; what never was a file is not. */
START_TEST(files_that_are_missing)
{
	const struct truth_frame frame[] = { { 0, 0x10 }, { 1, 0x10 }, { 2, 0x10 }, { 1, 0x20 } };
	struct truth_bytes truth = { 0 };

	truth_image(&truth, TRUTH_IMAGE_FILE, "/no/such/a", "id", 2);
	truth_image(&truth, TRUTH_IMAGE_FILE, "/no/such/b", "", 0);
	truth_image(&truth, TRUTH_IMAGE_ANONYMOUS, "", "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, 4);
	check_folded(&truth, "[b];[anonymous];[b];[a] 1\n", 2);
}
END_TEST

SUITE(contexts_name, FIXTURE(begin, end), TEST(callers_are_named_by_their_calls),
      TEST(what_was_interrupted_is_named_by_its_address),
      TEST(names_of_another_build_are_not_taken), TEST(a_build_id_is_of_both_or_of_neither),
      TEST(vdso_is_this_kernel_s), TEST(code_without_a_name), TEST(names_of_any_kind),
      TEST(stubs_are_named_as_functions), TEST(stacks_of_one_name_are_one_line),
      TEST(files_that_are_missing))
