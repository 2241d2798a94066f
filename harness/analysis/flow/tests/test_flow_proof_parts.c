/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_proof_parts.c - what makes a proof fast: the order of paths, loops, and what a row depends on
 *
 * A wrong line there makes no proof wrong: what is forgotten in vain is joined or looked at once more. So the
 * fragments are held against what they are to do.
 */
#include "tests/suite.h"
#include "analysis/flow/flow_proof.c"
#include "flow_fixture.h"
#include "flow_world_fixture.h"

/* ---- the order of paths ---------------------------------------------------------------------- */

#define LABELS 40

/* Of two fragments; the second has the lower addresses. */
START_TEST(the_lowest_comes_first)
{
	struct flow_fragment fragment[2] = { { .order = 0 }, { .order = 1 } };
	struct flow_proof *proof = flow_proof_create();
	const struct flow flow = { .proof = proof };
	struct label label[LABELS] = { { .pc = 0 } };
	uint64_t random = (uint64_t)_i * 7919 + 1;
	uint32_t before = 0, number;
	size_t queued = 0;

	proof->label = label;
	for (uint32_t i = 0; i < LABELS; i++) {
		label[i].fragment = &fragment[i % 3 == 0];
		label[i].pc = (i % 3 ? 1000 : 0) + (i * 17) % LABELS;
	}
	for (int i = 0; i < LABELS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		number = (uint32_t)(random >> 33) % LABELS;
		queued += !label[number].queued;
		enqueue(&flow, number);
		ck_assert(label[number].queued);
		ck_assert_uint_eq(proof->queue_count, queued);
	}
	for (size_t i = 0; i < queued; i++) {
		number = dequeue(proof);
		ck_assert(!label[number].queued);
		ck_assert_uint_eq(proof->queue_count, queued - i - 1);
		ck_assert(!i || order_of(&label[before]) < order_of(&label[number]));
		before = number;
	}
	proof->label = NULL;
	flow_proof_destroy(proof);
}
END_TEST

START_TEST(parts_have_an_order)
{
	struct flow_fragment fragment[2] = { { .begin = 7, .order = 0 },
					     { .begin = 5, .order = 1 } };
	struct label label[3] = { { .pc = 9, .fragment = &fragment[0] },
				  { .pc = 5, .fragment = &fragment[1] },
				  { .pc = 8, .fragment = &fragment[0] } };

	ck_assert(order_of(&label[0]) < order_of(&label[1]));
	ck_assert(order_of(&label[2]) < order_of(&label[0]));
}
END_TEST

/* ---- labels and loops ----------------------------------------------------------------------- */

/* What a scan marks: each label's byte, and what is written in the loop that it is the head of. */
static const struct scan_case {
	const char *rule, *assembly, *expected;
} scan_cases[] = {
	{ "no jump", "xor eax, eax; ret", "" },
	{ "on", "je 1f; xor eax, eax; 1: ret", "+4" },
	{ "a loop", "xor eax, eax; 1: inc ecx; dec edx; jne 1b; ret", "+2:rdx:rcx" },
	{ "of one instruction", "xor eax, eax; 1: jmp 1b; inc ecx", "+2" },
	{ "of one instruction that counts", "nop; 1: loop 1b", "+1:rcx" },
	{ "by a jump, with a call", "1: inc ebx; call [rdi]; jmp 1b",
	  "+0:rax:rdx:rcx:rbx:rsi:rdi:rsp:r8:r9:r10:r11" },
	{ "with a call of a function", "1: call g; jmp 1b; fde g; ret",
	  "+0:rax:rdx:rcx:rsi:rdi:rsp:r8:r9:r10:r11" },
	{ "a transaction", "1: inc ecx; xbegin 1b; ret", "+0:rax:rcx" },
	{ "two loops to one head", "1: inc ecx; jne 1b; inc edx; jne 1b; ret", "+0:rdx:rcx" },
	{ "a loop in a loop", "1: inc ecx; 2: inc edx; jne 2b; jne 1b; ret", "+0:rdx:rcx +2:rdx" },
	{ "into the middle of an instruction", "mov eax, 5; jne .Lf+1; ret", "+1:all" },
	{ "the function's begin and end", "jne g; jne .Lf-1; ret; fde g; ret", "" },
	{ "landing pads",
	  "lsda 0x1b, 8f; call [rdi]; nop; ret; .section .gcc_except_table,\"a\"; "
	  "8: .byte 0xff, 0xff, 1, 12; .byte 0, 2, 2, 0, 0, 2, 3, 0, 0, 2, 4, 0; .text",
	  "+2 +3" },
	{ "what calls lead to is none", "nop; call .Lf+3; nop; ret", "" },
};

static void labels_print(FILE *file, const struct flow_fragment *fragment)
{
	const char *space = "";

	for (uint64_t i = 0; i < fragment->end - fragment->begin; i++) {
		uint32_t mark = fragment->label_at[i];

		if (!mark)
			continue;
		fprintf(file, "%s+%d%s", space, (int)i, mark & 1u << 31 ? "" : " none");
		space = " ";
		if ((mark & 0xffff) == 0xffff)
			fputs(":all", file);
		else
			for (unsigned int k = 0; k < 16; k++)
				if (mark & 1u << k)
					fprintf(file, ":%s", register_name(k));
		ck_assert_uint_eq(mark & 0x7fff0000, 0);
	}
}

START_TEST(a_scan_marks)
{
	const struct scan_case *test = &scan_cases[_i];
	static struct followed followed;
	struct flow_proof *proof = flow_proof_create();
	struct flow_fragment *fragment;
	char *text = NULL, *body;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_gt(asprintf(&body, ".Lf: %s", test->assembly), 0);
	followed_init(&followed, body);
	fragment = followed.flow.fragment[0];
	proof->back_count = 5; /* of another fragment */
	ck_assert(scan(proof, fragment, followed.world.decoder));
	ck_assert(fragment->scanned);
	labels_print(file, fragment);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s", test->rule, text);
	free(text);
	free(body);
	flow_proof_destroy(proof);
	followed_deinit(&followed);
}
END_TEST

/* A part of three bytes; what lies before and behind isn't its own. */
START_TEST(labels_lie_in_the_part)
{
	uint32_t label_at[5] = { 0 };
	struct landing_pad pad[4] = {
		{ .pad = 99 }, { .pad = 100 }, { .pad = 102 }, { .pad = 103 }
	};
	struct flow_fragment fragment = {
		.begin = 100, .end = 103, .label_at = label_at + 1, .pad = pad, .pad_count = 4
	};
	struct flow_proof *proof = flow_proof_create();
	struct code code = { .pc = 100, .flow = CODE_BRANCH };

	mark_pads(&fragment);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(label_at[i], i == 1 || i == 3 ? 1u << 31 : 0);
	memset(label_at, 0, sizeof(label_at));
	fragment.code = &code;
	for (code.target = 99; code.target <= 103; code.target++)
		ck_assert(note_jump(proof, &fragment, &code));
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(label_at[i], i && i < 4 ? 1u << 31 : 0);
	ck_assert_uint_eq(proof->back_count, 1);
	ck_assert_uint_eq(proof->back[0].to, 100);
	ck_assert_uint_eq(proof->back[0].from, 0);
	flow_proof_destroy(proof);
}
END_TEST

#define PUSHES 2000

/* A loop to each of 2000 instructions, of one byte: as long as there are steps, what they write is looked at. */
START_TEST(loops_have_their_price)
{
	static struct followed followed;
	struct flow_proof *proof = flow_proof_create();
	struct jump_back back[PUSHES];
	size_t steps = 64 * (PUSHES + 1);
	struct flow_fragment *fragment;

	followed_init(&followed, ".rept 2000; push rax; .endr; ret");
	fragment = followed.flow.fragment[0];
	ck_assert(scan(proof, fragment, followed.world.decoder));
	proof->back = back;
	proof->back_count = PUSHES;
	for (size_t i = 0; i < PUSHES; i++)
		back[i] = (struct jump_back) { fragment->begin + i, PUSHES - 1 };
	ck_assert(mark_loops(proof, fragment));
	for (size_t i = PUSHES; i--;) {
		size_t cost = (PUSHES - 1 - i) / RUN + RUN;

		ck_assert_uint_eq(fragment->label_at[i],
				  cost < steps ? 1u << REGISTER_RSP : 0xffffu);
		steps -= cost < steps ? cost : steps;
	}
	ck_assert_uint_eq(steps, 0);
	/* One that was marked stays as it is. */
	fragment->label_at[3] = 1;
	proof->back_count = 1;
	back[0].to = fragment->begin + 3;
	ck_assert(mark_loops(proof, fragment));
	ck_assert_uint_eq(fragment->label_at[3], 1);
	proof->back = NULL;
	flow_proof_destroy(proof);
	followed_deinit(&followed);
}
END_TEST

/* ---- what is forgotten ---------------------------------------------------------------------- */

/* row: "": none; else registers that it declares: "rbx=same rbp=saved" */
static const struct forget_case {
	const char *rule, *state, *row;
	uint32_t written;
	const char *expected;
} forget_cases[] = {
	{ "what is written", "rax=5 rcx=6", "-", 1u << REGISTER_RAX, "rax=? rcx=6" },
	{ "nothing is", "rax=5 rcx=6 r15=7", "-", 0, "rax=5 rcx=6 r15=7" },
	{ "all is", "rax=5 rcx=6 r15=7 rbx=5", "", 0xffff,
	  "rax=? rdx=? rcx=? rbx=? rsi=? rdi=? rbp=? r8=? r9=? r10=? r11=? r12=? r13=? r14=? "
	  "r15=?" },
	{ "addresses of the stack stay", "rax=c-8 rcx=b5+0", "-", 0xffff & ~(1u << REGISTER_RDX),
	  "rax=c-8 rcx=b5+0" },
	{ "another register's value", "rbx=rbp", "-", 1u << REGISTER_RBX, "rbx=?" },
	{ "one that was added to", "rbx=rbx+8", "-", 1u << REGISTER_RBX, "rbx=?" },
	{ "one whose row says that it is saved", "", "saved", 1u << REGISTER_RBX, "rbx=?" },
	{ "one whose row says that it is the same", "", "same", 1u << REGISTER_RBX, "" },
	{ "one whose row says nothing", "", "-", 1u << REGISTER_RBX, "" },
	{ "one without a row", "", "", 1u << REGISTER_RBX, "rbx=?" },
	{ "a number", "rbx=5", "-", 1u << REGISTER_RBX, "rbx=?" },
	{ "the last comparison", "compared=rax,5", "-", 0, "" },
};

START_TEST(a_loop_forgets)
{
	const struct forget_case *test = &forget_cases[_i];
	struct flow_state state;
	struct row row;

	memset(&row, 0, sizeof(row));
	row.reg[REGISTER_RBX].kind = *test->row != 's'		  ? RULE_UNSPECIFIED
				     : !strcmp(test->row, "same") ? RULE_SAME_VALUE
								  : RULE_OFFSET;
	state_read(&state, test->state);
	forget_written(&state, *test->row ? &row : NULL, test->written);
	state_expect(test->rule, &state, test->expected);
}
END_TEST

START_TEST(what_nobody_preserves_is_forgotten)
{
	struct flow_state state;

	state_read(&state, "rcx=rbx rdx=5 rsi=c-8 r12=rax rdi=!");
	forget_unpreserved(&state);
	state_expect("unpreserved", &state,
		     "rax=? rdx=5 rcx=? rsi=c-8 rdi=! r8=? r9=? r10=? r11=? r12=rax");
}
END_TEST

/* ---- what a row depends on ------------------------------------------------------------------ */

START_TEST(a_row_reads_registers)
{
	const uint32_t preserved = FLOW_PRESERVED | 1u << REGISTER_RIP;
	struct cursor cursor = { .reads = 1, .reads_all = true };
	struct row row;

	memset(&row, 0, sizeof(row));
	row.cfa = (struct row_rule) { .kind = RULE_CFA_REGISTER, .reg = REGISTER_RSP, .offset = 8 };
	row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
	cursor.row = &row;
	cursor_read(&cursor);
	ck_assert(cursor.dirty && !cursor.reads_all && cursor.plain);
	ck_assert_uint_eq(cursor.reads, FLOW_PRESERVED);
	row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_REGISTER, .reg = REGISTER_RDI };
	cursor_read(&cursor);
	ck_assert_uint_eq(cursor.reads, FLOW_PRESERVED | 1u << REGISTER_RDI);
	ck_assert(!cursor.plain);
	row.reg[REGISTER_RIP] = (struct row_rule) { .kind = RULE_OFFSET, .offset = -8 };
	row.cfa.reg = REGISTER_RDX;
	row.reg[REGISTER_RBX].kind = RULE_OFFSET;
	row.reg[REGISTER_RBP].kind = RULE_SAME_VALUE;
	row.reg[REGISTER_R12] = (struct row_rule) { .kind = RULE_REGISTER, .reg = REGISTER_RCX };
	row.reg[REGISTER_R13] = (struct row_rule) { .kind = RULE_REGISTER, .reg = 16 };
	cursor_read(&cursor);
	ck_assert(!cursor.reads_all);
	ck_assert_uint_eq(cursor.reads, (preserved & ~(1u << REGISTER_RBX | 1u << REGISTER_R12 |
						       1u << REGISTER_R13 | 1u << REGISTER_RIP)) |
						1u << REGISTER_RDX | 1u << REGISTER_RCX);
	row.cfa.reg = 16;
	cursor_read(&cursor);
	ck_assert_uint_eq(cursor.reads & 1u << 16, 0);
	row.reg[REGISTER_R14].kind = RULE_UNDEFINED;
	cursor_read(&cursor);
	ck_assert(cursor.reads_all && !cursor.plain);
	row.reg[REGISTER_R14].kind = RULE_UNSPECIFIED;
	row.reg[REGISTER_RDI].kind = RULE_SAME_VALUE; /* one that nobody preserves */
	cursor_read(&cursor);
	ck_assert(cursor.reads_all && !cursor.plain);
	row.reg[REGISTER_RDI].kind = RULE_UNSPECIFIED;
	row.cfa.kind = RULE_CFA_EXPRESSION;
	cursor_read(&cursor);
	ck_assert(cursor.reads_all && !cursor.plain);
}
END_TEST

/* It is looked at anew only if it is another one. */
START_TEST(a_cursor_moves)
{
	static struct followed followed;
	struct cursor cursor = { .row = NULL };
	struct flow_fragment *fragment;

	followed_init(&followed, "nop; cfa 16; nop; nop; cfa 24; nop; cfa 32; nop");
	fragment = followed.flow.fragment[0];
	for (int i = 0; i < 2; i++) {
		static const int at[] = { 0, 1, 2, 3, 4, 4, 1, 0, 4, 2, 1 },
				 row[] = { 0, 1, 1, 2, 3, 3, 1, 0, 3, 1, 1 };

		for (int k = 0; k < COUNT(at); k++) {
			cursor.dirty = false;
			ck_assert_ptr_eq(
				cursor_move(&cursor, fragment, fragment->begin + (uint64_t)at[k]),
				&fragment->row[row[k]]);
			ck_assert_ptr_eq(cursor.row, &fragment->row[row[k]]);
			ck_assert_int_eq(cursor.dirty, !k ? true : row[k] != row[k - 1]);
		}
		cursor.dirty = false;
		ck_assert_ptr_null(cursor_move(&cursor, fragment, fragment->end));
		ck_assert(!cursor.dirty);
		ck_assert_ptr_null(cursor.row);
	}
	followed_deinit(&followed);
}
END_TEST

/* From wherever it is to wherever it is asked to; what lies in memory behind the fragment's rows is none of them. */
START_TEST(a_cursor_finds_any_row)
{
	struct row row[] = { { .pc = 0x10, .pc_end = 0x14 },
			     { .pc = 0x14, .pc_end = 0x18 },
			     { .pc = 0x20, .pc_end = 0x24 },
			     { .pc = 0, .pc_end = 0x40 } };
	const struct flow_fragment fragment = { .row = row, .row_count = 3 };

	for (int from = -1; from < 3; from++)
		for (uint64_t pc = 0; pc < 0x40; pc++) {
			struct cursor cursor = { .row = from < 0 ? NULL : &row[from] };
			const struct row *expected = NULL;

			for (int i = 0; i < 3; i++)
				if (pc >= row[i].pc && pc < row[i].pc_end)
					expected = &row[i];
			ck_assert_ptr_eq(cursor_move(&cursor, &fragment, pc), expected);
			ck_assert_ptr_eq(cursor.row, expected);
		}
}
END_TEST

START_TEST(a_branch_says_what_is_equal)
{
	struct code branch = { .flow = CODE_BRANCH }, next = { .flow = CODE_NEXT };
	struct flow_state state;

	state_read(&state, "compared=rax,rcx");
	ck_assert_uint_eq(equal_by(&branch, &state), 1u << REGISTER_RAX | 1u << REGISTER_RCX);
	ck_assert_uint_eq(equal_by(&next, &state), 0);
	state_read(&state, "compared=rax,5");
	ck_assert_uint_eq(equal_by(&branch, &state), 0);
	state_read(&state, "");
	ck_assert_uint_eq(equal_by(&branch, &state), 0);
}
END_TEST

/* ---- paths that come to a label -------------------------------------------------------------- */

#define UNPRESERVED "rax=? rdx=? rcx=? rsi=? rdi=? r8=? r9=? r10=? r11=?"

/* To f's second byte, whose loop writes these. A path: marks, and a state. */
static const struct arrive_case {
	const char *rule;
	uint32_t written;
	const char *path[2], *expected;
} arrive_cases[] = {
	{ "one", 0, { "saved rax=5" }, "queued: rax=5 saved" },
	{ "where all is known", 0, { "r12=5" }, "queued: " UNPRESERVED " r12=5 saved" },
	{ "to a loop's head", 1, { "saved rax=5 rcx=6" }, "queued: rax=? rcx=6 saved" },
	{ "two that know the same", 0, { "saved rax=5", "saved rax=5" }, ": rax=5 saved" },
	{ "two that don't", 0, { "saved rax=c-8", "saved rax=c-16" }, "queued: rax=? saved" },
	{ "one behind a call", 0, { "weak saved" }, "weak queued: saved" },
	{ "a surer one", 0, { "weak saved", "saved" }, ": saved" },
	{ "two behind calls", 0, { "weak saved", "weak saved" }, "weak : saved" },
	{ "one of a table", 0, { "unsure saved" }, "unsure queued: saved" },
	{ "a surer one than that", 0, { "unsure saved", "saved" }, "queued: saved" },
	{ "two of tables", 0, { "unsure saved", "unsure saved" }, "unsure : saved" },
	{ "one of a table comes later", 0, { "saved", "unsure saved" }, ": saved" },
};

START_TEST(ways_arrive)
{
	const struct arrive_case *test = &arrive_cases[_i];
	static struct followed followed;
	struct flow *flow = &followed.flow;
	struct flow_proof *proof = flow_proof_create();
	struct flow_fragment *fragment;
	const struct label *label;
	char *state, text[300];

	followed_init(&followed, "nop; nop; nop; ret");
	fragment = flow->fragment[0];
	flow->proof = proof;
	fragment->label_at[1] = test->written;
	for (int i = 0; i < 2 && test->path[i]; i++) {
		struct flow_path path = { .weak = strstr(test->path[i], "weak"),
					  .unsure = strstr(test->path[i], "unsure") ? FLOW_UNSURE
										    : FLOW_SURE };
		struct flow_state come;

		if (proof->queue_count)
			dequeue(proof);
		state_read(&come, test->path[i]);
		flow_proof_arrive(flow, fragment, fragment->begin + 1, &come, &path);
	}
	ck_assert(fragment->scanned);
	ck_assert_uint_eq(proof->count, 1);
	ck_assert_uint_eq(fragment->block_at[1], 1);
	ck_assert_uint_eq(fragment->label_at[1], 1u << 31 | test->written);
	label = &proof->label[0];
	ck_assert_ptr_eq(label->fragment, fragment);
	ck_assert_uint_eq(label->pc, fragment->begin + 1);
	ck_assert_uint_eq(proof->queue_count, label->queued);
	state = state_text(&label->state);
	snprintf(text, sizeof(text), "%s%s%s: %s", label->weak ? "weak " : "",
		 label->unsure ? "unsure " : "", label->queued ? "queued" : "", state);
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s", test->rule, text);
	free(state);
	flow_proof_destroy(proof);
	followed_deinit(&followed);
}
END_TEST

/* What went through there before ends there. docs/LIMITS.md says how many there may be. */
START_TEST(a_label_in_the_middle)
{
	static struct followed followed;
	struct flow_proof *proof = flow_proof_create();
	struct flow_fragment *fragment;
	struct flow_path path = { .weak = false };
	struct flow_state state;

	followed_init(&followed, "nop; nop; nop; ret");
	fragment = followed.flow.fragment[0];
	followed.flow.proof = proof;
	state_read(&state, "saved");
	flow_proof_arrive(&followed.flow, fragment, fragment->begin, &state, &path);
	ck_assert_uint_eq(dequeue(proof), 0);
	fragment->block_at[1] = 1;
	flow_proof_arrive(&followed.flow, fragment, fragment->begin + 1, &state, &path);
	ck_assert_uint_eq(proof->count, 2);
	ck_assert_uint_eq(fragment->block_at[1], 2);
	ck_assert_uint_eq(proof->queue_count, 2);
	ck_assert_uint_eq(dequeue(proof), 0);
	ck_assert_uint_eq(dequeue(proof), 1);
	proof->failed = true;
	flow_proof_arrive(&followed.flow, fragment, fragment->begin + 2, &state, &path);
	ck_assert_uint_eq(proof->count, 2);
	proof->failed = false;
	proof->count = 131072;
	flow_proof_arrive(&followed.flow, fragment, fragment->begin + 2, &state, &path);
	ck_assert(proof->failed);
	ck_assert_uint_eq(proof->count, 131072);
	flow_proof_destroy(proof);
	followed_deinit(&followed);
}
END_TEST

/* A row that holds for what comes to a label is not looked at there once more, as long as no other path brings less. */
static const struct bring_case {
	const char *rule;
	int row; /* at hand: 0 covers the label, 1 doesn't, -1: none */
	bool other_part;
	const char *then; /* what comes then, or NULL */
	bool holds;
} bring_cases[] = {
	{ "nothing is known", -1, false, NULL, false },
	{ "the same row", 0, false, NULL, true },
	{ "another row", 1, false, NULL, false },
	{ "another fragment's", 0, true, NULL, false },
	{ "the same comes again", 0, false, "saved rax=5", true },
	{ "less comes", 0, false, "saved rax=?", false },
};

START_TEST(a_label_begins_with_its_row)
{
	const struct bring_case *test = &bring_cases[_i];
	static struct followed followed;
	struct flow_proof *proof = flow_proof_create();
	struct flow_path path = { .weak = false };
	struct flow_state state;
	struct flow_fragment *fragment;

	followed_init(&followed, "nop; nop; cfa 16; ret");
	fragment = followed.flow.fragment[0];
	followed.flow.proof = proof;
	proof->fragment = test->other_part ? NULL : fragment;
	proof->brought = test->row < 0 ? NULL : &fragment->row[test->row];
	state_read(&state, "saved rax=5");
	flow_proof_arrive(&followed.flow, fragment, fragment->begin + 1, &state, &path);
	if (test->then) {
		state_read(&state, test->then);
		flow_proof_arrive(&followed.flow, fragment, fragment->begin + 1, &state, &path);
	}
	ck_assert_ptr_eq(proof->label[0].proven, test->holds ? &fragment->row[0] : NULL);
	flow_proof_destroy(proof);
	followed_deinit(&followed);
}
END_TEST

SUITE(flow_proof_parts, TIMEOUT(300), TIMES(the_lowest_comes_first, 50), TEST(parts_have_an_order),
      LOOP(a_scan_marks, scan_cases), TEST(labels_lie_in_the_part), TEST(loops_have_their_price),
      LOOP(a_loop_forgets, forget_cases), TEST(what_nobody_preserves_is_forgotten),
      TEST(a_row_reads_registers), TEST(a_cursor_moves), TEST(a_cursor_finds_any_row),
      TEST(a_branch_says_what_is_equal), LOOP(ways_arrive, arrive_cases),
      TEST(a_label_in_the_middle), LOOP(a_label_begins_with_its_row, bring_cases))
