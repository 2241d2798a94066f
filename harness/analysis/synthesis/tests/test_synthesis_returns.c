/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_returns.c - functions that are seen to return, what code leads to, and signals' restorers
 *
 * All functions are in one shared object, and each is asked about by its symbol.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "analysis/synthesis/synthesis_functions.c"
#include "analysis/flow/flow_callees.h"
#include "synthesis_fixture.h"

static struct world world;
static struct code_decoder *decoder;

static void begin(const char *assembly)
{
	world_init(&world, assembly);
	decoder = code_decoder_create();
	ck_assert_ptr_nonnull(decoder);
}

static void end(void)
{
	code_decoder_destroy(decoder);
	world_deinit(&world);
}

static uint64_t address(const char *name)
{
	uint64_t ret = image_symbol_address(world.image, name);

	ck_assert_msg(ret != 0, "%s", name);
	return ret;
}

/* ---- who returns ---------------------------------------------------------------------------- */

static const struct returns_case {
	const char *name, *code;
	bool returns;
} returns_cases[] = {
	{ "z", "ret", true },
	{ "stop", "ud2", false },
	{ "jump_computed", "jmp [rdi]", false },
	{ "call_computed", "call [rdi]\n ret", false },
	{ "no_instruction", ".byte 0x06\n ret", false },
	{ "jump", "jmp z", true },
	{ "loop", "jmp loop", false },
	{ "branch", "je 1f\n ud2\n1: ret", true },
	{ "behind_branch", "je 1f\n ret\n1: ud2", true },
	{ "second_branch", "je 1f\n jne 2f\n ud2\n1: ud2\n2: ret", true },
	{ "no_branch", "je 1f\n jne 2f\n ud2\n1: ud2\n2: ud2", false },
	{ "transaction", "xbegin 1f\n ud2\n1: ret", true },
	{ "direct", "call z\n ret", true },
	{ "call_of_stop", "call stop\n ret", false },
	{ "call_of_stop_on_a_way", "je 1f\n call stop\n1: ret", true },
	{ "call_of_call", "call direct\n ret", true },
	{ "where_am_i", "call 1f\n1: pop rax\n ret", true },
	{ "recursion", "call recursion\n ret", false },
	{ "recursion_on_a_way", "je 1f\n call recursion_on_a_way\n1: ret", true },
	{ "far", "jmp z + 0x10000000", false },
	{ "most", ".fill 1023, 1, 0x90\n ret", true },
	{ "more", ".fill 1024, 1, 0x90\n ret", false },
	{ "most_on_two_ways", "je 1f\n .fill 511, 1, 0x90\n ud2\n1: .fill 510, 1, 0x90\n ret",
	  true },
	{ "more_on_two_ways", "je 1f\n .fill 511, 1, 0x90\n ud2\n1: .fill 511, 1, 0x90\n ret",
	  false },
	{ "branches_back",
	  ".rept 20\n je branches_back\n .endr\n jne 2f\n ud2\n2: .fill 990, 1, 0x90\n ret", true },
	{ "branch_back", "1: je 1b\n jne branch_back\n ud2", false },
};

/* A chain of functions, each of which calls the one before it. The last is a return. */
static void add_chain(FILE *file, const char *name, int length)
{
	fprintf(file, "%s_0:	ret\n", name);
	for (int i = 1; i < length; i++)
		fprintf(file, "%s_%d:	call %s_%d\n	ret\n", name, i, name, i - 1);
}

START_TEST(a_function_is_seen_to_return)
{
	struct flow_callees *callees;
	char *assembly;
	size_t size;
	FILE *file = open_memstream(&assembly, &size);

	fputs("f:	ret\n", file);
	for (int i = 0; i < COUNT(returns_cases); i++)
		fprintf(file, "	.type %s, @function\n%s:\n %s\n", returns_cases[i].name,
			returns_cases[i].name, returns_cases[i].code);
	add_chain(file, "a", 32);
	add_chain(file, "b", 200);
	fclose(file);
	begin(assembly);
	callees = flow_callees_create(world.cfi, decoder, false);
	ck_assert_ptr_nonnull(callees);
	/* Twice: what is known is the same. */
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < COUNT(returns_cases); i++)
			ck_assert_msg(
				flow_certainly_returns(callees, address(returns_cases[i].name)) ==
					returns_cases[i].returns,
				"%s", returns_cases[i].name);
	ck_assert(flow_certainly_returns(callees, address("a_31")));
	ck_assert(flow_certainly_returns(callees, address("b_199")));
	ck_assert(flow_certainly_returns(callees, address("b_1")));
	flow_callees_destroy(callees);
	end();
	free(assembly);
}
END_TEST

/* Each of them calls the others. */
static const struct circle_case {
	const char *rule, *code;
	bool returns[3]; /* f0, f1, f2 */
} circles[] = {
	{ "one asked within another's question is asked again",
	  "f0: je 1f\n call f1\n ud2\n1: ret\nf1: call f0\n ret\nf2: call f1\n ret\n",
	  { true, true, true } },
	{ "a way of one lets all return",
	  "f0: call f1\n ret\nf1: call f2\n ret\nf2: je 1f\n call f0\n1: ret\n",
	  { true, true, true } },
	{ "the second way of one does",
	  "f0: je 1f\n call f1\n ret\n1: call f2\n ret\nf1: call f0\n ret\nf2: je 1f\n"
	  " call f1\n ud2\n1: ret\n",
	  { true, true, true } },
	{ "none has a way out",
	  "f0: call f1\n ret\nf1: call f2\n ret\nf2: call f0\n ret\n",
	  { false, false, false } },
	{ "only one has",
	  "f0: je 1f\n call f1\n1: ret\nf1: call f2\n ret\nf2: call f1\n ret\n",
	  { true, false, false } },
};

START_TEST(the_order_of_questions_makes_no_difference)
{
	static const int order[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	const struct circle_case *test = &circles[_i];
	char assembly[1024], name[4];

	snprintf(assembly, sizeof(assembly), "f: ret\n%s", test->code);
	begin(assembly);
	for (int i = 0; i < COUNT(order); i++) {
		struct flow_callees *callees = flow_callees_create(world.cfi, decoder, false);

		for (int j = 0; j < 6; j++) {
			snprintf(name, sizeof(name), "f%d", order[i][j % 3]);
			ck_assert_msg(flow_certainly_returns(callees, address(name)) ==
					      test->returns[order[i][j % 3]],
				      "%s: %s of order %d", test->rule, name, i);
		}
		flow_callees_destroy(callees);
	}
	end();
}
END_TEST

#define CALLEES 40

/* Each callee is seen to return once the one before it is, and their caller, which waits for all of them, is followed
 * again each time. If that doubled what it waits for, there would be no end. */
START_TEST(who_waits_for_many_is_followed_once_for_each)
{
	struct flow_callees *callees;
	char *assembly;
	size_t size;
	FILE *file = open_memstream(&assembly, &size);

	fputs("f:	ret\nmany:\n", file);
	for (int i = 0; i < CALLEES; i++)
		fprintf(file, "	je 1f\n	call g%d\n	ud2\n1:\n", i);
	fputs("	ud2\ng0:	call z\n	ret\nz:	ret\n", file);
	for (int i = 1; i < CALLEES; i++)
		fprintf(file, "g%d:	call g%d\n	ret\n", i, i - 1);
	fclose(file);
	begin(assembly);
	callees = flow_callees_create(world.cfi, decoder, false);
	ck_assert_ptr_nonnull(callees);
	ck_assert(!flow_certainly_returns(callees, address("many")));
	ck_assert(flow_certainly_returns(callees, address("g39")));
	flow_callees_destroy(callees);
	end();
	free(assembly);
}
END_TEST

/* ---- restorers ------------------------------------------------------------------------------ */

static const struct {
	const char *code;
	size_t bytes;
} restorers[] = {
	{ "mov eax, 15\n syscall", 7 },		 { "mov rax, 15\n syscall", 9 },
	{ "mov ecx, 15\n syscall", 0 },		 { "mov eax, 14\n syscall", 0 },
	{ "mov eax, 15\n sysenter", 0 },	 { "mov rcx, 15\n syscall", 0 },
	{ "mov rax, 15\n sysenter", 0 },	 { "mov rax, 16\n syscall", 0 },
	{ "mov eax, 15\n .byte 0x0f, 0x06", 0 }, { "mov rax, 15\n .byte 0x0f, 0x06", 0 },
	{ "mov r8, 15\n syscall", 0 },
};

START_TEST(a_restorer_is_known_by_its_bytes)
{
	char *assembly, name[8];
	size_t size;
	FILE *file = open_memstream(&assembly, &size);

	fputs("f:	ret\n", file);
	for (int i = 0; i < COUNT(restorers); i++)
		fprintf(file, "r%d:	%s\n", i, restorers[i].code);
	fclose(file);
	begin(assembly);
	for (int i = 0; i < COUNT(restorers); i++) {
		snprintf(name, sizeof(name), "r%d", i);
		ck_assert_msg(synthesis_restorer_bytes(world.image, address(name)) ==
				      restorers[i].bytes,
			      "%s", restorers[i].code);
	}
	ck_assert_uint_eq(synthesis_restorer_bytes(world.image, 0x10000000), 0);
	end();
	free(assembly);
}
END_TEST

/* ---- what code leads to ---------------------------------------------------------------------- */

#define FDE(code) "	.cfi_startproc\n" code "	.cfi_endproc\n"

static const struct leads_case {
	const char *rule, *code, *expected;
} leads_cases[] = {
	{ "instructions, to a return", FDE("f: nop\n xor eax, eax\n ret\n nop\n"), "r0 r1 r3" },
	{ "a call, and what is behind it", FDE("f: call 9f\n ret\n") "9: ret\n", "r0 c6 r5" },
	{ "one that never returns", FDE("f: call 9f\n nop\n") "9: hlt\n jmp 9b\n", "r0 c6" },
	{ "a call to the next instruction", FDE("f: call 1f\n1: pop rax\n ret\n"), "r0 r5 r6" },
	{ "by a register, and behind that", FDE("f: call rax\n nop\n jmp rax\n nop\n"),
	  "r0 r2 r3" },
	{ "a jump inside, back, and out",
	  FDE("f: jmp 1f\n nop\n2: jmp 9f\n1: jmp 2b\n nop\n") " nop\n9: ret\n", "r0 r5 r3 j9" },
	{ "a branch's two ways", FDE("f: je 1f\n ud2\n1: je 9f\n ret\n") "9: ret\n",
	  "r0 r2 r4 j7 r6" },
	{ "to its end, which is another's", FDE("f: jmp 9f\n") "9: ret\n", "r0 j2" },
	{ "before its begin", "	.skip 16, 0x90\n" FDE("f: jmp f - 1\n"), "r0 j-1" },
	{ "a transaction", FDE("f: xbegin 9f\n ret\n") "9: ret\n", "r0 j7 r6" },
	{ "an address is made", FDE("f: lea rax, 9f[rip]\n ret\n") "9: ret\n", "r0 t8 r7" },
	{ "bytes that are no instruction", FDE("f: nop\n .byte 0x06\n nop\n"), "r0" },
	{ "what stops", FDE("f: hlt\n ud2\n nop\n"), "r0" },
	{ "two FDEs", FDE("f: ret\n") FDE("g: nop\n ret\n"), "r0 r1 r2" },
	{ "a way that was gone", FDE("f: je 1f\n nop\n1: nop\n ret\n"), "r0 r2 r3 r4" },
	{ "back to the eighth byte", FDE("f: .fill 7, 1, 0x90\n1: je 1b\n ret\n"),
	  "r0 r1 r2 r3 r4 r5 r6 r7 r9" },
	{ "back to the ninth", FDE("f: .fill 8, 1, 0x90\n1: je 1b\n ret\n"),
	  "r0 r1 r2 r3 r4 r5 r6 r7 r8 r10" },
	{ "a byte each", FDE("f: .fill 17, 1, 0x90\n ret\n"),
	  "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 r17" },
};

static void say_lead(void *context, uint64_t pc, enum synthesis_lead lead)
{
	static const char letters[] = { [SYNTHESIS_JUMP] = 'j',
					[SYNTHESIS_CALL] = 'c',
					[SYNTHESIS_TAKEN] = 't',
					[SYNTHESIS_REACHED] = 'r' };
	FILE *file = context;

	fprintf(file, "%s%c%d", ftell(file) ? " " : "", letters[lead], (int)(pc - world.begin));
}

START_TEST(code_leads_somewhere)
{
	const struct leads_case *test = &leads_cases[_i];
	struct flow_world followed;
	struct error error;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	begin(test->code);
	ck_assert_int_eq(flow_world_init(&followed, world.cfi, NULL, &error), 0);
	synthesis_calls(&followed, 0, world.cfi->fde_count, say_lead, file);
	ck_assert(!flow_lacks(&followed));
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s", test->rule, text);
	flow_world_deinit(&followed);
	end();
	free(text);
}
END_TEST

SUITE(synthesis_returns, TEST(a_function_is_seen_to_return),
      TEST(who_waits_for_many_is_followed_once_for_each),
      LOOP(the_order_of_questions_makes_no_difference, circles),
      TEST(a_restorer_is_known_by_its_bytes), LOOP(code_leads_somewhere, leads_cases))
