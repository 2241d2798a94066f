/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_uncovered_parts.c - which addresses are told that no FDE covers, and up to where
 *
 * The code of one image is followed from an address to a limit; the judge that is told is this file's.
 */
#include "tests/suite.h"
#include "analysis/lint/lint_inside.h"

static void told(struct lint_judge *judge, uint64_t pc, uint64_t pc_end);

#define lint_judge_uncovered told
#include "analysis/lint/lint_uncovered.c"
#undef lint_judge_uncovered

#include "analysis/flow/tests/flow_world_fixture.h"

static struct followed followed;
static uint64_t begin;
static char text[256];

static void told(struct lint_judge *judge, uint64_t pc, uint64_t pc_end)
{
	size_t used = strlen(text);

	snprintf(text + used, sizeof(text) - used, "%d..%d ", (int)(pc - begin),
		 (int)(pc_end - begin));
}

static void setup(const char *code)
{
	char body[512];

	/* f ends at 16; u is what no FDE covers; k has one again, at 64. */
	snprintf(body, sizeof(body),
		 "ret; .p2align 4; endproc; u: %s; .org f + 64, 0x90; k: startproc; ret; ", code);
	followed_init(&followed, body);
	begin = followed.flow.function;
	text[0] = '\0';
}

/* ---- up to where ---------------------------------------------------------------------------- */

static const struct {
	const char *code;
	uint64_t limit, end;
} end_cases[] = {
	{ "nop; nop; ret; nop", 1000, 19 },
	{ "nop; nop; ret; nop", 19, 19 },
	{ "nop; nop; ret; nop", 18, 18 },
	{ "nop; nop; ret; nop", 17, 17 },
	{ "nop; nop; ret; nop", 16, 17 }, /* never nothing */
	{ "nop; nop", 1000, 64 },
	{ "mov eax, 5; ret", 18, 21 }, /* at an instruction's end */
	{ "mov eax, 5; ret", 21, 21 },
	{ "mov eax, 5; ret", 22, 22 },
	{ "je 1f; ret; 1: ret; nop", 1000, 20 },
	{ "je 1f; ret; 1: ret; nop", 19, 19 }, /* the branch leads behind the limit */
	{ "xbegin 1f; ret; 1: ret; nop", 1000, 24 },
	{ "jmp 1f; ret; 1: ret; nop", 1000, 20 },
	{ "call 1f; ret; 1: ret; nop", 1000, 22 }, /* a call leads to another */
	{ "je k; ret; nop", 1000, 19 },
	{ "je f; ret; nop", 1000, 19 },
	{ "je 1f; je 2f; ret; 1: ret; 2: ret; nop", 1000, 23 },
	{ "je 2f; je 1f; ret; 1: ret; 2: ret; nop", 1000, 23 },
	{ "je 1f; ret; ret; 1: nop; ret; nop", 1000, 22 },
	{ "call [rdi]; jmp rax; nop", 1000, 20 },
	{ "ud2; nop", 1000, 18 },
	{ "call exit@PLT; nop", 1000, 21 },
	{ "call puts@PLT; ret; nop", 1000, 22 },
	{ "nop; .type g, @function; g: nop; ret", 1000, 17 },
	{ ".type g, @function; g: nop; ret; nop", 1000, 18 },
	{ "nop; g: nop; ret; nop", 1000, 19 },
	{ "nop; .type g, @object; g: nop; ret; nop", 1000, 19 },
	{ ".byte 6; nop", 1000, 17 },
	{ "nop; .byte 6; nop", 1000, 17 },
};

START_TEST(code_ends_there)
{
	uint64_t end;

	setup(end_cases[_i].code);
	end = end_of(&followed.world, begin + 16, begin + end_cases[_i].limit);
	ck_assert_msg(end == begin + end_cases[_i].end, "%s: %d", end_cases[_i].code,
		      (int)(end - begin));
	followed_deinit(&followed);
}
END_TEST

/* ---- which ---------------------------------------------------------------------------------- */

/* Each ends where the next one begins; the last behind the list is none. */
static const struct {
	uint64_t at[4];
	size_t count;
	const char *expected;
} tell_cases[] = {
	{ { 16, 18 }, 0, "" },
	{ { 16, 17 }, 1, "16..22 " },
	{ { 16, 18, 17 }, 2, "16..18 18..22 " },
	{ { 16, 17, 20, 21 }, 3, "16..17 17..20 20..22 " },
	{ { 21 }, 1, "21..22 " },
};

static void tell_list(size_t number)
{
	struct lint_judge judge = { .world = &followed.world };
	uint64_t address[4];
	const struct lint_addresses list = { .address = address,
					     .count = tell_cases[number].count };

	for (int i = 0; i < 4; i++)
		address[i] = begin + tell_cases[number].at[i];
	text[0] = '\0';
	lint_uncovered_tell(&judge, &list);
}

START_TEST(all_are_told)
{
	setup("nop; nop; nop; nop; nop; ret; nop");
	tell_list((size_t)_i);
	ck_assert_str_eq(text, tell_cases[_i].expected);
	followed_deinit(&followed);
}
END_TEST

/* Where the linker is told an FDE's place by a number, it may cover any code: nobody is accused. */
static const struct {
	bool unknown;
	uint64_t place[3]; /* of FDEs, from f; the last is behind them */
	bool silent;
} place_cases[] = {
	{ false, { 0, 64, 0 }, false },		 { true, { 0, 64, 0 }, false },
	{ true, { -1ull << 40, 64, 0 }, true },	 { true, { 0, -1ull << 40, 0 }, true },
	{ false, { 0, -1ull << 40, 0 }, false }, { true, { 0, 64, -1ull << 40 }, false },
};

START_TEST(an_fde_may_be_anywhere)
{
	struct object object = { .cfi_unknown = place_cases[_i].unknown };
	struct cfi_fde fde[3];
	struct cfi cfi;

	setup("nop; nop; nop; nop; nop; ret; nop");
	cfi = *followed.world.cfi;
	for (int i = 0; i < 3; i++) {
		fde[i] = cfi.fde[0];
		fde[i].pc_begin = begin + place_cases[_i].place[i];
	}
	cfi.fde = fde;
	cfi.fde_count = 2;
	followed.world.cfi = &cfi;
	ck_assert(!lint_uncovered_is_unknown(&followed.world));
	followed.world.object = &object;
	ck_assert_int_eq(lint_uncovered_is_unknown(&followed.world), place_cases[_i].silent);
	if (place_cases[_i].silent) {
		tell_list(1);
		ck_assert_str_eq(text, "");
	}
	followed_deinit(&followed);
}
END_TEST

SUITE(lint_uncovered_parts, LOOP(code_ends_there, end_cases), LOOP(all_are_told, tell_cases),
      LOOP(an_fde_may_be_anywhere, place_cases))
