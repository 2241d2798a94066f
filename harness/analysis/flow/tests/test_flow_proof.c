/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_proof.c - functions in assembly, and whether one pass over their code proves them
 *
 * A case is the body of one function f. What is expected is how many of its instructions were
 * reached and proven, or -1 if the pass ends without a proof: then it has left nothing behind.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_paths.h"

#define PUSH  "	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
#define POP   "	pop rbx\n	.cfi_def_cfa_offset 8\n"
#define TABLE "	.section .rodata\n9:	.long 2b-9b, 1b-9b\n	.text\n"

static const struct proof_case {
	const char *rule, *assembly;
	int instructions;
} proof_cases[] = {
	{ "straight on", PUSH "	xor ebx, ebx\n" POP "	ret\n", 4 },
	{ "a row that is wrong", PUSH "	sub rsp, 8\n	add rsp, 8\n" POP "	ret\n", -1 },
	{ "a row that is not the right one any more",
	  PUSH POP "	.cfi_restore rbx\n	mov ebx, edi\n	ret\n", -1 },
	{ "a word that is overwritten", PUSH "	mov [rsp], rdi\n" POP "	ret\n", -1 },
	{ "a part of it", PUSH "	mov byte ptr [rsp+7], 1\n" POP "	ret\n", -1 },
	{ "by a vector register", PUSH "	movups [rsp-8], xmm0\n" POP "	ret\n", -1 },
	{ "the word beside it", PUSH "	mov [rsp-8], rdi\n" POP "	ret\n", 4 },
	{ "by way of an address that was read back",
	  PUSH "	lea rax, [rsp]\n	mov [rsp-16], rax\n	mov rcx, [rsp-16]\n"
	       "	mov [rcx], rdi\n" POP "	ret\n",
	  -1 },
	{ "of one that others may have changed it tells of no write",
	  PUSH "	lea rax, [rsp]\n	mov [rsp-16], rax\n	mov [rsi], edi\n"
	       "	mov rcx, [rsp-16]\n	mov [rcx], rdi\n" POP "	ret\n",
	  8 },
	{ "a loop",
	  PUSH "	xor ebx, ebx\n1:	inc ebx\n	cmp ebx, edi\n	jne 1b\n" POP
	       "	ret\n",
	  7 },
	{ "a loop in a loop",
	  PUSH
	  "1:	xor ebx, ebx\n2:	inc ebx\n	cmp ebx, edi\n	jne 2b\n	dec edi\n"
	  "	jne 1b\n" POP "	ret\n",
	  9 },
	{ "a loop that is entered in the middle",
	  PUSH "	jmp 2f\n1:	call g@PLT\n2:	dec ebx\n	jne 1b\n" POP "	ret\n", 7 },
	{ "a loop whose stack grows",
	  PUSH "1:	push rdi\n	dec ebx\n	jne 1b\n	ret\n", -1 },
	{ "a loop that overwrites what is saved, when it comes back",
	  PUSH "	lea rax, [rsp-8]\n1:	mov [rax], rdi\n	mov rax, rsp\n	dec ebx\n"
	       "	jne 1b\n" POP "	ret\n",
	  8 },
	{ "ways that differ in what the row counts from",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n"
	  "	.cfi_def_cfa_register rbp\n	test edi, edi\n	je 1f\n	xor ebp, ebp\n"
	  "1:	leave\n	.cfi_def_cfa rsp, 8\n	ret\n",
	  -1 },
	{ "code that nothing leads to", "	ret\n	xor eax, eax\n	ret\n", -1 },
	{ "padding that nothing leads to", "	ret\n	nop\n	ud2\n", 1 },
	{ "bytes that are no instruction, and that nothing leads to", "	ret\n	.byte 6\n", 1 },
	{ "a row that begins inside an instruction, though it says the same",
	  "	.byte 0xb8\n	.cfi_remember_state\n	.byte 1, 0, 0, 0\n	ret\n", -1 },
	{ "another row that does",
	  "	.byte 0xb8\n	.cfi_def_cfa_offset 16\n	.byte 1, 0, 0, 0\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n",
	  -1 },
	{ "bytes that are no instruction", PUSH "	.byte 6\n", -1 },
	{ "a register in which another is kept is overwritten",
	  "	mov rax, rbx\n	.cfi_register rbx, rax\n	xor ebx, ebx\n	xor eax, eax\n	"
	  "nop\n"
	  "	ud2\n",
	  -1 },
	{ "by a call",
	  "	mov rax, rbx\n	.cfi_register rbx, rax\n	xor ebx, ebx\n	call g@PLT\n"
	  "	nop\n	ud2\n",
	  -1 },
	{ "or is not",
	  "	mov rax, rbx\n	.cfi_register rbx, rax\n	xor ebx, ebx\n	xor ecx, ecx\n	"
	  "nop\n"
	  "	ud2\n",
	  5 },
	{ "a CFA that is an expression, and moves",
	  "	.cfi_escape 0x0f, 2, 0x77, 8\n	nop\n	sub rsp, 8\n	nop\n	ud2\n", -1 },
	{ "a register that no callee preserves, where its row says",
	  "	.cfi_same_value rdi\n	nop\n	xor edi, edi\n	nop\n	ud2\n", -1 },
	{ "a comparison says that rsp is elsewhere",
	  "	lea rax, [rsp-16]\n	cmp rsp, rax\n	jne 1f\n	nop\n	ud2\n1:	ret\n",
	  -1 },
	{ "the other way round",
	  "	lea rax, [rsp-16]\n	cmp rax, rsp\n	jne 1f\n	nop\n	ud2\n1:	ret\n",
	  -1 },
	{ "or it says nothing of it",
	  "	lea rax, [rsp-16]\n	cmp rcx, rax\n	jne 1f\n	nop\n	ud2\n1:	ret\n", 6 },
	{ "another thread begins", "	mov eax, 56\n	syscall\n	nop\n	ret\n", -1 },
	{ "a thread that ends", "	mov eax, 60\n	syscall\n", 2 },
	{ "many ways are open at once",
	  "	je 5f\n	jo 2f\n	js 8f\n	jp 1f\n	jc 7f\n	jne 3f\n	jno 6f\n"
	  "	jns 4f\n	ret\n1:	nop\n	ret\n2:	nop\n	ret\n3:	nop\n	ret\n"
	  "4:	nop\n	ret\n5:	nop\n	ret\n6:	nop\n	ret\n7:	nop\n	ret\n"
	  "8:	nop\n	ret\n",
	  25 },
	{ "many ways are open, and one of the last brings what is wrong",
	  PUSH
	  "	je 5f\n	jo 2f\n	js 8f\n	jp 1f\n	jc 7f\n	jne 3f\n	jno 6f\n"
	  "	jns 4f\n	hlt\n1:	jmp 9f\n2:	jmp 9f\n3:	jmp 9f\n4:	jmp 9f\n"
	  "5:	jmp 9f\n6:	jmp 9f\n7:	mov [rsp], rdi\n	jmp 9f\n8:	jmp "
	  "9f\n9:	ud2\n",
	  -1 },
	{ "no caller", "	.cfi_undefined rip\n	ud2\n", -1 },
	{ "a jump nobody knows where to, in place of a return", PUSH POP "	jmp [rdi]\n", 3 },
	{ "a jump that goes nobody knows where, with a frame", PUSH "	jmp [rdi]\n", -1 },
	{ "a jump table whose address was known before the loop",
	  PUSH "	lea rdx, 9f[rip]\n3:	cmp edi, 1\n	ja 1f\n	mov edi, edi\n"
	       "	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n	jmp rax\n"
	       "2:	dec edi\n	jmp 3b\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	"
	       "ret\n" TABLE,
	  12 },
	{ "a jump table that ends where an entry leaves the function",
	  PUSH
	  "	mov ebx, [rdi]\n	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rbx*4]\n"
	  "	add rax, rdx\n	jmp rax\n2:	mov eax, 5\n1:	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.section .rodata\n9:	.long 2b-9b, 1b-9b, 0x7fffffff\n	.text\n",
	  9 },
	/* Read on in the next table, its entries lead 8 bytes before their targets: into a number. */
	{ "a jump table that was read on in the next one before that was met",
	  PUSH
	  "	mov ebx, [rdi]\n	lea rdx, 9f[rip]\n	movsxd rax, dword ptr [rdx+rbx*4]\n"
	  "	add rax, rdx\n	jmp rax\n"
	  "2:	mov ecx, [rdi]\n	lea rdx, 8f[rip]\n	movsxd rax, dword ptr [rdx+rcx*4]\n"
	  "	add rax, rdx\n	jmp rax\n"
	  "4:	movabs r8, 0xc3c3c3c3c3c35b5b\n3:	xor eax, eax\n1:	pop rbx\n"
	  "	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.section .rodata\n9:	.long 2b-9b, 1b-9b\n"
	  "8:	.long 4b-8b, 3b-8b, 0x7fffffff\n	.text\n",
	  15 },
	{ "behind a call that never returns another block begins",
	  "	test edi, edi\n	je 1f\n	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	call g@PLT\n	.cfi_def_cfa_offset 8\n1:	xor eax, eax\n	ret\n",
	  -1 },
	{ "an address that is aligned",
	  "	push rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbp, -16\n	mov rbp, "
	  "rsp\n"
	  "	.cfi_def_cfa_register rbp\n	and rsp, -32\n	call g@PLT\n	leave\n"
	  "	.cfi_def_cfa rsp, 8\n	ret\n",
	  6 },
	{ "another part of it",
	  PUSH
	  "	test edi, edi\n	jne f_cold\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.cfi_endproc\nf_cold:	.cfi_startproc\n	.cfi_def_cfa_offset 16\n"
	  "	.cfi_offset rbx, -16\n	mov eax, 1\n	jmp 1b\n",
	  7 },
	{ "an interrupt's handler", "	iretq\n", -1 },
	{ "it returns with more taken off than was there",
	  "	pop rcx\n	.cfi_def_cfa_offset 0\n	.cfi_register rip, rcx\n	ret\n",
	  -1 },
	{ "rows that are missing", "	nop\n	.cfi_escape 0x3f\n	ret\n", -1 },
	{ "another part of it that is wrong",
	  PUSH
	  "	test edi, edi\n	jne f_cold\n1:	pop rbx\n	.cfi_def_cfa_offset 8\n	ret\n"
	  "	.cfi_endproc\nf_cold:	.cfi_startproc\n	.cfi_def_cfa_offset 24\n"
	  "	mov eax, 1\n	jmp 1b\n",
	  -1 },
};

struct proving {
	const struct cfi *cfi;
	struct code_decoder *decoder;
	struct flow_callees *callees;
	struct flow_proof *proof;
	uint64_t target[16];
};

static void ignore_lead(void *context, const struct flow_lead *lead)
{
	(void)context, (void)lead;
}

static int count_reached(const struct flow_fragment *fragment)
{
	int count = 0;

	for (size_t i = 0; i < fragment->code_count; i++)
		count += flow_proof_reached(fragment, &fragment->code[i]);
	return count;
}

/* How many instructions are proven, or -1. */
static int prove(const struct proving *proving, const char *name)
{
	struct flow_world world = { .cfi = proving->cfi,
				    .decoder = proving->decoder,
				    .callees = proving->callees,
				    .target = (uint64_t *)proving->target,
				    .leads_wanted = 1u << FLOW_LEADS_UNCOVERED |
						    1u << FLOW_LEADS_CALL,
				    .leads = ignore_lead };
	uint64_t pc = image_symbol_address(proving->cfi->image, name);
	struct flow_fragment *fragment;
	enum flow_reason reason;
	struct flow flow;
	struct error error;
	bool proven;
	int instructions = 0;

	ck_assert_int_eq(flow_fragment_create(proving->cfi, cfi_fde_find(proving->cfi, pc),
					      &fragment, &reason, &error),
			 0);
	flow_init(&flow, &world, fragment);
	ck_assert_int_eq(flow_proof_try(proving->proof, &flow, &proven, &error), 0);
	ck_assert_ptr_null(flow.proof);
	if (proven) {
		for (size_t i = 0; i < flow.fragment_count; i++)
			instructions += count_reached(flow.fragment[i]);
	} else {
		instructions = -1;
		ck_assert_uint_eq(flow.fragment_count, 1);
		ck_assert_uint_eq(flow.tables.count, 0);
		ck_assert(!flow.found.jump_unknown && !flow.found.too_large);
		for (uint64_t i = 0; i < fragment->end - fragment->begin; i++)
			ck_assert_uint_eq(fragment->block_at[i], 0);
	}
	flow_deinit(&flow);
	return instructions;
}

START_TEST(one_pass_proves_it)
{
	const struct proof_case *test = &proof_cases[_i];
	struct proving proving = { NULL };
	struct assembled assembled;

	assembled_open_function(&assembled, test->assembly);
	proving.cfi = assembled.cfi;
	proving.decoder = code_decoder_create();
	proving.callees = flow_callees_create(assembled.cfi, NULL, false);
	proving.proof = flow_proof_create();
	/* Once more with what the first left behind. */
	for (int i = 0; i < 2; i++) {
		int instructions = prove(&proving, "f");

		ck_assert_msg(instructions == test->instructions, "%s: %d, expected %d", test->rule,
			      instructions, test->instructions);
	}
	flow_proof_destroy(proving.proof);
	flow_proof_destroy(NULL);
	flow_callees_destroy(proving.callees);
	code_decoder_destroy(proving.decoder);
	assembled_close(&assembled);
}
END_TEST

SUITE(flow_proof, TIMEOUT(300), LOOP(one_pass_proves_it, proof_cases))
