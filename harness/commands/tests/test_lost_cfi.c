/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lost_cfi.c - whatever is lost of an image's CFI has an address and a reason, wherever it is
 * shown
 *
 * Assembly with CFI of every kind of loss is assembled and linked by what builds this project;
 * where that is missing nothing is compared and that is said.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"

static char folder[] = "/tmp/stackproof-lost-cfi-XXXXXX";

/* Of f and g one has a malformed instruction; data has an FDE that is in no executable segment, and
 * so does the address 0x100. */
static const char losses[] = ".text\n.globl _start\n_start:\n.cfi_startproc\nnop\n.cfi_endproc\n"
			     "f: .cfi_startproc\nnop\n.cfi_escape 0x3f\nnop\n.cfi_endproc\n"
			     "g: .cfi_startproc\nnop\nret\n.cfi_endproc\n"
			     ".data\nd: .cfi_startproc\n.rept 48\nnop\n.endr\n.cfi_endproc\n";

/* 30 FDEs whose CIE has a version that is not read. */
static const char versions[] =
	".text\n.globl _start\n_start: nop\n"
	".section .eh_frame,\"a\"\n"
	".rept 30\n1: .long 3f-2f\n2: .long 0\n.byte 9\n.asciz \"zR\"\n"
	".balign 4,0\n3: .long 5f-4f\n4: .long 4b-1b\n.long _start-.\n.long 1\n"
	".balign 4,0\n5:\n.endr\n";

static bool make(const char *name, const char *source)
{
	char path[256], command[512];
	snprintf(path, sizeof(path), "%s/%s.s", folder, name);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof(command),
		 "cd %s && as %s.s -o %s.o 2>/dev/null && "
		 "ld --unresolved-symbols=ignore-all %s.o -o %s 2>/dev/null",
		 folder, name, name, name, name);
	if (!system(command))
		return true;
	fprintf(stderr, "no as or ld: nothing to compare\n");
	return false;
}

static char *say(int (*command)(int, char **), const char *name, const char *option,
		 const char *argument, const char *file, int *ret_status)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	char *arguments[] = { (char *)name, path, (char *)option, (char *)argument, NULL };
	return command_output(command, arguments, ret_status);
}

static void expect(const char *output, const char *part)
{
	ck_assert_msg(strstr(output, part), "no \"%s\" in\n%s", part, output);
}

START_TEST(each_loss_has_an_address_and_a_reason)
{
	int status;
	if (!make("losses", losses))
		return;
	char *output = say(command_stat, "stat", NULL, NULL, "losses", &status);
	expect(output, "1 FDEs lost: outside");
	expect(output, "the FDE's code is in no executable segment");
	expect(output, "1 rows lost: malformed");
	expect(output, ": 0x401001..0x401003: "); /* of f */
	ck_assert_int_eq(status, EXIT_BAD_INPUT);
	free(output);
	output = say(command_stat, "stat", "--json", NULL, "losses", &status);
	expect(output, "\"lost_fdes_by_reason\":{\"outside\":1}");
	expect(output, "\"type\":\"stat_lost\"");
	expect(output, "\"reason\":\"outside\"");
	expect(output, "\"code\":\"cfi_instruction\"");
	expect(output, "\"pc\":\"0x401001\",\"pc_end\":\"0x401003\"");
	free(output);
	output = say(command_table, "table", "--json", NULL, "losses", &status);
	expect(output, "\"type\":\"error\"");
	expect(output, "\"pc\":\"0x401001\",\"pc_end\":\"0x401003\"");
	expect(output, "the FDE's code is in no executable segment\"");
	free(output);
	output = say(command_table, "table", NULL, NULL, "losses", &status);
	expect(output, "the FDE's code is in no executable segment, of 0x");
	free(output);
	output = say(command_table, "table", "--format", "compact", "losses", &status);
	expect(output, "the FDE's code is in no executable segment, of 0x");
	expect(output, "of 0x401001..0x401003");
	free(output);
	output = say(command_prove, "prove", NULL, NULL, "losses", &status);
	expect(output, "1 FDEs lost: outside");
	free(output);
}
END_TEST

static void shell(const char *words)
{
	char command[1024];

	snprintf(command, sizeof(command), "cd %s && (%s) >/dev/null 2>&1", folder, words);
	ck_assert_msg(!system(command), "%s", words);
}

/* As ld leaves it: FDEs of nothing wrong but that. */
static const char outside[] = ".text\n.globl _start\n_start:\n.cfi_startproc\nnop\n.cfi_endproc\n"
			      ".data\nd: .cfi_startproc\nnop\n.cfi_endproc\n";
/* The FDE of no code has an advance beyond it. ld leaves such a one out of .eh_frame. */
static const char nothing[] =
	".text\n.globl _start\n_start:\n.cfi_startproc\nnop\n.cfi_endproc\n"
	".section .kept,\"a\"\n1: .long 3f-2f\n2: .long 0\n.byte 1\n.asciz \"zR\"\n"
	".uleb128 1\n.sleb128 -8\n.byte 16\n.uleb128 1\n.byte 0x1b\n.byte 0x0c,7,8,0x90,1\n"
	".balign 4,0\n3: .long 5f-4f\n4: .long 4b-1b\n.long _start-.\n.long 0\n"
	".uleb128 0\n.byte 0x41\n.balign 4,0\n5:\n";

/* Every command has the same status for the same file. */
static const struct status_case {
	const char *name, *source;
	enum exit_status usual, strict;
} statuses[] = {
	{ "outside", outside, EXIT_OK, EXIT_BAD_INPUT },
	{ "nothing", nothing, EXIT_BAD_INPUT, EXIT_BAD_INPUT },
};

START_TEST(commands_agree_about_a_loss)
{
	static int (*const commands[])(int, char **) = { command_stat, command_table,
							 command_prove };
	const struct status_case *c = &statuses[_i];
	int status;

	if (!make(c->name, c->source))
		return;
	shell("objcopy --rename-section .kept=.eh_frame outside; "
	      "objcopy --rename-section .kept=.eh_frame nothing; true");
	for (int i = 0; i < 3; i++) {
		free(say(commands[i], "command", NULL, NULL, c->name, &status));
		ck_assert_msg(status == (int)c->usual, "%s, command %d: %d", c->name, i, status);
		free(say(commands[i], "command", "--strict", NULL, c->name, &status));
		ck_assert_msg(status == (int)c->strict, "%s, command %d strictly: %d", c->name, i,
			      status);
		free(say(commands[i], "command", "--json", NULL, c->name, &status));
		ck_assert_msg(status == (int)c->usual, "%s, command %d in JSON: %d", c->name, i,
			      status);
	}
}
END_TEST

static size_t count(const char *output, const char *part)
{
	size_t found = 0;
	for (; (output = strstr(output, part)); output++)
		found++;
	return found;
}

START_TEST(people_are_told_how_many_are_left_off)
{
	int status;
	if (!make("versions", versions))
		return;
	char *output = say(command_stat, "stat", NULL, NULL, "versions", &status);
	expect(output, "60 FDEs lost: unread");
	expect(output, "and 40 more (--json has them)");
	ck_assert_uint_eq(count(output, "CIE"), 20);
	free(output);
	output = say(command_stat, "stat", "--json", NULL, "versions", &status);
	ck_assert_uint_eq(count(output, "\"type\":\"stat_diagnostic\""), 60);
	free(output);
	output = say(command_table, "table", NULL, NULL, "versions", &status);
	expect(output, "and 40 more (--json has them)");
	free(output);
	output = say(command_prove, "prove", NULL, NULL, "versions", &status);
	expect(output, "60 FDEs lost: unread");
	free(output);
}
END_TEST

/* Runs a shell's words in the folder. */
/* one.o and other.o, whose .eh_frame has another name for the linker: what it makes of the two has
 * two. */
static bool make_two(void)
{
	if (!make("one", ".globl _start\n_start: .cfi_startproc\nnop\n.cfi_endproc\n") ||
	    !make("other", "g: .cfi_startproc\nnop\nnop\n.cfi_escape 0x0e,16\nnop\n.cfi_endproc\n"))
		return false;
	shell("objcopy --rename-section .eh_frame=.kept other.o");
	return true;
}

static void expect_nothing_lost(const char *file)
{
	int status;
	FREED char *output = say(command_stat, "stat", "--strict", "--json", file, &status);

	ck_assert_msg(status == EXIT_OK, "%d %s", status, output);
	expect(output, "\"fdes\":2");
	expect(output, "\"lost_fdes\":0");
	ck_assert_msg(!strstr(output, "diagnostic"), "%s", output);
}

START_TEST(each_eh_frame_of_an_object_is_read)
{
	int status;
	if (!make_two())
		return;
	shell("ld -r one.o other.o -o both && objcopy --rename-section .kept=.eh_frame both");
	expect_nothing_lost("both");
	char *output = say(command_table, "table", NULL, NULL, "both", &status);
	expect(output, "function _start\n");
	expect(output, "function g\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x2 cfa=rsp+16 ra=c-8\n");
	free(output);
	/* readelf's lines, of both. */
	output = say(command_prove, "prove", "--readelf", NULL, "both", &status);
	expect(output, "0 failed, 0 with findings");
	ck_assert_int_eq(status, EXIT_OK);
	free(output);
	/* Which of them an error is in can be asked for. */
	shell("readelf -SW both | sed -n 's/^ *\\[ *\\([0-9]*\\)\\] .eh_frame .*/\\1/p' | "
	      "sed -n 2p >number");
	char path[256], section[32], number[16] = "";
	snprintf(path, sizeof(path), "%s/number", folder);
	FILE *file = fopen(path, "r");
	ck_assert(file && fscanf(file, "%15s", number) == 1);
	fclose(file);
	snprintf(section, sizeof(section), ".eh_frame[%s]", number);
	output = say(command_table, "table", "--section", section, "both", &status);
	ck_assert_int_eq(status, EXIT_OK);
	ck_assert_msg(!strstr(output, "function g") != !strstr(output, "function _start"), "%s",
		      output);
	free(output);
	output = say(command_table, "table", "--section", ".eh_frame[99]", "both", &status);
	ck_assert_int_eq(status, EXIT_SKIPPED);
	free(output);
}
END_TEST

START_TEST(each_eh_frame_of_a_linked_image_is_read)
{
	int status;
	if (!make_two())
		return;
	shell("ld --no-eh-frame-hdr one.o other.o -o linked && "
	      "objcopy --rename-section .kept=.eh_frame linked");
	expect_nothing_lost("linked");
	/* The table has both, and libdw, which reads one, accuses nobody. */
	char *output = say(command_prove, "prove", "--all", NULL, "linked", &status);
	expect(output, "1 images: 1 proven");
	expect(output, "table               3         0         0");
	expect(output, "not compared: ");
	ck_assert_int_eq(status, EXIT_OK);
	free(output);
	/* A run-time goes by the search table, which has one: that is said of the other. */
	shell("ld --eh-frame-hdr one.o other.o -o searched && "
	      "objcopy --rename-section .kept=.eh_frame searched");
	output = say(command_stat, "stat", "--json", NULL, "searched", &status);
	expect(output, "\"fdes\":2");
	expect(output, "is not in the search table");
	expect(output, "\"section\":\".eh_frame[");
	ck_assert_msg(!strstr(output, "the header says"), "%s", output);
	free(output);
	output = say(command_prove, "prove", "--all", NULL, "searched", &status);
	expect(output, "searched: search: .eh_frame[");
	expect(output,
	       "1 proven (0 without CFI), 0 unchecked, 0 not read, 0 failed, 1 with findings");
	ck_assert_int_eq(status, EXIT_FINDINGS);
	free(output);
}
END_TEST

/* The same function in two sections, at different rows. */
START_TEST(what_two_sections_say_of_one_address_is_the_first_ones)
{
	int status;
	if (!make("one", ".globl _start\n_start: .cfi_startproc\nnop\n.cfi_endproc\n") ||
	    !make("again", ".section .kept,\"a\"\n1: .long 3f-2f\n2: .long 0\n.byte 1\n"
			   ".asciz \"zR\"\n.uleb128 1\n.sleb128 -8\n.byte 16\n.uleb128 1\n"
			   ".byte 0x1b\n.byte 0x0c,7,8,0x90,1\n.balign 4,0\n3: .long 5f-4f\n"
			   "4: .long 4b-1b\n.long _start-.\n.long 1\n.uleb128 0\n.byte 0x0e,99\n"
			   ".balign 4,0\n5:\n"))
		return;
	shell("ld --no-eh-frame-hdr one.o again.o -o twice && objcopy --rename-section "
	      ".kept=.eh_frame twice");
	FREED char *output = say(command_stat, "stat", "--json", NULL, "twice", &status);
	ck_assert_int_eq(status, EXIT_BAD_INPUT);
	expect(output, "\"lost_fdes_by_reason\":{\"unread\":1}");
	expect(output, "is left out: a section .eh_frame before it has that code");
}
END_TEST

START_TEST(an_eh_frame_that_cannot_be_read_costs_itself)
{
	int status;
	if (!make("one", "f: .cfi_startproc\nnop\n.cfi_endproc\n"))
		return;
	shell("printf 12345678 >bytes && objcopy --add-section .eh_framX=bytes one.o broken && "
	      "sed -i 's/\\.eh_framX/.eh_frame/' broken");
	static int (*const commands[])(int, char **) = { command_stat, command_table };
	for (size_t i = 0; i < 2; i++) {
		char *output = say(commands[i], "stackproof", "--json", NULL, "broken", &status);
		expect(output, "\"section\":\".eh_frame[");
		expect(output, "\"code\":\"cfi_length\"");
		ck_assert_int_eq(status, EXIT_BAD_INPUT);
		free(output);
	}
	char *output = say(command_prove, "prove", NULL, NULL, "broken", &status);
	expect(output, "1 FDEs lost: unread");
	free(output);
}
END_TEST

START_TEST(members_of_archives_are_read)
{
	char command[1024];
	int status;
	if (!make("one", "one: .cfi_startproc\nnop\n.cfi_endproc\n") ||
	    !make("two", "two: .cfi_startproc\nnop\n.cfi_endproc\n"))
		return;
	snprintf(command, sizeof(command),
		 "cd %s && ar rc lib.a one.o one.s two.o && ar rcT thin.a one.o two.o && "
		 "head -c -10 lib.a >cut.a && cp lib.a lib.rlib",
		 folder);
	ck_assert_int_eq(system(command), 0);
	char *output = say(command_stat, "stat", NULL, NULL, "lib.rlib", &status);
	ck_assert_int_eq(status, EXIT_OK);
	expect(output, "lib.rlib(one.o)\n");
	expect(output, "lib.rlib(two.o)\n");
	expect(output, " 2 images\n");
	ck_assert_msg(!strstr(output, "one.s"), "%s", output);
	expect(output, " 100.00 "); /* covered: code is found, too */
	free(output);
	output = say(command_table, "table", NULL, NULL, "lib.a", &status);
	expect(output, "lib.a(one.o)\n");
	expect(output, "function one\n");
	expect(output, "function two\n");
	free(output);
	output = say(command_prove, "prove", "--all", NULL, "lib.a", &status);
	ck_assert_int_eq(status, EXIT_OK);
	expect(output, "2 images: 0 proven (0 without CFI), 2 unchecked, 0 not read, 0 failed, 0 "
		       "with findings");
	free(output);

	static int (*const commands[])(int, char **) = { command_stat, command_table,
							 command_prove };
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		output = say(commands[i], "stackproof", NULL, NULL, "thin.a", &status);
		ck_assert_int_eq(status, EXIT_BAD_INPUT);
		expect(output, "thin.a: a thin archive");
		expect(output, "1 thin archives, whose members are files of their own");
		free(output);
		output = say(commands[i], "stackproof", NULL, NULL, "cut.a", &status);
		ck_assert_msg(status == EXIT_BAD_INPUT, "%d %s", status, output);
		expect(output, "one.o");
		free(output);
	}
}
END_TEST

START_TEST(archives_below_directories_are_read)
{
	static int (*const commands[])(int, char **) = { command_stat, command_prove };
	int status;
	if (!make("one", "one: .cfi_startproc\nnop\n.cfi_endproc\n") ||
	    !make("two", "two: .cfi_startproc\nnop\n.cfi_endproc\n"))
		return;
	/* A hard link is the same members; what is no ELF file is not mentioned. */
	shell("mkdir -p tree/below && ar rc tree/below/lib.a one.o one.s two.o && "
	      "ln tree/below/lib.a tree/lib.rlib && ar rc tree/text.a one.s");
	for (size_t i = 0; i < 2; i++) {
		char *output = say(commands[i], "stackproof", "--strict", "--json", "tree",
				   &status);
		ck_assert_msg(status == EXIT_OK || (i && status == EXIT_SKIPPED), "%d %s", status,
			      output);
		expect(output, "below/lib.a(one.o)\"");
		expect(output, "below/lib.a(two.o)\"");
		ck_assert_msg(!strstr(output, "rlib(") && !strstr(output, "text.a"), "%s", output);
		free(output);
	}
	char *output = say(command_prove, "prove", "--readelf", NULL, "tree", &status);
	expect(output, "2 images: 0 proven (0 without CFI), 2 unchecked, 0 not read, 0 failed, 0 "
		       "with findings");
	ck_assert_int_eq(status, EXIT_OK);
	free(output);

	/* One that is cut, in a member or where there is none, costs what is cut; a thin one is
	 * counted. */
	shell("head -c -10 tree/below/lib.a >tree/cut.a && cp tree/below/lib.a tree/bad.a && "
	      "printf 'no header' >>tree/bad.a && ar rcT tree/thin.a one.o two.o");
	for (size_t i = 0; i < 2; i++) {
		output = say(commands[i], "stackproof", NULL, NULL, "tree", &status);
		ck_assert_msg(status == (i ? EXIT_BAD_INPUT : EXIT_OK), "%d %s", status, output);
		expect(output, "/cut.a(one.o)");
		expect(output, "/bad.a(two.o)");
		expect(output, "2 damaged ELF files, 1 thin archives");
		free(output);
		output = say(commands[i], "stackproof", "--strict", NULL, "tree", &status);
		ck_assert_msg(status == EXIT_FINDINGS, "%d %s", status, output);
		free(output);
	}
	shell("rm tree/thin.a");
	for (size_t i = 0; i < 2; i++) {
		output = say(commands[i], "stackproof", "--strict", "--json", "tree", &status);
		ck_assert_msg(status == EXIT_BAD_INPUT, "%d %s", status, output);
		expect(output, "\"damaged\":2");
		expect(output, "/bad.a\",");
		expect(output, "the archive's member there can't be read");
		free(output);
	}
}
END_TEST

SUITE_MAIN(lost_cfi)
{
	if (!mkdtemp(folder)) {
		perror(folder);
		return EXIT_FAILURE;
	}
	Suite *suite = suite_create("lost_cfi");
	TCase *tcase = tcase_create("lost_cfi");
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, each_loss_has_an_address_and_a_reason);
	tcase_add_loop_test(tcase, commands_agree_about_a_loss, 0, 2);
	tcase_add_test(tcase, people_are_told_how_many_are_left_off);
	tcase_add_test(tcase, each_eh_frame_of_an_object_is_read);
	tcase_add_test(tcase, each_eh_frame_of_a_linked_image_is_read);
	tcase_add_test(tcase, what_two_sections_say_of_one_address_is_the_first_ones);
	tcase_add_test(tcase, an_eh_frame_that_cannot_be_read_costs_itself);
	tcase_add_test(tcase, members_of_archives_are_read);
	tcase_add_test(tcase, archives_below_directories_are_read);
	suite_add_tcase(suite, tcase);
	int failed = suite_run(suite);
	char command[256];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
