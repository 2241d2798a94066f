/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_stacks.c - compare --stacks, line by line
 *
 * The programs are a few instructions of assembly at known addresses. In what is compared the
 * program's path is PROGRAM, and the thread's number 1.
 */
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/folder_shell.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "judge/compare/compare_stacks.h"
#include "base/cli/exit_status.h"

#define START	  ".globl _start\n.cfi_startproc\n.cfi_undefined %rip\n_start:\n"
#define END_START "mov $60, %eax\nxor %edi, %edi\nsyscall\n.cfi_endproc\n.size _start, . - _start\n"
#define FUNCTION  ".type f, @function\nf:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n.size f, . - f\n"
/* A function whose row finds its caller 8 bytes too low. */
#define FUNCTION_WRONG                                                                             \
	".type f, @function\nf:\n.cfi_startproc\n.cfi_def_cfa_offset 16\nnop\nret\n.cfi_endproc\n" \
	".size f, . - f\n"

#define FRAME(address, function)                                                                   \
	"{\"image\":\"PROGRAM\",\"address\":\"0x" address "\",\"function\":\"" function "\"}"
#define POINT(number, verdict, frames, engine)                                                     \
	"{\"type\":\"point\",\"program\":\"PROGRAM\",\"point\":" number                            \
	",\"thread\":1,\"verdict\":\"" verdict "\",\"truth\":{\"whole\":true,\"frames\":[" frames  \
	"]},\"engines\":{\"cfi\":" engine "}}\n"
#define EXACT(right) "{\"match\":\"exact\",\"stop\":\"complete\",\"right\":" right "}"
#define NONE	     "exact\",\"kind\":\"none"
#define STACKS(rest) "{\"type\":\"stacks\",\"program\":\"PROGRAM\"" rest "}\n"
#define TWO	     FRAME("40100e", "f") "," FRAME("401005", "_start")
#define TWO_LATER    FRAME("40100f", "f") "," FRAME("401005", "_start")

static const struct stacks_case {
	const char *name, *text, *option, *want;
} cases[] = {
	{ "a_call", START "call f\n" END_START FUNCTION, "--aslr=off",
	  POINT("0", NONE, FRAME("401000", "_start"), EXACT("1")) POINT("1", NONE, TWO, EXACT("2"))
		  POINT("2", NONE, TWO_LATER, EXACT("2"))
			  POINT("3", NONE, FRAME("401005", "_start"), EXACT("1"))
				  POINT("4", NONE, FRAME("40100a", "_start"), EXACT("1"))
					  POINT("5", NONE, FRAME("40100c", "_start"), EXACT("1"))
						  STACKS(",\"points\":6") },
	{ "cut_short_by_a_limit", START "call f\n" END_START FUNCTION, "--limit=1",
	  POINT("0", NONE, FRAME("401000", "_start"), EXACT("1")) STACKS(",\"points\":1") },
	{ "nothing_from_a_symbol_that_is_not_met", START END_START FUNCTION, "--from=f",
	  STACKS(",\"points\":0") },
	{ "a_point_that_is_taken_back", START "push $0x401007\njmp f\n" END_START FUNCTION,
	  "--limit=5",
	  POINT("0", NONE, FRAME("401000", "_start"), EXACT("1"))
		  POINT("1", NONE, FRAME("401005", "_start"), EXACT("1")) },
};

static char program[FOLDER_PATH], output[FOLDER_PATH];

static void begin(void)
{
	folder_make();
	folder_path(program, "program");
	folder_path(output, "stacks");
}

static void make_program(const char *text)
{
	char command[256];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "gcc-12 -static -nostdlib -Wl,-Ttext=0x401000 -o %s -x assembler -", program);
	pipe = popen(command, "we");
	ck_assert_ptr_nonnull(pipe);
	fputs(text, pipe);
	ck_assert_int_eq(pclose(pipe), 0);
}

/* The file's text, with PROGRAM and thread 1. To be freed. */
static char *read_output(void)
{
	static const char thread[] = "\"thread\":";
	size_t room = 0, size;
	char *line = NULL, *text;
	FILE *in = fopen(output, "re"), *out = open_memstream(&text, &size);

	ck_assert(in && out);
	while (getline(&line, &room, in) > 0) {
		for (char *at = line; *at;) {
			if (!strncmp(at, program, strlen(program))) {
				fputs("PROGRAM", out);
				at += strlen(program);
			} else if (!strncmp(at, thread, sizeof(thread) - 1)) {
				fprintf(out, "%s1", thread);
				at += sizeof(thread) - 1;
				at += strspn(at, "0123456789");
			} else {
				fputc(*at++, out);
			}
		}
	}
	free(line);
	fclose(in);
	fclose(out);
	return text;
}

static char *stacks_of(const struct stacks_case *c, int *ret_status)
{
	char option[32], file[FOLDER_PATH + 16];
	char *arguments[] = { "stackproof compare", "--engine=cfi", option, file, program, NULL };

	make_program(c->text);
	snprintf(option, sizeof(option), "%s", c->option);
	snprintf(file, sizeof(file), "--stacks=%s", output);
	free(command_output(command_compare, arguments, ret_status));
	return read_output();
}

START_TEST(line_by_line)
{
	const struct stacks_case *c = &cases[_i];
	int status;
	char *text = stacks_of(c, &status);

	/* The last case's beginning is enough here. */
	if (_i == COUNT(cases) - 1)
		ck_assert_msg(!strncmp(text, c->want, strlen(c->want)), "%s: %s", c->name, text);
	else
		ck_assert_msg(!strcmp(text, c->want), "%s: %s", c->name, text);
	free(text);
}
END_TEST

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at && (at == text || at[-1] == '\n');
}

START_TEST(what_did_not_stand_is_settled)
{
	int status;
	char *text = stacks_of(&cases[COUNT(cases) - 1], &status);

	ck_assert_msg(has_line(text, "{\"type\":\"settled\",\"program\":\"PROGRAM\",\"point\":1,"
				     "\"as\":\"unproven\"}\n"),
		      "%s", text);
	ck_assert(!has_line(text, "{\"type\":\"settled\",\"program\":\"PROGRAM\",\"point\":0"));
	ck_assert(has_line(text, STACKS(",\"points\":5")));
	free(text);
}
END_TEST

START_TEST(a_stack_that_differs_is_there_in_full)
{
	static const struct stacks_case wrong = {
		"wrong", START "push $7\ncall f\n" END_START FUNCTION_WRONG, "--aslr=off", NULL
	};
	int status;
	char *text = stacks_of(&wrong, &status);

	ck_assert_msg(
		strstr(text,
		       "\"engines\":{\"cfi\":{\"match\":\"wrong\",\"stop\":\"no_mapping\","
		       "\"right\":1,\"frames\":[" FRAME(
			       "401010",
			       "f") ",{\"image\":\"\",\"address\":\"0x7\",\"function\":\"\"}]}}"),
		"%s", text);
	free(text);
}
END_TEST

START_TEST(a_file_that_can_t_be_written)
{
	char *arguments[] = { "stackproof compare", "--engine=cfi", "--stacks=/tmp/no/such/file",
			      program, NULL };
	char *full[] = { "stackproof compare", "--engine=cfi", "--stacks=/dev/full", program,
			 NULL };
	int status;
	char *text;

	make_program(cases[0].text);
	text = command_output(command_compare, arguments, &status);
	ck_assert_int_eq(status, EXIT_ENVIRONMENT);
	ck_assert_ptr_nonnull(strstr(text, "/tmp/no/such/file"));
	free(text);
	text = command_output(command_compare, full, &status);
	ck_assert_int_eq(status, EXIT_ENVIRONMENT);
	ck_assert_ptr_nonnull(strstr(text, "the stacks could not be written"));
	free(text);
}
END_TEST

/* ---- points that are made up ----------------------------------------------------------------- */

/* Without an image's names: a frame is its mapping's. */
static struct mapping mappings[] = { { .start = 0x1000, .end = 0x2000, .path = (char *)"/one" },
				     { .start = 0x2000, .end = 0x3000, .path = (char *)"/two" } };
static struct address_space space = { .mapping = mappings, .mapping_count = 2 };
static struct shadow_frame frames[2];
static struct shadow_stack shadow = { .frame = frames };
static struct trace_stop stop = { .tid = 1, .shadow = &shadow };
static const struct point point = { .stop = &stop, .space = &space };
static const struct engine one = { .name = "one" }, two = { .name = "two" };

static struct stack stack_of(uint64_t *pc, uint32_t count, enum stop_reason reason)
{
	return (struct stack) { .pc = pc, .count = count, .stop = reason };
}

/* A point of one engine, or two. */
static void tell(struct compare_stacks *stacks, const struct stack *truth,
		 const struct stack *first, const struct stack *second, bool judged)
{
	const struct evidence evidence = { .point = &point, .truth = truth };
	const struct judgement judgement = { .verdict = VERDICT_EXACT };
	struct error error;

	compare_stacks_evidence(stacks, &evidence);
	compare_stacks_stack(stacks, &point, &one, first);
	if (second)
		compare_stacks_stack(stacks, &point, &two, second);
	if (judged)
		ck_assert(!compare_stacks_point(stacks, &point, &judgement, &error));
}

#define MADE_UP(number, whole, frames, engines)                                                    \
	"{\"type\":\"point\",\"program\":\"p\",\"point\":" number                                  \
	",\"thread\":1,\"verdict\":\"exact\",\"kind\":\"none\",\"truth\":{\"whole\":" whole        \
	",\"frames\":[" frames "]},\"engines\":{" engines "}}\n"
#define IN(image, address)                                                                         \
	"{\"image\":\"" image "\",\"address\":\"0x" address "\",\"function\":\"\"}"
#define SAYS(name, match, stop, right, rest)                                                       \
	"\"" name "\":{\"match\":\"" match "\",\"stop\":\"" stop "\",\"right\":" right rest "}"

#define ONE	     IN("/one", "1010") "," IN("/one", "2000")
#define THREE	     IN("/three", "1010") "," IN("/three", "2000")
#define ALL_THREE    ONE "," IN("/two", "2020")
#define FULL(frames) ",\"frames\":[" frames "]"

/* clang-format off */
static const char *const wanted[] = {
	MADE_UP("0", "true", ALL_THREE,
		SAYS("one", "wrong", "guessed", "1",
		     FULL(IN("/one", "1010") "," IN("", "9000") "," IN("/two", "2020")) ",\"guessed\":[1,2]")
		"," SAYS("two", "truncated", "no_row", "2", FULL(ONE))),
	MADE_UP("2", "true", ALL_THREE, SAYS("one", "exact", "complete", "3", "")),
	MADE_UP("3", "false", ONE, SAYS("one", "exact", "complete", "2", FULL(ALL_THREE))),
	MADE_UP("4", "false", ONE, SAYS("one", "exact", "depth", "2", "")),
	MADE_UP("5", "true", IN("/one", "1010") "," IN("/two", "2000"),
		SAYS("one", "exact", "no_row", "2", "")),
	MADE_UP("6", "false", ONE, SAYS("one", "exact", "depth", "2", "")),
	MADE_UP("7", "false", THREE, SAYS("one", "exact", "depth", "2", "")),
	"{\"type\":\"settled\",\"program\":\"p\",\"point\":2,\"as\":\"claim\"}\n",
	"{\"type\":\"settled\",\"program\":\"p\",\"point\":0,\"as\":\"unproven\"}\n",
	"{\"type\":\"stacks\",\"program\":\"p\",\"points\":7,\"partial\":\"killed\"}\n",
	/* another program's */
	MADE_UP("0", "false", THREE, SAYS("one", "exact", "depth", "2", "")),
	"{\"type\":\"stacks\",\"program\":\"p\",\"points\":1}\n",
};
/* clang-format on */

static void check_lines(void)
{
	char *text = read_output(), *at = text;

	for (int i = 0; i < COUNT(wanted); i++) {
		ck_assert_msg(!strncmp(at, wanted[i], strlen(wanted[i])), "wanted %s is %s",
			      wanted[i], at);
		at += strlen(wanted[i]);
	}
	ck_assert_str_eq(at, "");
	free(text);
}

START_TEST(points_one_after_another)
{
	/* A call may be its mapping's last instruction. */
	uint64_t pc[] = { 0x1010, 0x2000, 0x2020 }, marked_pc[] = { 0x1010, 0x9000, 0x2020 };
	struct stack three = stack_of(pc, 3, STOP_COMPLETE),
		     two_of_it = stack_of(pc, 2, STOP_NO_ROW), deep = stack_of(pc, 2, STOP_DEPTH),
		     marked = stack_of(marked_pc, 3, STOP_GUESSED);
	struct compare_stacks *stacks;
	struct error error;

	marked_pc[1] |= WALK_PC_GUESSED;
	marked_pc[2] |= WALK_PC_GUESSED;
	marked.has_marks = true;
	ck_assert(!compare_stacks_create(output, &stacks, &error));
	compare_stacks_begin(stacks, "p");
	shadow.rooted = true;
	tell(stacks, &three, &marked, &two_of_it, true);
	/* That could not be judged; the next one has its own number, and nothing of it. */
	tell(stacks, &three, &marked, &marked, false);
	tell(stacks, &three, &three, NULL, true);
	/* Of a prefix a longer one is all right, and there in full. */
	shadow.rooted = false;
	tell(stacks, &two_of_it, &three, NULL, true);
	shadow.rooted = true;
	tell(stacks, &deep, &deep, NULL, true);
	/* What was interrupted goes on where it is. */
	frames[0] = (struct shadow_frame) { .return_address = 0x2000, .interrupted = true };
	shadow.count = 1;
	tell(stacks, &two_of_it, &two_of_it, NULL, true);
	shadow.count = 0;
	mappings[0].path = (char *)"/three";
	tell(stacks, &deep, &deep, NULL, true);
	compare_stacks_mappings(stacks);
	tell(stacks, &deep, &deep, NULL, true);
	compare_stacks_settle(stacks, 2, true);
	compare_stacks_settle(stacks, 0, false);
	compare_stacks_end(stacks, "killed");
	compare_stacks_begin(stacks, "p");
	tell(stacks, &deep, &deep, NULL, true);
	compare_stacks_end(stacks, NULL);
	ck_assert_int_eq(compare_stacks_close(stacks, &error), 0);
	mappings[0].path = (char *)"/one";
	check_lines();
}
END_TEST

SUITE(compare_stacks, FIXTURE(begin, folder_remove), LOOP(line_by_line, cases),
      TEST(points_one_after_another), TEST(what_did_not_stand_is_settled),
      TEST(a_stack_that_differs_is_there_in_full), TEST(a_file_that_can_t_be_written))
