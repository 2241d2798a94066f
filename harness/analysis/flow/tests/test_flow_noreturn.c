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

#define BEGIN(name)   #name ": startproc; "
#define END	      "endproc; "
#define F(body)	      BEGIN(f) body END
#define G(body)	      BEGIN(g) body END
#define H(body)	      BEGIN(h) body END
#define NEVER(symbol) "call " #symbol "@PLT; "
/* Each calls the next one and returns; so does the last, if it says so. */
#define CIRCLE(last)                                                                               \
	F("call 9f; ret; ")                                                                        \
	".rept 3000; " BEGIN(9) "call 9f; ret; " END ".endr; " BEGIN(9) last END
#define LSDA(sites)                                                                                \
	".section .gcc_except_table,\"a\"; 8: .byte 0xff, 0xff, 1; .uleb128 7f-6f; 6: " sites      \
	"7: .text; "

static const struct noreturn_case {
	const char *rule, *assembly, *expected;
} noreturn_cases[] = {
	{ "a return", F("ret; "), "" },
	{ "a name, called", F(NEVER(abort)), "f" },
	{ "a name, jumped to", F("jmp exit@PLT; "), "f" },
	{ "a name that is defined here counts more than its code",
	  F("call longjmp; ret; ") BEGIN(longjmp) "jmp [rdi]; " END, "f longjmp" },
	{ "nor does that of a switch of stacks",
	  F("call longjmp; ret; ") BEGIN(longjmp) "mov rsp, [rdi]; ret; " END, "f longjmp" },
	{ "a function of its own that returns, whatever its name",
	  F("call exit; ret; ") BEGIN(exit) "test edi, edi; je 1f; jmp [rdi]; 1: ret; " END, "" },
	{ "one that goes on in another that does",
	  F("call exit; ret; ") BEGIN(exit) "jmp g; " END G("ret; "), "" },
	{ "or elsewhere", F("call exit; ret; ") BEGIN(exit) "jmp puts@PLT; " END, "" },
	{ "one that goes on in another of which nobody knows",
	  F("call exit; ret; ") BEGIN(exit) "jmp g; " END G("jmp [rdi]; "), "f" },
	{ "one that never does", F("call exit; ret; ") BEGIN(exit) "1: jmp 1b; " END, "f" },
	{ "one that others may have, too: the call is of this one",
	  F("call 9f; ret; ") ".globl exit; 9: " BEGIN(exit) "ret; " END, "" },
	{ "one that is hidden from them",
	  F("call 9f; ret; ") ".globl exit; .hidden exit; 9: " BEGIN(exit) "ret; " END, "" },
	{ "Go's say themselves whose they are",
	  F("call \"runtime.throw\"; ret; ") "\"runtime.throw\": ret", "f" },
	{ "what is elsewhere returns", F("call puts@PLT; ret; "), "" },
	{ "and so does what is jumped to there", F("jmp puts@PLT; "), "" },
	{ "a call of one that never returns", F("call g; ret; ") G(NEVER(exit)), "f g" },
	{ "a call of one that does", F("call g; " NEVER(exit)) G("ret; "), "f" },
	{ "one of two ways returns", F("test edi, edi; je 1f; call g; 1: ret; ") G(NEVER(exit)),
	  "g" },
	{ "one of two ways returns, the one that is not taken",
	  F("test edi, edi; je 1f; ret; 1: call g; ") G(NEVER(exit)), "g" },
	{ "in a circle nobody returns",
	  F("call puts@PLT; call g; ret; ") G("test edi, edi; je f; " NEVER(exit)), "f g" },
	{ "in a circle with a way out all do",
	  F("call g; ret; ") G("call h; ret; ") H("test edi, edi; jne f; ret; "), "" },
	{ "a way out behind the circle's call",
	  F("call g; ret; ") G("test edi, edi; je 1f; call f; 1: jmp h; ")
		  H("test edi, edi; je f; ret; "),
	  "" },
	{ "calls itself for ever", F("ret; ") G("call g; ret; "), "g" },
	{ "what others may come before is elsewhere", F("call f; ret; "), "" },
	{ "a chain of jumps ends in a return", F("jmp g; ") G("jmp h; ") H("ret; "), "" },
	{ "a chain of jumps ends nowhere", F("jmp g; ") G("jmp h; ") H("jmp f; "), "f g h" },
	{ "goes round for ever", F("1: pause; jmp 1b; "), "f" },
	{ "stops", F("ud2; ") G("hlt; ") H("int3; "), "f g h" },
	{ "a call in passing to know where it is", F("call 1f; 1: pop rax; ret; "), "" },
	{ "a computed call returns", F("call rax; ret; "), "" },
	{ "and ends where it stops behind it", F("call [rax]; ud2; "), "f" },
	{ "a computed jump may be a call", F("jmp [rdi]; "), "" },
	{ "bytes that are no instruction", F(".byte 6; "), "" },
	{ "exit_group", F("mov eax, 231; syscall; ret; "), "f" },
	{ "exit", F("mov eax, 60; xor edi, edi; syscall; ret; "), "f" },
	{ "another system call", F("mov eax, 39; syscall; ret; "), "" },
	{ "a system call of another number", F("mov eax, 60; mov eax, [rdi]; syscall; ret; "), "" },
	{ "a system call behind a call", F("mov eax, 60; call puts@PLT; syscall; ret; "), "" },
	{ "a system call that may be come to with another number",
	  F("mov eax, 60; test edi, edi; je 1f; mov eax, 39; 1: syscall; ret; "), "" },
	{ "a signal's frame is left", F("mov eax, 15; syscall; ret; "), "f" },
	{ "it stops until an interrupt comes", F("hlt; ret; "), "" },
	{ "it stops until a debugger lets it go on", F("int3; ret; "), "" },
	{ "a return by a thunk", F("call 1f; 2: jmp 2b; 1: lea rsp, [rsp+8]; ret; "), "" },
	{ "one that adds", F("call 1f; 2: jmp 2b; 1: add rsp, 8; ret; "), "" },
	{ "one that pops", F("call 1f; 2: jmp 2b; 1: pop rcx; ret; "), "" },
	{ "one that adds less", F("call 1f; 2: jmp 2b; 1: add rsp, 1; ret; "), "" },
	{ "one that leaves it there is called", F("call 1f; 2: jmp 2b; 1: add rsp, 0; ret; "),
	  "f" },
	{ "the same by an address", F("call 1f; 2: jmp 2b; 1: lea rsp, [rsp+1]; ret; "), "" },
	{ "and who leaves it there", F("call 1f; 2: jmp 2b; 1: lea rsp, [rsp]; ret; "), "f" },
	{ "one that makes room is called", F("call 1f; 2: jmp 2b; 1: sub rsp, 8; ret; "), "f" },
	{ "and never returns, if what is called has room alone",
	  F("call 1f; ret; 1: lea rsp, [rsp-8]; 2: jmp 2b; "), "f" },
	{ "a weak function that is linked", F("call 9f; ret; ") ".weak g; 9: " G(NEVER(exit)),
	  "f g" },
	{ "another stack may come back here", F("mov rsp, [rdi]; " NEVER(abort)), "" },
	{ "somebody may come back to this stack", F("mov [rdi], rsp; " NEVER(abort)), "" },
	{ "a stack by a register", F("mov rsp, rdi; " NEVER(abort)), "" },
	{ "a stack by an address", F("lea rsp, [rdi+8]; " NEVER(abort)), "" },
	{ "a stack by an exchange", F("xchg rdi, rsp; " NEVER(abort)), "" },
	{ "a stack from a stack", F("pop rsp; " NEVER(abort)), "" },
	{ "a stack by what is not followed", F("cmovne rsp, rdi; " NEVER(abort)), "" },
	{ "its own frame is no other stack",
	  F("push rbp; mov rbp, rsp; sub rsp, rdi; and rsp, -16; lea rsp, [rbp-8]; "
	    "lea rsp, [rsp+8]; xchg rax, rdx; mov rsp, rbp; " NEVER(abort)),
	  "f" },
	{ "a cold fragment that goes back",
	  F("jne f_cold; 1: nop; " NEVER(abort)) BEGIN(f_cold) "jmp 1b; " END, "f f_cold" },
	{ "a cold part from where it returns",
	  F("jne f_cold; 1: nop; " NEVER(abort) "2: ret; ") BEGIN(f_cold) "jmp 2b; " END, "" },
	{ "where no FDE is", "f: test edi, edi; je 1f; jmp exit@PLT; 1: call g; g: " NEVER(abort),
	  "f g" },
	{ "where no FDE is, into another function", "f: call g; ud2; g: jmp puts@PLT", "f" },
	{ "a landing pad returns",
	  F("lsda 0x1b, 8f; 1: call abort@PLT; 2: ud2; 3: ret; ")
		  LSDA(".uleb128 1b-f, 2b-1b, 3b-f, 0; "),
	  "" },
	{ "a landing pad of another call",
	  F("lsda 0x1b, 8f; 1: call abort@PLT; 2: ud2; 3: ret; ")
		  LSDA(".uleb128 2b-f, 3b-2b, 3b-f, 0; "),
	  "f" },
	{ "landing pads that can't be read",
	  F("lsda 0x1b, 8f; call abort@PLT; ") LSDA(".byte 0x80; "), "" },
	{ "a jump out of the image", F("jmp f+0x1000000; "), "" },
	{ "a call where no FDE is, behind one where one is",
	  F("call g; ret; ") "g: call abort@PLT; ud2", "f g" },
	{ "a name that is defined here, jumped to",
	  F("jmp longjmp; ") BEGIN(longjmp) "jmp [rdi]; " END, "f longjmp" },
	{ "and one that has no FDE", F("jmp longjmp; ") "longjmp: jmp [rdi]", "f longjmp" },
	{ "who waited in a circle goes on when another way out is found",
	  F("9: test edi, edi; je 1f; call f_cold; ret; 1: call g; ret; ")
		  BEGIN(f_cold) "ret; " END G("call h; ret; ") H("call 9b; ret; "),
	  "" },
	{ "a landing pad of what ends before the call",
	  F("lsda 0x1b, 8f; 1: nop; 2: call abort@PLT; ud2; 3: ret; ")
		  LSDA(".uleb128 1b-f, 2b-1b, 3b-f, 0; "),
	  "f" },
	{ "goes round over many instructions", F("1: .fill 3000, 1, 0x90; jmp 1b; "), "f" },
	{ "a circle of many functions", CIRCLE("jmp f; "), "f" },
	{ "and one with a way out", CIRCLE("test edi, edi; jne f; ret; "), "" },
	{ "as many instructions as are followed", F(".fill 65535, 1, 0x90; ud2; "), "f" },
	{ "one more than are followed", F(".fill 65536, 1, 0x90; ud2; "), "" },
};

/* Of an image that is made of an object file. */
static const struct noreturn_case object_cases[] = {
	{ "another file may have its own in place of a weak function",
	  F("call 9f; ret; ") ".weak g; 9: " G(NEVER(exit)), "" },
	{ "what comes in behind its begin is of this one",
	  F("call 9f; ret; ") ".weak g; " G("nop; 9: " NEVER(exit)), "f" },
	{ "another function is its own", F("call 9f; ret; ") "9: " G(NEVER(exit)), "f g" },
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
