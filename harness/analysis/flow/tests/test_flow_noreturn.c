/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_noreturn.c - functions in assembly, and which of them never return
 *
 * A case has functions f, g and so on. What is expected are the names of those that never return.
 * They are asked for in the order of addresses, and once more the other path round.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/flow/flow_callees.h"

#define BEGIN(name)   #name ":	.cfi_startproc\n"
#define END	      "	.cfi_endproc\n"
#define F(body)	      BEGIN(f) body END
#define G(body)	      BEGIN(g) body END
#define H(body)	      BEGIN(h) body END
#define NEVER(symbol) "	call " #symbol "@PLT\n"
/* Each calls the next one and returns; so does the last, if it says so. */
#define CIRCLE(last)                                                                               \
	F("	call 9f\n	ret\n")                                                            \
	"	.rept 3000\n" BEGIN(9) "	call 9f\n	ret\n" END "	.endr\n" BEGIN(9)  \
		last END
#define LSDA(sites)                                                                                \
	"	.section .gcc_except_table,\"a\"\n8:	.byte 0xff, 0xff, 1\n"                              \
	"	.uleb128 7f-6f\n6:" sites "7:\n	.text\n"

static const struct noreturn_case {
	const char *rule, *assembly, *expected;
} noreturn_cases[] = {
	{ "a return", F("	ret\n"), "" },
	{ "a name, called", F(NEVER(abort)), "f" },
	{ "a name, jumped to", F("	jmp exit@PLT\n"), "f" },
	{ "a name that is defined here counts more than its code",
	  F("	call longjmp\n	ret\n") BEGIN(longjmp) "	jmp [rdi]\n" END, "f longjmp" },
	{ "nor does that of a switch of stacks",
	  F("	call longjmp\n	ret\n") BEGIN(longjmp) "	mov rsp, [rdi]\n	ret\n" END,
	  "f longjmp" },
	{ "a function of its own that returns, whatever its name",
	  F("	call exit\n	ret\n") BEGIN(exit) "	test edi, edi\n	je 1f\n	jmp "
						    "[rdi]\n1:	ret\n" END,
	  "" },
	{ "one that goes on in another that does",
	  F("	call exit\n	ret\n") BEGIN(exit) "	jmp g\n" END G("	ret\n"), "" },
	{ "or elsewhere", F("	call exit\n	ret\n") BEGIN(exit) "	jmp puts@PLT\n" END, "" },
	{ "one that goes on in another of which nobody knows",
	  F("	call exit\n	ret\n") BEGIN(exit) "	jmp g\n" END G("	jmp [rdi]\n"),
	  "f" },
	{ "one that never does", F("	call exit\n	ret\n") BEGIN(exit) "1:	jmp 1b\n" END,
	  "f" },
	{ "one that others may have, too: the call is of this one",
	  F("	call 9f\n	ret\n") "	.globl exit\n9:" BEGIN(exit) "	ret\n" END, "" },
	{ "one that is hidden from them",
	  F("	call 9f\n	ret\n") "	.globl exit\n	.hidden exit\n9:" BEGIN(
		  exit) "	ret\n" END,
	  "" },
	{ "Go's say themselves whose they are",
	  F("	call \"runtime.throw\"\n	ret\n") "\"runtime.throw\":	ret\n", "f" },
	{ "what is elsewhere returns", F("	call puts@PLT\n	ret\n"), "" },
	{ "and so does what is jumped to there", F("	jmp puts@PLT\n"), "" },
	{ "a call of one that never returns", F("	call g\n	ret\n") G(NEVER(exit)),
	  "f g" },
	{ "a call of one that does", F("	call g\n" NEVER(exit)) G("	ret\n"), "f" },
	{ "one of two ways returns",
	  F("	test edi, edi\n	je 1f\n	call g\n1:	ret\n") G(NEVER(exit)), "g" },
	{ "one of two ways returns, the one that is not taken",
	  F("	test edi, edi\n	je 1f\n	ret\n1:	call g\n") G(NEVER(exit)), "g" },
	{ "in a circle nobody returns",
	  F("	call puts@PLT\n	call g\n	ret\n")
		  G("	test edi, edi\n	je f\n" NEVER(exit)),
	  "f g" },
	{ "in a circle with a way out all do",
	  F("	call g\n	ret\n") G("	call h\n	ret\n")
		  H("	test edi, edi\n	jne f\n	ret\n"),
	  "" },
	{ "a way out behind the circle's call",
	  F("	call g\n	ret\n") G("	test edi, edi\n	je 1f\n	call f\n1:	jmp h\n")
		  H("	test edi, edi\n	je f\n	ret\n"),
	  "" },
	{ "calls itself for ever", F("	ret\n") G("	call g\n	ret\n"), "g" },
	{ "what others may come before is elsewhere", F("	call f\n	ret\n"), "" },
	{ "a chain of jumps ends in a return", F("	jmp g\n") G("	jmp h\n") H("	ret\n"),
	  "" },
	{ "a chain of jumps ends nowhere", F("	jmp g\n") G("	jmp h\n") H("	jmp f\n"),
	  "f g h" },
	{ "goes round for ever", F("1:	pause\n	jmp 1b\n"), "f" },
	{ "stops", F("	ud2\n") G("	hlt\n") H("	int3\n"), "f g h" },
	{ "a call in passing to know where it is", F("	call 1f\n1:	pop rax\n	ret\n"),
	  "" },
	{ "a computed call returns", F("	call rax\n	ret\n"), "" },
	{ "and ends where it stops behind it", F("	call [rax]\n	ud2\n"), "f" },
	{ "a computed jump may be a call", F("	jmp [rdi]\n"), "" },
	{ "bytes that are no instruction", F("	.byte 6\n"), "" },
	{ "exit_group", F("	mov eax, 231\n	syscall\n	ret\n"), "f" },
	{ "exit", F("	mov eax, 60\n	xor edi, edi\n	syscall\n	ret\n"), "f" },
	{ "another system call", F("	mov eax, 39\n	syscall\n	ret\n"), "" },
	{ "a system call of another number",
	  F("	mov eax, 60\n	mov eax, [rdi]\n	syscall\n	ret\n"), "" },
	{ "a system call behind a call",
	  F("	mov eax, 60\n	call puts@PLT\n	syscall\n	ret\n"), "" },
	{ "a system call that may be come to with another number",
	  F("	mov eax, 60\n	test edi, edi\n	je 1f\n	mov eax, 39\n1:	syscall\n	ret\n"),
	  "" },
	{ "a signal's frame is left", F("	mov eax, 15\n	syscall\n	ret\n"), "f" },
	{ "it stops until an interrupt comes", F("	hlt\n	ret\n"), "" },
	{ "it stops until a debugger lets it go on", F("	int3\n	ret\n"), "" },
	{ "a return by a thunk",
	  F("	call 1f\n2:	jmp 2b\n1:	lea rsp, [rsp+8]\n	ret\n"), "" },
	{ "one that adds", F("	call 1f\n2:	jmp 2b\n1:	add rsp, 8\n	ret\n"), "" },
	{ "one that pops", F("	call 1f\n2:	jmp 2b\n1:	pop rcx\n	ret\n"), "" },
	{ "one that adds less", F("	call 1f\n2:	jmp 2b\n1:	add rsp, 1\n	ret\n"),
	  "" },
	{ "one that leaves it there is called",
	  F("	call 1f\n2:	jmp 2b\n1:	add rsp, 0\n	ret\n"), "f" },
	{ "the same by an address",
	  F("	call 1f\n2:	jmp 2b\n1:	lea rsp, [rsp+1]\n	ret\n"), "" },
	{ "and who leaves it there",
	  F("	call 1f\n2:	jmp 2b\n1:	lea rsp, [rsp]\n	ret\n"), "f" },
	{ "one that makes room is called",
	  F("	call 1f\n2:	jmp 2b\n1:	sub rsp, 8\n	ret\n"), "f" },
	{ "and never returns, if what is called has room alone",
	  F("	call 1f\n	ret\n1:	lea rsp, [rsp-8]\n2:	jmp 2b\n"), "f" },
	{ "a weak function that is linked",
	  F("	call 9f\n	ret\n") "	.weak g\n9:" G(NEVER(exit)), "f g" },
	{ "another stack may come back here", F("	mov rsp, [rdi]\n" NEVER(abort)), "" },
	{ "somebody may come back to this stack", F("	mov [rdi], rsp\n" NEVER(abort)), "" },
	{ "a stack by a register", F("	mov rsp, rdi\n" NEVER(abort)), "" },
	{ "a stack by an address", F("	lea rsp, [rdi+8]\n" NEVER(abort)), "" },
	{ "a stack by an exchange", F("	xchg rdi, rsp\n" NEVER(abort)), "" },
	{ "a stack from a stack", F("	pop rsp\n" NEVER(abort)), "" },
	{ "a stack by what is not followed", F("	cmovne rsp, rdi\n" NEVER(abort)), "" },
	{ "its own frame is no other stack",
	  F("	push rbp\n	mov rbp, rsp\n	sub rsp, rdi\n	and rsp, -16\n"
	    "	lea rsp, [rbp-8]\n	lea rsp, [rsp+8]\n	xchg rax, rdx\n	mov rsp, "
	    "rbp\n" NEVER(abort)),
	  "f" },
	{ "a cold fragment that goes back",
	  F("	jne f_cold\n1:	nop\n" NEVER(abort)) BEGIN(f_cold) "	jmp 1b\n" END, "f f_cold" },
	{ "a cold part from where it returns",
	  F("	jne f_cold\n1:	nop\n" NEVER(abort) "2:	ret\n") BEGIN(f_cold) "	jmp 2b\n" END, "" },
	{ "where no FDE is",
	  "f:	test edi, edi\n	je 1f\n	jmp exit@PLT\n1:	call g\ng:" NEVER(abort), "f g" },
	{ "where no FDE is, into another function", "f:	call g\n	ud2\ng:	jmp puts@PLT\n",
	  "f" },
	{ "a landing pad returns",
	  F("	.cfi_lsda 0x1b, 8f\n1:	call abort@PLT\n2:	"
	    "ud2\n"
	    "3:	ret\n") LSDA("	.uleb128 1b-f, 2b-1b, 3b-f, 0\n"),
	  "" },
	{ "a landing pad of another call",
	  F("	.cfi_lsda 0x1b, 8f\n1:	call abort@PLT\n2:	"
	    "ud2\n"
	    "3:	ret\n") LSDA("	.uleb128 2b-f, 3b-2b, 3b-f, 0\n"),
	  "f" },
	{ "landing pads that can't be read",
	  F("	.cfi_lsda 0x1b, 8f\n	call abort@PLT\n") LSDA("	.byte 0x80\n"), "" },
	{ "a jump out of the image", F("	jmp f+0x1000000\n"), "" },
	{ "a call where no FDE is, behind one where one is",
	  F("	call g\n	ret\n") "g:	call abort@PLT\n	ud2\n", "f g" },
	{ "a name that is defined here, jumped to",
	  F("	jmp longjmp\n") BEGIN(longjmp) "	jmp [rdi]\n" END, "f longjmp" },
	{ "and one that has no FDE", F("	jmp longjmp\n") "longjmp:	jmp [rdi]\n",
	  "f longjmp" },
	{ "who waited in a circle goes on when another way out is found",
	  F("9:	test edi, edi\n	je 1f\n	call f_cold\n	ret\n1:	call g\n	ret\n")
		  BEGIN(f_cold) "	ret\n" END G("	call h\n	ret\n")
			  H("	call 9b\n	ret\n"),
	  "" },
	{ "a landing pad of what ends before the call",
	  F("	.cfi_lsda 0x1b, 8f\n1:	nop\n2:	call abort@PLT\n	ud2\n"
	    "3:	ret\n") LSDA("	.uleb128 1b-f, 2b-1b, 3b-f, 0\n"),
	  "f" },
	{ "goes round over many instructions", F("1:	.fill 3000, 1, 0x90\n	jmp 1b\n"), "f" },
	{ "a circle of many functions", CIRCLE("	jmp f\n"), "f" },
	{ "and one with a way out", CIRCLE("	test edi, edi\n	jne f\n	ret\n"), "" },
	{ "as many instructions as are followed", F("	.fill 65535, 1, 0x90\n	ud2\n"), "f" },
	{ "one more than are followed", F("	.fill 65536, 1, 0x90\n	ud2\n"), "" },
};

/* Of an image that is made of an object file. */
static const struct noreturn_case object_cases[] = {
	{ "another file may have its own in place of a weak function",
	  F("	call 9f\n	ret\n") "	.weak g\n9:" G(NEVER(exit)), "" },
	{ "what comes in behind its begin is of this one",
	  F("	call 9f\n	ret\n") "	.weak g\n" G("	nop\n9:" NEVER(exit)), "f" },
	{ "another function is its own", F("	call 9f\n	ret\n") "9:" G(NEVER(exit)),
	  "f g" },
};

/* Names of the functions that never return, in the order of addresses. */
static void ask(const struct image *image, const struct cfi *cfi, bool is_object, bool backwards,
		char *text, size_t size)
{
	struct code_decoder *decoder = code_decoder_create();
	struct flow_callees *callees = flow_callees_create(cfi, decoder, is_object);
	static const char *const asked[] = { "f", "f_cold", "g", "h", "longjmp" };
	const size_t count = sizeof(asked) / sizeof(asked[0]);
	bool never[sizeof(asked) / sizeof(asked[0])] = { false };

	ck_assert_ptr_nonnull(callees);
	for (size_t i = 0; i < count; i++) {
		size_t number = backwards ? count - 1 - i : i;
		uint64_t pc = image_symbol_address(image, asked[number]);

		never[number] = pc && flow_never_returns_by_code(callees, pc);
	}
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		if (never[i])
			snprintf(text + strlen(text), size - strlen(text), "%s%s",
				 text[0] ? " " : "", asked[i]);
	flow_callees_destroy(callees);
	flow_callees_destroy(NULL);
	code_decoder_destroy(decoder);
}

static void check(const struct noreturn_case *test, bool is_object)
{
	struct assembled assembled;
	char text[100];

	assembled_open(&assembled, test->assembly);
	for (int backwards = 0; backwards < 2; backwards++) {
		ask(assembled.image, assembled.cfi, is_object, backwards, text, sizeof(text));
		ck_assert_msg(!strcmp(text, test->expected), "%s%s: '%s', expected '%s'",
			      test->rule, backwards ? ", backwards" : "", text, test->expected);
	}
	assembled_close(&assembled);
}

START_TEST(functions_that_never_return_are_found)
{
	check(&noreturn_cases[_i], false);
}
END_TEST

START_TEST(a_weak_function_may_be_replaced)
{
	check(&object_cases[_i], true);
}
END_TEST

SUITE(flow_noreturn, LOOP(functions_that_never_return_are_found, noreturn_cases),
      LOOP(a_weak_function_may_be_replaced, object_cases))
