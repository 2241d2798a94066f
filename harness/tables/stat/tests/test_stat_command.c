/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stat_command.c - `stat` of several images: what is said of each, and what of all
 *
 * What is wrong with one image is not the next one's, what is found in a folder fails nothing, and an image's process
 * that says nothing, dies, or loses its file is counted each in its way: no image does that, so it is made up.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/stat.c"
#include "tables/table/tests/section_image.h"

static const uint8_t plain[] = { CIE_USUAL };

/* ---- images --------------------------------------------------------------------------------- */

static void one(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

static void nothing(struct diff_image *image)
{
}

/* Two functions, in .debug_frame. */
static void debug_frame(struct diff_image *image)
{
	size_t cie = debug_frame_cie(image);

	debug_frame_fde(image, (uint32_t)cie, 0x1300, 0x10, 16);
	debug_frame_fde(image, (uint32_t)cie, 0x1310, 0x10, 16);
}

static void debug_link(struct diff_image *image)
{
	section_debug_link(image, "debug");
}

/* The link is to what is there, and its CRC is another's. */
static void wrong_link(struct diff_image *image)
{
	section_debug_link(image, "debug");
	image->bytes[image->size - 1] ^= 1;
}

/* Two that can't be read to their end, one that covers nothing, and one that does. */
static void various(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_advance_loc(1), 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1110, 0x10, CFA_advance_loc(1), 0x3f);
	DIFF_IMAGE_FDE(image, cie, 0x1120, 0, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1130, 0x10, CFA_nop);
}

/* An FDE whose CIE would be within itself. */
static void of_no_cie(struct diff_image *image)
{
	static const uint8_t fde[] = { 12, 0, 0, 0, 1, 0, 0, 0, 0, 0x11, 0, 0, 4, 0, 0, 0 };

	diff_image_put(image, fde, sizeof(fde));
}

/* 22 expressions that no rule can hold, the last one three times and the first one twice. */
static void expressions(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	for (int i = 0; i < 25; i++)
		DIFF_IMAGE_FDE(image, cie, 0x1100 + 0x10 * i, 0x10,
			       CFA_expression(RBX,
					      DW_OP_lit0 + (i < 22   ? i
							    : i < 24 ? 21
								     : 0),
					      DW_OP_not));
}

static const struct {
	const char *name;
	struct test_section section[4];
} images[] = {
	{ "good", { SECTION(".eh_frame", one) } },
	{ "a_bad", { { ".eh_frame", of_no_cie, 0, 0, 25 } } },
	{ "a_worse", { { ".eh_frame", of_no_cie, 0, 0, 1005 } } },
	{ "lost", { { ".eh_frame", of_no_cie, 0, 0, 1 } } },
	{ "nothing", { NO_SECTION } },
	{ "various", { SECTION(".eh_frame", various) } },
	{ "expressions", { SECTION(".eh_frame", expressions) } },
	{ "debug", { SECTION(".debug_frame", debug_frame) } },
	{ "linked", { SECTION(".eh_frame", one), SECTION(".gnu_debuglink", debug_link) } },
	{ "misled", { SECTION(".eh_frame", one), SECTION(".gnu_debuglink", wrong_link) } },
	{ "found/lost", { { ".eh_frame", of_no_cie, 0, 0, 1 } } },
	{ "half",
	  { { ".text", nothing, 0, SHF_ALLOC | SHF_EXECINSTR, 0 }, SECTION(".eh_frame", one) } },
};

static void set_up(void)
{
	folder_enter();
	ck_assert_int_eq(mkdir("found", 0700), 0);
	ck_assert_int_eq(mkdir("cut", 0700), 0);
	for (int i = COUNT(images); i-- > 0;) /* "debug" before those that lead to it */
		if (i < 8 || i > 9)
			section_image_write(images[i].name, images[i].section);
	section_image_write(images[8].name, images[8].section);
	section_image_write(images[9].name, images[9].section);
	ck_assert_int_eq(system("head -c 100 good >cut/short; ar rc half.a half"), 0);
}

/* ---- the command ---------------------------------------------------------------------------- */

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }
#define HAS(...)       .has = { __VA_ARGS__ }
#define HAS_NOT(...)   .has_not = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *argument[5];
	enum exit_status status;
	const char *has[5], *has_not[3];
} commands[] = {
	{ "what_is_wrong_with_each_is_said_of_it", ARGUMENTS("a_bad", "a_worse", "lost"),
	  EXIT_BAD_INPUT,
	  HAS("a_bad: and 5 more (--json has them)\n", "a_worse: and 985 more (--json has them)\n",
	      "\nlost: .eh_frame+0x0: "),
	  HAS_NOT("lost: and ") },
	{ "in_json_all_of_it", ARGUMENTS("a_bad", "--json"), EXIT_BAD_INPUT,
	  HAS("\"offset\":384,", "a_bad: and 5 more\n", "\"type\":\"stat_total\""),
	  HAS_NOT("\"more\"", "(--json") },
	{ "but_a_thousand", ARGUMENTS("a_worse", "--json"), EXIT_BAD_INPUT,
	  HAS("{\"type\":\"stat_diagnostic\",\"image\":\"a_worse\",\"more\":5}",
	      "a_worse: and 985 more\n") },
	{ "what_was_lost_is_not_called_absent", ARGUMENTS("lost", "good"), EXIT_BAD_INPUT,
	  HAS("checked: 1 FDEs; not checked: 1 FDEs that can't be read;"), HAS_NOT("without CFI") },
	{ "what_covers_nothing_is_an_fde_too", ARGUMENTS("various", "-j"), EXIT_BAD_INPUT,
	  HAS("\"fdes\":4,", "\"lost\":{\"malformed\":2}", "\"malformed_rows\":2}",
	      "\"not_checked\":{\"malformed\":2}") },
	{ "what_was_not_there_is", ARGUMENTS("nothing", "good"), EXIT_OK,
	  HAS("checked: 1 FDEs; not checked: 1 images without CFI;") },
	{ "one_image_has_no_total", ARGUMENTS("good"), EXIT_OK, HAS("good\n"),
	  HAS_NOT(" 1 images") },
	{ "two_have", ARGUMENTS("good", "linked"), EXIT_OK, HAS(" 2 images\n") },
	{ "one_in_json_has_none", ARGUMENTS("good", "--json"), EXIT_OK, HAS("\"type\":\"stat\""),
	  HAS_NOT("stat_total") },
	{ "but_if_there_is_more_to_say", ARGUMENTS("nothing", "--json"), EXIT_SKIPPED,
	  HAS("\"images\":1,\"unread\":0,\"failed\":0,\"bytes_per_row\":0.0,\"checked\":0,"
	      "\"checked_unit\":\"FDEs\",\"not_checked\":{\"no_cfi\":1},\"exit_status\":77}") },
	{ "what_is_wrong_with_one_that_was_found_fails_nothing", ARGUMENTS("found", "good"),
	  EXIT_OK, HAS("found/lost: .eh_frame+0x0: ") },
	{ "one_that_was_found_and_can_not_be_read_is_counted", ARGUMENTS("cut", "good"), EXIT_OK,
	  HAS("        1 files not read\n", "1 damaged ELF files"), HAS_NOT("short") },
	{ "one_that_was_named_is_said", ARGUMENTS("cut/short", "good"), EXIT_BAD_INPUT,
	  HAS("        1 files not read\n", "cut/short: section headers") },
	{ "twenty_expressions_the_frequent_first", ARGUMENTS("expressions"), EXIT_OK,
	  HAS("\nexpressions of no such form\n        3  at: lit21; not\n        2  at: lit0; not\n"
	      "        1  at: lit1; not\n",
	      "           and 2 more\n"),
	  HAS_NOT("lit20") },
	{ "in_json_all_of_them", ARGUMENTS("expressions", "-j"), EXIT_OK,
	  HAS("\"at: lit20; not\":1") },
	{ "the_debug_file_is_read", ARGUMENTS("linked", "--json"), EXIT_OK,
	  HAS("\"fdes\":3,", "\"lost\":{},"), HAS_NOT("debug_refused") },
	{ "one_of_another_build_is_not", ARGUMENTS("misled", "--json"), EXIT_OK,
	  HAS("\"fdes\":1,",
	      "\"debug_refused\":\"debug: its CRC-32 is not that of .gnu_debuglink\"") },
	/* What is code its sections say, be it a file's or a member's. */
	{ "half_of_a_segment_is_code", ARGUMENTS("half", "--json"), EXIT_OK,
	  HAS("\"executable_bytes\":8192,\"covered_bytes\":16,") },
	{ "and_of_a_member_s", ARGUMENTS("half.a", "--json"), EXIT_OK,
	  HAS("\"image\":\"half.a(half)\"", "\"executable_bytes\":8192,\"covered_bytes\":16,") },
	{ "bytes_of_all_per_row_of_all", ARGUMENTS("good", "linked", "-j"), EXIT_OK,
	  HAS("\"fdes\":4,\"rows\":4,"), HAS_NOT("\"bytes_per_row\":0.0,\"checked\":") },
};

START_TEST(images_one_after_another)
{
	typeof(&commands[0]) c = &commands[_i];
	char *arguments[8] = { "stat", "--jobs=1" };
	int status;

	for (int i = 0; i < COUNT(c->argument) && c->argument[i]; i++)
		arguments[2 + i] = (char *)c->argument[i];
	FREED char *output = command_output(command_stat, arguments, &status);
	ck_assert_msg(status == (int)c->status, "%s: %d: %s", c->name, status, output);
	output_says(c->name, output, c->has, COUNT(c->has), c->has_not, COUNT(c->has_not));
}
END_TEST

/* ---- what became of an image's process ------------------------------------------------------ */

static const struct {
	const char *name;
	const char *output, *failure;
	bool is_cut, named;
	json_int_t images, unread, failed;
	uint64_t findings, failed_images;
	bool bad_input;
} outcomes[] = {
	{ "it_said_all", "{\"type\":\"stat\",\"fdes\":1}\n", NULL, false, true, 1, 0, 0, 0, 0,
	  false },
	{ "it_could_not_read_it", "{\"type\":\"stat_error\",\"code\":\"elf_bounds\"}\n", NULL,
	  false, true, 0, 1, 0, 0, 0, true },
	{ "nor_one_that_was_found", "{\"type\":\"stat_error\",\"code\":\"elf_bounds\"}\n", NULL,
	  false, false, 0, 1, 0, 0, 0, false },
	{ "it_said_nothing", "", NULL, false, true, 0, 0, 1, 1, 1, false },
	{ "it_said_no_object", "nothing\n", NULL, false, true, 0, 0, 1, 1, 1, false },
	{ "it_died", "", "died of SIGSEGV", false, true, 0, 0, 1, 1, 1, false },
	{ "it_died_behind_its_word", "{\"type\":\"stat\",\"fdes\":1}\n", "died of SIGSEGV", false,
	  true, 1, 0, 1, 1, 1, false },
	{ "its_file_was_cut", "", "its file became shorter", true, true, 0, 1, 0, 0, 0, true },
	{ "a_found_one_was_cut", "", "its file became shorter", true, false, 0, 1, 0, 0, 0, false },
};

START_TEST(what_became_of_it)
{
	typeof(&outcomes[0]) c = &outcomes[_i];
	struct census census = { .json = true, .gate = { .unit = "FDEs" }, .total = json_object() };
	const struct image_path image = { .path = (char *)"image", .named = c->named };
	struct image_outcome outcome = { .failure = c->failure, .is_cut = c->is_cut };
	char said[256];

	snprintf(said, sizeof(said), "%s", c->output);
	outcome.output = tmpfile();
	ck_assert_ptr_nonnull(outcome.output);
	fputs(said, outcome.output);
	rewind(outcome.output);
	image_done(&census, &image, &outcome);
	fclose(outcome.output);
	ck_assert_msg(census.images == c->images && census.unread == c->unread &&
			      census.failed == c->failed,
		      "%s: %lld images, %lld unread, %lld failed", c->name,
		      (long long)census.images, (long long)census.unread, (long long)census.failed);
	ck_assert_msg(census.gate.findings == c->findings &&
			      census.gate.left[GATE_FAILED] == c->failed_images,
		      "%s", c->name);
	ck_assert_msg(census.gate.bad_input == c->bad_input, "%s", c->name);
	json_decref(census.total);
}
END_TEST

SUITE(stat_command, FIXTURE(set_up, folder_remove), LOOP(images_one_after_another, commands),
      LOOP(what_became_of_it, outcomes))
