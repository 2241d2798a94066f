/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_noreturn_code.c - one instruction each, and whether its function never returns for it
 *
 * All cases are functions of one image; each is asked for alone. What is called by several is left out: how answers
 * hang on each other is in test_flow_noreturn.c.
 */
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_callees.h"

#define EXIT "call exit@PLT; "
/* It never returns, unless the instruction itself may. */
#define ONE(code) "" code "; " EXIT
/* c is called where the instruction is, and never comes back. */
#define CALLED(code) "call 9f; ret; endproc; 9: startproc; " code "; " EXIT
#define LINUX(code)  code "syscall; ret; "
#define NEXT(body)   "endproc; 9: startproc; " body

static const struct code_case {
	const char *body;
	bool never;
} cases[] = {
	/* Another stack. */
	{ ONE("mov rsp, rax"), false },
	{ ONE("mov rsp, rbp"), true },
	{ ONE("mov rbp, rsp"), true },
	{ ONE("mov rax, rbx"), true },
	{ ONE("lea rsp, [rsp+8]"), true },
	{ ONE("lea rsp, [rbp-8]"), true },
	{ ONE("lea rsp, [rax+8]"), false },
	{ ONE("lea rsp, [rip+8]"), false },
	{ ONE("lea rax, [rdi+8]"), true },
	{ ONE("xchg rsp, rax"), false },
	{ ONE("xchg rax, rsp"), false },
	{ ONE("xchg rbx, rsp"), false },
	{ ONE("xchg rbx, rbp"), true },
	{ ONE("mov [rdi], rsp"), false },
	{ ONE("mov [rsp], rdi"), true },
	{ ONE("mov [rdi], rbp"), true },
	{ ONE("mov rsp, [rdi]"), false },
	{ ONE("mov rdi, [rsp]"), true },
	{ ONE("pop rsp"), false },
	{ ONE("pop rbp"), true },
	{ ONE("push rsp"), true },
	{ ONE("mov esp, 5"), false },
	{ ONE("mov ebp, 5"), true },
	{ ONE("bswap rsp"), false },
	{ ONE("bswap rbp"), true },
	{ ONE("cmovne rsp, rdi"), false },
	{ ONE("cmovne rdi, rsp"), true },
	{ ONE("add rsp, 8"), true },
	{ ONE("and rsp, -16"), true },
	{ ONE("enter 8, 0"), true },
	{ ONE("leave"), true },
	/* The end of a thread. */
	{ LINUX("mov eax, 60; "), true },
	{ LINUX("mov eax, 231; "), true },
	{ LINUX("mov eax, 15; "), true },
	{ LINUX("mov eax, 59; "), false },
	{ LINUX("mov eax, 61; "), false },
	{ LINUX("mov eax, 230; "), false },
	{ LINUX("mov eax, 232; "), false },
	{ LINUX("mov eax, 0; "), false },
	{ LINUX("mov ecx, 60; "), false },
	{ LINUX(""), false },
	{ LINUX("mov ecx, 59; mov eax, 60; "), true },
	{ LINUX("mov eax, 60; mov ecx, 59; "), true },
	{ LINUX("mov eax, 60; mov eax, 59; "), false },
	{ LINUX("mov eax, 59; mov eax, 60; "), true },
	{ LINUX("mov eax, 60; inc eax; "), false },
	{ LINUX("mov eax, 60; mov eax, edi; "), false },
	{ LINUX("mov eax, 60; cpuid; "), false },
	{ LINUX("mov eax, 60; nop; xor edi, edi; mov [rdi], rax; "), true },
	{ LINUX("mov eax, 60; jne 1f; 1: "), false },
	{ LINUX("mov eax, 60; jmp 1f; 1: "), false },
	{ LINUX("mov eax, 60; call [rdi]; "), false },
	{ "mov eax, 39; syscall; mov eax, 60; syscall; ret", true },
	{ "mov eax, 60; ret", false },
	/* Where it goes on. */
	{ "ret", false },
	{ "ret 8", false },
	{ "jmp rax", false },
	{ "jmp [rdi]", false },
	{ ".byte 6", false },
	{ "ud2; ret", true },
	{ "int3; ret", false },
	{ "hlt; ret", false },
	{ "int3; " NEXT("ret; "), true },
	{ "hlt; " NEXT("ret; "), true },
	{ "hlt; ud2", true },
	{ "int3; " EXIT, true },
	{ "call [rdi]; ret", false },
	{ "call [rdi]; ud2", true },
	{ "je 1f; ud2; 1: ret", false },
	{ "je 1f; ret; 1: ud2", false },
	{ "je 1f; ud2; 1: hlt; ud2", true },
	{ "jmp 1f; ret; 1: ud2", true },
	{ "jmp 1f; ud2; 1: ret", false },
	{ "xbegin 1f; ud2; 1: ret", false },
	{ "xbegin 1f; ret; 1: ud2", false },
	{ "xbegin 1f; ud2; 1: ud2", true },
	{ "1: dec edi; jne 1b; ud2", true },
	{ "1: dec edi; jne 1b; ret", false },
	{ "jmp 9f; " NEXT("ret; "), false },
	{ "jmp 9f; " NEXT("ud2; "), true },
	{ "jmp 9f+2; " NEXT("ud2; ret; "), false },
	{ "jmp 9f+1; " NEXT("ret; ud2; "), true },
	{ "je 9f; ud2; " NEXT("ret; "), false },
	{ "je 9f; ud2; " NEXT("ud2; "), true },
	/* Calls of what is the function's own. */
	{ "call 1f; 1: ud2", true },
	{ "call 1f; 1: pop rax; ud2", true },
	{ "call 1f; 1: pop rax; ret", false },
	{ "call 1f; ud2; 1: pop rax; ud2", false },
	{ "call 1f; ud2; 1: nop; ud2", true },
	{ "call 1f; ret; 1: nop; ret", false },
	{ "call 1f; ud2; 1: nop; ret", true },
	/* Whoever takes the return address off is no function that was called. */
	{ CALLED("nop"), true },
	{ CALLED("pop rax"), false },
	{ CALLED("push rax"), true },
	{ CALLED("add rsp, 8"), false },
	{ CALLED("add rsp, 1"), false },
	{ CALLED("add rsp, -8"), true },
	{ CALLED("add rsp, 0"), true },
	{ CALLED("sub rsp, 8"), true },
	{ CALLED("sub rsp, -8"), false },
	{ CALLED("add rbp, 8"), true },
	{ CALLED("lea rsp, [rsp+8]"), false },
	{ CALLED("lea rsp, [rsp+1]"), false },
	{ CALLED("lea rsp, [rsp]"), true },
	{ CALLED("lea rsp, [rsp-8]"), true },
	{ CALLED("lea rsp, [rbp+8]"), true },
	{ CALLED("lea rbp, [rsp+8]"), true },
	{ CALLED("lea rax, [rax+8]"), true },
	{ CALLED("mov eax, 8"), true },
	/* Where no code is. */
	{ "call f0+0x4000000; ud2", true },
	{ "call f0+0x4000000; ret", false },
	{ "jmp f0+0x4000000", false },
};

static struct assembled assembled;

static void setup(void)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < COUNT(cases); i++)
		fprintf(file, ".p2align 4; f%d: startproc; %s; .cfi_endproc; ", i, cases[i].body);
	fclose(file);
	assembled_open(&assembled, text);
	free(text);
}

static void teardown(void)
{
	assembled_close(&assembled);
}

START_TEST(one_instruction_decides)
{
	struct code_decoder *decoder = code_decoder_create();
	struct flow_callees *callees = flow_callees_create(assembled.cfi, decoder, false);
	char name[16];
	uint64_t pc;

	snprintf(name, sizeof(name), "f%d", _i);
	pc = image_symbol_address(assembled.image, name);
	ck_assert_uint_ne(pc, 0);
	ck_assert_msg(flow_never_returns_by_code(callees, pc) == cases[_i].never, "%s:\n%s", name,
		      cases[_i].body);
	flow_callees_destroy(callees);
	code_decoder_destroy(decoder);
}
END_TEST

SUITE(flow_noreturn_code, FIXTURE_ONCE(setup, teardown), LOOP(one_instruction_decides, cases))
