/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_jump.c - jump tables, and where they end
 *
 * f has four bytes, and behind it lie g, another function, and h, a part of one. A case is the table t, and what
 * is asked of it: where it begins behind t, how many entries a comparison allows, and "said" if it was one of
 * the index. What is said of the last are targets by their distance from f, "sure" if there are no others,
 * "guessed" if it may end elsewhere, and "beyond" if it begins where another one was read; then how many fragments were
 * known when an entry led out of them, and code that no rows cover.
 */
#include "analysis/flow/flow_jump.c"
#include <elf.h>
#include "tests/suite.h"
#include "flow_fixture.h"
#include "flow_world_fixture.h"
#include "analysis/flow/flow_paths.h"

#define CODE                                                                                       \
	".Lf: nop; nop; nop; ret; fde g; nop; nop; nop; ret; fde h; cfa 16; nop; nop; nop; ret; "
#define TABLE(entries) CODE ".section .tables, \"ax\"; t: .long " entries "; .text; "
/* The same of a function of 17 bytes. */
#define LONG(entries)                                                                              \
	".Lf: .skip 16, 0x90; ret; .section .tables, \"ax\"; t: .long " entries "; .text; "

/* f's end is where a function may begin, and t leads there. Behind it lies code that no rows cover. */
#define END(size, behind)                                                                          \
	".balign 16; .Lf: nop; nop; nop; ret; endproc; .size f, " size "; " behind                 \
	".section .tables, \"ax\"; t: .long .Lf+4-t; .text; .balign 512; startproc; nop; "
#define FDE_AT(distance) ".skip " distance "-4; startproc; nop; endproc; "

struct asked {
	int behind;
	uint32_t bound;
	bool said;
};

#define ASKED(...) .asked = { __VA_ARGS__ }

static const struct jump_case {
	const char *rule, *assembly;
	struct asked asked[3];
	size_t count;
	const char *expected;
} jump_cases[] = {
	{ "a comparison says how many there are", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf-t"),
	  ASKED({ 0, 2, true }), 1, "0 1 2 sure" },
	{ "without one it is a guess", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t"), ASKED({ 0, 2, false }), 1,
	  "0 1 2 guessed" },
	{ "a guess ends with an entry that leaves the function", TABLE(".Lf-t, h-t, .Lf+1-t"),
	  ASKED({ 0, 2, false }), 1, "0 guessed of 1" },
	{ "what was said does not, but for another fragment", TABLE(".Lf-t, h-t, .Lf+1-t"),
	  ASKED({ 0, 2, true }), 1, "0 8 1 sure guessed of 1" },
	{ "many entries lead to few",
	  TABLE(".Lf-t, .Lf+1-t, .Lf-t, .Lf+1-t, .Lf-t, .Lf+3-t, .Lf+1-t"), ASKED({ 0, 6, true }),
	  1, "0 1 3 sure" },
	{ "address 0 is a target as others are",
	  TABLE(".Lf-t, __ehdr_start-t, .Lf+1-t") ".hidden __ehdr_start", ASKED({ 0, 2, false }), 1,
	  "0 guessed of 1" },
	{ "some before a guess ends", TABLE(".Lf+2-t, .Lf+2-t, .Lf+4-t, .Lf+2-t, .Lf+1-t, g+1-t"),
	  ASKED({ 0, 9, false }), 1, "2 1 guessed of 1" },
	{ "a guess was read beyond where this one begins", LONG(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf+3-t"),
	  ASKED({ 0, 9, false }, { 8, 1, true }), 2, "10 11 sure guessed beyond" },
	{ "a guess ended there", TABLE(".Lf-t, .Lf+3-t-4"), ASKED({ 0, 9, false }, { 4, 0, true }),
	  2, "3 sure" },
	{ "nor inside of a fragment that begins with a frame", TABLE(".Lf-t, h+1-t, .Lf+1-t"),
	  ASKED({ 0, 2, true }), 1, "0 9 1 sure guessed of 1" },
	{ "but inside of a function: the comparison was another one",
	  TABLE(".Lf-t, g+1-t, .Lf+1-t"), ASKED({ 0, 2, true }), 1, "0 guessed of 1" },
	{ "the function's end is where nothing goes", TABLE(".Lf-t, .Lf+4-t, .Lf+1-t"),
	  ASKED({ 0, 2, false }), 1, "0 1 guessed" },
	{ "even where it was said", TABLE(".Lf+1-t, .Lf+4-t, .Lf-t"), ASKED({ 0, 2, true }), 1,
	  "1 0 sure" },
	{ "another table begins before", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf+3-t"),
	  ASKED({ 8, 1, true }, { 0, 3, true }), 2, "0 1" },
	{ "the first of those that do", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf+3-t"),
	  ASKED({ 12, 0, true }, { 4, 0, true }, { 0, 3, true }), 3, "0" },
	{ "one that was read beyond where this one begins",
	  TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"), ASKED({ 0, 3, true }, { 8, 1, true }), 2,
	  "2 3 sure guessed beyond" },
	{ "one that ends there", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"),
	  ASKED({ 0, 1, true }, { 8, 1, true }), 2, "2 3 sure" },
	{ "one that is longer where it is met again", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"),
	  ASKED({ 0, 1, true }, { 0, 3, true }, { 8, 1, true }), 3, "2 3 sure guessed beyond" },
	{ "one that is shorter then", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t-8, .Lf+3-t-8"),
	  ASKED({ 0, 3, true }, { 0, 1, true }, { 8, 1, true }), 3, "2 3 sure guessed beyond" },
	{ "the table itself, met again", TABLE(".Lf-t, .Lf+1-t"),
	  ASKED({ 0, 1, true }, { 0, 1, true }), 2, "0 1 sure" },
	{ "another one begins where this one ends", TABLE(".Lf-t, .Lf+1-t, .Lf+2-t, .Lf+3-t"),
	  ASKED({ 8, 1, true }, { 0, 1, true }), 2, "0 1 sure" },
	{ "where nothing is", TABLE(".Lf-t"), ASKED({ 0x100000, 0, true }), 1, " sure" },
	{ "less of it is there than was said",
	  CODE ".section .last, \"awx\"; t: .long .Lf-t, .Lf+1-t; .text", ASKED({ 0, 2, true }), 1,
	  " sure" },
	{ "or than may be", CODE ".section .last, \"awx\"; t: .long .Lf-t, .Lf+1-t; .text",
	  ASKED({ 0, 2, false }), 1, "0 1 guessed" },
	{ "inside of a function whose code is not there",
	  CODE ".section .last, \"awx\"; t: .long .Lf-t, 1f-t; nop; 1: nop; .section .eh_frame, "
	       "\"a\"; 5: .long 7f-6f; 6: .long 0; .byte 1; .asciz \"zR\"; .byte 1, 0x78, 16, 1, "
	       "0x1b, 0x0c, 7, 8, 0x90, 1; .balign 4, 0; 7: .long 9f-8f; "
	       "8: .long .-5b, 1b-1-., 100; .byte 0; .balign 4, 0; 9: .text",
	  ASKED({ 0, 1, true }), 1, "0 far sure guessed of 1" },
	/* The function's code behind its end. */
	{ "its symbol says so", END("6", ""), ASKED({ 0, 0, true }), 1, " sure uncovered 4" },
	{ "it does not", END("4", ""), ASKED({ 0, 0, true }), 1, " sure" },
	{ "another's does", END("6", "nop; nop; k: ret; .type k, @function; .size k, 1; "),
	  ASKED({ 0, 0, true }), 1, " sure uncovered 4" },
	{ "another's is its last byte", END("6", ".set k, .Lf+3; .type k, @function; .size k, 1; "),
	  ASKED({ 0, 0, true }), 1, " sure" },
	{ "another function begins there, though", END("6", "startproc; ret; endproc; "),
	  ASKED({ 0, 0, true }), 1, " sure" },
	{ "no function may begin there, and one does soon", END("4", FDE_AT("16")),
	  ASKED({ 0, 0, true }), 1, " sure uncovered 4" },
	{ "some places on", END("4", FDE_AT("64")), ASKED({ 0, 0, true }), 1, " sure uncovered 4" },
	{ "too many places on", END("4", FDE_AT("80")), ASKED({ 0, 0, true }), 1, " sure" },
	{ "one does where none is aligned to", END("4", FDE_AT("24")), ASKED({ 0, 0, true }), 1,
	  " sure" },
	{ "one may begin there",
	  ".balign 16; .Lf: .skip 16, 0x90; endproc; .size f, 16; .skip 16, 0x90; startproc; ret; "
	  "endproc; .section .tables, \"ax\"; t: .long .Lf+16-t; .text; .balign 512; startproc; "
	  "nop",
	  ASKED({ 0, 0, true }), 1, " sure" },
};

static const struct code jump = { .pc = 77, .flow = CODE_JUMP_INDIRECT, .source = REGISTER_RAX };

/* Of what was not asked, where t has its second entry. */
static void poison_tables(struct flow *flow, uint64_t table)
{
	for (size_t i = flow->tables.count; i < FLOW_TABLES_MAX; i++)
		flow->tables.table[i] = (struct flow_table) { table + 4, table + 4 };
}

static void keep_uncovered(void *context, const struct flow_lead *lead)
{
	ck_assert_uint_eq(lead->from, jump.pc);
	*(uint64_t *)context = lead->pc;
}

START_TEST(a_table_has_targets)
{
	const struct jump_case *test = &jump_cases[_i];
	static struct followed followed;
	struct flow_state state;
	uint64_t table, target[16], uncovered = 0;
	size_t count = 0, size;
	bool sure = false;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	followed_init(&followed, test->assembly);
	table = image_symbol_address(followed.assembled.image, "t");
	state_read(&state, "");
	poison_tables(&followed.flow, table);
	followed.world.leads = keep_uncovered;
	followed.world.leads_wanted = 1u << FLOW_LEADS_UNCOVERED;
	followed.world.context = &uncovered;
	for (size_t i = 0; i < test->count; i++) {
		const struct asked *asked = &test->asked[i];

		state.reg[REGISTER_RAX] =
			(struct value) { .kind = VALUE_TARGET,
					 .scale = 4,
					 .compared = asked->said,
					 .bound = asked->bound,
					 .number = (int64_t)table + asked->behind };
		followed.flow.round.guessed_end = followed.flow.round.read_past = false;
		followed.flow.round.guessed_fragments = 0;
		count = flow_jump_targets(&followed.flow, &state, &jump, target, &sure);
	}
	for (size_t i = 0; i < count; i++)
		if (target[i] - followed.flow.function < 4096)
			fprintf(file, "%s%" PRId64, i ? " " : "",
				(int64_t)(target[i] - followed.flow.function));
		else
			fputs(" far", file);
	fprintf(file, "%s%s%s", sure ? " sure" : "",
		followed.flow.round.guessed_end ? " guessed" : "",
		followed.flow.round.read_past ? " beyond" : "");
	if (followed.flow.round.guessed_fragments)
		fprintf(file, " of %zu", followed.flow.round.guessed_fragments);
	if (uncovered)
		fprintf(file, " uncovered %" PRId64, (int64_t)(uncovered - followed.flow.function));
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s\nexpected: %s", test->rule, text,
		      test->expected);
	free(text);
	followed_deinit(&followed);
}
END_TEST

/* A target in rax by a table of 4 bytes. */
static struct value by_table(uint64_t table, bool said, uint32_t bound)
{
	return (struct value) { .kind = VALUE_TARGET,
				.scale = 4,
				.compared = said,
				.bound = bound,
				.number = (int64_t)table };
}

START_TEST(targets_lie_in_fdes)
{
	static struct followed followed;
	struct flow_state state;
	uint64_t table;
	bool sure;

	followed_init(&followed, TABLE(".Lf-t, .Lf+0x100000-t, h-t-8, .Lf-t-8"));
	table = image_symbol_address(followed.assembled.image, "t");
	state_read(&state, "");
	state.reg[REGISTER_RAX] = by_table(table, true, 1);
	ck_assert_uint_eq(flow_jump_known(&followed.flow, &jump, &state, &sure), 0);
	ck_assert(followed.flow.round.met_table);
	state.reg[REGISTER_RAX] = by_table(table, true, 0);
	ck_assert_uint_eq(flow_jump_known(&followed.flow, &jump, &state, &sure), 1);
	state.reg[REGISTER_RAX] = by_table(table + 4, true, 0);
	ck_assert_uint_eq(flow_jump_known(&followed.flow, &jump, &state, &sure), 0);
	/* Of a fragment that was not met, too. */
	state.reg[REGISTER_RAX] = by_table(table + 8, true, 1);
	ck_assert_uint_eq(flow_jump_known(&followed.flow, &jump, &state, &sure), 2);
	ck_assert_uint_eq(followed.target[0], image_symbol_address(followed.assembled.image, "h"));
	ck_assert_uint_eq(followed.target[1], followed.flow.function);
	followed_deinit(&followed);
}
END_TEST

/* docs/LIMITS.md */
START_TEST(so_many_targets_and_tables)
{
	static struct followed followed;
	struct flow_state state;
	uint64_t table;
	bool sure;

	followed_init(&followed, ".Lf: .skip 65600, 0x90; ret; .section .tables, \"ax\"; t: .set "
				 "i, 0; .rept 65600; .long .Lf-t+i; .set i, i+1; .endr; .text");
	table = image_symbol_address(followed.assembled.image, "t");
	state_read(&state, "");
	state.reg[REGISTER_RAX] = by_table(table, false, 65599);
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, followed.target, &sure),
			  65536);
	/* Some of those that were said are not there. */
	state.reg[REGISTER_RAX] = by_table(table, true, 65599);
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, followed.target, &sure),
			  0);
	state.reg[REGISTER_RAX] = by_table(table, true, 65535);
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, followed.target, &sure),
			  65536);
	poison_tables(&followed.flow, table);
	followed.flow.tables.count = 255;
	followed.flow.round.met_table = false;
	state.reg[REGISTER_RAX] = by_table(table + 8, true, 0);
	flow_jump_targets(&followed.flow, &state, &jump, followed.target, &sure);
	ck_assert_uint_eq(followed.flow.tables.count, 256);
	ck_assert(followed.flow.round.met_table);
	followed.flow.round.met_table = false;
	state.reg[REGISTER_RAX] = by_table(table + 12, true, 0);
	flow_jump_targets(&followed.flow, &state, &jump, followed.target, &sure);
	ck_assert_uint_eq(followed.flow.tables.count, 256);
	ck_assert(!followed.flow.round.met_table);
	followed_deinit(&followed);
}
END_TEST

/* In a program at a fixed address: the file, changed. */
START_TEST(targets_of_eight_bytes)
{
	static struct followed followed;
	struct flow_state state;
	struct image *image;
	struct error error;
	uint64_t table, target[4];
	uint8_t *file;
	size_t size;
	bool sure;

	followed_init(&followed, TABLE("0, 0, 0, 0"));
	table = image_symbol_address(followed.assembled.image, "t");
	file = (uint8_t *)image_file_bytes(followed.assembled.image, &size);
	file = memcpy(malloc(size), file, size);
	((Elf64_Ehdr *)file)->e_type = ET_EXEC;
	for (uint64_t i = 0; i < 2; i++) /* where its first segment is */
		memcpy(file + table + 8 * i, &(uint64_t) { followed.flow.function + i }, 8);
	ck_assert_int_eq(image_create_memory(file, size, "f", &image, &error), 0);
	((struct cfi *)followed.world.cfi)->image = image;
	state_read(&state, "");
	state.reg[REGISTER_RAX] = by_table(table, true, 1);
	state.reg[REGISTER_RAX].scale = 8;
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, target, &sure), 2);
	ck_assert_uint_eq(target[0], followed.flow.function);
	ck_assert_uint_eq(target[1], followed.flow.function + 1);
	ck_assert(sure);
	((struct cfi *)followed.world.cfi)->image = followed.assembled.image;
	image_destroy(image);
	free(file);
	followed_deinit(&followed);
}
END_TEST

/* ---- the comparison before ------------------------------------------------------------------ */

#define READS			"mov eax, edi; cdqe; cwde; cdqe; cwde; cdqe; cwde; "
#define COMPARED(branch, code)	"cmp edi, 3; 1: " branch " 2f; 3: " code "4: jmp rax; 2: nop; ret; "
#define LOOKED_UP(branch, code) "cmp edi, 3; 1: " branch " 2f; 3: nop; ret; 2: " code "4: jmp rax; "

/* from, to: labels, of one of two cases. */
static const struct doubtful_case {
	const char *rule, *assembly;
	int from, to;
	bool doubtful;
} doubtful_cases[] = {
	{ "by the table", COMPARED("ja", READS), 16, 18, true },
	{ "past it", COMPARED("ja", READS), 3, 18, true },
	{ "to it", COMPARED("ja", READS), 3, 5, false },
	{ "past it, by the other comparison", COMPARED("jae", READS), 3, 18, true },
	{ "by another one", COMPARED("je", READS), 3, 18, false },
	{ "too many instructions stand between", COMPARED("ja", READS "cdqe; "), 3, 20, false },
	{ "another jump does", COMPARED("ja", "cdqe; jne 2f; "), 3, 11, false },
	{ "a call does", COMPARED("ja", "call [rdi]; "), 3, 9, false },
	{ "the function ends before", "cmp edi, 3; ja 2f; 2: cdqe", 3, 5, false },
	{ "the table is jumped to", LOOKED_UP("jb", READS), 3, 5, true },
	{ "and by the other comparison", LOOKED_UP("jbe", READS), 3, 5, true },
	{ "that jump itself", LOOKED_UP("jb", READS), 3, 7, false },
	{ "another is", COMPARED("jb", READS), 3, 5, false },
	{ "what is jumped to is another function's", "cmp edi, 3; jb g; nop; ret; fde g; jmp rax",
	  3, 5, false },
	{ "what isn't is the end", "cmp edi, 3; jb f", 3, 5, false },
	{ "no branch", "nop; ret", 0, 1, false },
	{ "no instruction of the function", "nop; ret", 100, 1, false },
};

START_TEST(ways_by_tables_are_doubtful)
{
	const struct doubtful_case *test = &doubtful_cases[_i];
	static struct followed followed;
	uint64_t begin;

	followed_init(&followed, test->assembly);
	begin = followed.flow.function;
	ck_assert_msg(flow_jump_is_doubtful(&followed.flow, begin + (uint64_t)test->from,
					    begin + (uint64_t)test->to) == test->doubtful,
		      "%s", test->rule);
	followed_deinit(&followed);
}
END_TEST

START_TEST(a_jump_without_a_table)
{
	static struct followed followed;
	struct flow_state state;
	uint64_t target[2] = { 0, 0 };
	bool sure;

	followed_init(&followed, TABLE(".Lf-t, .Lf+0x100000-t, .Lf-t"));
	state_read(&state, "rax=4096");
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, target, &sure), 1);
	ck_assert_uint_eq(target[0], 4096);
	ck_assert(sure);
	state_read(&state, "rax=?");
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, target, &sure), 0);
	state_read(&state, "rax=j8@4096:1"); /* the loader would write them */
	ck_assert_uint_eq(flow_jump_targets(&followed.flow, &state, &jump, target, &sure), 0);
	ck_assert(!followed.flow.round.met_table);
	followed_deinit(&followed);
}
END_TEST

SUITE(flow_jump, TIMEOUT(300), LOOP(a_table_has_targets, jump_cases), TEST(a_jump_without_a_table),
      TEST(targets_lie_in_fdes), TEST(so_many_targets_and_tables), TEST(targets_of_eight_bytes),
      LOOP(ways_by_tables_are_doubtful, doubtful_cases))
