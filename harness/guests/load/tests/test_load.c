/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_load.c - programs into the kernel: what its log says, who compiled, what is refused
 *
 * What loads anything says SKIP and passes where the machine may not. Refused programs are compiled
 * here, by the compiler that compiles ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "bpf_source.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/json_counts.h"
#include "guests/load/load.h"
#include "base/cli/exit_status.h"

/* ---- the verifier's log ----------------------------------------------------------------- */

static const struct {
	const char *name, *log;
	int status;
	struct load_statistics is;
} logs[] = {
	{ "linux_5_10",
	  "verification time 6573316 usec\nstack depth 16+112+152\n"
	  "processed 161231 insns (limit 1000000) max_states_per_insn 53 total_states 11873 "
	  "peak_states 2841 mark_read 52\n",
	  0,
	  { 161231, 11873, 2841, 6573316000, 0, "16+112+152" } },
	{ "linux_7_2",
	  "verification time 877765 usec\nstack depth 56+176+104+160 max 176\n"
	  "insns processed 5416+120+20539\nprocessed 26075 insns (limit 1000000) "
	  "max_states_per_insn 22 total_states 1170 peak_states 648 mark_read 0\n",
	  0,
	  { 26075, 1170, 648, 877765000, 176, "56+176+104+160" } },
	{ "linux_7_3",
	  "verification time 1043583 usec\nstack depth max 176\n"
	  "subprog 0 (step_loop) main insns_self 130 insns_total 5416 stack 56\n"
	  "subprog 1 (walk_enter) global insns_self 120 insns_total 120 stack 176\n"
	  "subprog 2 (loop_frame) static insns_self 5286 insns_total 5286 stack 104\n"
	  "subprog 3 (step_general) global insns_self 20539 insns_total 20539 stack 160\n"
	  "processed 26075 insns (limit 1000000) max_states_per_insn 22 total_states 1170 "
	  "peak_states 648 mark_read 0\n",
	  0,
	  { 26075, 1170, 648, 1043583000, 176, "56+176+104+160" } },
	{ "refused_and_why_before_it",
	  "0: (95) exit\nR0 !read_ok\nprocessed 1 insns (limit 1000000) max_states_per_insn 0 "
	  "total_states 0 peak_states 0 mark_read 0",
	  0,
	  { 1, 0, 0, 0, 0, "" } },
	{ "unknown_words_are_passed_over",
	  "verification time 12 usec and more\ninsn_cnt 7\nstack depth 8 max 9\n"
	  "processed 7 insns with_a_new_word 3 peak_states 2\n",
	  0,
	  { 7, 0, 2, 12000, 9, "8" } },
	{ "number_of_another_word",
	  "processed 5 insns not_peak_states 3 peak_states 4\n",
	  0,
	  { 5, 0, 4, 0, 0, "" } },
	{ "no_statistics", "func#0 @0\nR0 !read_ok\n", -1, { 0 } },
	{ "empty", "", -1, { 0 } },
	{ "cut_in_the_number's_place", "processed ", -1, { 0 } },
	{ "word_in_the_middle_of_a_line", "it processed 5 insns\n", -1, { 0 } },
	{ "stack_of_no_number", "stack depth none\nprocessed 5 insns\n", 0, { 5, 0, 0, 0, 0, "" } },
	{ "stack_longer_than_its_room",
	  "stack depth 1111111111+2222222222+3333333333+4444444444+5555555555+6666666666\n"
	  "processed 5 insns\n",
	  0,
	  { 5, 0, 0, 0, 0, "1111111111+2222222222+3333333333+4444444444+5555555555+66666666" } },
};

START_TEST(test_statistics)
{
	const struct load_statistics *is = &logs[_i].is;
	struct load_statistics got;

	ck_assert_msg(load_statistics_parse(logs[_i].log, &got) == logs[_i].status, "%s",
		      logs[_i].name);
	ck_assert_msg(got.instructions == is->instructions && got.verify_ns == is->verify_ns &&
			      got.total_states == is->total_states &&
			      got.stack_most == is->stack_most &&
			      got.peak_states == is->peak_states,
		      "%s: %lu instructions, %lu and %lu states, %lu ns", logs[_i].name,
		      (unsigned long)got.instructions, (unsigned long)got.total_states,
		      (unsigned long)got.peak_states, (unsigned long)got.verify_ns);
	ck_assert_msg(strlen(is->stack) >= 60 ? !strncmp(got.stack, is->stack, 60)
					      : !strcmp(got.stack, is->stack),
		      "%s: stack \"%s\"", logs[_i].name, got.stack);
}
END_TEST

/* A stack that has just room, one that is cut, and functions of which those are left out that have none. */
START_TEST(test_stack_has_its_room)
{
	struct load_statistics got;
	char log[512], number[LOAD_NAME_MAX + 2];

	memset(number, '1', sizeof(number));
	for (int length = LOAD_NAME_MAX - 2; length <= LOAD_NAME_MAX + 1; length++) {
		const int kept = length < LOAD_NAME_MAX ? length : LOAD_NAME_MAX - 1;

		snprintf(log, sizeof(log), "stack depth %.*s\n", length, number);
		memset(&got, 'x', sizeof(got));
		load_statistics_parse(log, &got);
		ck_assert_int_eq(strlen(got.stack), kept);
		ck_assert_int_eq(strspn(got.stack, "1"), kept);
	}
	for (int longer = 0; longer < 2; longer++) {
		snprintf(log, sizeof(log),
			 "subprog 0 (a) main stack 111111111\nsubprog 1 (b) stack 222222222\n"
			 "subprog 2 (c) stack 333333333\nsubprog 3 (d) stack 44444444%s\n"
			 "subprog 4 (e) stack 5\n",
			 longer ? "44" : "4");
		load_statistics_parse(log, &got);
		ck_assert_str_eq(got.stack, longer ? "111111111+222222222+333333333+4444444444"
						   : "111111111+222222222+333333333+444444444+5");
	}
}
END_TEST

static const struct {
	const char *text;
	uint64_t bytes;
} stacks[] = {
	{ "40", 40 }, { "40+0+96", 136 }, { "", 0 }, { "-", 0 }, { "8+", 8 }, { "+8", 0 },
};

START_TEST(test_stack_bytes)
{
	ck_assert_msg(load_stack_bytes(stacks[_i].text) == stacks[_i].bytes, "%s", stacks[_i].text);
}
END_TEST

static const struct {
	const char *name, *log, *tail;
	size_t size;
} tails[] = {
	{ "statistics_are_left_out",
	  "verification time 1 usec\nstack depth 0\nR0 !read_ok\nprocessed 1 insns\n",
	  "R0 !read_ok", 64 },
	{ "statistics_of_functions_are_left_out",
	  "R0 !read_ok\nstack depth max 8\nsubprog 0 (f) main insns_self 1 insns_total 1 stack 8\n"
	  "insns processed 1\nprocessed 1 insns\n",
	  "R0 !read_ok", 64 },
	{ "last_twelve_lines", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n",
	  "2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13", 64 },
	{ "first_lines_go_where_room_lacks", "first\nsecond\nthird\n", "second\nthird", 14 },
	{ "a_line_that_fills_all", "first\nabcdefghij\n", "abcdefghij", 12 },
	{ "a_line_longer_than_all", "first\nabcdefghijk\n", "abcdefghij", 12 },
	{ "notes_are_left_out_where_more_is_said",
	  "arg#0 reference type('UNKNOWN ') size cannot be determined: -22\n"
	  "arg#1 reference type('UNKNOWN ') size cannot be determined: -22\ninvalid func "
	  "unknown#181\n",
	  "invalid func unknown#181", 64 },
	{ "notes_behind_other_lines",
	  "first\narg#0 type('UNKNOWN ') size cannot be determined: -22\nlast\n", "first\nlast",
	  64 },
	{ "notes_behind_many",
	  "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\narg#0 size cannot be determined\n13\n",
	  "2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13", 64 },
	{ "notes_at_the_end", "first\narg#0 size cannot be determined\n",
	  "first\narg#0 size cannot be determined", 64 },
	{ "a_note_that_is_all_is_why",
	  "arg#0 reference type('x') size cannot be determined: -22\nprocessed 0 insns\n",
	  "arg#0 reference type('x') size cannot be determined: -22", 64 },
	{ "no_newline_at_the_end", "a\nb", "a\nb", 64 },
	{ "empty_lines", "a\n\n\nb\n\n", "a\nb", 64 },
	{ "nothing", "", "", 64 },
};

START_TEST(test_tail)
{
	char got[64];

	memset(got, '#', sizeof(got));
	load_log_tail(tails[_i].log, got, tails[_i].size);
	ck_assert_msg(!strcmp(got, tails[_i].tail), "%s: \"%s\"", tails[_i].name, got);
}
END_TEST

static const struct {
	const char *log;
	int helper;
} helpers[] = {
	{ "7: (85) call unknown#181\ninvalid func unknown#181\nprocessed 8 insns", 181 },
	{ "invalid func bpf_loop#181\n", 181 },
	{ "invalid func a#10000\n", 10000 },
	{ "invalid func a#10001\n", -1 },
	{ "invalid func a#0\n", -1 },
	{ "invalid func a#1\n", 1 },
	/* The kernel has it, and this type of program may not call it. */
	{ "unknown func bpf_sys_bpf#166\n", -1 },
	/* What libbpf puts where a relocation failed. */
	{ "invalid func unknown#195896080\n", -1 },
	{ "invalid func unknown\n#181", -1 },
	{ "invalid func unknown#", -1 },
	{ "invalid func unknown# 181\n", -1 },
	{ "invalid func ", -1 },
	/* Linux 5.10 on a callback: it knows none, and that proves no missing helper. */
	{ "number of funcs in func_info doesn't match number of subprogs\n", -1 },
	{ "", -1 },
};

START_TEST(test_helper)
{
	ck_assert_msg(load_log_helper(helpers[_i].log) == helpers[_i].helper, "%s",
		      helpers[_i].log);
}
END_TEST

/* ---- who compiled ----------------------------------------------------------------------- */

static const struct {
	const char *producer, *compiler, *version;
} producers[] = {
	{ "Debian clang version 14.0.6", "clang-14", "14.0.6" },
	{ "Debian clang version 19.1.7 (3~deb12u1)", "clang-19", "19.1.7" },
	{ "clang version 21.0.0git (https://example.org/llvm 0123)", "clang-21", "21.0.0" },
	{ "GNU C17 13.2.0 -mcpu=v3 -g", "gcc-13", "13.2.0" },
	{ "clang version unknown", "unknown", "" },
	{ "rustc version 1.63.0", "unknown", "" },
	{ "", "unknown", "" },
};

START_TEST(test_producer)
{
	char compiler[LOAD_NAME_MAX], version[LOAD_NAME_MAX];

	load_compiler_parse(producers[_i].producer, compiler, version);
	ck_assert_str_eq(compiler, producers[_i].compiler);
	ck_assert_str_eq(version, producers[_i].version);
}
END_TEST

/* A version that is longer than its room is cut to it. */
START_TEST(test_long_version)
{
	char compiler[LOAD_NAME_MAX], version[LOAD_NAME_MAX], said[128] = "clang version 14.";

	for (int length = LOAD_NAME_MAX - 2; length <= LOAD_NAME_MAX + 1; length++) {
		const int kept = length < LOAD_NAME_MAX ? length : LOAD_NAME_MAX - 1;

		memset(said + strlen("clang version 14."), '7', (size_t)length - 3);
		said[strlen("clang version ") + (size_t)length] = '\0';
		load_compiler_parse(said, compiler, version);
		ck_assert_str_eq(compiler, "clang-14");
		ck_assert_int_eq(strlen(version), kept);
		ck_assert_int_eq(strncmp(version, said + strlen("clang version "), (size_t)kept),
				 0);
	}
}
END_TEST

/* ---- objects ---------------------------------------------------------------------------- */

static char *output_of(int *ret_status)
{
	char name[] = "stackproof load", json[] = "--json", kernel[] = "--kernel", of[] = "9.9";
	char *arguments[] = { name, json, kernel, of, path, NULL };

	return command_output(command_load, arguments, ret_status);
}

static const struct {
	const char *name, *bytes;
	size_t size;
} no_objects[] = {
	{ "empty", "", 0 },
	{ "text", "int main(void)\n", 15 },
	{ "magic_alone", "\177ELF", 4 },
	{ "a_header_of_zeros",
	  "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\1\0\367\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
	  64 },
};

START_TEST(test_what_is_no_object_is_unreadable)
{
	int status;
	FREED char *output = NULL;

	write_path(no_objects[_i].bytes, no_objects[_i].size);
	output = output_of(&status);
	if (status == EXIT_SKIPPED)
		return;
	ck_assert_msg(status == EXIT_BAD_INPUT, "%s: status %d: %s", no_objects[_i].name, status,
		      output);
	ck_assert_msg(strstr(output, "tried.bpf.o: ") != NULL, "%s", output);
}
END_TEST

START_TEST(test_a_file_that_is_not_there)
{
	struct load_object object;
	struct error error = { 0 };

	ck_assert_int_eq(load_object_init(&object, "/nowhere/walk.bpf.o", &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(load_object_init(&object, "/", &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNSUPPORTED_ELF);
	ck_assert_int_eq(load_object_init(&object, "/proc/self/exe", &error), -1);
}
END_TEST

/* As long as an object may be it is read, and is none; a byte more is not looked at. */
START_TEST(test_a_file_that_is_too_large)
{
	struct load_object object;
	struct error error = { 0 };

	write_path("", 0);
	for (int more = 0; more < 2; more++) {
		ck_assert(!truncate(path, (64 << 20) + more));
		ck_assert_int_eq(load_object_init(&object, path, &error), -1);
		ck_assert_int_eq(error.code, ERROR_UNSUPPORTED_ELF);
		ck_assert_msg(!strcmp(error.message, "is not a BPF object") == !!more, "%s",
			      error.message);
		ck_assert(!object.owned && !object.size);
	}
}
END_TEST

START_TEST(test_an_object_without_programs)
{
	struct load_object object;
	struct error error = { 0 };

	compile(LICENSE);
	ck_assert_int_eq(load_object_init(&object, path, &error), -1);
	ck_assert_str_eq(error.message, "holds no BPF program");
}
END_TEST

/* No crash, and every one either opens or says why not. */
START_TEST(test_objects_cut_short)
{
	struct load_object whole, object;
	struct error error = { 0 };

	ck_assert_int_eq(load_object_init_built_in(&whole, 1, &error), 0);
	for (size_t size = 0; size < whole.size; size += 211) {
		write_path(whole.data, size);
		error = (struct error) { 0 };
		if (load_object_init(&object, path, &error))
			ck_assert_msg(error.code && error.message[0], "%zu bytes", size);
		else
			load_object_deinit(&object);
	}
	load_object_deinit(&whole);
}
END_TEST

/* ---- programs --------------------------------------------------------------------------- */

static const struct {
	const char *name, *source;
	enum load_outcome outcome;
	const char *method, *log; /* what the log has, if it does not load */
} sources[] = {
	{ "it_loads", SECTION("socket") "int f(void *c) { return 0; }\n" LICENSE, LOAD_YES, "plain",
	  "" },
	{ "a_pointer_that_may_be_null",
	  "static long *(*get)(void *, void *) = (void *)1;\n"
	  "struct { int (*type)[1]; int (*max_entries)[1]; int *key; long *value; } m " SECTION(
		  ".maps") ";\n" SECTION("socket") "int f(void *c) { int k = 0; return *get(&m, "
						   "&k); }\n" LICENSE,
	  LOAD_NO, "plain", "invalid mem access" },
	{ "a_loop_without_end",
	  SECTION("socket") "int f(volatile int *c) { for (;;) c[0]; return 0; }\n" LICENSE,
	  LOAD_NO, "plain", "" },
	{ "a_helper_that_no_kernel_has",
	  "static int (*no)(void) = (void *)9999;\n" SECTION(
		  "socket") "int f(void *c) { return no(); }\n" LICENSE,
	  LOAD_NO_HELPER, "plain", "#9999" },
	{ "a_helper_that_is_not_for_this_type",
	  "static int (*no)(void *, void *) = (void *)112;\n" SECTION(
		  "socket") "int f(void *c) { return no(c, c); }\n" LICENSE,
	  LOAD_NO, "plain", "#112" },
	{ "tail_calls",
	  "static long (*tail)(void *, void *, int) = (void *)12;\n"
	  "static long (*time)(void) = (void *)5;\n"
	  "struct { int (*type)[3]; int (*max_entries)[1]; int *key; int *value; } m " SECTION(
		  ".maps") ";\n" SECTION("socket") "int f(void *c) { tail(c, &m, 0); return "
						   "time(); "
						   "}\n" LICENSE,
	  LOAD_YES, "tail_calls", "" },
	{ "a_map_that_can_not_be_made",
	  "static long *(*get)(void *, void *) = (void *)1;\n"
	  "struct { int (*type)[2]; int (*max_entries)[0]; int *key; long *value; } m " SECTION(
		  ".maps") ";\n" SECTION("socket") "int f(void *c) { int k = 0; return !get(&m, "
						   "&k); }\n" LICENSE,
	  LOAD_NO, "plain", "Invalid argument: libbpf: " },
};

START_TEST(test_programs)
{
	struct load_object object;
	struct load_result result = { 0 };
	struct error error = { 0 };

	if (!may_load())
		return;
	compile(sources[_i].source);
	ck_assert_msg(!load_object_init(&object, path, &error), "%s", error.message);
	ck_assert_str_eq(object.compiler, "clang-14");
	ck_assert_str_eq(object.name, "tried");
	ck_assert_uint_eq(object.program_count, 1);
	ck_assert_int_eq(load_program(&object, 0, &result, &error), 0);
	ck_assert_msg(result.outcome == sources[_i].outcome, "%s: %s: %s", sources[_i].name,
		      load_outcome_name(result.outcome), result.log);
	ck_assert_str_eq(result.method, sources[_i].method);
	ck_assert_str_eq(result.program, "f");
	if (result.outcome == LOAD_YES)
		ck_assert_str_eq(result.log, "");
	else
		ck_assert_msg(result.log[0] && strstr(result.log, sources[_i].log) != NULL,
			      "%s: log \"%s\"", sources[_i].name, result.log);
	load_object_deinit(&object);
}
END_TEST

#define MAP(name)                                                                                  \
	"struct { int (*type)[2]; int (*max_entries)[0]; int *key; long *value; } " name           \
	" " SECTION(".maps") ";\n"

/* Each program has its own maps, log and name; of the one before there is nothing in it. */
START_TEST(test_programs_one_after_another)
{
	static const char *const maps[] = { MAP("first"), MAP("second") };
	static const char *const names[] = { "first", "second" };
	struct load_object object;
	struct error error = { 0 };
	char source[1024];

	if (!may_load())
		return;
	for (int i = 0; i < 2; i++) {
		struct load_result result = { 0 };

		snprintf(source, sizeof(source),
			 "static long *(*get)(void *, void *) = (void *)1;\n%s%sint f(void *c) { "
			 "int k = 0; "
			 "return !get(&%s, &k); }\n" LICENSE,
			 maps[i], SECTION("socket"), names[i]);
		compile(source);
		ck_assert_msg(!load_object_init(&object, path, &error), "%s", error.message);
		ck_assert_int_eq(load_program(&object, 0, &result, &error), 0);
		ck_assert_int_eq(result.outcome, LOAD_NO);
		ck_assert_msg(strstr(result.log, names[i]) && !strstr(result.log, names[!i]), "%s",
			      result.log);
		load_object_deinit(&object);
	}
}
END_TEST

static const char two_ways[] =
	"#define PROGRAM __attribute__((section(\"socket\"), used)) int\n"
	"static long (*tail)(void *, void *, int) = (void *)12;\n"
	"static long (*loop)(int, void *, void *, long) = (void *)181;\n"
	"struct { int (*type)[3]; int (*max_entries)[1]; int *key; int *value; } m\n"
	"	__attribute__((section(\".maps\"), used));\n"
	"static __attribute__((noinline)) long each(int i, void *c) { return 0; }\n"
	"PROGRAM plain(void *c) { return 0; }\n"
	"PROGRAM both(void *c) { tail(c, &m, 0); loop(1, each, 0, 0); return 0; }\n"
	"PROGRAM tails(void *c) { tail(c, &m, 0); return 0; }\n"
	"char terms[] __attribute__((section(\"license\"), used)) = \"GPL\";\n";

/* Two in one object, which is named by a path without a folder; one goes round in both ways. */
START_TEST(test_two_programs)
{
	struct load_object object;
	struct error error = { 0 };

	if (!may_load())
		return;
	compile(two_ways);
	static const char *const programs[] = { "plain", "both", "tails" };
	static const char *const methods[] = { "plain", "bpf_loop", "tail_calls" };
	char before[512];

	ck_assert(getcwd(before, sizeof(before)) && !chdir(directory));
	int status = load_object_init(&object, "tried.bpf.o", &error);
	ck_assert(!chdir(before));
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_str_eq(object.file, "tried.bpf.o");
	ck_assert_str_eq(object.name, "tried");
	ck_assert_uint_eq(object.program_count, 3);
	for (size_t i = 0; i < 3; i++) {
		struct load_result result = { 0 };

		ck_assert_str_eq(object.program[i], programs[i]);
		ck_assert_int_eq(load_program(&object, i, &result, &error), 0);
		ck_assert_str_eq(result.program, programs[i]);
		ck_assert_str_eq(result.object, "tried");
		ck_assert_str_eq(result.compiler, "clang-14");
		ck_assert_msg(!strncmp(result.version, "14.", 3), "%s", result.version);
		ck_assert_msg(!strcmp(result.method, methods[i]), "%s: %s, %s", programs[i],
			      result.method, result.log);
		/* Where there is no bpf_loop it is refused. */
		ck_assert_msg((result.outcome == LOAD_YES) == (i != 1 || load_kernel_loops()),
			      "%s: %s", programs[i], result.log);
	}
	load_object_deinit(&object);
	ck_assert(!object.program && !object.program_count && !object.owned);
}
END_TEST

/* libbpf could not ask the kernel what it can; a program that loads has no need of that. */
START_TEST(test_a_refusal_without_descriptors_proves_nothing)
{
	static const char *const functions[] = { "return *(long *)c[9];", "return 0;" };
	struct rlimit limit, before;
	struct load_object object;
	struct error error = { 0 };
	char source[256];

	if (!may_load())
		return;
	ck_assert(!getrlimit(RLIMIT_NOFILE, &before));
	limit = before;
	limit.rlim_cur = 40;
	for (int good = 0; good < 2; good++) {
		struct load_result result = { 0 };

		snprintf(source, sizeof(source), "%sint f(long *c) { %s }\n%s", SECTION("socket"),
			 functions[good], LICENSE);
		compile(source);
		ck_assert_msg(!load_object_init(&object, path, &error), "%s", error.message);
		ck_assert(!setrlimit(RLIMIT_NOFILE, &limit));
		int status = load_program(&object, 0, &result, &error);
		ck_assert(!setrlimit(RLIMIT_NOFILE, &before));
		ck_assert_msg(status == (good ? 0 : -1), "%s", error.message);
		ck_assert(good ? result.outcome == LOAD_YES : error.code == ERROR_MEMORY);
		load_object_deinit(&object);
	}
}
END_TEST

/* One is refused; the others of its object are heard of all the same. */
START_TEST(test_a_refused_program_hides_no_other)
{
	char *output, *save = NULL, *line;
	const char *program[] = { "good", "bad", "fine" };
	int status, i = 0;

	if (!may_load())
		return;
	compile(SECTION("socket") "int good(void *c) { return 0; }\n" SECTION(
		"socket") "int bad(long *c) { return *(long *)c[9]; }\n" SECTION("socket") "int "
											   "fine("
											   "void "
											   "*c) { "
											   "return "
											   "1; "
											   "}"
											   "\n" LICENSE);
	output = output_of(&status);
	ck_assert_int_eq(status, EXIT_FINDINGS);
	for (line = strtok_r(output, "\n", &save); line; line = strtok_r(NULL, "\n", &save), i++) {
		json_t *object = json_loads(line, 0, NULL);
		struct load_result result;

		if (i == 3) { /* the last */
			static const char total[] =
				"{\"type\":\"load_summary\",\"passed\":2,\"failed\":1,"
				"\"skipped\":0,\"checked\":3,\"checked_unit\":\"programs\","
				"\"not_checked\":{},\"exit_status\":1}";

			ck_assert_str_eq(line, total);
			json_decref(object);
			continue;
		}
		ck_assert_int_lt(i, 3);
		ck_assert_msg(!load_result_of_json(object, &result), "%s", line);
		ck_assert_str_eq(result.kernel, "9.9");
		ck_assert_str_eq(result.program, program[i]);
		ck_assert(json_is_boolean(json_object_get(object, "loads")));
		ck_assert_int_eq(json_is_true(json_object_get(object, "loads")), i != 1);
		ck_assert_int_eq(result.outcome, i == 1 ? LOAD_NO : LOAD_YES);
		ck_assert_int_eq(!result.log[0], i != 1);
		json_decref(object);
	}
	ck_assert_int_eq(i, 4);
	free(output);
}
END_TEST

/* What this process wants for is no refusal. */
static const struct {
	const char *name;
	int resource;
	rlim_t limit;
	int system_errno;
} wants[] = {
	{ "file_descriptors", RLIMIT_NOFILE, 3, EMFILE },
	{ "memory", RLIMIT_AS, 0, ENOMEM },
};

START_TEST(test_a_process_in_want)
{
	struct rlimit before, limit;
	struct load_result result = { 0 };
	struct load_object object;
	struct error error = { 0 }, possible = { 0 };
	int status;

#ifdef __SANITIZE_ADDRESS__
	if (wants[_i].resource == RLIMIT_AS)
		return; /* its own memory has no bounds */
#endif
	if (!may_load())
		return;
	ck_assert_int_eq(load_object_init_built_in(&object, 0, &error), 0);
	ck_assert_int_eq(getrlimit(wants[_i].resource, &before), 0);
	limit = (struct rlimit) { wants[_i].limit, before.rlim_max };
	ck_assert_int_eq(setrlimit(wants[_i].resource, &limit), 0);
	load_possible(&possible);
	status = load_program(&object, 0, &result, &error);
	setrlimit(wants[_i].resource, &before);
	ck_assert_msg(status == -1 && error_is_want(&error), "%s: %d %s", wants[_i].name, status,
		      result.log);
	ck_assert_msg(strstr(error.message, strerror(wants[_i].system_errno)) != NULL, "%s",
		      error.message);
	ck_assert_msg(possible.code != ERROR_UNAVAILABLE, "%s", possible.message);
	load_object_deinit(&object);
}
END_TEST

/* What is built in loads on the kernel that the tests run on, in at least one way. */
START_TEST(test_built_in_objects)
{
	struct load_object object;
	struct error error = { 0 };
	size_t walks = 0;

	if (!may_load())
		return;
	for (size_t i = 0; !load_object_init_built_in(&object, i, &error); i++) {
		ck_assert_str_eq(object.compiler, "clang-14");
		for (size_t j = 0; j < object.program_count; j++) {
			struct load_result result = { 0 };

			ck_assert_int_eq(load_program(&object, j, &result, &error), 0);
			if (load_excuse(&result, true, true, false) == LOAD_SPARED)
				continue;
			ck_assert_msg(result.outcome != LOAD_NO, "%s %s: %s", object.name,
				      result.program, result.log);
			if (result.outcome != LOAD_YES)
				continue;
			walks += !strcmp(object.name, "walk");
			ck_assert_uint_gt(result.statistics.instructions, 0);
			/* In bytes, of 8 each; a machine may have no JIT. */
			ck_assert_uint_ge(result.translated_bytes, 16);
			ck_assert_uint_eq(result.translated_bytes % 8, 0);
			ck_assert(!result.jited_bytes || result.jited_bytes >= 16);
			ck_assert_str_ne(result.statistics.stack, "");
			ck_assert_uint_gt(result.statistics.verify_ns, 0);
			ck_assert_uint_gt(result.load_ns, result.statistics.verify_ns);
			/* Two ways to the same number. */
			if (result.verified)
				ck_assert_uint_eq(result.verified, result.statistics.instructions);
		}
		load_object_deinit(&object);
	}
	ck_assert_uint_gt(walks, 1);
}
END_TEST

/* ---- JSON ------------------------------------------------------------------------------- */

START_TEST(test_json_and_back)
{
	struct load_result result = {
		.kernel = "6.12.oldest",
		.release = "6.12.90",
		.compiler = "clang-14",
		.version = "14.0.6",
		.object = "walk",
		.program = "step_loop",
		.method = "bpf_loop",
		.outcome = LOAD_NO,
		.statistics = { 120547, 9, 8, 7, 6, "56+176" },
		.verified = 10,
		.load_ns = 5,
		.translated_bytes = 4,
		.jited_bytes = 3,
		.log = "a\nb \"c\"",
	}, back;
	json_t *object = load_result_json(&result);

	ck_assert_int_eq(load_result_of_json(object, &back), 0);
	ck_assert_int_eq(memcmp(&result, &back, sizeof(back)), 0);
	ck_assert_int_eq(json_count(object, "stack_bytes"), 232);
	json_object_del(object, "program");
	ck_assert_int_eq(load_result_of_json(object, &back), -1);
	json_decref(object);
}
END_TEST

SUITE(load, GROUP(text), LOOP(test_statistics, logs), TEST(test_stack_has_its_room),
      TEST(test_long_version), LOOP(test_stack_bytes, stacks), LOOP(test_tail, tails),
      LOOP(test_helper, helpers), LOOP(test_producer, producers), TEST(test_json_and_back),
      GROUP(objects), FIXTURE(set_up, tear_down),
      LOOP(test_what_is_no_object_is_unreadable, no_objects), TEST(test_a_file_that_is_not_there),
      TEST(test_a_file_that_is_too_large), TEST(test_an_object_without_programs),
      TEST(test_objects_cut_short), LOOP(test_programs, sources),
      TEST(test_a_refused_program_hides_no_other), TEST(test_programs_one_after_another),
      TEST(test_two_programs), TEST(test_a_refusal_without_descriptors_proves_nothing),
      TEST(test_built_in_objects), LOOP(test_a_process_in_want, wants))
