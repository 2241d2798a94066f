/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_witness_functions.c - a program's functions and hooks, and how the CPU is asked
 *
 * The program is this test: its symbols are made below. Nothing of that code is ever executed.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include "tests/suite.h"

static pid_t say_fork(void);
#define child_fork say_fork
#include "judge/witness/cpu_stack.c"
static const struct image_symbol *say_symbols(const struct image *of, size_t *ret_count);
#define image_symbols say_symbols
#include "judge/witness/functions.c"
#undef image_symbols

#define BIAS 0x7000000000ull

/* ---- functions ------------------------------------------------------------------------------- */

/* The first of the program's code (the linker puts the unlikely there), and what follows it. */
#define FUNCTION(name, bytes)                                                                      \
	".globl " name "\n.type " name ", @function\n" name ": .skip " #bytes ", 0x90\n"           \
	".size " name ", " #bytes "\n"
#define LABEL(name) ".globl " name "\n.type " name ", @function\n" name ": nop\n"

asm(".pushsection .text.unlikely, \"ax\", @progbits\n" FUNCTION("aaa_first", 16) "nop\n" FUNCTION(
	"aaa_first.cold", 8) FUNCTION("aaa_first.part.0", 8) FUNCTION("orphan.cold", 8)
	    FUNCTION("aaa_first.cold2",
		     8) ".globl aaa_inner\n.type aaa_inner, @function\naaa_inner = aaa_next + "
			"4\n.size aaa_inner, 8\n" FUNCTION("aaa_next",
							   8) LABEL("aaa_without_a_size")
				FUNCTION("aaa_firs", 8) FUNCTION("__fentry__",
								 8) FUNCTION("witness_entry", 8)
					FUNCTION("witness_enter", 8) FUNCTION("witness_exit", 8)
						FUNCTION("witness_switch", 8) ".popsection\n");

extern const char first[] asm("aaa_first"), first_cold[] asm("aaa_first.cold");
extern const char first_part[] asm("aaa_first.part.0"), orphan[] asm("orphan.cold");
extern const char first_cold2[] asm("aaa_first.cold2"), next[] asm("aaa_next");
extern const char sizeless[] asm("aaa_without_a_size"), shorter[] asm("aaa_firs");
extern const char entry_hook[] asm("__fentry__"), entry[] asm("witness_entry");
extern const char enter[] asm("witness_enter"), leave[] asm("witness_exit");
extern const char change[] asm("witness_switch");

static struct image *image;
static uint64_t bias; /* of the image's addresses, in this process; then BIAS more */
static struct witness_functions functions;

static void setup(void)
{
	struct error error;

	ck_assert_msg(!image_create("/proc/self/exe", &image, &error), "%s", error.message);
	bias = (uint64_t)first - image_symbol_address(image, "aaa_first") + BIAS;
	ck_assert_int_eq(witness_functions_init(&functions, image, bias, &error), 0);
}

static void teardown(void)
{
	witness_functions_deinit(&functions);
	ck_assert_uint_eq(functions.count, 0);
	ck_assert_ptr_null(functions.function);
	image_destroy(image);
}

static const struct {
	const char *name;
	const char *start, *whole;
	uint64_t bytes;
} function_cases[] = {
	{ "aaa_first", first, first, 16 },
	{ "aaa_first.cold", first_cold, first, 8 },
	{ "aaa_first.part.0", first_part, first_part, 8 },
	{ "orphan.cold", orphan, orphan, 8 },
	{ "aaa_first.cold2", first_cold2, first_cold2, 8 },
	{ "aaa_next", next, next, 8 },
	{ "aaa_firs", shorter, shorter, 8 },
};

static const struct witness_function *by_name(const char *name)
{
	for (size_t i = 0; i < functions.count; i++)
		if (!strcmp(functions.function[i].name, name))
			return &functions.function[i];
	return NULL;
}

START_TEST(function_is_its_symbol_s)
{
	uint64_t start = (uint64_t)function_cases[_i].start + BIAS;
	uint64_t whole = (uint64_t)function_cases[_i].whole + BIAS;
	uint64_t last = start + function_cases[_i].bytes - 1;
	const struct witness_function *function = by_name(function_cases[_i].name);

	ck_assert_msg(function != NULL, "%s", function_cases[_i].name);
	ck_assert_uint_eq(function->start, start);
	ck_assert_uint_eq(function->end, last + 1);
	ck_assert_msg(function->whole == whole, "%s", function_cases[_i].name);
	ck_assert(!function->hooked && !function->mute);
	/* By an address, the whole one. */
	ck_assert_uint_eq(witness_function_at(&functions, start)->start, whole);
	ck_assert_uint_eq(witness_function_at(&functions, last)->start, whole);
}
END_TEST

START_TEST(functions_are_in_order)
{
	ck_assert_uint_gt(functions.count, COUNT(function_cases) + 4);
	for (size_t i = 0; i < functions.count; i++) {
		ck_assert_uint_lt(functions.function[i].start, functions.function[i].end);
		ck_assert(!i || functions.function[i - 1].end <= functions.function[i].start);
	}
	/* Neither one that lies in another, nor one without a size; and nothing between two. */
	ck_assert_ptr_null(by_name("aaa_inner"));
	ck_assert_ptr_null(by_name("aaa_without_a_size"));
	ck_assert_ptr_null(witness_function_at(&functions, (uint64_t)sizeless + BIAS));
	ck_assert_ptr_null(witness_function_at(&functions, (uint64_t)first + 16 + BIAS));
	ck_assert_ptr_null(witness_function_at(&functions, 0));
	ck_assert_ptr_null(witness_function_at(&functions, functions.function[0].start - 1));
	ck_assert_ptr_null(
		witness_function_at(&functions, functions.function[functions.count - 1].end));
	ck_assert_ptr_null(witness_function_at(&functions, UINT64_MAX));
}
END_TEST

START_TEST(hooks_are_symbols)
{
	ck_assert_uint_eq(functions.hooks.entry_hook, (uint64_t)entry_hook + BIAS);
	ck_assert_uint_eq(functions.hooks.entry, (uint64_t)entry + BIAS);
	ck_assert_uint_eq(functions.hooks.enter, (uint64_t)enter + BIAS);
	ck_assert_uint_eq(functions.hooks.exit, (uint64_t)leave + BIAS);
	ck_assert_uint_eq(functions.hooks.resume, 0); /* there is none */
	ck_assert_uint_eq(functions.hooks.change, (uint64_t)change + BIAS);
}
END_TEST

/* Instead of the image's. Behind the last lies one more, which is none. */
static const struct image_symbol *given;
static size_t given_count;

static const struct image_symbol *say_symbols(const struct image *of, size_t *ret_count)
{
	if (!given)
		return image_symbols(of, ret_count);
	*ret_count = given_count;
	return given;
}

START_TEST(functions_are_as_many_as_symbols)
{
	static const struct image_symbol symbols[] = {
		{ .pc = 0x1000, .size = 8, .name = "aaa_other" },
		{ .pc = 0x1008, .size = 8, .name = "aaa_first" },
		{ .pc = 0x1010, .size = 8, .name = "aaa_first.cold" },
		{ .pc = 0x1018, .size = 8, .name = "aaa_first.colx" },
		{ .pc = 0x1020, .size = 8, .name = ".cold" },
		{ .pc = 0x1028, .size = 8, .name = "behind" },
	};
	static const uint64_t wholes[] = { 0x1000, 0x1008, 0x1008, 0x1018, 0x1020 };
	struct witness_functions few;
	struct error error;

	given = symbols;
	for (given_count = 0; given_count <= COUNT(wholes); given_count++) {
		ck_assert_int_eq(witness_functions_init(&few, image, 0, &error), 0);
		ck_assert_uint_eq(few.count, given_count);
		for (size_t i = 0; i < few.count; i++) {
			ck_assert_str_eq(few.function[i].name, symbols[i].name);
			ck_assert_msg(few.function[i].whole == wholes[i], "%s", symbols[i].name);
		}
		witness_functions_deinit(&few);
	}
	/* Of two, the first has the name that the second is a part of. */
	given = &symbols[1];
	given_count = 2;
	ck_assert_int_eq(witness_functions_init(&few, image, 0, &error), 0);
	ck_assert(few.function[0].whole == 0x1008 && few.function[1].whole == 0x1008);
	witness_functions_deinit(&few);
	given = NULL;
}
END_TEST

START_TEST(clones_are_of_one_source)
{
	const struct witness_function hooked = { .hooked = true }, silent = { .hooked = false };
	const struct witness_function mute = { .hooked = true, .mute = true };

	ck_assert(witness_same_source("one", "one"));
	ck_assert(witness_same_source("one", "one.part.0"));
	ck_assert(witness_same_source("one.cold", "one.constprop.1"));
	ck_assert(!witness_same_source("one", "two"));
	ck_assert(!witness_same_source("one", "ones"));
	ck_assert(!witness_same_source("ones.part.0", "one.part.0"));
	ck_assert(witness_reports(&hooked));
	ck_assert(!witness_reports(&silent) && !witness_reports(&mute) && !witness_reports(NULL));
}
END_TEST

/* ---- the CPU's shadow stack --------------------------------------------------------------------- */

static pid_t child; /* that is made next */

static pid_t say_fork(void)
{
	return child;
}

/* Where no child can be made there is none, and none is waited for. */
START_TEST(child_that_can_not_be_made)
{
	child = -1;
	ck_assert(!witness_cpu_available());
}
END_TEST

/* The child's status is the answer: 0, and no other. */
START_TEST(child_s_end_is_the_answer)
{
	for (int status = 0; status < 3; status++) {
		child = fork();
		ck_assert_int_ge(child, 0);
		if (!child)
			_exit(status);
		ck_assert_int_eq(witness_cpu_available(), status == 0);
	}
}
END_TEST

/* What the kernel says to the request, and the status that the child ends with. */
static const struct {
	long result;
	int status;
} answers[] = { { 0, 0 }, { -EINVAL, 1 }, { 1, 1 } };

/* The child asks for a shadow stack and ends with what it was told; this test is its kernel. */
START_TEST(child_asks_for_a_shadow_stack)
{
	struct user_regs_struct regs;
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		child = 0;
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(99);
		raise(SIGSTOP);
		witness_cpu_available();
		_exit(98);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return; /* it must not be traced */
	do {
		ck_assert_int_eq(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(WIFSTOPPED(status), "it ended: 0x%x", status);
		ck_assert_int_eq(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	} while (regs.orig_rax != SYS_arch_prctl);
	ck_assert_uint_eq(regs.rdi, 0x5001); /* ARCH_SHSTK_ENABLE */
	ck_assert_uint_eq(regs.rsi, 1);	     /* ARCH_SHSTK_SHSTK */
	regs.orig_rax = -1;		     /* it is not made */
	ck_assert_int_eq(ptrace(PTRACE_SETREGS, pid, NULL, &regs), 0);
	ck_assert_int_eq(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
	regs.rax = answers[_i].result;
	ck_assert_int_eq(ptrace(PTRACE_SETREGS, pid, NULL, &regs), 0);
	ck_assert_int_eq(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == answers[_i].status, "0x%x",
		      status);
}
END_TEST

static const struct {
	const char *name;
	size_t frames, first, words;
	struct witness_difference expected;
} depth_cases[] = {
	{ "same", 3, 0, 3, { .kind = WITNESS_AGREES } },
	{ "frames_from_before", 3, 2, 1, { .kind = WITNESS_AGREES } },
	{ "none", 3, 3, 0, { .kind = WITNESS_AGREES } },
	{ "a_word_too_few", 3, 0, 2, { WITNESS_DEPTH, 0, 0x7010, 3, 2 } },
	{ "two_words_too_few", 3, 0, 1, { WITNESS_DEPTH, 1, 0x7008, 3, 1 } },
	{ "a_word_too_many", 3, 1, 3, { WITNESS_DEPTH, 3, 0x7010, 2, 3 } },
	{ "no_words", 3, 0, 0, { WITNESS_DEPTH, 2, 0x7000, 3, 0 } },
	{ "no_frames_any_more", 1, 2, 1, { WITNESS_DEPTH, 1, 0x7000, 0, 1 } },
};

START_TEST(depth_is_compared)
{
	struct shadow_frame frame[] = { { .return_address = 3 },
					{ .return_address = 2 },
					{ .return_address = 1 } };
	static const uint64_t word[] = { 1, 2, 3 };
	const struct shadow_stack truth = { .frame = frame, .count = depth_cases[_i].frames };
	struct witness_difference got;

	witness_cpu_compare(&truth, depth_cases[_i].first, 0x7000, word, depth_cases[_i].words,
			    &got);
	ck_assert_msg(got.kind == depth_cases[_i].expected.kind &&
			      got.frame == depth_cases[_i].expected.frame &&
			      got.slot == depth_cases[_i].expected.slot &&
			      got.truth == depth_cases[_i].expected.truth &&
			      got.said == depth_cases[_i].expected.said,
		      "%s: %d, %zu, 0x%lx, %lu, %lu", depth_cases[_i].name, got.kind, got.frame,
		      got.slot, got.truth, got.said);
}
END_TEST

SUITE(witness_functions, GROUP(functions), FIXTURE(setup, teardown),
      LOOP(function_is_its_symbol_s, function_cases), TEST(functions_are_in_order),
      TEST(hooks_are_symbols), TEST(functions_are_as_many_as_symbols),
      TEST(clones_are_of_one_source), GROUP(cpu), TEST(child_that_can_not_be_made),
      TEST(child_s_end_is_the_answer), LOOP(child_asks_for_a_shadow_stack, answers),
      LOOP(depth_is_compared, depth_cases))
