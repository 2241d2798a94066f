/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_flags.c - what is known of flags is what the CPU makes of them
 *
 * Operations are executed with many numbers: no flag that is known may be another one than the CPU's. Conditions are
 * asked of the CPU, too, with all flags: a branch of which some are known goes one path if it does so whatever the
 * others are. So each of CF, PF, ZF, SF and OF is told by the condition that is of it alone.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "flow_fixture.h"

/* Where they are in the register that the CPU has them in. */
#define CF 0x001
#define PF 0x004
#define ZF 0x040
#define SF 0x080
#define OF 0x800

#define ALL (CF | PF | ZF | SF | OF)

static const struct {
	uint16_t flag;
	enum code_condition condition;
} told_by[] = {
	{ CF, CONDITION_BELOW }, { PF, CONDITION_PARITY },   { ZF, CONDITION_EQUAL },
	{ SF, CONDITION_SIGN },	 { OF, CONDITION_OVERFLOW },
};

#define FLAGS (sizeof(told_by) / sizeof(told_by[0]))

/* *ret_known: those of which is known what they are, which is returned. */
static uint16_t flags_of(const struct flow_state *state, uint16_t *ret_known)
{
	uint16_t ret = 0;

	*ret_known = 0;
	for (size_t i = 0; i < FLAGS; i++) {
		enum flow_decision decision = flow_flags_decide(state, told_by[i].condition);

		if (decision == FLOW_BOTH_WAYS)
			continue;
		*ret_known |= told_by[i].flag;
		if (decision == FLOW_TAKEN || decision == FLOW_PERHAPS_TAKEN)
			ret |= told_by[i].flag;
	}
	return ret;
}

static void set_flags(struct flow_state *state, uint16_t known, uint16_t flags)
{
	for (size_t i = 0; i < FLAGS; i++)
		if (known & told_by[i].flag)
			flow_flags_branch(state, told_by[i].condition, flags & told_by[i].flag);
}

/* ---- operations --------------------------------------------------------------------------- */

/* Of rax and rcx; which flags are known if both numbers are, and if none is. Those before it are known, too. */
/* clang-format off */
#define OPERATIONS(X) \
	X("add al, 5", ALL, 0) \
	X("add ax, 5", ALL, 0) \
	X("add eax, 5", ALL, 0) \
	X("add rax, 5", ALL, 0) \
	X("add rax, -1", ALL, 0) \
	X("add rax, rcx", ALL, 0) \
	X("add eax, ecx", ALL, 0) \
	X("add al, cl", 0, 0) \
	X("sub al, 5", ALL, 0) \
	X("sub eax, 5", ALL, 0) \
	X("sub rax, 5", ALL, 0) \
	X("sub rax, -1", ALL, 0) \
	X("sub rax, 0", CF | OF, CF | OF) \
	X("sub rax, rcx", ALL, 0) \
	X("sub eax, ecx", ALL, 0) \
	X("sub eax, eax", ALL, ALL) \
	X("sub rax, rax", ALL, ALL) \
	X("cmp al, 5", ALL, 0) \
	X("cmp ax, 5", ALL, 0) \
	X("cmp eax, 5", ALL, 0) \
	X("cmp rax, 5", ALL, 0) \
	X("cmp eax, -1", ALL, 0) \
	X("cmp eax, 0", ALL, CF | OF) \
	X("cmp rax, 0", ALL, CF | OF) \
	X("cmp al, cl", ALL, 0) \
	X("cmp ax, cx", ALL, 0) \
	X("cmp eax, ecx", ALL, 0) \
	X("cmp rax, rcx", ALL, 0) \
	X("cmp eax, eax", ALL, ALL) \
	X("cmp ah, 5", 0, 0) \
	X("cmp al, ah", 0, 0) \
	X("cmp al, ch", 0, 0) \
	X("test al, 5", ALL, CF | OF | SF) \
	X("test ax, 5", ALL, CF | OF | SF) \
	X("test eax, 5", ALL, CF | OF | SF) \
	X("test rax, 5", ALL, CF | OF | SF) \
	X("test al, cl", ALL, CF | OF) \
	X("test ax, cx", ALL, CF | OF) \
	X("test eax, ecx", ALL, CF | OF) \
	X("test rax, rcx", ALL, CF | OF) \
	X("test eax, eax", ALL, CF | OF) \
	X("test rax, rax", ALL, CF | OF) \
	X("test ah, 1", CF | OF, CF | OF) \
	X("test al, al", ALL, CF | OF) \
	X("and al, 5", ALL, CF | OF | SF) \
	X("and eax, 5", ALL, CF | OF | SF) \
	X("and rax, 5", ALL, CF | OF | SF) \
	X("and rax, -16", ALL, CF | OF) \
	X("and rax, rcx", ALL, CF | OF) \
	X("and eax, ecx", ALL, CF | OF) \
	X("and eax, eax", ALL, CF | OF) \
	X("or al, 5", ALL, CF | OF | ZF) \
	X("or eax, 5", ALL, CF | OF | ZF) \
	X("or rax, 5", ALL, CF | OF | ZF) \
	X("or eax, -1", ALL, ALL) \
	X("or al, -128", ALL, CF | OF | SF | ZF) \
	X("or rax, 0", CF | OF, CF | OF) \
	X("and eax, 0", ALL, ALL) \
	X("and al, -128", ALL, CF | OF) \
	X("or rax, rcx", ALL, CF | OF) \
	X("or eax, ecx", ALL, CF | OF) \
	X("or eax, eax", ALL, CF | OF) \
	X("xor al, 5", ALL, CF | OF) \
	X("xor eax, 5", ALL, CF | OF) \
	X("xor rax, 5", ALL, CF | OF) \
	X("xor rax, rcx", ALL, CF | OF) \
	X("xor eax, ecx", ALL, CF | OF) \
	X("xor eax, eax", ALL, ALL) \
	X("xor rax, rax", ALL, ALL) \
	X("xor al, al", ALL, ALL) \
	X("inc al", ALL, CF) \
	X("inc ax", ALL, CF) \
	X("inc eax", ALL, CF) \
	X("inc rax", ALL, CF) \
	X("dec al", ALL, CF) \
	X("dec ax", ALL, CF) \
	X("dec eax", ALL, CF) \
	X("dec rax", ALL, CF) \
	X("inc ah", 0, 0) \
	X("clc", ALL, ALL) \
	X("stc", ALL, ALL) \
	X("cmc", ALL, ALL) \
	X("mov eax, ecx", ALL, ALL) \
	X("lea rax, [rcx+rcx]", ALL, ALL) \
	X("neg eax", 0, 0) \
	X("not eax", 0, 0) \
	X("nop", ALL, ALL) \
	X("xchg rax, rcx", ALL, ALL) \
	X("shl eax, 1", 0, 0) \
	X("adc eax, ecx", 0, 0) \
	X("sbb eax, eax", 0, 0) \
	X("bt eax, 3", 0, 0) \
	X("imul eax, ecx", 0, 0) \
	X("cld", 0, 0) \
	X("mov rax, 5", ALL, ALL) \
	X("movzx eax, cl", ALL, ALL) \
	X("setc al", 0, 0) \
	X("cmovz eax, ecx", 0, 0) \
	X("sahf", 0, 0) \
	X("bsf eax, ecx", 0, 0) \
	X("xadd eax, ecx", 0, 0)
/* clang-format on */

#define RUN(text, ...)                                                                             \
	".pushsection .text\n1:	mov rax, rsi\n	mov rcx, rdx\n	push rdi\n	"                         \
	"popfq\n2:	" text                                                                     \
	"\n	pushfq\n	pop rax\n	ret\n	.popsection\n	.quad 1b, 2b\n"
#define WHICH(text, all, none) { text, all, none },

/* Not in C: popfq and pushfq need the words below rsp. */
asm(".intel_syntax noprefix\n	.pushsection .data.rel.ro, \"aw\"\nexecuted:\n" OPERATIONS(
	RUN) "	.popsection\n	.att_syntax prefix\n");

extern const struct {
	uint64_t (*run)(uint64_t flags, uint64_t rax, uint64_t rcx);
	const uint8_t *bytes;
} executed[];

static const struct {
	const char *text;
	uint16_t all, none;
} operations[] = { OPERATIONS(WHICH) };

static const int64_t numbers[] = {
	0,	    1,		 2,	    5,		 6,	    -1,	       -5,
	-16,	    0x7f,	 0x80,	    0x100,	 0x7fff,    0x8000,    INT32_MAX,
	UINT32_MAX, 0x80000000u, 0x1000000, 0x100000000, INT64_MAX, INT64_MIN,
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static struct value number_of(int64_t number, bool known)
{
	return (struct value) { .kind = known ? VALUE_CONSTANT : VALUE_OTHER,
				.number = known ? number : 0 };
}

/* Which flags are known if these registers' numbers are. */
static uint16_t check_flags(size_t n, const struct code *code, int64_t rax, int64_t rcx,
			    uint16_t before, unsigned int which)
{
	uint64_t flags = executed[n].run(before | 2, (uint64_t)rax, (uint64_t)rcx);
	uint16_t known, ours;
	struct flow_state state;

	flow_state_enter(&state);
	set_flags(&state, ALL, before);
	state.reg[REGISTER_RAX] = number_of(rax, which & 1);
	state.reg[REGISTER_RCX] = number_of(rcx, which & 2);
	flow_flags_effect(&state, code);
	ours = flags_of(&state, &known);
	ck_assert_msg(!((ours ^ flags) & known), "%s: %#x of %#x, is %#x: rax %#llx rcx %#llx",
		      operations[n].text, ours, known, (unsigned int)flags & ALL, (long long)rax,
		      (long long)rcx);
	return known;
}

static void decode(size_t n, struct code *ret)
{
	struct code_decoder *decoder = code_decoder_create();

	ck_assert_ptr_nonnull(decoder);
	code_decode(decoder, (uint64_t)(uintptr_t)executed[n].bytes, executed[n].bytes,
		    CODE_BYTES_MAX, ret);
	ck_assert_uint_gt(ret->length, 0);
	code_decoder_destroy(decoder);
}

START_TEST(flags_that_are_known_are_the_cpus)
{
	const size_t n = (size_t)_i;
	struct code code;

	decode(n, &code);
	for (size_t i = 0; i < NUMBERS * NUMBERS * 2; i++)
		for (unsigned int which = 0; which < 4; which++) {
			uint16_t known = check_flags(n, &code, numbers[i / 2 % NUMBERS],
						     numbers[i / 2 / NUMBERS], i % 2 ? ALL : 0,
						     which);

			if (which == 0)
				ck_assert_msg(known == operations[n].none, "%s: %#x",
					      operations[n].text, known);
			if (which == 3)
				ck_assert_msg(known == operations[n].all, "%s: %#x",
					      operations[n].text, known);
		}
}
END_TEST

/* ---- conditions --------------------------------------------------------------------------- */

#define SET(name) "	set" name " [rdx]\n	lea rdx, [rdx+1]\n"
#define JUMP(name)                                                                                 \
	"	mov byte ptr [rdx], 1\n	" name                                                     \
	" 1f\n	mov byte ptr [rdx], 0\n1:	lea rdx, [rdx+1]\n"
#define COUNTING(name) "	mov rcx, rsi\n" JUMP(name)

/* Those of each condition, in its order. */
asm(".intel_syntax noprefix\nask_cpu:	push rdi\n	popfq\n" SET("e") SET("ne") SET("a")
	    SET("ae") SET("b") SET("be") SET("l") SET("le") SET("ge") SET("g") SET("o") SET("no")
		    SET("s") SET("ns") SET("p") SET("np") COUNTING("jrcxz") COUNTING("jecxz")
			    COUNTING("loop") COUNTING("loope")
				    COUNTING("loopne") "	ret\n	.att_syntax prefix\n");

void ask_cpu(uint64_t flags, uint64_t rcx, uint8_t *ret);

/* Of all that the flags may be which are not known: goes the branch both paths? */
static enum flow_decision expected(enum code_condition condition, uint16_t known, uint16_t flags,
				   int64_t rcx)
{
	bool taken = false, passed = false;

	for (unsigned int i = 0; i < 1u << FLAGS; i++) {
		uint16_t all = 0;
		uint8_t set[CONDITION_COUNT];

		for (size_t j = 0; j < FLAGS; j++)
			all |= i >> j & 1 ? told_by[j].flag : 0;
		if ((all ^ flags) & known)
			continue;
		ask_cpu(all, (uint64_t)rcx, set + CONDITION_EQUAL);
		taken |= set[condition];
		passed |= !set[condition];
	}
	return taken && passed ? FLOW_BOTH_WAYS : taken ? FLOW_TAKEN : FLOW_PASSED;
}

START_TEST(a_branch_goes_where_the_cpu_goes)
{
	static const int64_t counts[] = { 0, 1, 2, 0x100000000, 0x100000001, -1 };
	const enum code_condition condition = (enum code_condition)_i;

	for (unsigned int i = 0; i < 1u << (2 * FLAGS); i++) {
		uint16_t known = 0, flags = 0;
		struct flow_state state;
		int64_t rcx = counts[i % (sizeof(counts) / sizeof(counts[0]))];

		for (size_t j = 0; j < FLAGS; j++) {
			known |= i >> (2 * j) & 1 ? told_by[j].flag : 0;
			flags |= i >> (2 * j) & 2 ? told_by[j].flag : 0;
		}
		flow_state_enter(&state);
		set_flags(&state, known, flags);
		state.reg[REGISTER_RCX] = number_of(rcx, true);
		ck_assert_msg(flow_flags_decide(&state, condition) ==
				      expected(condition, known, flags, rcx),
			      "condition %d, %#x of %#x, rcx %#llx", _i, flags & known, known,
			      (long long)rcx);
	}
}
END_TEST

/* ---- paths that meet ----------------------------------------------------------------------- */

/* Of three, each: not known, clear, set. */
#define STATES 243

static void set_all(struct flow_state *state, unsigned int number, bool read)
{
	flow_state_enter(state);
	for (size_t i = 0; i < FLAGS; i++, number /= 3)
		if (number % 3)
			set_flags(state, told_by[i].flag, number % 3 == 2 ? ALL : 0);
	state->flags_read = read && state->flags_known;
}

/* check writes down each assertion that it passes: of a quarter of a million one each is too many. */
START_TEST(where_ways_meet_is_known_what_both_say)
{
	for (unsigned int i = 0; i < STATES * STATES; i++) {
		struct flow_state a, b;
		uint16_t a_known, b_known, known, a_flags, b_flags, flags, same;
		bool read, changed, right;

		set_all(&a, i / STATES, _i & 1);
		set_all(&b, i % STATES, _i & 2);
		a_flags = flags_of(&a, &a_known);
		b_flags = flags_of(&b, &b_known);
		same = a_known & b_known & ~(a_flags ^ b_flags);
		read = same && (a.flags_read || b.flags_read);
		changed = same != a_known || (same && read != a.flags_read);
		right = flow_flags_join(&a, &b) == changed;
		flags = flags_of(&a, &known);
		right &= known == same && flags == (a_flags & same) && a.flags_read == read;
		if (!right || flow_flags_join(&a, &b))
			ck_abort_msg("%#x of %#x, %#x of %#x: %#x of %#x", a_flags, a_known,
				     b_flags, b_known, flags, known);
	}
}
END_TEST

/* ---- what was read ------------------------------------------------------------------------ */

#define READ	 "mov eax, 5\n	mov [rsp-8], rax\n	mov rax, [rsp-8]\n	"
#define READ_CMP READ "cmp eax, 5\n	"
#define STORED	 "mov dword ptr [rsp-8], 5\n	"
#define ASKED	 "\n	cmp dword ptr [rsp-8], 5"

/* Instructions, and which way a branch goes behind them. */
/* clang-format off */
#define SEQUENCES(X) \
	X(READ "cmp eax, 5", EQUAL, PERHAPS_TAKEN) \
	X(READ "cmp eax, 6", EQUAL, PERHAPS_PASSED) \
	X(READ "mov ecx, 5\n	cmp ecx, eax", EQUAL, PERHAPS_TAKEN) \
	X(READ "mov ecx, 5\n	cmp ecx, 5", EQUAL, TAKEN) \
	X(READ_CMP "mov ecx, 5\n	cmp ecx, 5", EQUAL, TAKEN) \
	X(READ_CMP "xor ecx, ecx", EQUAL, TAKEN) \
	X(READ_CMP "test edi, edi", BELOW, PASSED) \
	X(READ_CMP "inc edi", BELOW, PERHAPS_PASSED) \
	X(READ_CMP "mov ecx, -1\n	inc ecx", BELOW, PERHAPS_PASSED) \
	X(READ_CMP "shl edi, 1\n	clc", BELOW, PASSED) \
	X(READ_CMP "shl edi, 1\n	mov ecx, -1\n	inc ecx", EQUAL, TAKEN) \
	X(READ_CMP "dec edi", EQUAL, BOTH_WAYS) \
	X("xor eax, eax\n	jc 2f", EQUAL, TAKEN) \
	X("xor eax, eax\n	popfq", EQUAL, BOTH_WAYS) \
	X("xor eax, eax\n	syscall", EQUAL, BOTH_WAYS) \
	X(READ "inc eax", EQUAL, PERHAPS_PASSED) \
	X(READ "mov rcx, rax", RCX_ZERO, PERHAPS_PASSED) \
	X(READ "mov rcx, rax\n	xor eax, eax", EQUAL, TAKEN) \
	X("mov ecx, 5", RCX_ZERO, PASSED) \
	X("mov ecx, 0", RCX_ZERO, TAKEN) \
	X("mov ecx, 1", LOOP, PASSED) \
	X( "nop", RCX_ZERO, BOTH_WAYS) \
	X("xor eax, eax", RCX_ZERO, BOTH_WAYS) \
	X("mov ecx, 5\n	in al, dx", RCX_ZERO, BOTH_WAYS) \
	X("mov eax, 5\n	out dx, al\n	cmp eax, 5", EQUAL, BOTH_WAYS) \
	X("mov ecx, 5\n	in al, dx\n	cmp ecx, 5", EQUAL, BOTH_WAYS) \
	/* Of what is at most some number. */ \
	X("and eax, 3\n	cmp eax, 3", ABOVE, PASSED) \
	X("and eax, 3\n	cmp eax, 3", BELOW_EQUAL, TAKEN) \
	X("and eax, 3\n	cmp eax, 3", BELOW, BOTH_WAYS) \
	X("and eax, 3\n	cmp eax, 3", EQUAL, BOTH_WAYS) \
	X("and eax, 3\n	cmp eax, 4", BELOW, TAKEN) \
	X("and eax, 3\n	cmp eax, 4", ABOVE_EQUAL, PASSED) \
	X("and eax, 3\n	cmp eax, 4", EQUAL, PASSED) \
	X("and eax, 3\n	cmp eax, 4", ABOVE, PASSED) \
	X("and eax, 3\n	cmp eax, 2", ABOVE, BOTH_WAYS) \
	X("and eax, 3\n	cmp eax, -1", BELOW, TAKEN) \
	X("and eax, 3\n	cmp rax, 3", ABOVE, PASSED) \
	X("and eax, 3\n	cmp al, 3", ABOVE, PASSED) \
	X("and eax, 0x103\n	cmp al, 0x7f", ABOVE, BOTH_WAYS) \
	X("and eax, 0x103\n	cmp al, -1", ABOVE, BOTH_WAYS) \
	X("and eax, 0x103\n	cmp ax, 0x103", ABOVE, PASSED) \
	X("and al, 3\n	cmp eax, 3", ABOVE, BOTH_WAYS) \
	X("movzx eax, dil\n	cmp eax, 255", ABOVE, PASSED) \
	X("movzx eax, byte ptr [rdi]\n	cmp eax, 256", BELOW, TAKEN) \
	X("and eax, 3\n	mov ecx, 3\n	cmp eax, ecx", ABOVE, PASSED) \
	X(READ "and ecx, 3\n	cmp ecx, eax", BELOW, PERHAPS_TAKEN) \
	X("and eax, 3\n	lea rcx, [rax*2]\n	cmp ecx, 3", ABOVE, BOTH_WAYS) \
	X("and eax, 3\n	mov ecx, eax\n	cmp ecx, 3", ABOVE, PASSED) \
	X("and eax, 3\n	inc eax\n	cmp eax, 3", ABOVE, BOTH_WAYS) \
	X("and eax, 3\n	sub eax, 3", ABOVE, PASSED) \
	X("and eax, 3\n	sub rax, 3", ABOVE, PASSED) \
	X("and eax, 3\n	add eax, 3", ABOVE, BOTH_WAYS) \
	X("and eax, 3\n	mov [rsp-8], rax\n	mov rcx, [rsp-8]\n	cmp ecx, 3", ABOVE, PERHAPS_PASSED) \
	X("and eax, 3\n	mov [rsp-8], rax\n	mov ecx, [rsp-8]\n	cmp ecx, 3", ABOVE, PERHAPS_PASSED) \
	X("and eax, 3\n	push rax\n	pop rcx\n	cmp ecx, 3", ABOVE, PERHAPS_PASSED) \
	X("and ecx, 3\n	in al, dx\n	cmp ecx, 3", ABOVE, PERHAPS_PASSED) \
	X("and eax, 3\n	cmp eax, 3\n	clc", ABOVE, BOTH_WAYS) \
	X("and eax, 3\n	cmp eax, 3\n	stc", ABOVE, PASSED) \
	X("and eax, 3\n	cmp eax, 3\n	cmc", ABOVE, BOTH_WAYS) \
	X("and eax, 3\n	cmp eax, 3\n	inc edx", ABOVE, BOTH_WAYS) \
	/* The number that was stored last. */ \
	X(STORED ASKED, EQUAL, PERHAPS_TAKEN) \
	X(STORED "cmp dword ptr [rsp-8], 6", EQUAL, PERHAPS_PASSED) \
	X( STORED "cmp byte ptr [rsp-8], 5", EQUAL, PERHAPS_TAKEN) \
	X(STORED "test dword ptr [rsp-8], 2", EQUAL, PERHAPS_TAKEN) \
	X(STORED "test dword ptr [rsp-8], 4", EQUAL, PERHAPS_PASSED) \
	X(STORED "cmp qword ptr [rsp-8], 5", EQUAL, BOTH_WAYS) \
	X(STORED "cmp dword ptr [rsp-4], 5", EQUAL, BOTH_WAYS) \
	X(STORED "cmp eax, dword ptr [rsp-8]", EQUAL, BOTH_WAYS) \
	X( STORED "sub dword ptr [rsp-8], 5", EQUAL, BOTH_WAYS) \
	X(STORED "inc dword ptr [rsp-8]", EQUAL, BOTH_WAYS) \
	X("mov dword ptr [rsp-8], -1\n	cmp dword ptr [rsp-8], -1", EQUAL, PERHAPS_TAKEN) \
	X("mov dword ptr [rsp-8], -1\n	cmp dword ptr [rsp-8], 0", LESS, PERHAPS_TAKEN) \
	X("mov qword ptr [rsp-8], -1\n	cmp qword ptr [rsp-8], -1", EQUAL, PERHAPS_TAKEN) \
	X("mov qword ptr [rsp-8], 5" ASKED, EQUAL, PERHAPS_TAKEN) \
	X("mov byte ptr [rsp-8], 5" ASKED, EQUAL, BOTH_WAYS) \
	X("mov dword ptr [rdi], 5\n	cmp dword ptr [rdi], 5", EQUAL, BOTH_WAYS) \
	X(STORED "mov byte ptr [rsp-64], 5" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "lea rdx, [rsp-8]\n	cmp dword ptr [rdx], 5", EQUAL, PERHAPS_TAKEN) \
	X(STORED "mov [rsp-4], al" ASKED, EQUAL, PERHAPS_TAKEN) \
	X(STORED "mov [rsp-5], al" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "mov [rsp-10], ax" ASKED, EQUAL, PERHAPS_TAKEN) \
	X( STORED "mov [rsp-9], ax" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "mov [rsp-4], rax" ASKED, EQUAL, PERHAPS_TAKEN) \
	X(STORED "mov [rsp-16], rax" ASKED, EQUAL, PERHAPS_TAKEN) \
	X(STORED "mov [rsp-15], rax" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "mov [rdi], al" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "movups [rsp-16], xmm0" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "movups [rsp-24], xmm0" ASKED, EQUAL, PERHAPS_TAKEN) \
	X(STORED "push rax\n	cmp dword ptr [rsp], 5", EQUAL, BOTH_WAYS) \
	X(STORED "push rax\n	pop rax" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "pop qword ptr [rsp-64]\n	cmp dword ptr [rsp-16], 5", EQUAL, BOTH_WAYS) \
	X(STORED "syscall" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "lea rdi, [rsp-64]\n	rep stosb" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "bts dword ptr [rsp-64], eax" ASKED, EQUAL, BOTH_WAYS) \
	X(STORED "sub rsp, rdi\n	cmp dword ptr [rsp-16], 5", EQUAL, BOTH_WAYS) \
	X(STORED "sub rsp, rdi\n	mov [rsp-64], al\n	add rsp, rdi" ASKED, EQUAL, BOTH_WAYS) \
	X("sub rsp, rdi\n	" STORED ASKED, EQUAL, PERHAPS_TAKEN) \
	X("lea rdx, [rsp-0x80000000]\n	lea rdx, [rdx-0x80000000]\n	mov dword ptr [rdx-8], 5" ASKED, EQUAL, BOTH_WAYS)
/* clang-format on */

#define BYTES(text, ...)                                                                           \
	".pushsection .text\n1:	" text "\n2:	nop\n	.popsection\n	.quad 1b, 2b\n"
#define DECIDED(text, condition, decision) { text, CONDITION_##condition, FLOW_##decision },

asm(".intel_syntax noprefix\n	.pushsection .data.rel.ro, \"aw\"\nassembled:\n" SEQUENCES(
	BYTES) "	.popsection\n	.att_syntax prefix\n");

extern const struct {
	const uint8_t *begin, *end;
} assembled[];

static const struct {
	const char *text;
	enum code_condition condition;
	enum flow_decision decision;
} sequences[] = { SEQUENCES(DECIDED) };

START_TEST(a_branch_goes_by_what_was_before_it)
{
	struct code_decoder *decoder = code_decoder_create();
	enum flow_decision decision;
	struct flow_state state;

	flow_state_enter(&state);
	for (const uint8_t *at = assembled[_i].begin; at < assembled[_i].end;) {
		struct code code;

		code_decode(decoder, (uint64_t)(uintptr_t)at, at, CODE_BYTES_MAX, &code);
		ck_assert_uint_gt(code.length, 0);
		flow_flags_effect(&state, &code);
		flow_effect(&state, &code, 1);
		at += code.length;
	}
	decision = flow_flags_decide(&state, sequences[_i].condition);
	ck_assert_msg(decision == sequences[_i].decision, "%s: %d", sequences[_i].text, decision);
	code_decoder_destroy(decoder);
}
END_TEST

static const struct stored_case {
	uint8_t width;
	int32_t number, at;
	uint32_t base;
	bool same;
} stored_cases[] = {
	{ 32, 5, -16, 7, true },  { 64, 5, -16, 7, false }, { 32, 6, -16, 7, false },
	{ 32, 5, -24, 7, false }, { 32, 5, -16, 0, false }, { 0, 5, -16, 7, false },
};

/* Where it is not, or is another one, it is not known; and what is not known is not found to be lost again. */
START_TEST(a_number_that_was_stored_on_both_ways_is_known)
{
	const struct stored_case *test = &stored_cases[_i], *first = &stored_cases[0];
	struct flow_state a, b;

	flow_state_enter(&a);
	flow_state_enter(&b);
	a.stored_width = first->width;
	b.stored_width = test->width;
	a.stored_number = first->number;
	b.stored_number = test->number;
	a.stored_at = first->at;
	b.stored_at = test->at;
	a.stored_base = first->base;
	b.stored_base = test->base;
	ck_assert_int_eq(flow_flags_join(&a, &b), !test->same);
	ck_assert_uint_eq(a.stored_width, test->same ? first->width : 0);
	ck_assert(!flow_flags_join(&a, &b));
}
END_TEST

SUITE_MAIN(flow_flags)
{
	Suite *suite = suite_create("flow_flags");
	TCase *flags = tcase_create("flags"), *branches = tcase_create("branches");
	tcase_add_loop_test(flags, flags_that_are_known_are_the_cpus, 0,
			    (int)(sizeof(operations) / sizeof(operations[0])));
	tcase_add_loop_test(branches, a_branch_goes_where_the_cpu_goes, CONDITION_EQUAL,
			    CONDITION_COUNT);
	tcase_add_loop_test(branches, where_ways_meet_is_known_what_both_say, 0, 4);
	tcase_add_loop_test(branches, a_branch_goes_by_what_was_before_it, 0,
			    (int)(sizeof(sequences) / sizeof(sequences[0])));
	tcase_add_loop_test(branches, a_number_that_was_stored_on_both_ways_is_known, 0,
			    (int)(sizeof(stored_cases) / sizeof(stored_cases[0])));
	suite_add_tcase(suite, flags);
	suite_add_tcase(suite, branches);
	return suite_run(suite);
}
