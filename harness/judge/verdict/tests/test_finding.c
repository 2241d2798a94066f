/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_finding.c - what a finding says of the first point that it was met at
 *
 * The file has FDEs and no symbols, so that a function is its FDE's range. Its code is bytes of the
 * test.
 */
#include "tests/suite.h"
#include "verdict_world.h"
#include "judge/verdict/doubt.h"

static uint8_t code[0x200]; /* from ORDINARY on */

static int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t at = address - world.base - ORDINARY;

	if (at + size > sizeof(code) || at + size < at)
		return -1;
	memcpy(ret, code + at, size);
	return 0;
}

/* Nops, and a call that ends at ORDINARY + 8. */
static struct decoder *setup_code(void)
{
	struct error error;

	setup(make_fdes);
	memset(code, 0x90, sizeof(code));
	memcpy(code + 3, (const uint8_t[]) { 0xe8, 0, 0, 0, 0 }, 5);
	world.memory.read = read_code;
	return decoder_create(&error);
}

static const struct finding_case {
	const char *name;
	uint64_t pc; /* in the image; or what is not mapped */
	uint32_t frame;
	const char *path; /* of the mapping without a file */
	const char *function, *instruction, *declared, *image;
	uint64_t vaddr;
} cases[] = {
	{ "innermost", .pc = ORDINARY, .function = "fde@0x1000", .instruction = "nop",
	  .declared = "cfa=rsp+8 ra=c-8", .vaddr = ORDINARY },
	{ "innermost_behind_a_call", .pc = ORDINARY + 8, .function = "fde@0x1000",
	  .instruction = "nop", .declared = "cfa=rsp+8 ra=c-8", .vaddr = ORDINARY + 8 },
	{ "innermost_in_a_call_s_last_byte", .pc = ORDINARY + 7, .function = "fde@0x1000",
	  .instruction = "add byte ptr [rax - 0x6f6f6f70], dl", .declared = "cfa=rsp+8 ra=c-8",
	  .vaddr = ORDINARY + 7 },
	{ "caller", .pc = ORDINARY + 7 /* the call's last byte */, .frame = 1,
	  .function = "fde@0x1000", .instruction = "call 0x7000001008",
	  .declared = "cfa=rsp+8 ra=c-8", .vaddr = ORDINARY + 7 },
	{ "interrupted", .pc = ORDINARY + 8, .frame = 1, .function = "fde@0x1000",
	  .instruction = "nop", .declared = "cfa=rsp+8 ra=c-8", .vaddr = ORDINARY + 8 },
	{ "malformed", .pc = MALFORMED, .function = "fde@0x1090", .instruction = "nop",
	  .declared = ".eh_frame+0x", .vaddr = MALFORMED },
	{ "uncovered", .pc = UNCOVERED, .function = "gap@0x10c0", .instruction = "nop",
	  .declared = "no FDE covers it", .vaddr = UNCOVERED },
	{ "anonymous", .pc = ANONYMOUS, .path = "\0y", .function = "unmapped",
	  .instruction = "(unreadable)", .declared = "", .image = "[anonymous]",
	  .vaddr = 0x7000000000 + ANONYMOUS },
	{ "not_an_elf_file", .pc = ANONYMOUS, .path = "x", .function = "unmapped",
	  .instruction = "(unreadable)", .declared = "", .image = "x",
	  .vaddr = 0x7000000000 + ANONYMOUS },
	{ "unmapped", .pc = 0x10, .function = "unmapped", .instruction = "(unreadable)",
	  .declared = "", .image = "", .vaddr = 0x10 },
};

START_TEST(finding_is_described)
{
	const struct finding_case *c = &cases[_i];
	struct judgement judgement = { .verdict = VERDICT_TABLE_FAULT,
				       .kind = FAULT_WRONG,
				       .frame = c->frame };
	struct decoder *decoder = setup_code();
	struct findings findings = { .count = 0 };
	const struct finding *got;
	char place[256];

	judgement.pc = c->pc >= ORDINARY ? world.base + c->pc : c->pc;
	world.mapping[1].path = (char *)(c->path ? c->path : "");
	world.mapping[1].bias = 0;
	ck_assert_ptr_nonnull(findings_add(&findings, &judgement, &world.point, decoder));
	got = findings.finding;
	address_space_describe(&world.space, judgement.pc, place, sizeof(place));
	ck_assert_str_eq(got->place, place);
	if (c->pc >= ORDINARY && c->pc < ANONYMOUS) { /* and so is it called elsewhere */
		finding_name_function(world.mapping[0].entry->image,
				      image_entry_cfi(world.mapping[0].entry), c->pc, place,
				      sizeof(place));
		ck_assert_str_eq(got->function, place);
	}
	ck_assert_msg(!strcmp(got->function, c->function), "%s: %s", c->name, got->function);
	ck_assert_msg(!strcmp(got->instruction, c->instruction), "%s: %s", c->name,
		      got->instruction);
	ck_assert_msg(!strncmp(got->declared, c->declared, strlen(c->declared)) &&
			      !got->declared[0] == !c->declared[0],
		      "%s: %s", c->name, got->declared);
	ck_assert_msg(!strcmp(got->image, c->image ? c->image : world.path), "%s: %s", c->name,
		      got->image);
	ck_assert_msg(got->vaddr == c->vaddr, "%s: 0x%lx", c->name, got->vaddr);
	ck_assert(got->first.pc == judgement.pc && got->first.frame == c->frame);
	ck_assert_ptr_null(got->start_file);
	ck_assert_uint_eq(got->count, 1);
	findings_deinit(&findings);
	decoder_destroy(decoder);
	teardown();
}
END_TEST

/* Of one function, one kind and one verdict they are one. */
START_TEST(findings_are_told_apart)
{
	struct judgement judgement = { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_WRONG };
	struct decoder *decoder = setup_code();
	struct findings findings = { .count = 0 };
	static const struct {
		uint64_t pc;
		enum verdict verdict;
		enum fault_kind kind;
		size_t finding; /* then */
	} points[] = {
		{ ORDINARY, VERDICT_TABLE_FAULT, FAULT_WRONG, 0 },
		{ ORDINARY + 1, VERDICT_TABLE_FAULT, FAULT_WRONG, 0 },
		{ LARGER, VERDICT_TABLE_FAULT, FAULT_WRONG, 1 },
		{ ORDINARY, VERDICT_TABLE_FAULT, FAULT_EARLY_END, 2 },
		{ ORDINARY, VERDICT_READER_FAULT, FAULT_WRONG, 3 },
		{ LARGER + 1, VERDICT_TABLE_FAULT, FAULT_WRONG, 1 },
		{ ORDINARY + 2, VERDICT_TABLE_FAULT, FAULT_WRONG, 0 },
		{ ANONYMOUS, VERDICT_TABLE_FAULT, FAULT_MISSING, 4 },
		{ 0x5000, VERDICT_TABLE_FAULT, FAULT_MISSING, 5 }, /* in another image: in none */
		{ ANONYMOUS + 1, VERDICT_TABLE_FAULT, FAULT_MISSING, 4 },
	};
	static const uint64_t counts[] = { 3, 2, 1, 1, 2, 1 };

	for (int i = 0; i < COUNT(points); i++) {
		judgement.pc = world.base + points[i].pc;
		judgement.verdict = points[i].verdict;
		judgement.kind = points[i].kind;
		ck_assert_ptr_eq(findings_add(&findings, &judgement, &world.point, decoder),
				 &findings.finding[points[i].finding]);
	}
	ck_assert_uint_eq(findings.count, COUNT(counts));
	for (int i = 0; i < COUNT(counts); i++)
		ck_assert_uint_eq(findings.finding[i].count, counts[i]);
	findings_deinit(&findings);
	decoder_destroy(decoder);
	teardown();
}
END_TEST

/* How many places there are, and who asks for one more. */
static const struct {
	size_t count;
	bool accuses;
	enum fault_kind kind;
	bool has_room;
} rooms[] = {
	{ FINDINGS_MAX - 1, false, FAULT_WRONG, true },
	{ FINDINGS_MAX - 1, true, FAULT_MISSING, true },
	{ FINDINGS_MAX, false, FAULT_WRONG, false },
	{ FINDINGS_MAX, false, FAULT_MISSING, false },
	{ FINDINGS_MAX, true, FAULT_MISSING, false },
	{ FINDINGS_MAX, true, FAULT_WRONG, true },
	{ 2 * FINDINGS_MAX - 1, true, FAULT_EARLY_END, true },
	{ 2 * FINDINGS_MAX, true, FAULT_WRONG, false },
	{ 2 * FINDINGS_MAX, false, FAULT_WRONG, false },
};

/* What may yet be counted has room beside what never will be, and so has what is accused beside what is missing.
 * Points without a place are counted if they accuse. One that has a place is found in it, however many there are. */
START_TEST(who_is_accused_has_room)
{
	struct judgement judgement = { .verdict = VERDICT_TABLE_FAULT, .kind = rooms[_i].kind };
	struct findings findings = { .finding = calloc(1024, sizeof(struct finding)),
				     .count = rooms[_i].count };
	struct decoder *decoder = setup_code();
	struct finding *got;

	judgement.pc = world.base + ORDINARY;
	for (uint64_t times = 1; times <= 2; times++) {
		got = findings_place(&findings, &judgement, rooms[_i].accuses, &world.point,
				     decoder);
		ck_assert_int_eq(got != NULL, rooms[_i].has_room);
		ck_assert_uint_eq(findings.count, rooms[_i].count + rooms[_i].has_room);
		ck_assert_uint_eq(findings.not_kept,
				  rooms[_i].has_room || !rooms[_i].accuses ? 0 : times);
		if (!got)
			continue;
		ck_assert_ptr_eq(got, &findings.finding[rooms[_i].count]);
		ck_assert_uint_eq(got->count, times - 1); /* placed, and counted by who adds */
		ck_assert_ptr_eq(findings_add(&findings, &judgement, &world.point, decoder), got);
		ck_assert_uint_eq(got->count, times);
	}
	findings_deinit(&findings);
	decoder_destroy(decoder);
	teardown();
}
END_TEST

/* Of two stacks the first one is kept; whether it is right is said of each, of a prefix as far as it goes. */
START_TEST(stack_of_the_first_point_is_kept)
{
	uint64_t pc[] = { 0x10, 0x20, 0x30 }, other[] = { 0x10, 0x99, 0x30 };
	const struct address_space space = { .mapping_count = 0 };
	const struct stack truth = { .pc = pc, .count = 2, .stop = STOP_COMPLETE },
			   longer = { .pc = pc, .count = 3, .stop = STOP_COMPLETE },
			   wrong = { .pc = other, .count = 3, .stop = STOP_COMPLETE };
	struct finding finding = { .count = 1 };

	ck_assert(!finding_keep_stack(&finding, &space, &wrong, &truth, true));
	ck_assert(finding_keep_stack(&finding, &space, &truth, &truth, true));
	ck_assert(!finding_keep_stack(&finding, &space, &longer, &truth, true));
	ck_assert(finding_keep_stack(&finding, &space, &longer, &truth, false));
	ck_assert(!finding_keep_stack(&finding, &space, &wrong, &truth, false));
	ck_assert_uint_eq(finding.frame_count, 3);
	ck_assert_uint_eq(finding.frames_left_out, 0);
	ck_assert_uint_eq(finding.frame[1].vaddr, 0x99);
	ck_assert(finding.frame[0].right && !finding.frame[1].right && !finding.frame[2].right);
	free(finding.frame);
}
END_TEST

/* Code of this program's own start-up objects is said to be theirs. */
START_TEST(start_file_is_named)
{
	struct judgement judgement = { .verdict = VERDICT_TABLE_FAULT, .kind = FAULT_MISSING };
	struct decoder *decoder = setup_code();
	struct findings findings = { .count = 0 };
	struct error error;

	world.mapping[0].entry = image_store_open(world.store, "/proc/self/exe", &error);
	ck_assert_ptr_nonnull(world.mapping[0].entry);
	judgement.pc = image_symbol_address(world.mapping[0].entry->image, "_init");
	ck_assert_uint_ne(judgement.pc, 0);
	judgement.pc += world.base;
	world.mapping[0].end = judgement.pc + 0x100;
	world.space.mapping_count = 1;
	ck_assert_ptr_nonnull(findings_add(&findings, &judgement, &world.point, decoder));
	ck_assert_str_eq(findings.finding[0].start_file, "crti.o");
	/* A function of that name that is none is another finding. */
	findings.finding[0].start_file = NULL;
	ck_assert_ptr_nonnull(findings_add(&findings, &judgement, &world.point, decoder));
	ck_assert_uint_eq(findings.count, 2);
	findings_deinit(&findings);
	decoder_destroy(decoder);
	teardown();
}
END_TEST

START_TEST(callers_are_named_by_their_calls)
{
	struct decoder *decoder = setup_code();
	uint64_t pc[] = { world.base + LARGER, world.base + LARGER, world.base + ANONYMOUS, 0x10 };
	static const char *const functions[] = { "fde@0x1020", "fde@0x1010", "unmapped",
						 "unmapped" };
	struct stack stack = { .pc = pc, .count = COUNT(pc), .stop = STOP_COMPLETE };
	struct finding finding = { .count = 1 };

	world.mapping[1].path = "x";
	ck_assert(finding_keep_stack(&finding, &world.space, &stack, &stack, true));
	ck_assert_uint_eq(finding.frame_count, COUNT(pc));
	for (int i = 0; i < COUNT(pc); i++) {
		ck_assert_msg(
			!strncmp(finding.frame[i].function, functions[i], strlen(functions[i])),
			"%d: %s", i, finding.frame[i].function);
		ck_assert_str_eq(finding.frame[i].image, i < 2 ? world.path : i < 3 ? "x" : "");
		ck_assert_uint_eq(finding.frame[i].vaddr, i < 2 ? LARGER : pc[i]);
		ck_assert(finding.frame[i].right && !finding.frame[i].guessed);
	}
	free(finding.frame);
	decoder_destroy(decoder);
	teardown();
}
END_TEST

/* From the first reason to the last, and nothing behind that. */
START_TEST(reasons_are_added)
{
	struct finding finding = { .ignored = "why" };
	char text[200], wanted[200];

	finding.unproven[0] = 5;
	finding.unproven[DOUBT_REASON_COUNT - 1] = 7;
	snprintf(wanted, sizeof(wanted), "5 %s, 7 %s", doubt_reason_name(0),
		 doubt_reason_name(DOUBT_REASON_COUNT - 1));
	ck_assert_uint_eq(finding_unproven(&finding, text, sizeof(text)), 12);
	ck_assert_str_eq(text, wanted);
}
END_TEST

START_TEST(findings_are_given_back)
{
	struct findings findings = { .finding = calloc(2, sizeof(struct finding)), .count = 1 };

	findings.finding[1].frame = (struct finding_frame *)8; /* behind the last */
	findings_deinit(&findings);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_ptr_null(findings.finding);
}
END_TEST

SUITE(finding, LOOP(finding_is_described, cases), TEST(findings_are_told_apart),
      LOOP(who_is_accused_has_room, rooms), TEST(stack_of_the_first_point_is_kept),
      TEST(start_file_is_named), TEST(callers_are_named_by_their_calls), TEST(reasons_are_added),
      TEST(findings_are_given_back))
