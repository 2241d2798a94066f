/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove_sections.c - `prove` of images with more than one section, or more than one file
 *
 * Each check has to look at .eh_frame, all of them, at .debug_frame, and at that of the debug file: what it counts of the
 * one says nothing of the other. A section that can't be read fails what asks for it, and what was
 * found before stays found.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/cli/exit_status.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "tables/prove/prove_image.c"
#include "tables/table/tests/section_image.h"

static const uint8_t plain[] = { CIE_USUAL };

/* ---- sections ------------------------------------------------------------------------------- */

static void eh_frame(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, CFA_nop);
}

static void another_eh_frame(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1200, 0x10, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, 0x1210, 0x10, CFA_nop);
}

/* Two functions of two rows each, of which .eh_frame has nothing. */
static void debug_frame(struct diff_image *image)
{
	size_t cie = debug_frame_cie(image);

	debug_frame_fde(image, (uint32_t)cie, 0x1300, 0x10, 16);
	debug_frame_fde(image, (uint32_t)cie, 0x1320, 0x10, 24);
}

/* The second one's rest can't be read. */
static void bad_debug_frame(struct diff_image *image)
{
	size_t cie = debug_frame_cie(image);

	debug_frame_fde(image, (uint32_t)cie, 0x1300, 0x10, 16);
	debug_frame_fde(image, (uint32_t)cie, 0x1320, 0x10, 24);
	image->bytes[image->size - 7] = 0x3f; /* in place of its last instruction */
}

static void junk(struct diff_image *image)
{
	diff_image_put(image, "junk", 4);
}

/* A search table of one entry that leads to no FDE: pcrel, udata4, datarel. */
static void unsorted(struct diff_image *image)
{
	static const uint8_t bytes[] = { 1, 0xff, 3, 0x3b, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0 };

	diff_image_put(image, bytes, sizeof(bytes));
}

static void debug_link(struct diff_image *image)
{
	section_debug_link(image, "debug");
}

/* ---- what is said of one image -------------------------------------------------------------- */

#define SECTIONS(...) .section = { __VA_ARGS__ }
#define DEBUG(...)    .debug = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct test_section section[4], debug[2]; /* of the debug file, if there is one */
	bool referee;
	const char *status; /* and all that is counted, but what is the same in all */
	uint64_t rows, equal, malformed_rows, compared;
	uint64_t agreed, unknown, terminated, malformed, gaps, lost;
} cases[] = {
	{ "eh_frame", SECTIONS(SECTION(".eh_frame", eh_frame)), DEBUG(NO_SECTION), .referee = true,
	  .status = "proven", .rows = 1, .equal = 1, .compared = 2, .agreed = 1, .gaps = 1 },
	{ "debug_frame_alone", SECTIONS(SECTION(".debug_frame", debug_frame)), DEBUG(NO_SECTION),
	  .referee = true, .status = "proven", .rows = 4, .equal = 4, .compared = 8, .agreed = 4,
	  .gaps = 2 },
	{ "both", SECTIONS(SECTION(".eh_frame", eh_frame), SECTION(".debug_frame", debug_frame)),
	  DEBUG(NO_SECTION), .referee = true, .status = "proven", .rows = 5, .equal = 5,
	  .compared = 10, .agreed = 5, .gaps = 3 },
	{ "both_and_libdw_is_not_asked",
	  SECTIONS(SECTION(".eh_frame", eh_frame), SECTION(".debug_frame", debug_frame)),
	  DEBUG(NO_SECTION), .status = "proven", .rows = 5, .equal = 5, .compared = 5 },
	{ "a_malformed_fde_of_the_second",
	  SECTIONS(SECTION(".eh_frame", eh_frame), SECTION(".debug_frame", bad_debug_frame)),
	  DEBUG(NO_SECTION), .referee = true, .status = "proven", .rows = 5, .equal = 4,
	  .malformed_rows = 1, .compared = 8, .agreed = 4, .malformed = 1, .gaps = 3 },
	/* libdw reads the first .eh_frame: of the other nothing is disputed, and it is counted apart. */
	{ "two_eh_frames_and_debug_frame",
	  SECTIONS(SECTION(".eh_frame", eh_frame), SECTION(".eh_frame", another_eh_frame),
		   SECTION(".debug_frame", debug_frame)),
	  DEBUG(NO_SECTION), .referee = true, .status = "proven", .rows = 7, .equal = 7,
	  .compared = 12, .agreed = 5, .terminated = 2, .gaps = 4 },
	{ "eh_frame_here_and_debug_frame_there",
	  SECTIONS(SECTION(".eh_frame", eh_frame), SECTION(".gnu_debuglink", debug_link)),
	  DEBUG(SECTION(".debug_frame", debug_frame)), .referee = true, .status = "proven",
	  .rows = 5, .equal = 5, .compared = 10, .agreed = 5, .gaps = 3 },
};

/* The objects of the image, the last one of which is its proof. */
static json_t *prove(const struct prove_options *options, const char *path, size_t *ret_lines)
{
	struct image_path image = { .path = (char *)path, .named = true };
	json_t *ret = NULL;
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	prove_image(options, &image, file);
	fclose(file);
	*ret_lines = 0;
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, ++*ret_lines) {
		json_decref(ret);
		ret = json_loadb(line, (size_t)(end - line), 0, NULL);
	}
	ck_assert_ptr_nonnull(ret);
	return ret;
}

static void tear_down(void)
{
	static const char *const files[] = { "image", "debug" };

	for (int i = 0; i < COUNT(files); i++)
		unlink(files[i]);
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(folder);
}

START_TEST(each_section_is_proven)
{
	typeof(&cases[0]) c = &cases[_i];
	const struct prove_options options = { .referee = c->referee };
	const json_t *referee;
	json_t *proof;
	size_t lines;

	if (c->debug[0].name)
		section_image_write("debug", c->debug);
	section_image_write("image", c->section);
	proof = prove(&options, "image", &lines);
	referee = json_object_get(proof, "referee");
	FREED char *said = json_dumps(proof, 0);
	ck_assert_msg(lines == 1, "%s: %s", c->name, said);
	ck_assert_msg(!strcmp(json_text(proof, "status"), c->status), "%s: %s", c->name, said);
	const struct {
		const json_t *object;
		const char *key;
		uint64_t count;
	} counts[] = { { proof, "rows", c->rows },
		       { proof, "equal", c->equal },
		       { proof, "malformed_rows", c->malformed_rows },
		       { proof, "compared", c->compared },
		       { proof, "silent", 0 },
		       { proof, "lost_fdes", c->lost },
		       { referee, "agreed", c->agreed },
		       { referee, "disputed", 0 },
		       { referee, "unknown", c->unknown },
		       { referee, "terminated", c->terminated },
		       { referee, "malformed", c->malformed },
		       { referee, "gaps", c->gaps },
		       { referee, "gaps_disputed", 0 },
		       { referee, "hidden", 0 } };
	for (int i = 0; i < COUNT(counts); i++)
		ck_assert_msg((uint64_t)json_count(counts[i].object, counts[i].key) ==
				      counts[i].count,
			      "%s, %s: %s", c->name, counts[i].key, said);
	ck_assert_int_eq(referee != NULL, c->referee);
	json_decref(proof);
}
END_TEST

/* What one .debug_frame of no sense costs is itself, and the check that wants to read it: libdw's. That is the
 * file's fault, and what another check has found before is found. */
START_TEST(a_section_that_can_not_be_read)
{
	static const struct test_section sections[] = { SECTION(".eh_frame", eh_frame),
							{ ".debug_frame", junk, 0, SHF_COMPRESSED,
							  0 },
							SECTION(".eh_frame_hdr", unsorted),
							NO_SECTION };
	const struct prove_options with = { .referee = true }, without = { .referee = false };
	size_t lines;
	json_t *proof;

	section_image_write("image", sections);
	proof = prove(&without, "image", &lines);
	ck_assert_str_eq(json_text(proof, "status"), "proven");
	ck_assert_int_eq(json_count(proof, "lost_fdes"), 1);
	ck_assert_int_eq(json_count(json_object_get(proof, "search_table"), "wrong"), 1);
	ck_assert_uint_eq(lines, 2);
	json_decref(proof);
	proof = prove(&with, "image", &lines);
	ck_assert_str_eq(json_text(proof, "status"), "unread");
	ck_assert_str_eq(json_text(proof, "code"), "elf_bounds");
	ck_assert_ptr_null(json_object_get(proof, "compared"));
	ck_assert_ptr_null(json_object_get(proof, "referee"));
	ck_assert_uint_eq(lines, 2);
	json_decref(proof);
}
END_TEST

/* ---- several images, as the command takes them ---------------------------------------------- */

/* All that it has can't be read. */
static void malformed(struct diff_image *image)
{
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, 0x1100, 0x10, 0x3f);
}

/* By what is wrong with them; those of "found" are only found. */
static const struct {
	const char *name;
	struct test_section section[4];
} images[] = {
	{ "good", { SECTION(".eh_frame", eh_frame) } },
	{ "nothing", { NO_SECTION } },
	{ "nothing_either", { NO_SECTION } },
	{ "malformed", { SECTION(".eh_frame", malformed) } },
	{ "a_search", { SECTION(".eh_frame", eh_frame), SECTION(".eh_frame_hdr", unsorted) } },
	{ "a_search_and_junk",
	  { SECTION(".eh_frame", eh_frame),
	    SECTION(".eh_frame_hdr", unsorted),
	    { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 } } },
	{ "z_search", { SECTION(".eh_frame", eh_frame), SECTION(".eh_frame_hdr", unsorted) } },
	{ "found/junk",
	  { SECTION(".eh_frame", eh_frame), { ".debug_frame", junk, 0, SHF_COMPRESSED, 0 } } },
};

#define SUMMARY(images, proven, no_cfi, unchecked, unread, failed, findings)                       \
	"\"images\":" #images ",\"proven\":" #proven ",\"no_cfi\":" #no_cfi                        \
	",\"unchecked\":" #unchecked ",\"unread\":" #unread ",\"failed\":" #failed                 \
	",\"with_findings\":" #findings ","

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *argument[6];
	const char *readelf; /* a shell's words in its place */
	enum exit_status status;
	const char *summary, *not_checked;
	const char *cases; /* the report's, without times */
} commands[] = {
	{ "good", ARGUMENTS("good"), .status = EXIT_OK, .summary = SUMMARY(1, 1, 0, 0, 0, 0, 0),
	  .not_checked = "{}", .cases = "ok 1 - prove: good\n" },
	{ "findings_are_their_image_s", ARGUMENTS("a_search", "good"), .status = EXIT_FINDINGS,
	  .summary = SUMMARY(2, 2, 0, 0, 0, 0, 1), .not_checked = "{}",
	  .cases = "not ok 1 - prove: a_search failed findings\nok 2 - prove: good\n" },
	{ "whichever_comes_last", ARGUMENTS("good", "z_search"), .status = EXIT_FINDINGS,
	  .summary = SUMMARY(2, 2, 0, 0, 0, 0, 1), .not_checked = "{}",
	  .cases = "ok 1 - prove: good\nnot ok 2 - prove: z_search failed findings\n" },
	{ "of_two_both", ARGUMENTS("a_search", "a_search_and_junk"), .status = EXIT_FINDINGS,
	  .summary = SUMMARY(2, 2, 0, 0, 0, 0, 2), .not_checked = "{\"lost_fdes\":1}",
	  .cases = "not ok 1 - prove: a_search failed findings\n"
		   "not ok 2 - prove: a_search_and_junk failed findings\n" },
	{ "what_was_shown_is_found_though_it_can_not_be_read_on",
	  ARGUMENTS("a_search_and_junk", "good", "--referee"), .status = EXIT_FINDINGS,
	  .summary = SUMMARY(2, 1, 0, 0, 1, 0, 1), .not_checked = "{\"damaged\":1}",
	  .cases = "not ok 1 - prove: a_search_and_junk failed findings\nok 2 - prove: good\n" },
	{ "without_cfi_each_is_counted", ARGUMENTS("nothing", "nothing_either", "good"),
	  .status = EXIT_OK, .summary = SUMMARY(3, 3, 2, 0, 0, 0, 0),
	  .not_checked = "{\"no_cfi\":2}",
	  .cases = "ok 1 - prove: good\nok 2 - prove: nothing skipped no_cfi\n"
		   "ok 3 - prove: nothing_either skipped no_cfi\n" },
	{ "what_is_malformed_is_counted_once", ARGUMENTS("malformed", "good"),
	  .status = EXIT_BAD_INPUT, .summary = SUMMARY(2, 1, 0, 1, 0, 0, 0),
	  .not_checked = "{\"malformed\":1}",
	  .cases = "ok 1 - prove: good\nok 2 - prove: malformed skipped unchecked\n"
		   "not ok 3 - prove: exit status error an\n" },
	{ "what_is_lost_of_one_that_was_found_is_no_bad_input", ARGUMENTS("found"),
	  .status = EXIT_OK, .summary = SUMMARY(1, 1, 0, 0, 0, 0, 0),
	  .not_checked = "{\"lost_fdes\":1}", .cases = "ok 1 - prove: found/junk\n" },
	{ "of_one_that_was_named_it_is", ARGUMENTS("found/junk"), .status = EXIT_BAD_INPUT,
	  .summary = SUMMARY(1, 1, 0, 0, 0, 0, 0), .not_checked = "{\"lost_fdes\":1}",
	  .cases = "ok 1 - prove: found/junk\nnot ok 2 - prove: exit status error an\n" },
	{ "found_and_unread_is_a_skip", ARGUMENTS("found", "good", "--referee"), .status = EXIT_OK,
	  .summary = SUMMARY(2, 1, 0, 0, 1, 0, 0), .not_checked = "{\"damaged\":1}",
	  .cases = "ok 1 - prove: found/junk skipped .debug_frame\nok 2 - prove: good\n" },
	{ "named_and_unread_is_an_error", ARGUMENTS("found/junk", "good", "--referee"),
	  .status = EXIT_BAD_INPUT, .summary = SUMMARY(2, 1, 0, 0, 1, 0, 0),
	  .not_checked = "{\"damaged\":1}",
	  .cases = "not ok 1 - prove: found/junk error .debug_frame\nok 2 - prove: good\n" },
	{ "not_there_is_an_error", ARGUMENTS("nowhere", "good"), .status = EXIT_BAD_INPUT,
	  .summary = SUMMARY(1, 1, 0, 0, 0, 0, 0), .not_checked = "{\"unreadable\":1}",
	  .cases = "not ok 1 - prove: nowhere error nowhere\nok 2 - prove: good\n" },
	{ "a_readelf_that_fails_at_one_of_two", ARGUMENTS("good", "z_search", "--readelf"),
	  .readelf = "[ ${2##*/} = z_search ]", .status = EXIT_FINDINGS,
	  .summary = SUMMARY(2, 2, 0, 0, 0, 0, 1), .not_checked = "{\"no_tool\":1}" },
	{ "a_readelf_that_fails_at_the_first", ARGUMENTS("good", "nothing", "--readelf"),
	  .readelf = "[ ${2##*/} = nothing ]", .status = EXIT_ENVIRONMENT,
	  .summary = SUMMARY(2, 2, 1, 0, 0, 0, 0), .not_checked = "{\"no_cfi\":1,\"no_tool\":1}" },
	{ "no_longer_than_it_may_take", ARGUMENTS("good", "--readelf", "--timeout=1"),
	  .readelf = "exec sleep 3", .status = EXIT_FINDINGS,
	  .summary = SUMMARY(1, 0, 0, 0, 0, 1, 0), .not_checked = "{\"failed_images\":1}",
	  .cases = "not ok 1 - prove: good error ran long\n" },
};

static void make_images(const char *readelf)
{
	FILE *file;

	ck_assert_int_eq(mkdir("found", 0700), 0);
	for (int i = 0; i < COUNT(images); i++)
		section_image_write(images[i].name, images[i].section);
	if (!readelf)
		return;
	ck_assert_ptr_nonnull(file = fopen("readelf", "w"));
	fprintf(file, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", readelf);
	fclose(file);
	chmod("readelf", 0755);
	setenv("PATH", folder, 1); /* each test is a process of its own */
}

/* A report's cases, each in a line: the first word of why it is none that passed, and whether it took a second. */
static void read_cases(char *ret, size_t size)
{
	FILE *file = fopen("report", "r"), *to = fmemopen(ret, size, "w");
	char line[512], word[64];
	unsigned long milliseconds;

	ck_assert(file && to);
	while (fgets(line, sizeof(line), file)) {
		char *skip = strstr(line, " # SKIP ");

		if (sscanf(line, " reason: \"%63[^ \":]", word) == 1)
			fprintf(to, " %s", word);
		else if (sscanf(line, " duration_ms: %lu", &milliseconds) == 1)
			fputs(milliseconds >= 1000 ? " long\n" : "\n", to);
		else if (sscanf(line, " status: \"%63[^\"]", word) == 1)
			fprintf(to, " %s", word);
		else if (skip && sscanf(skip, " # SKIP %63[^ \n:]", word) == 1)
			fprintf(to, "%.*s skipped %s\n", (int)(skip - line), line, word);
		else if (!strncmp(line, "not ok ", 7))
			fprintf(to, "%.*s", (int)strcspn(line, "\n"), line);
		else if (!strncmp(line, "ok ", 3))
			fputs(line, to);
	}
	fclose(file);
	fclose(to);
}

START_TEST(images_one_after_another)
{
	typeof(&commands[0]) c = &commands[_i];
	char *arguments[12] = { "prove", "--json", "--jobs=1", "--tap=report" }, said[1024] = "";
	char expected[256];
	int status;

	make_images(c->readelf);
	for (int i = 0; i < COUNT(c->argument) && c->argument[i]; i++)
		arguments[4 + i] = (char *)c->argument[i];
	FREED char *output = command_output(command_prove, arguments, &status);
	ck_assert_msg(status == (int)c->status, "%s: %d: %s", c->name, status, output);
	ck_assert_msg(strstr(output, c->summary) != NULL, "%s: no %s in %s", c->name, c->summary,
		      output);
	snprintf(expected, sizeof(expected), "\"not_checked\":%s,", c->not_checked);
	ck_assert_msg(strstr(output, expected) != NULL, "%s: no %s in %s", c->name, expected,
		      output);
	read_cases(said, sizeof(said));
	ck_assert_msg(!c->cases || !strcmp(said, c->cases), "%s: %s", c->name, said);
	setenv("PATH", "/usr/bin:/bin", 1);
	ck_assert_int_eq(
		system("rm -r found good nothing* malformed ?_search* report readelf 2>/dev/null"
		       "; true"),
		0);
}
END_TEST

static void nothing(struct diff_image *image)
{
}

/* What is code the sections say, be it a file's or a member's: half of the segment. */
START_TEST(code_of_a_member)
{
	static const struct test_section half[] = {
		{ ".text", nothing, 0, SHF_ALLOC | SHF_EXECINSTR, 0 },
		SECTION(".eh_frame", eh_frame),
		NO_SECTION,
	};
	char *arguments[] = { "prove", "--json", _i ? "half.a" : "half", NULL }, *output;
	int status;

	section_image_write("half", half);
	ck_assert_int_eq(system("ar rc half.a half"), 0);
	output = command_output(command_prove, arguments, &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_msg(strstr(output, _i ? "\"image\":\"half.a(half)\"" : "\"image\":\"half\"") &&
			      strstr(output, "\"executable_bytes\":8192,\"covered_bytes\":16,"),
		      "%s", output);
	free(output);
	unlink("half");
	unlink("half.a");
}
END_TEST

SUITE(prove_sections, FIXTURE(folder_enter, tear_down), LOOP(each_section_is_proven, cases),
      TEST(a_section_that_can_not_be_read), LOOP(images_one_after_another, commands),
      TIMES(code_of_a_member, 2))
