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

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define EXIT "	call exit@PLT\n"
/* It never returns, unless the instruction itself may. */
#define ONE(code) "	" code "\n" EXIT
/* c is called where the instruction is, and never comes back. */
#define CALLED(code)                                                                               \
	"	call 9f\n	ret\n	.cfi_endproc\n9:	.cfi_startproc\n	" code     \
	"\n" EXIT
#define LINUX(code) code "	syscall\n	ret\n"
#define NEXT(body)  "	.cfi_endproc\n9:	.cfi_startproc\n" body

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
	{ LINUX("	mov eax, 60\n"), true },
	{ LINUX("	mov eax, 231\n"), true },
	{ LINUX("	mov eax, 15\n"), true },
	{ LINUX("	mov eax, 59\n"), false },
	{ LINUX("	mov eax, 61\n"), false },
	{ LINUX("	mov eax, 230\n"), false },
	{ LINUX("	mov eax, 232\n"), false },
	{ LINUX("	mov eax, 0\n"), false },
	{ LINUX("	mov ecx, 60\n"), false },
	{ LINUX(""), false },
	{ LINUX("	mov ecx, 59\n	mov eax, 60\n"), true },
	{ LINUX("	mov eax, 60\n	mov ecx, 59\n"), true },
	{ LINUX("	mov eax, 60\n	mov eax, 59\n"), false },
	{ LINUX("	mov eax, 59\n	mov eax, 60\n"), true },
	{ LINUX("	mov eax, 60\n	inc eax\n"), false },
	{ LINUX("	mov eax, 60\n	mov eax, edi\n"), false },
	{ LINUX("	mov eax, 60\n	cpuid\n"), false },
	{ LINUX("	mov eax, 60\n	nop\n	xor edi, edi\n	mov [rdi], rax\n"), true },
	{ LINUX("	mov eax, 60\n	jne 1f\n1:"), false },
	{ LINUX("	mov eax, 60\n	jmp 1f\n1:"), false },
	{ LINUX("	mov eax, 60\n	call [rdi]\n"), false },
	{ "	mov eax, 39\n	syscall\n	mov eax, 60\n	syscall\n	ret\n", true },
	{ "	mov eax, 60\n	ret\n", false },
	/* Where it goes on. */
	{ "	ret\n", false },
	{ "	ret 8\n", false },
	{ "	jmp rax\n", false },
	{ "	jmp [rdi]\n", false },
	{ "	.byte 6\n", false },
	{ "	ud2\n	ret\n", true },
	{ "	int3\n	ret\n", false },
	{ "	hlt\n	ret\n", false },
	{ "	int3\n" NEXT("	ret\n"), true },
	{ "	hlt\n" NEXT("	ret\n"), true },
	{ "	hlt\n	ud2\n", true },
	{ "	int3\n	" EXIT, true },
	{ "	call [rdi]\n	ret\n", false },
	{ "	call [rdi]\n	ud2\n", true },
	{ "	je 1f\n	ud2\n1:	ret\n", false },
	{ "	je 1f\n	ret\n1:	ud2\n", false },
	{ "	je 1f\n	ud2\n1:	hlt\n	ud2\n", true },
	{ "	jmp 1f\n	ret\n1:	ud2\n", true },
	{ "	jmp 1f\n	ud2\n1:	ret\n", false },
	{ "	xbegin 1f\n	ud2\n1:	ret\n", false },
	{ "	xbegin 1f\n	ret\n1:	ud2\n", false },
	{ "	xbegin 1f\n	ud2\n1:	ud2\n", true },
	{ "1:	dec edi\n	jne 1b\n	ud2\n", true },
	{ "1:	dec edi\n	jne 1b\n	ret\n", false },
	{ "	jmp 9f\n" NEXT("	ret\n"), false },
	{ "	jmp 9f\n" NEXT("	ud2\n"), true },
	{ "	jmp 9f+2\n" NEXT("	ud2\n	ret\n"), false },
	{ "	jmp 9f+1\n" NEXT("	ret\n	ud2\n"), true },
	{ "	je 9f\n	ud2\n" NEXT("	ret\n"), false },
	{ "	je 9f\n	ud2\n" NEXT("	ud2\n"), true },
	/* Calls of what is the function's own. */
	{ "	call 1f\n1:	ud2\n", true },
	{ "	call 1f\n1:	pop rax\n	ud2\n", true },
	{ "	call 1f\n1:	pop rax\n	ret\n", false },
	{ "	call 1f\n	ud2\n1:	pop rax\n	ud2\n", false },
	{ "	call 1f\n	ud2\n1:	nop\n	ud2\n", true },
	{ "	call 1f\n	ret\n1:	nop\n	ret\n", false },
	{ "	call 1f\n	ud2\n1:	nop\n	ret\n", true },
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
	{ "	call f0+0x4000000\n	ud2\n", true },
	{ "	call f0+0x4000000\n	ret\n", false },
	{ "	jmp f0+0x4000000\n", false },
};

static struct assembled assembled;

static void setup(void)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < COUNT(cases); i++)
		fprintf(file, "	.p2align 4\nf%d:	.cfi_startproc\n%s	.cfi_endproc\n", i,
			cases[i].body);
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
