/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_functions.c - which functions of a program have no FDE, and where each ends
 *
 * A program of assembly at a known address. Each range is written as "begin-end flags": entered, called, sized,
 * taken. Then which of them nobody has called: the process begins there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "analysis/lint/tests/stepped_folder.h"
#include "analysis/synthesis/synthesis.h"

static void end_all(void)
{
	close_program();
	end();
}

/* Without a type, so that only that it is the entry says that a function begins there. */
#define ENTRY		".globl _start\n_start:\n"
#define NAMED(name)	".type " #name ", @function\n" #name ":\n"
#define SIZED(name)	".size " #name ", . - " #name "\n"
#define FDE(name, code) NAMED(name) ".cfi_startproc\n" code ".cfi_endproc\n"

static const struct range_case {
	const char *rule, *text;
	bool with_taken;
	const char *expected;
} range_cases[] = {
	{ "the entry alone, to its section's end", ENTRY "nop\nhlt\n", false, "0-2 ec" },
	{ "a function that is called", ENTRY "call 1f\nhlt\n1: ret\n", false, "0-6 ec; 6-7 ec" },
	{ "a symbol, with a size and without",
	  ENTRY "hlt\n" NAMED(f) "ret\nnop\n" SIZED(f) NAMED(g) "ret\nnop\n", false,
	  "0-1 ec; 1-3 es; 3-5 es" },
	{ "a symbol that is shorter than to the next",
	  ENTRY "hlt\n" NAMED(f) "ret\n" SIZED(f) "nop\nnop\n" NAMED(g) "ret\n", false,
	  "0-1 ec; 1-2 es; 4-5 es" },
	{ "one that is longer ends at the next",
	  ENTRY "hlt\n" NAMED(f) "ret\n"
				 ".size f, 50\n" NAMED(g) "ret\n" SIZED(g),
	  false, "0-1 ec; 1-2 es; 2-3 es" },
	{ "two symbols at one place",
	  ENTRY
	  "hlt\n" NAMED(f) ".size f, 1\n" NAMED(g) "ret\nnop\nnop\n" SIZED(g) ".skip 4, 0x90\n",
	  false, "0-1 ec; 1-4 es" },
	{ "the same in the other order",
	  ENTRY
	  "hlt\n" NAMED(g) ".size g, 1\n" NAMED(f) "ret\nnop\nnop\n" SIZED(f) ".skip 4, 0x90\n",
	  false, "0-1 ec; 1-4 es" },
	{ "no more than is followed", ENTRY "hlt\n.skip 16777215, 0x90\n", false, "0-16777216 ec" },
	{ "one byte more is left out", ENTRY "hlt\n.skip 16777216, 0x90\n", false,
	  "0-16777216 ec" },
	{ "a symbol and calls of the same", ENTRY "call f\ncall f\nhlt\n" NAMED(f) "ret\n" SIZED(f),
	  false, "0-11 ec; 11-12 ecs" },
	{ "the entry has a symbol, too",
	  ".globl _start\n" NAMED(_start) "hlt\n" SIZED(_start) "nop\n", false, "0-1 ecs" },
	{ "where a jump leads out", ENTRY "jmp f\n" NAMED(f) "je 1f\nret\n" SIZED(f) "1: ret\n",
	  false, "0-2 ec; 2-5 es; 5-6 " },
	{ "what a jump leads to inside is none", ENTRY "je 1f\nnop\n1: hlt\n", false, "0-4 ec" },
	{ "a piece of a function is not called",
	  ENTRY "hlt\n"
		".type f.cold, @function\nf.cold: ret\n.type f.cold.1, @function\nf.cold.1: "
		"ret\n.type f.coldness, @function\nf.coldness: ret\n",
	  false, "0-1 ec; 1-2 s; 2-3 s; 3-4 es" },
	{ "nor is one that a linker cuts off",
	  ENTRY "hlt\n"
		".type f.warm, @function\nf.warm: ret\n.type f.__part.1, @function\n"
		"f.__part.1: ret\n.type f.warmer, @function\nf.warmer: ret\n",
	  false, "0-1 ec; 1-2 s; 2-3 s; 3-4 es" },
	{ "what an FDE covers is none", ENTRY "call f\nhlt\n" FDE(f, "ret\n") "nop\n", false,
	  "0-6 ec" },
	{ "what an FDE calls is", FDE(f, "call 1f\nret\n") ENTRY "hlt\n1: ret\n", false,
	  "6-7 ec; 7-8 ec" },
	{ "an FDE ends it", ENTRY "nop\n" FDE(f, "ret\n") NAMED(g) "nop\n" FDE(h, "ret\n"), false,
	  "0-1 ec; 2-3 es" },
	{ "by several calls, one behind the other",
	  ENTRY "call 1f\nhlt\n1: call 2f\nret\n2: call 3f\nret\n3: ret\n", false,
	  "0-6 ec; 6-12 ec; 12-18 ec; 18-19 ec" },
	{ "main, by its address", ENTRY "lea rdi, 1f[rip]\ncall 2f\nhlt\n2: ret\n1: ret\n", false,
	  "0-13 ec; 13-14 ec; 14-15 ec" },
	{ "by a number", ENTRY "mov edi, offset 1f\ncall 2f\nhlt\n2: ret\n1: ret\n", false,
	  "0-11 ec; 11-12 ec; 12-13 ec" },
	{ "before a call by a register", ENTRY "lea rdi, 1f[rip]\ncall [rax]\nhlt\n1: ret\n", false,
	  "0-10 ec; 10-11 ec" },
	{ "not behind it", ENTRY "call [rax]\nlea rdi, 1f[rip]\nhlt\n1: ret\n", false, "0-11 ec" },
	{ "not what is overwritten", ENTRY "lea rdi, 1f[rip]\npop rdi\ncall [rax]\nhlt\n1: ret\n",
	  false, "0-12 ec" },
	{ "nor another register's", ENTRY "lea rsi, 1f[rip]\ncall [rax]\nhlt\n1: ret\n", false,
	  "0-11 ec" },
	{ "nor by another register", ENTRY "lea rdi, [rax + 1f]\ncall [rax]\nhlt\n1: ret\n", false,
	  "0-11 ec" },
	{ "as the 32nd instruction",
	  ENTRY ".fill 31, 1, 0x90\nlea rdi, 1f[rip]\ncall [rax]\nhlt\n1: ret\n", false,
	  "0-41 ec; 41-42 ec" },
	{ "not as the 33rd", ENTRY ".fill 32, 1, 0x90\nlea rdi, 1f[rip]\ncall [rax]\nhlt\n1: ret\n",
	  false, "0-43 ec" },
	{ "where no code is", ENTRY "mov edi, 0x1000\ncall [rax]\nhlt\n", false, "0-8 ec" },
	{ "an address that is kept is none", ENTRY "lea rsi, 1f[rip]\nhlt\n.balign 16\n1: ret\n",
	  false, "0-17 ec" },
	{ "but if it is asked for",
	  ENTRY "lea rsi, 1f[rip]\nhlt\n.balign 16\n1: call 2f\nret\n2: ret\n", true,
	  "0-16 ec; 16-22 t; 22-23 ec" },
	{ "not inside of what has a size",
	  ENTRY "lea rsi, 1f[rip]\nhlt\n" NAMED(f) "nop\n.balign 16\n1: ret\n" SIZED(f), true,
	  "0-8 ec; 8-17 es" },
	{ "its begin may be",
	  ENTRY "lea rsi, f[rip]\nhlt\n.balign 16\n" NAMED(f) "nop\nret\n" SIZED(f), true,
	  "0-16 ec; 16-18 es" },
	{ "a jump into one without a size, where one may begin",
	  ENTRY "nop\nhlt\n.balign 16\n1: ret\n" NAMED(g) "jmp 1b\n" SIZED(g), false,
	  "0-16 ec; 16-17 ; 17-19 es" },
	{ "and where none may", ENTRY "nop\n1: hlt\n" NAMED(g) "jmp 1b\n" SIZED(g), false,
	  "0-2 ec; 2-4 es" },
	{ "or with one",
	  ENTRY "hlt\n" NAMED(f) "nop\nhlt\n.balign 16\n1: ret\n" SIZED(f)
		  NAMED(g) "jmp 1b\n" SIZED(g),
	  false, "0-1 ec; 1-17 es; 17-19 es" },
	{ "the same place twice, by a jump and by a call",
	  ENTRY "hlt\n" NAMED(f) "jmp 1f\n" SIZED(f)
		  NAMED(g) "call 1f\njmp 1f\n" SIZED(g) "1: ret\n",
	  false, "0-1 ec; 1-3 es; 3-10 es; 10-11 ec" },
	{ "a call into one with a size",
	  ENTRY "hlt\n" NAMED(f) "nop\n1: ret\n" SIZED(f) NAMED(g) "call 1b\nret\n" SIZED(g), false,
	  "0-1 ec; 1-2 es; 2-3 ec; 3-9 es" },
};

static char *say_ranges(bool with_taken)
{
	struct flow_world world;
	struct synthesis_address_taken taken;
	struct synthesis_ranges ranges;
	struct error error;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(flow_world_init(&world, cfi, NULL, &error), 0);
	ck_assert(synthesis_address_taken_init(&taken, &world));
	synthesis_ranges_find(&world, &taken, with_taken, &ranges);
	ck_assert(!flow_lacks(&world));
	for (size_t i = 0; i < ranges.count; i++) {
		const struct synthesis_range *range = &ranges.range[i];

		fprintf(file, "%s%d-%d %s%s%s%s", i ? "; " : "", (int)(range->begin - STEPPED_TEXT),
			(int)(range->end - STEPPED_TEXT), range->entered ? "e" : "",
			range->called ? "c" : "", range->sized ? "s" : "", range->taken ? "t" : "");
	}
	fclose(file);
	free(ranges.range);
	synthesis_address_taken_deinit(&taken);
	flow_world_deinit(&world);
	return text;
}

START_TEST(functions_are_found)
{
	const struct range_case *test = &range_cases[_i];
	char *text;

	open_program(test->text);
	text = say_ranges(test->with_taken);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected", test->rule, text);
	free(text);
}
END_TEST

/* Wherever it lies. */
START_TEST(a_program_at_a_high_address)
{
	struct error error;
	char *text;
	int from, to;

	make_of(path, "-static -nostdlib -Wl,-Ttext=0x10000000", ENTRY "hlt\n");
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_int_eq(cfi_create(image, &cfi, &error), -1);
	text = say_ranges(false);
	ck_assert_int_eq(sscanf(text, "%d-%d ec", &from, &to), 2);
	ck_assert_int_eq(to - from, 1);
	free(text);
}
END_TEST

/* The header of a PLT and two stubs are one, whichever is called. */
START_TEST(a_plt_is_one_function)
{
	struct error error;
	char *text;
	int plt, plt_end, f, f_end, length = 0;

	make_of(path, "-shared -nostdlib -Wl,-z,lazy",
		NAMED(f) "call b@PLT\ncall a@PLT\nret\n" SIZED(f));
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_int_eq(cfi_create(image, &cfi, &error), -1);
	text = say_ranges(false);
	ck_assert_msg(sscanf(text, "%d-%d s; %d-%d es%n", &plt, &plt_end, &f, &f_end, &length) ==
				      4 &&
			      !text[length] && plt_end - plt == 48 && f_end - f == 11,
		      "%s", text);
	free(text);
}
END_TEST

/* ---- FDEs that say nothing -------------------------------------------------------------------- */

START_TEST(fdes_are_replaced)
{
	struct synthesis_range range[3] = { { .begin = STEPPED_TEXT + 1, .end = STEPPED_TEXT + 3 },
					    { .begin = STEPPED_TEXT + 8, .end = STEPPED_TEXT + 12 },
					    { .begin = STEPPED_TEXT + 6,
					      .end = STEPPED_TEXT + 7 } };
	const struct synthesis_ranges ranges = { range, 3 };
	static const uint64_t begins[] = { 0, 5, 1, 8, 6 };
	struct synthesis_blank blank;
	struct error error;

	open_program(ENTRY FDE(f, "ret\n") FDE(g, "nop\nret\n") FDE(h, "nop\nret\n")
			     FDE(k, "ret\n") "hlt\nnop\nnop\nnop\nnop\nhlt\n");
	range[0].replaces = cfi_fde_find(cfi, STEPPED_TEXT + 1);
	range[2].replaces = cfi_fde_find(cfi, STEPPED_TEXT + 3);
	ck_assert_int_eq(synthesis_blank_init(&blank, cfi, &ranges, &error), 0);
	ck_assert_uint_eq(blank.first, 2);
	ck_assert_uint_eq(blank.cfi.fde_count, 5);
	ck_assert_uint_eq(blank.cfi.cie_count, cfi->cie_count + 1);
	for (int i = 0; i < COUNT(begins); i++) {
		const struct cfi_fde *fde = &blank.cfi.fde[i];

		ck_assert_msg(fde->pc_begin == STEPPED_TEXT + begins[i], "%d: %d", i,
			      (int)(fde->pc_begin - STEPPED_TEXT));
		if (i >= 2) {
			ck_assert_uint_eq(fde->pc_range, range[i - 2].end - range[i - 2].begin);
			ck_assert_uint_eq(fde->cie, cfi->cie_count);
		}
	}
	synthesis_blank_deinit(&blank);
}
END_TEST

/* ---- who begins a process --------------------------------------------------------------------- */

static const struct first_case {
	const char *rule, *text, *outermost; /* where functions begin that nobody has called */
} first_cases[] = {
	{ "the entry", ENTRY "call f\nhlt\n" NAMED(f) "ret\n" SIZED(f), "0" },
	{ "not if it returns", ENTRY "call f\nret\n" NAMED(f) "ret\n" SIZED(f), "" },
	{ "what it does nothing but jump to",
	  ENTRY "mov rdi, [rsp]\njmp f\n" NAMED(f) "call g\nhlt\n" SIZED(f)
		  NAMED(g) "ret\n" SIZED(g),
	  "0 6" },
	{ "with 15 instructions before the jump",
	  ENTRY ".fill 15, 1, 0x90\njmp f\n" NAMED(f) "call g\nhlt\n" SIZED(f)
		  NAMED(g) "ret\n" SIZED(g),
	  "0 17" },
	{ "with 16",
	  ENTRY ".fill 16, 1, 0x90\njmp f\n" NAMED(f) "call g\nhlt\n" SIZED(f)
		  NAMED(g) "ret\n" SIZED(g),
	  "0" },
	{ "behind a branch it is something else",
	  ENTRY "je f\nhlt\n" NAMED(f) "call g\nhlt\n" SIZED(f) NAMED(g) "ret\n" SIZED(g), "0" },
	{ "behind a register that callees preserve",
	  ENTRY "xor ebx, ebx\njmp f\n" NAMED(f) "call g\nhlt\n" SIZED(f) NAMED(g) "ret\n" SIZED(g),
	  "0" },
	{ "behind what is no instruction",
	  ENTRY ".byte 0x06\n" NAMED(f) "call g\nhlt\n" SIZED(f) NAMED(g) "ret\n" SIZED(g), "" },
	{ "behind a jump to nowhere",
	  ENTRY "jmp _start + 0x1000000\n" NAMED(f) "call g\nhlt\n" SIZED(f)
		  NAMED(g) "ret\n" SIZED(g),
	  "0" },
};

START_TEST(a_process_begins_somewhere)
{
	const struct first_case *test = &first_cases[_i];
	struct synthesis synthesis;
	struct error error;
	char text[64] = "";

	open_program(test->text);
	ck_assert_int_eq(synthesis_of(cfi, NULL, &synthesis, &error), 0);
	for (size_t i = 0; i < synthesis.function_count; i++) {
		const struct synthesis_function *function = &synthesis.function[i];

		if (function->row_count &&
		    synthesis.row[function->first_row].place[SYNTHESIS_COLUMNS - 1].kind ==
			    SYNTHESIS_LOST)
			sprintf(text + strlen(text), "%s%d", text[0] ? " " : "",
				(int)(function->begin - STEPPED_TEXT));
	}
	ck_assert_msg(!strcmp(text, test->outermost), "%s: %s", test->rule, text);
	synthesis_deinit(&synthesis);
}
END_TEST

SUITE(synthesis_functions, FIXTURE(begin, end_all), LOOP(functions_are_found, range_cases),
      TEST(a_program_at_a_high_address), TEST(a_plt_is_one_function), TEST(fdes_are_replaced),
      LOOP(a_process_begins_somewhere, first_cases))
