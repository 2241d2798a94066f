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

#define PUSHES	   "	push rbx\n	push r14\n"
#define POPS	   "	pop r14\n	pop rbx\n	ret\n"
#define NAMED(f)   "	.type " #f ", @function\n" #f ":"
#define SIZED(f)   "	.size " #f ", .-" #f "\n"
#define OVERWRITES "	mov r14d, 3\n"
#define TAIL	   "tail:	nop\n" POPS
/* f leaves r14 as it was. */
#define F "f:" PUSHES "	jmp tail\n" SIZED(f)
/* Nothing leads here that is followed. */
#define APART "	nop\n"
#define BY_TABLE(table)                                                                            \
	"	and esi, 3\n	lea rcx, " table                                                   \
	"[rip]\n	movsxd rax, dword ptr [rcx+rsi*4]\n"                                              \
	"	add rax, rcx\n	jmp rax\n"
#define KEPT "	.data\n	.quad tail\n	.text\n"

/* clang-format off */
static const struct way_case {
	const char *rule, *assembly, *expected;
} way_cases[] = {
	{ "one function leads there", F TAIL, "rsp+24; same" },
	{ "two do, and r14 is overwritten on one: it is in a word on both",
	  F NAMED(g) PUSHES OVERWRITES "	jmp tail\n" SIZED(g) TAIL, "rsp+24; cfa-24" },
	{ "in the other order of addresses",
	  "f:" PUSHES OVERWRITES "	jmp tail\n" SIZED(f) NAMED(g) PUSHES "	jmp tail\n" SIZED(g) TAIL, "rsp+24; cfa-24" },
	{ "three do", F NAMED(g) PUSHES OVERWRITES "	jmp tail\n" SIZED(g)
	  NAMED(h) PUSHES "	jmp tail\n" SIZED(h) TAIL, "rsp+24; cfa-24" },
	{ "one of them has no such word",
	  F NAMED(g) "	push rbx\n	push rdi\n" OVERWRITES "	jmp tail\n" SIZED(g) TAIL, "rsp+24; lost" },
	{ "or it is elsewhere",
	  F NAMED(g) "	push r14\n	push rbx\n" OVERWRITES "	jmp tail\n" SIZED(g) TAIL, "rsp+24; lost" },
	{ "both have it twice, one word is in the same place",
	  "f:	push r14\n	push r14\n	jmp tail\n" SIZED(f)
	  NAMED(g) "	push r14\n	push rdi\n" OVERWRITES "	jmp tail\n" SIZED(g) TAIL, "rsp+24; cfa-16" },
	{ "the frames differ",
	  "f:	push rbx\n	mov rbx, rsp\n	jmp tail\n" SIZED(f)
	  NAMED(g) "	push rbx\n	mov rbx, rsp\n	push rdi\n	jmp tail\n" SIZED(g)
	  "tail:	mov rdi, [rsp]\n	mov rsp, rbx\n	pop rbx\n	ret\n",
	  "2: functions lead there with different frames" },
	{ "one in doubt, by one of two tables",
	  "f:" PUSHES BY_TABLE("7f") "1:	nop\n2:	nop\n3:	nop\n4:" OVERWRITES BY_TABLE("8f")
	  "5:	jmp tail\n6:" POPS SIZED(f)
	  NAMED(g) PUSHES "	jmp tail\n" SIZED(g) TAIL
	  "	.section .rodata\n7:	.long 1b-7b, 2b-7b, 3b-7b, 4b-7b\n8:	.long 5b-8b, 5b-8b, 6b-8b, 6b-8b\n",
	  "rsp+24; cfa-24" },
	{ "one in doubt, with another frame",
	  "f:" PUSHES BY_TABLE("7f") "1:	nop\n2:	nop\n3:	nop\n4:	push rdi\n" BY_TABLE("8f")
	  "5:	jmp tail\n6:	pop rdi\n" POPS SIZED(f)
	  NAMED(g) PUSHES "	jmp tail\n" SIZED(g) TAIL
	  "	.section .rodata\n7:	.long 1b-7b, 2b-7b, 3b-7b, 4b-7b\n8:	.long 5b-8b, 5b-8b, 6b-8b, 6b-8b\n",
	  "4: code that isn't followed leads there, too" },
	{ "one of a function that returns with another frame",
	  "f:" PUSHES OVERWRITES "	test edi, edi\n	jne tail\n	ret\n" SIZED(f)
	  NAMED(g) PUSHES "	jmp tail\n" SIZED(g) TAIL, "rsp+24; cfa-24" },
	{ "one that nobody calls",
	  F APART "h:" PUSHES OVERWRITES "	jmp tail\n" NAMED(k) "	ret\n" SIZED(k) TAIL,
	  "4: code that isn't followed leads there, too" },
	{ "by a branch",
	  F APART "h:" PUSHES OVERWRITES "	test edi, edi\n	jne tail\n	ud2\n" NAMED(k) "	ret\n" SIZED(k) TAIL,
	  "4: code that isn't followed leads there, too" },
	{ "straight on", F APART "h:" PUSHES OVERWRITES TAIL, "4: code that isn't followed leads there, too" },
	{ "padding before it is none", F "	nop\n	nop\n" TAIL, "rsp+24; same" },
	{ "one that has an FDE",
	  F NAMED(h) "	.cfi_startproc\n	push rbx\n	.cfi_def_cfa_offset 16\n	push r14\n	.cfi_def_cfa_offset 24\n"
	  "	jmp tail\n	.cfi_endproc\n" SIZED(h) TAIL, "4: code that isn't followed leads there, too" },
	{ "into the middle of a function",
	  "f:" PUSHES TAIL SIZED(f) APART "h:" PUSHES OVERWRITES "	jmp tail\n",
	  "4: code that isn't followed leads there, too" },
	{ "before that the function's rows stay",
	  "tail:\nf:" PUSHES "1:	nop\n" POPS SIZED(f) APART "h:" PUSHES OVERWRITES "	jmp 1b\n", "rsp+8; same" },
	{ "room that is made by an address",
	  "f:" PUSHES TAIL SIZED(f) APART "h:	lea rsp, [rsp-16]\n	jmp tail\n",
	  "4: code that isn't followed leads there, too" },
	{ "or by a number", "f:" PUSHES TAIL SIZED(f) APART "h:	sub rsp, 16\n	jmp tail\n",
	  "4: code that isn't followed leads there, too" },
	{ "another stack", "f:" PUSHES TAIL SIZED(f) APART "h:	mov rsp, rdi\n	jmp tail\n",
	  "4: code that isn't followed leads there, too" },
	{ "code that makes no frame is a landing pad: what it overwrites is in a word",
	  "f:" PUSHES TAIL "	call h\n" OVERWRITES "	jmp tail\n" SIZED(f), "rsp+24; cfa-24" },
	{ "or is lost", "f:	push rbx\n	push rdi\n" TAIL "	call h\n" OVERWRITES "	jmp tail\n" SIZED(f),
	  "rsp+24; lost" },
	{ "not if it is popped", "f:	push rbx\n	push rdi\n" TAIL "	call h\n	push rdi\n	pop r14\n	jmp tail\n" SIZED(f),
	  "rsp+24; same" },
	{ "nor if it overwrites others", "f:" PUSHES TAIL "	call h\n	mov r15d, 3\n	jmp tail\n" SIZED(f),
	  "rsp+24; same" },
	{ "where several lead nobody knows whose landing pad it is",
	  F NAMED(g) PUSHES "	jmp tail\n	call h\n	jmp tail\n" SIZED(g) TAIL,
	  "4: code that isn't followed leads there, too" },
	{ "its address is kept, and a jump goes by it",
	  F KEPT NAMED(g) PUSHES OVERWRITES "	mov rax, [rdi]\n	jmp rax\n" SIZED(g) TAIL,
	  "4: code that isn't followed leads there, too" },
	{ "it is kept, and the only function there has such a jump: it is a label of that",
	  "f:" PUSHES "	test edi, edi\n	je tail\n	jmp [rsi]\n" TAIL SIZED(f) KEPT, "rsp+24; same" },
	{ "its address is made, and returned to",
	  F NAMED(g) PUSHES OVERWRITES "	lea rax, tail[rip]\n	push rax\n	ret\n" SIZED(g) TAIL,
	  "4: code that isn't followed leads there, too" },
	{ "by who comes there: it is a label",
	  "f:" PUSHES "	lea rax, tail[rip]\n" TAIL SIZED(f), "rsp+24; same" },
	{ "a function that is called is jumped to by anybody",
	  "f:	call tail\n	ret\n" SIZED(f) APART "h:" PUSHES "	jmp tail\n" NAMED(k) "	ret\n" SIZED(k)
	  "tail:	nop\n	ret\n", "rsp+8; same" },
	{ "and its address is kept", "f:	call tail\n	ret\n" SIZED(f) KEPT "tail:	nop\n	ret\n", "rsp+8; same" },
	{ "as one that a symbol names", "f:	ret\n" SIZED(f) APART "h:	jmp tail\n" NAMED(tail) "	nop\n	ret\n" SIZED(tail),
	  "rsp+8; same" },
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
				synthesis_reason_title((enum synthesis_reason)reason));
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
