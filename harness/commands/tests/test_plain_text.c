/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plain_text.c - nothing of a file's own reaches the terminal as a control character
 *
 * plain_text() itself, and then the commands that take a file, over one whose name, function and
 * section are escape sequences: they may say what they like, but not one control character.
 */
#include <jansson.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "plain_text.h"

static const struct {
	const char *name;
	const char *text;
	size_t size;
	const char *plain;
} texts[] = {
	{ "plain", "main", 64, "main" },
	{ "utf8_stays", "f\303\274r \342\202\254 \360\237\230\200", 64,
	  "f\303\274r \342\202\254 \360\237\230\200" },
	{ "escape", "\033[2Jx", 64, "?[2Jx" },
	{ "newline_and_tab", "a\nb\tc\rd", 64, "a?b?c?d" },
	{ "delete", "a\177b", 64, "a?b" },
	{ "csi_of_8_bits", "a\2332Jb", 64, "a?2Jb" },
	{ "csi_in_utf8", "a\302\2332Jb", 64, "a?2Jb" },
	{ "nel_in_utf8", "a\302\205b", 64, "a?b" },
	{ "no_break_space_stays", "a\302\240b", 64, "a\302\240b" },
	{ "overlong_escape", "a\300\233b", 64, "a??b" },
	{ "overlong_of_three", "a\340\200\233b", 64, "a???b" },
	{ "surrogate", "a\355\240\200b", 64, "a???b" },
	{ "beyond_unicode", "a\364\220\200\200b", 64, "a????b" },
	{ "cut_character", "a\342\202", 64, "a??" },
	{ "good_beside_bad", "\303\274\377\303\274", 64, "\303\274?\303\274" },
	{ "embedding", "a\342\200\252b\342\200\253c", 64, "a?b?c" },
	{ "override", "a\342\200\256b\342\200\254c\342\200\255d", 64, "a?b?c?d" },
	{ "isolate", "a\342\201\246b\342\201\250c\342\201\251d", 64, "a?b?c?d" },
	{ "what_lies_around_these_stays", "\342\200\251\342\200\257\342\201\245\342\201\252", 64,
	  "\342\200\251\342\200\257\342\201\245\342\201\252" },
	{ "others_of_these_bytes_stay", "\342\202\252\342\200\246\342\201\256", 64,
	  "\342\202\252\342\200\246\342\201\256" },
	{ "cut_to_size", "abcdef", 4, "abc" },
	{ "not_in_the_middle_of_a_character", "ab\342\202\254", 5, "ab" },
};

START_TEST(text_is_plain)
{
	char plain[64];

	ck_assert_str_eq(plain_text(texts[_i].text, plain, texts[_i].size), texts[_i].plain);
}
END_TEST

/* Two names of equal length: one that a linker would take, one that nobody should print. */
static __attribute__((noinline, used)) int plain_text_test_function_2(int value)
{
	return value + getpid();
}
#define OLD_NAME "plain_text_test_function_2"
#define NEW_NAME "\033[2J\2332J\033]0;x\007\177\r_function_2"

/* This program, with that function and .comment renamed, by a file name of the same kind. */
static void write_copy(const char *path)
{
	static const char section[] = ".comment";
	FILE *from = fopen("/proc/self/exe", "re"), *to = fopen(path, "we");
	char *data = NULL, *at;
	size_t size = 0;
	FILE *copy = open_memstream(&data, &size);

	ck_assert(from && to && copy);
	for (int byte; (byte = getc(from)) != EOF;)
		putc(byte, copy);
	fclose(copy);
	ck_assert_uint_eq(sizeof(OLD_NAME), sizeof(NEW_NAME));
	for (size_t left; (at = memmem(data, size, OLD_NAME, sizeof(OLD_NAME)));) {
		memcpy(at, NEW_NAME, sizeof(NEW_NAME));
		left = size - (size_t)(at - data);
		ck_assert_uint_ge(left, sizeof(NEW_NAME));
	}
	at = memmem(data, size, section, sizeof(section));
	if (at)
		memcpy(at, "\033[31m\n\r", 7);
	ck_assert_uint_eq(fwrite(data, 1, size, to), size);
	fclose(from);
	fclose(to);
	free(data);
}

/* In a folder of its own: another build's tests may run beside. */
static void leave_folder(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

#define COPY "./plain-\033[31m\n\2332J\177"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	char *argument[5];
} lines[] = {
	{ "table", command_table, { "table", COPY } },
	{ "table_readelf", command_table, { "table", "--format=readelf", COPY } },
	{ "table_compact", command_table, { "table", "--format=compact", COPY } },
	{ "table_missing", command_table, { "table", COPY "x" } },
	{ "table_no_function", command_table, { "table", "--func=\033[2J", COPY } },
	{ "stat", command_stat, { "stat", COPY } },
	{ "stat_missing", command_stat, { "stat", COPY "x" } },
	{ "prove", command_prove, { "prove", COPY } },
	{ "prove_missing", command_prove, { "prove", COPY "x" } },
	{ "diff", command_diff, { "diff", COPY, "/proc/self/exe" } },
	{ "diff_missing", command_diff, { "diff", COPY, COPY "x" } },
	{ "plant", command_plant, { "plant", "--list", COPY } },
	{ "replay_missing", command_replay, { "replay", COPY "x" } },
	{ "replay_no_recording", command_replay, { "replay", COPY } },
	{ "vm_no_program", command_vm, { "vm", "-k", "6.1", "--", "/" COPY "x" } },
	{ "load_missing", command_load, { "load", COPY "x" } },
	{ "load_no_object", command_load, { "load", COPY } },
	{ "load_no_record", command_load, { "load", "check", COPY } },
	{ "report_missing", command_report, { "report", COPY "x" } },
	{ "report_no_folder", command_report, { "report", COPY } },
	{ "run_no_corpus", command_run, { "run", "--corpus=" COPY "x", "--kernels=host" } },
	{ "golden_no_corpus", command_golden, { "golden", "check", "--corpus=" COPY "x" } },
	{ "compare_missing", command_compare, { "compare", "--", COPY "x" } },
	{ "compare_no_list", command_compare, { "compare", "--ignore=" COPY, "--", "/bin/true" } },
	{ "witness_missing", command_witness, { "witness", "--", COPY "x" } },
	{ "sample_missing", command_sample, { "sample", "--", COPY "x" } },
	{ "generate_no_folder", command_generate, { "generate", "--output=" COPY "/x" } },
	{ "a_word_of_a_list", command_lint, { "lint", "--only=" COPY, COPY } },
	{ "a_number", command_table, { "table", "--pc=\033[2J\2332J\177", COPY } },
	{ "a_word", command_compare, { "compare", "--aslr=" COPY, "x" } },
	{ "one_too_many", command_run, { "run", COPY } },
	{ "an_option", command_stat, { "stat", "--" COPY } },
	{ "an_option_for_nothing", command_stat, { "stat", "--json=" COPY } },
	{ "a_letter", command_stat, { "stat", "-\033" } },
};

START_TEST(command_prints_no_control_characters)
{
	char *argument[6] = { NULL };
	int status;

	memcpy(argument, lines[_i].argument, sizeof(lines[_i].argument));
	write_copy(COPY);
	FREED char *output = command_output(lines[_i].run, argument, &status);
	unlink(COPY);
	ck_assert_uint_gt(strlen(output), 0);
	for (const unsigned char *at = (const unsigned char *)output; *at; at++)
		ck_assert_msg((*at >= ' ' || *at == '\n' || *at == '\t') && *at != 0x7f,
			      "%s: byte 0x%02x at %td of %.300s", lines[_i].name, *at,
			      at - (const unsigned char *)output, plain_text(output, output, 300));
	ck_assert_msg(!strstr(output, "\2332J"), "%s: CSI of 8 bits", lines[_i].name);
}
END_TEST

/* The lines of another's text stay lines. */
START_TEST(lines_are_plain)
{
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	plain_lines(file, "panic\n\tat \033[31m0x1\r\n\2332J \303\274\n");
	fclose(file);
	ck_assert_str_eq(text, "panic\n\tat ?[31m0x1?\n?2J \303\274\n");
}
END_TEST

#define PLANTED "./planted-\377\033"

/* A name that is no UTF-8 does not make the object vanish, and what is there is valid JSON. */
START_TEST(json_of_any_bytes_is_valid)
{
	char *argument[] = { "plant",  "--json", "--kind=cfa-offset-high",
			     "--func", NEW_NAME, "--output",
			     PLANTED,  COPY,	 NULL };
	int status;

	write_copy(COPY);
	FREED char *output = command_output(command_plant, argument, &status);
	unlink(COPY);
	unlink(PLANTED);
	json_t *object = json_loads(output, JSON_DISABLE_EOF_CHECK, NULL);
	ck_assert_msg(object != NULL, "%s", output);
	ck_assert_ptr_nonnull(json_object_get(object, "function"));
	ck_assert_str_eq(json_string_value(json_object_get(object, "output")),
			 "./planted-\\xff\033");
	json_decref(object);
}
END_TEST

SUITE(plain_text, FIXTURE(folder_enter, leave_folder), LOOP(text_is_plain, texts),
      LOOP(command_prints_no_control_characters, lines), TEST(lines_are_plain),
      TEST(json_of_any_bytes_is_valid))
