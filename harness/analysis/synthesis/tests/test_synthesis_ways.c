/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_ways.c - an instruction that several functions lead to, and not all of them are followed
 *
 * A case is assembled and linked into a shared object, in which code jumps to the label `tail`. What is expected is the
 * row there as "cfa; r14", or why there is none, and for how many instructions of the function around it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "synthesis_fixture.h"

#define R14 4 /* its column */

#define PUSHES	   "push rbx; push r14; "
#define POPS	   "pop r14; pop rbx; ret; "
#define NAMED(f)   ".type " #f ", @function; " #f ": "
#define SIZED(f)   ".size " #f ", .-" #f "; "
#define OVERWRITES "mov r14d, 3; "
#define TAIL	   "tail: nop; " POPS
/* f leaves r14 as it was. */
#define F "f: " PUSHES "jmp tail; " SIZED(f)
/* Nothing leads here that is followed. */
#define APART "nop; "
#define BY_TABLE(table)                                                                            \
	"and esi, 3; lea rcx, " table                                                              \
	"[rip]; movsxd rax, dword ptr [rcx+rsi*4]; add rax, rcx; jmp rax; "
#define KEPT ".data; .quad tail; .text; "

/* clang-format off */
static const struct way_case {
	const char *rule, *assembly, *expected;
} way_cases[] = {
	{ "one function leads there", F TAIL, "rsp+24; same" },
	{ "two do, and r14 is overwritten on one: it is in a word on both", F NAMED(g) PUSHES
	  OVERWRITES "jmp tail; " SIZED(g) TAIL, "rsp+24; cfa-24" },
	{ "in the other order of addresses", "f: " PUSHES OVERWRITES "jmp tail; " SIZED(f) NAMED(g)
	  PUSHES "jmp tail; " SIZED(g) TAIL, "rsp+24; cfa-24" },
	{ "three do", F NAMED(g) PUSHES OVERWRITES "jmp tail; " SIZED(g) NAMED(h) PUSHES
	  "jmp tail; " SIZED(h) TAIL, "rsp+24; cfa-24" },
	{ "one of them has no such word", F NAMED(g) "push rbx; push rdi; " OVERWRITES "jmp tail; "
	  SIZED(g) TAIL, "rsp+24; lost" },
	{ "or it is elsewhere", F NAMED(g) "push r14; push rbx; " OVERWRITES "jmp tail; " SIZED(g)
	  TAIL, "rsp+24; lost" },
	{ "both have it twice, one word is in the same place", "f: push r14; push r14; jmp tail; "
	  SIZED(f) NAMED(g) "push r14; push rdi; " OVERWRITES "jmp tail; " SIZED(g) TAIL,
	  "rsp+24; cfa-16" },
	{ "the frames differ", "f: push rbx; mov rbx, rsp; jmp tail; " SIZED(f) NAMED(g)
	  "push rbx; mov rbx, rsp; push rdi; jmp tail; " SIZED(g)
	  "tail: mov rdi, [rsp]; mov rsp, rbx; pop rbx; ret",
	  "2: functions lead there with different frames" },
	{ "one in doubt, by one of two tables", "f: " PUSHES BY_TABLE("7f")
	  "1: nop; 2: nop; 3: nop; 4: " OVERWRITES BY_TABLE("8f") "5: jmp tail; 6: " POPS SIZED(f)
	  NAMED(g) PUSHES "jmp tail; " SIZED(g) TAIL
	  ".section .rodata; 7: .long 1b-7b, 2b-7b, 3b-7b, 4b-7b; 8: .long 5b-8b, 5b-8b, 6b-8b, 6b-8b",
	  "rsp+24; cfa-24" },
	{ "one in doubt, with another frame", "f: " PUSHES BY_TABLE("7f")
	  "1: nop; 2: nop; 3: nop; 4: push rdi; " BY_TABLE("8f") "5: jmp tail; 6: pop rdi; " POPS
	  SIZED(f) NAMED(g) PUSHES "jmp tail; " SIZED(g) TAIL
	  ".section .rodata; 7: .long 1b-7b, 2b-7b, 3b-7b, 4b-7b; 8: .long 5b-8b, 5b-8b, 6b-8b, 6b-8b",
	  "4: code that isn't followed leads there, too" },
	{ "one of a function that returns with another frame", "f: " PUSHES OVERWRITES
	  "test edi, edi; jne tail; ret; " SIZED(f) NAMED(g) PUSHES "jmp tail; " SIZED(g) TAIL,
	  "rsp+24; cfa-24" },
	{ "one that nobody calls", F APART "h: " PUSHES OVERWRITES "jmp tail; " NAMED(k) "ret; "
	  SIZED(k) TAIL, "4: code that isn't followed leads there, too" },
	{ "by a branch", F APART "h: " PUSHES OVERWRITES "test edi, edi; jne tail; ud2; " NAMED(k)
	  "ret; " SIZED(k) TAIL, "4: code that isn't followed leads there, too" },
	{ "straight on", F APART "h: " PUSHES OVERWRITES TAIL, "4: code that isn't followed leads there, too" },
	{ "padding before it is none", F "nop; nop; " TAIL, "rsp+24; same" },
	{ "one that has an FDE",
	  F NAMED(h) "startproc; push rbx; cfa 16; push r14; cfa 24; jmp tail; endproc; "
	  "" SIZED(h) TAIL, "4: code that isn't followed leads there, too" },
	{ "into the middle of a function", "f: " PUSHES TAIL SIZED(f) APART "h: " PUSHES OVERWRITES
	  "jmp tail", "4: code that isn't followed leads there, too" },
	{ "before that the function's rows stay", "tail: f: " PUSHES "1: nop; " POPS SIZED(f) APART
	  "h: " PUSHES OVERWRITES "jmp 1b", "rsp+8; same" },
	{ "room that is made by an address", "f: " PUSHES TAIL SIZED(f) APART
	  "h: lea rsp, [rsp-16]; jmp tail", "4: code that isn't followed leads there, too" },
	{ "or by a number", "f: " PUSHES TAIL SIZED(f) APART "h: sub rsp, 16; jmp tail",
	  "4: code that isn't followed leads there, too" },
	{ "another stack", "f: " PUSHES TAIL SIZED(f) APART "h: mov rsp, rdi; jmp tail",
	  "4: code that isn't followed leads there, too" },
	{ "code that makes no frame is a landing pad: what it overwrites is in a word", "f: " PUSHES
	  TAIL "call h; " OVERWRITES "jmp tail; " SIZED(f), "rsp+24; cfa-24" },
	{ "or is lost", "f: push rbx; push rdi; " TAIL "call h; " OVERWRITES "jmp tail; " SIZED(f),
	  "rsp+24; lost" },
	{ "not if it is popped", "f: push rbx; push rdi; " TAIL
	  "call h; push rdi; pop r14; jmp tail; " SIZED(f), "rsp+24; same" },
	{ "nor if it overwrites others", "f: " PUSHES TAIL "call h; mov r15d, 3; jmp tail; "
	  SIZED(f), "rsp+24; same" },
	{ "where several lead nobody knows whose landing pad it is", F NAMED(g) PUSHES
	  "jmp tail; call h; jmp tail; " SIZED(g) TAIL,
	  "4: code that isn't followed leads there, too" },
	{ "its address is kept, and a jump goes by it", F KEPT NAMED(g) PUSHES OVERWRITES
	  "mov rax, [rdi]; jmp rax; " SIZED(g) TAIL, "4: code that isn't followed leads there, too" },
	{ "it is kept, and the only function there has such a jump: it is a label of that", "f: "
	  PUSHES "test edi, edi; je tail; jmp [rsi]; " TAIL SIZED(f) KEPT, "rsp+24; same" },
	{ "its address is made, and returned to", F NAMED(g) PUSHES OVERWRITES
	  "lea rax, tail[rip]; push rax; ret; " SIZED(g) TAIL,
	  "4: code that isn't followed leads there, too" },
	{ "by who comes there: it is a label", "f: " PUSHES "lea rax, tail[rip]; " TAIL SIZED(f),
	  "rsp+24; same" },
	{ "a function that is called is jumped to by anybody", "f: call tail; ret; " SIZED(f) APART
	  "h: " PUSHES "jmp tail; " NAMED(k) "ret; " SIZED(k) "tail: nop; ret", "rsp+8; same" },
	{ "and its address is kept", "f: call tail; ret; " SIZED(f) KEPT "tail: nop; ret", "rsp+8; same" },
	{ "as one that a symbol names", "f: ret; " SIZED(f) APART "h: jmp tail; " NAMED(tail)
	  "nop; ret; " SIZED(tail), "rsp+8; same" },
};
/* clang-format on */

static void print_row(FILE *file, const struct synthesis_row *row)
{
	static const char *const kinds[] = { "same", "cfa%+d", "word", "register", "lost" };
	const struct synthesis_place *r14 = &row->place[R14];

	fprintf(file, "%s%+d; ", register_name(row->cfa_register), row->cfa_offset);
	if (r14->kind == SYNTHESIS_AT_CFA)
		fprintf(file, "cfa%+d", r14->offset);
	else
		fputs(kinds[r14->kind], file);
}

static void print_reasons(FILE *file, const struct synthesis_function *function)
{
	for (int reason = 0; reason < SYNTHESIS_REASON_COUNT; reason++)
		if (function->unwritten[reason])
			fprintf(file, "%" PRIu64 ": %s", function->unwritten[reason],
				synthesis_reasons[reason].title);
}

/* What is said of the instruction at pc. The caller's. */
static char *say(const struct synthesis *synthesis, uint64_t pc)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	bool found = false;

	ck_assert_ptr_nonnull(file);
	for (size_t i = 0; i < synthesis->row_count && !found; i++) {
		found = pc >= synthesis->row[i].pc && pc < synthesis->row[i].pc_end;
		if (found)
			print_row(file, &synthesis->row[i]);
	}
	for (size_t i = 0; i < synthesis->function_count && !found; i++)
		if (pc >= synthesis->function[i].begin && pc < synthesis->function[i].end)
			print_reasons(file, &synthesis->function[i]);
	ck_assert_int_eq(fclose(file), 0);
	return text;
}

START_TEST(a_row_holds_on_all_ways)
{
	const struct way_case *test = &way_cases[_i];
	struct world world;
	char *text;

	world_init(&world, test->assembly);
	text = say(&world.synthesis, image_symbol_address(world.image, "tail"));
	ck_assert_msg(!strncmp(text, test->expected, strlen(test->expected)), "%s:\n%s", test->rule,
		      text);
	free(text);
	world_deinit(&world);
}
END_TEST

SUITE(synthesis_ways, TIMEOUT(300), LOOP(a_row_holds_on_all_ways, way_cases))
