/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_gate.c - commands obey the rule that makes an exit status of what was checked
 * (test_gate_rule.c)
 *
 * The images are diff_image.h's with one byte changed: every entry lost, one lost, of another
 * machine, cut off.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/images/image_list.h"
#include "tables/diff/tests/diff_image.h"
#include "base/gate/gate.h"
#include "base/cli/json_counts.h"

#define COUNT_OF(array) (int)(sizeof(array) / sizeof((array)[0]))

/* ---- images ----------------------------------------------------------------------------- */

/* Of the first CIE, which five FDEs have, and of the signal frame's. */
#define IMAGE_BYTES    0x2000
#define VERSION	       (DIFF_IMAGE_EH_FRAME + 8)
#define SIGNAL_VERSION (DIFF_IMAGE_EH_FRAME + 0x18 + 8)
#define MACHINE	       offsetof(Elf64_Ehdr, e_machine)

static void write_image(const char *path, size_t offset, uint8_t byte, size_t size)
{
	struct diff_image image;

	diff_image_make(&image);
	if (offset)
		image.bytes[offset] = byte;
	if (offset == VERSION)
		image.bytes[SIGNAL_VERSION] = byte;
	/* The functions' addresses are in the file. */
	((Elf64_Phdr *)(image.bytes + sizeof(Elf64_Ehdr)))->p_filesz = IMAGE_BYTES;
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, image.bytes, size ? size : image.size),
			 (ssize_t)(size ? size : image.size));
	ck_assert_int_eq(ftruncate(file, (off_t)(size ? size : IMAGE_BYTES)), 0);
	close(file);
}

static void begin(void)
{
	folder_make();
	ck_assert_int_eq(chmod(folder, 0755), 0);
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert(!mkdir("empty", 0755) && !mkdir("cut", 0755) && !mkdir("foreign", 0755) &&
		  !mkdir("closed", 0755) && !mkdir("lost", 0755) && !mkdir("mixed", 0755));
	write_image("good", 0, 0, 0);
	write_image("lost/all", VERSION, 99, 0);
	write_image("one", SIGNAL_VERSION, 99, 0);
	write_image("cut/magic", 0, 0, 10);
	write_image("cut/half", 0, 0, 200);
	write_image("foreign/arm", MACHINE, EM_AARCH64, 0);
	write_image("foreign/small", EI_CLASS, ELFCLASS32, 0);
	write_image("closed/image", 0, 0, 0);
	ck_assert_int_eq(chmod("closed/image", 0), 0);
	write_image("mixed/good", 0, 0, 0);
	write_image("mixed/cut", 0, 0, 200);
	write_image("mixed/arm", MACHINE, EM_AARCH64, 0);
	ck_assert(!system(
		"printf 'BC\\300\\336' >bitcode && ar rcS mixed.a good foreign/arm && "
		"ar rcS foreign.a foreign/arm foreign/small && ar rcS cut.a good cut/half && "
		"ar rcS lto.a good bitcode bitcode && ar rcS bitcode.a bitcode && "
		"ar rcS empty.a && ar rcS nested.a good lto.a && ar rcS inner.a lto.a"));
}

#define NO_OTHER_USER 42

/* Root may read everything. */
static int as_another_user(int (*command)(int, char **), int argc, char **argv)
{
	return setresuid(65534, 65534, 65534) && geteuid() == 0 ? NO_OTHER_USER
								: command(argc, argv);
}

static int stat_as_another_user(int argc, char **argv)
{
	return as_another_user(command_stat, argc, argv);
}

static int prove_as_another_user(int argc, char **argv)
{
	return as_another_user(command_prove, argc, argv);
}

/* An archive's member is copied to be read: its process dies of that. */
static int as_who_may_not_write(int (*command)(int, char **), int argc, char **argv)
{
	const struct rlimit least = { 1, 1 };

	return setrlimit(RLIMIT_FSIZE, &least) ? EXIT_FAILURE : command(argc, argv);
}

static int lint_that_dies(int argc, char **argv)
{
	return as_who_may_not_write(command_lint, argc, argv);
}

static int prove_that_dies(int argc, char **argv)
{
	return as_who_may_not_write(command_prove, argc, argv);
}

static int stat_that_dies(int argc, char **argv)
{
	return as_who_may_not_write(command_stat, argc, argv);
}

static int synthesize_that_dies(int argc, char **argv)
{
	return as_who_may_not_write(command_synthesize, argc, argv);
}

static const struct {
	int (*command)(int argc, char **argv);
	const char *arguments[4];
	int status;
	const char *words; /* of the output */
} cases[] = {
	{ command_stat, { "good" }, EXIT_OK, "checked: " },
	{ command_prove, { "good" }, EXIT_OK, "checked: " },
	{ command_prove, { "--strict", "good" }, EXIT_OK, "checked: " },
	{ command_stat, { "empty" }, EXIT_SKIPPED, "nothing was checked" },
	{ command_stat, { "empty", "good" }, EXIT_OK, "1 folders and archives without an ELF" },
	{ command_stat, { "--strict", "good", "empty" }, EXIT_FINDINGS, "fails with --strict" },
	{ command_stat, { "--json", "good", "empty" }, EXIT_OK, "\"not_checked\":{\"empty\":1}" },
	{ command_prove, { "--strict", "good", "empty" }, EXIT_FINDINGS, "fails with --strict" },
	{ command_prove, { "good", "empty.a", "empty" }, EXIT_OK, "2 folders and archives" },
	{ command_lint, { "--strict", "good", "empty" }, EXIT_FINDINGS, "fails with --strict" },
	{ command_synthesize, { "--strict", "good", "empty" }, EXIT_FINDINGS, "--strict" },
	{ command_prove, { "empty" }, EXIT_SKIPPED, "nothing was checked" },
	{ command_prove, { "--all", "--json", "empty" }, EXIT_SKIPPED, "\"exit_status\":77" },
	{ command_stat, { "cut" }, EXIT_BAD_INPUT, "2 damaged ELF files" },
	{ command_prove, { "--all", "cut" }, EXIT_BAD_INPUT, "2 damaged ELF files" },
	{ command_stat, { "--json", "cut" }, EXIT_BAD_INPUT, "\"not_checked\":{\"damaged\":2}" },
	{ command_stat, { "foreign" }, EXIT_SKIPPED, "2 ELF files of other machines" },
	{ command_prove, { "foreign" }, EXIT_SKIPPED, "2 ELF files of other machines" },
	{ command_prove, { "--strict", "foreign", "good" }, EXIT_OK, "other machines" },
	{ stat_as_another_user, { "closed" }, EXIT_BAD_INPUT, "1 files that can't be read" },
	{ prove_as_another_user, { "closed" }, EXIT_BAD_INPUT, "1 files that can't be read" },
	{ prove_as_another_user, { "closed", "good" }, EXIT_OK, "1 files that can't be read" },
	{ prove_as_another_user, { "--strict", "closed", "good" }, EXIT_BAD_INPUT, "--strict" },
	{ command_prove, { "lost" }, EXIT_BAD_INPUT, "unchecked: not one row" },
	{ command_prove, { "lost" }, EXIT_BAD_INPUT, "0 proven" },
	{ command_prove, { "lost/all" }, EXIT_BAD_INPUT, "FDEs that can't be read" },
	{ command_prove, { "one" }, EXIT_BAD_INPUT, "FDEs that can't be read" },
	{ command_stat, { "lost" }, EXIT_BAD_INPUT, "nothing was checked" },
	{ command_prove, { "lost", "good" }, EXIT_OK, "FDEs that can't be read" },
	{ command_prove, { "--strict", "lost", "good" }, EXIT_BAD_INPUT, "fails with --strict" },
	{ command_prove, { "mixed" }, EXIT_OK, "1 damaged ELF files, 1 ELF files of other" },
	{ command_prove, { "--strict", "mixed" }, EXIT_BAD_INPUT, "fails with --strict" },
	{ command_stat, { "--strict", "mixed" }, EXIT_BAD_INPUT, "fails with --strict" },
	{ command_prove, { "good", "foreign/arm" }, EXIT_BAD_INPUT, "1 ELF files of other" },
	{ command_prove, { "mixed.a" }, EXIT_OK, "1 ELF files of other machines" },
	{ command_prove, { "--strict", "mixed.a" }, EXIT_OK, "1 ELF files of other machines" },
	{ command_stat, { "--strict", "mixed.a" }, EXIT_OK, "1 ELF files of other machines" },
	{ command_table, { "mixed.a" }, EXIT_OK, "1 ELF files of other machines" },
	{ command_table, { "good", "foreign/arm" }, EXIT_BAD_INPUT, "1 ELF files of other" },
	{ command_lint, { "--only=SP002", "mixed.a" }, EXIT_OK, "1 ELF files of other machines" },
	{ command_lint,
	  { "--only=SP002", "--strict", "mixed.a" },
	  EXIT_OK,
	  "1 ELF files of other machines" },
	{ command_lint,
	  { "--only=SP002", "--tap=/dev/stderr", "mixed.a" },
	  EXIT_OK,
	  "(arm) # SKIP" },
	{ command_prove, { "--tap=/dev/stderr", "mixed.a" }, EXIT_OK, "(arm) # SKIP" },
	{ command_prove, { "foreign.a" }, EXIT_SKIPPED, "2 ELF files of other machines" },
	{ command_stat, { "foreign.a" }, EXIT_SKIPPED, "2 ELF files of other machines" },
	{ command_table, { "foreign.a" }, EXIT_SKIPPED, "2 ELF files of other machines" },
	{ command_lint, { "foreign.a" }, EXIT_SKIPPED, "2 ELF files of other machines" },
	{ command_synthesize, { "foreign.a" }, EXIT_SKIPPED, "2 ELF files of other machines" },
	{ command_prove, { "cut.a" }, EXIT_BAD_INPUT, "1 damaged ELF files" },
	{ command_lint,
	  { "--only=SP002", "lto.a" },
	  EXIT_OK,
	  "2 objects of which code is made when" },
	{ command_lint,
	  { "--only=SP002", "--strict", "lto.a" },
	  EXIT_FINDINGS,
	  "fails with --strict" },
	{ command_lint,
	  { "--only=SP002", "--json", "lto.a" },
	  EXIT_OK,
	  "\"not_checked\":{\"lto_objects\":2" },
	{ command_lint,
	  { "--only=SP002", "bitcode.a" },
	  EXIT_SKIPPED,
	  "1 objects of which code is made when" },
	{ command_prove, { "--strict", "lto.a" }, EXIT_FINDINGS, "fails with --strict" },
	{ command_stat, { "--strict", "lto.a" }, EXIT_FINDINGS, "fails with --strict" },
	{ command_table, { "--strict", "lto.a" }, EXIT_FINDINGS, "fails with --strict" },
	{ command_synthesize, { "bitcode.a" }, EXIT_SKIPPED, "1 objects of which code is made" },
	{ command_lint, { "--only=SP002", "nested.a" }, EXIT_OK, "1 archives within archives" },
	{ command_lint,
	  { "--only=SP002", "--strict", "nested.a" },
	  EXIT_FINDINGS,
	  "fails with --strict" },
	{ command_lint,
	  { "--only=SP002", "--json", "inner.a" },
	  EXIT_SKIPPED,
	  "{\"nested_archives\":1}" },
	{ lint_that_dies, { "lto.a" }, EXIT_FINDINGS, "1 images whose process died or" },
	{ lint_that_dies, { "--json", "lto.a" }, EXIT_FINDINGS, "\"failed_images\":1}" },
	{ prove_that_dies, { "lto.a", "good" }, EXIT_FINDINGS, "1 images whose process died or" },
	{ stat_that_dies, { "lto.a", "good" }, EXIT_FINDINGS, "1 images whose process died or" },
	{ synthesize_that_dies, { "lto.a" }, EXIT_ENVIRONMENT, "1 images whose process died or" },
	{ command_prove, { "--coverage=99", "good" }, EXIT_FINDINGS, "below --coverage 99 %" },
	{ command_prove, { "--coverage=1", "good" }, EXIT_OK, "of the code has CFI" },
	{ command_stat, { "--coverage=99", "good" }, EXIT_FINDINGS, "below --coverage 99 %" },
	{ command_table, { "--coverage=99", "good" }, EXIT_FINDINGS, "below --coverage 99 %" },
	{ command_diff, { "--coverage=99", "good", "good" }, EXIT_FINDINGS, "below --coverage" },
	{ command_diff, { "--func=nothing", "good", "good" }, EXIT_SKIPPED, "nothing was checked" },
	{ command_diff, { "lost/all", "good" }, EXIT_BAD_INPUT, "FDEs that can't be read" },
	{ command_table, { "lost/all" }, EXIT_BAD_INPUT, "version" },
	{ command_table, { "--pc=0x1030", "good" }, EXIT_SKIPPED, "no FDE covers 0x1030" },
	{ command_table,
	  { "--func=nothing", "good" },
	  EXIT_SKIPPED,
	  "1 files without an FDE there" },
	{ command_table, { "--func=nothing", "--strict", "good" }, EXIT_FINDINGS, "no function" },
	{ command_load, { "good" }, EXIT_BAD_INPUT, "" },
};

START_TEST(of_a_command)
{
	char *arguments[6] = { "command" };
	int status;

	for (int i = 0; i < 4; i++)
		arguments[i + 1] = (char *)cases[_i].arguments[i];
	FREED char *output = command_output(cases[_i].command, arguments, &status);
	if (status == NO_OTHER_USER ||
	    (cases[_i].command == command_load && status == EXIT_SKIPPED))
		printf("SKIP: %s\n", arguments[1]);
	else
		ck_assert_msg(status == cases[_i].status && strstr(output, cases[_i].words),
			      "%s: %d: %s", arguments[1], status, output);
}
END_TEST

/* Of the functions that follow one another, 0x1000..0x1020 and 0x1020..0x1030: the second one's place,
 * and how many bytes less have CFI. */
static const struct {
	const char *name;
	uint64_t pc;
	unsigned int less;
} overlaps[] = {
	{ "side_by_side", 0x1020, 0 },	    { "the_last_bytes_of_both", 0x1018, 8 },
	{ "within_the_first", 0x1008, 16 }, { "at_its_end", 0x1010, 16 },
	{ "at_its_start", 0x1000, 16 },	    { "the_first_byte_of_the_next", 0x1031, 1 },
};

START_TEST(code_that_two_functions_cover_counts_once)
{
	const uint64_t pc = 0x1020;
	char name[] = "stat", json[] = "--json", file[] = "overlap";
	char *arguments[] = { name, json, file, NULL }, said[64];
	struct diff_image image;
	int status;

	diff_image_make(&image);
	uint8_t *place = memmem(image.bytes, image.size, &pc, sizeof(pc));
	ck_assert_ptr_nonnull(place);
	memcpy(place, &overlaps[_i].pc, sizeof(pc));
	((Elf64_Phdr *)(image.bytes + sizeof(Elf64_Ehdr)))->p_filesz = IMAGE_BYTES;
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0644);
	ck_assert_int_eq(write(fd, image.bytes, image.size), (ssize_t)image.size);
	ck_assert_int_eq(ftruncate(fd, IMAGE_BYTES), 0);
	close(fd);
	FREED char *output = command_output(command_stat, arguments, &status);
	snprintf(said, sizeof(said), "\"covered_bytes\":%u,",
		 0x20 + 0x10 + 0x20 + 9 + 0x10 + 8 - overlaps[_i].less);
	ck_assert_msg(strstr(output, said) != NULL, "%s: not %s %s", overlaps[_i].name, said,
		      output);
}
END_TEST

START_TEST(unreadable_files_are_counted)
{
	struct image_list list = { 0 };
	struct error error;

	if (setresuid(-1, 65534, -1)) {
		printf("SKIP: no other user\n");
		return;
	}
	ck_assert_int_eq(image_list_add(&list, "closed", &error), 0);
	ck_assert_int_eq(setresuid(-1, 0, -1), 0);
	ck_assert_uint_eq(list.count, 0);
	ck_assert_uint_eq(list.unreadable, 1);
	image_list_deinit(&list);
}
END_TEST

SUITE(gate, FIXTURE(begin, folder_remove), LOOP(of_a_command, cases),
      LOOP(code_that_two_functions_cover_counts_once, overlaps), TEST(unreadable_files_are_counted))
