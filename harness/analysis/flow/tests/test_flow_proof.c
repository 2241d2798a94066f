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

#define PUSH  "push rbx; cfa 16; offset rbx, -16; "
#define POP   "pop rbx; cfa 8; "
#define TABLE ".section .rodata; 9: .long 2b-9b, 1b-9b; .text; "

static const struct proof_case {
	const char *rule, *assembly;
	int instructions;
} proof_cases[] = {
	{ "straight on", PUSH "xor ebx, ebx; " POP "ret", 4 },
	{ "a row that is wrong", PUSH "sub rsp, 8; add rsp, 8; " POP "ret", -1 },
	{ "a row that is not the right one any more", PUSH POP "restore rbx; mov ebx, edi; ret",
	  -1 },
	{ "a word that is overwritten", PUSH "mov [rsp], rdi; " POP "ret", -1 },
	{ "a part of it", PUSH "mov byte ptr [rsp+7], 1; " POP "ret", -1 },
	{ "by a vector register", PUSH "movups [rsp-8], xmm0; " POP "ret", -1 },
	{ "the word beside it", PUSH "mov [rsp-8], rdi; " POP "ret", 4 },
	{ "by way of an address that was read back",
	  PUSH "lea rax, [rsp]; mov [rsp-16], rax; mov rcx, [rsp-16]; mov [rcx], rdi; " POP "ret",
	  -1 },
	{ "of one that others may have changed it tells of no write",
	  PUSH "lea rax, [rsp]; mov [rsp-16], rax; mov [rsi], edi; mov rcx, [rsp-16]; "
	       "mov [rcx], rdi; " POP "ret",
	  8 },
	{ "a loop", PUSH "xor ebx, ebx; 1: inc ebx; cmp ebx, edi; jne 1b; " POP "ret", 7 },
	{ "a loop in a loop",
	  PUSH "1: xor ebx, ebx; 2: inc ebx; cmp ebx, edi; jne 2b; dec edi; jne 1b; " POP "ret",
	  9 },
	{ "a loop that is entered in the middle",
	  PUSH "jmp 2f; 1: call g@PLT; 2: dec ebx; jne 1b; " POP "ret", 7 },
	{ "a loop whose stack grows", PUSH "1: push rdi; dec ebx; jne 1b; ret", -1 },
	{ "a loop that overwrites what is saved, when it comes back",
	  PUSH "lea rax, [rsp-8]; 1: mov [rax], rdi; mov rax, rsp; dec ebx; jne 1b; " POP "ret",
	  8 },
	{ "ways that differ in what the row counts from",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; test edi, edi; je 1f; "
	  "xor ebp, ebp; 1: leave; cfa rsp, 8; ret",
	  -1 },
	{ "code that nothing leads to", "ret; xor eax, eax; ret", -1 },
	{ "padding that nothing leads to", "ret; nop; ud2", 1 },
	{ "bytes that are no instruction, and that nothing leads to", "ret; .byte 6", 1 },
	{ "a row that begins inside an instruction, though it says the same",
	  ".byte 0xb8; remember_state; .byte 1, 0, 0, 0; ret", -1 },
	{ "another row that does", ".byte 0xb8; cfa 16; .byte 1, 0, 0, 0; cfa 8; ret", -1 },
	{ "bytes that are no instruction", PUSH ".byte 6", -1 },
	{ "a register in which another is kept is overwritten",
	  "mov rax, rbx; register rbx, rax; xor ebx, ebx; xor eax, eax; nop; ud2", -1 },
	{ "by a call", "mov rax, rbx; register rbx, rax; xor ebx, ebx; call g@PLT; nop; ud2", -1 },
	{ "or is not", "mov rax, rbx; register rbx, rax; xor ebx, ebx; xor ecx, ecx; nop; ud2", 5 },
	{ "a CFA that is an expression, and moves",
	  "escape 0x0f, 2, 0x77, 8; nop; sub rsp, 8; nop; ud2", -1 },
	{ "a register that no callee preserves, where its row says",
	  "same_value rdi; nop; xor edi, edi; nop; ud2", -1 },
	{ "a comparison says that rsp is elsewhere",
	  "lea rax, [rsp-16]; cmp rsp, rax; jne 1f; nop; ud2; 1: ret", -1 },
	{ "the other way round", "lea rax, [rsp-16]; cmp rax, rsp; jne 1f; nop; ud2; 1: ret", -1 },
	{ "or it says nothing of it", "lea rax, [rsp-16]; cmp rcx, rax; jne 1f; nop; ud2; 1: ret",
	  6 },
	{ "another thread begins", "mov eax, 56; syscall; nop; ret", -1 },
	{ "a thread that ends", "mov eax, 60; syscall", 2 },
	{ "many ways are open at once",
	  "je 5f; jo 2f; js 8f; jp 1f; jc 7f; jne 3f; jno 6f; jns 4f; ret; 1: nop; ret; 2: nop; "
	  "ret; 3: nop; ret; 4: nop; ret; 5: nop; ret; 6: nop; ret; 7: nop; ret; 8: nop; ret",
	  25 },
	{ "many ways are open, and one of the last brings what is wrong",
	  PUSH "je 5f; jo 2f; js 8f; jp 1f; jc 7f; jne 3f; jno 6f; jns 4f; hlt; 1: jmp 9f; 2: jmp "
	       "9f; 3: jmp 9f; 4: jmp 9f; 5: jmp 9f; 6: jmp 9f; 7: mov [rsp], rdi; jmp 9f; "
	       "8: jmp 9f; 9: ud2",
	  -1 },
	{ "no caller", "undefined rip; ud2", -1 },
	{ "a jump nobody knows where to, in place of a return", PUSH POP "jmp [rdi]", 3 },
	{ "a jump that goes nobody knows where, with a frame", PUSH "jmp [rdi]", -1 },
	{ "a jump table whose address was known before the loop",
	  PUSH
	  "lea rdx, 9f[rip]; 3: cmp edi, 1; ja 1f; mov edi, edi; movsxd rax, dword ptr "
	  "[rdx+rdi*4]; add rax, rdx; jmp rax; 2: dec edi; jmp 3b; 1: pop rbx; cfa 8; ret; " TABLE,
	  12 },
	{ "a jump table that ends where an entry leaves the function",
	  PUSH "mov ebx, [rdi]; lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rbx*4]; add rax, rdx; "
	       "jmp rax; 2: mov eax, 5; 1: pop rbx; cfa 8; ret; .section .rodata; "
	       "9: .long 2b-9b, 1b-9b, 0x7fffffff; .text",
	  9 },
	/* Read on in the next table, its entries lead 8 bytes before their targets: into a number. */
	{ "a jump table that was read on in the next one before that was met",
	  PUSH
	  "mov ebx, [rdi]; lea rdx, 9f[rip]; movsxd rax, dword ptr [rdx+rbx*4]; add rax, rdx; jmp "
	  "rax; 2: mov ecx, [rdi]; lea rdx, 8f[rip]; movsxd rax, dword ptr [rdx+rcx*4]; add rax, "
	  "rdx; jmp rax; 4: movabs r8, 0xc3c3c3c3c3c35b5b; 3: xor eax, eax; 1: pop rbx; cfa 8; "
	  "ret; .section .rodata; 9: .long 2b-9b, 1b-9b; 8: .long 4b-8b, 3b-8b, 0x7fffffff; .text",
	  15 },
	{ "behind a call that never returns another block begins",
	  "test edi, edi; je 1f; push rax; cfa 16; call g@PLT; cfa 8; 1: xor eax, eax; ret", -1 },
	{ "an address that is aligned",
	  "push rbp; cfa 16; offset rbp, -16; mov rbp, rsp; cfa rbp; and rsp, -32; call g@PLT; "
	  "leave; cfa rsp, 8; ret",
	  6 },
	{ "another part of it",
	  PUSH "test edi, edi; jne f_cold; 1: pop rbx; cfa 8; ret; fde f_cold; cfa 16; "
	       "offset rbx, -16; mov eax, 1; jmp 1b",
	  7 },
	{ "an interrupt's handler", "iretq", -1 },
	{ "it returns with more taken off than was there", "pop rcx; cfa 0; register rip, rcx; ret",
	  -1 },
	{ "rows that are missing", "nop; escape 0x3f; ret", -1 },
	{ "another part of it that is wrong",
	  PUSH "test edi, edi; jne f_cold; 1: pop rbx; cfa 8; ret; fde f_cold; cfa 24; mov eax, 1; "
	       "jmp 1b",
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
	struct error error = { .code = ERROR_NONE };
	struct flow_world world = { .cfi = proving->cfi,
				    .decoder = proving->decoder,
				    .callees = proving->callees,
				    .target = (uint64_t *)proving->target,
				    .leads_wanted = 1u << FLOW_LEADS_UNCOVERED |
						    1u << FLOW_LEADS_CALL,
				    .leads = ignore_lead,
				    .error = &error };
	uint64_t pc = image_symbol_address(proving->cfi->image, name);
	struct flow_fragment *fragment;
	enum flow_reason reason;
	struct flow flow;
	bool proven;
	int instructions = 0;

	ck_assert_int_eq(flow_fragment_create(proving->cfi, cfi_fde_find(proving->cfi, pc),
					      &fragment, &reason, &error),
			 0);
	flow_init(&flow, &world, fragment);
	proven = flow_proof_try(proving->proof, &flow);
	ck_assert(!flow_lacks(&world));
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
