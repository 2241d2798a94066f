/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sframe_blame.c - which row of SFrame is blamed where its table leads elsewhere than the CFI
 *
 * An image of four functions, with SFrame that differs from its CFI in one thing a case. The stack is eight words; a case
 * says where the thread is, and how many frames agree.
 *
 *	0x1000	rsp+8; push rbp: rsp+16; mov rsp, rbp: rbp+16
 *	0x1020	by rbx
 *	0x1040	rsp+8, a signal's frame
 *	0x1060	rsp+8
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "image/elf_image.h"
#include "sframe/tests/sframe_bytes.h"
#include "judge/verdict/verdict.h"

#define STACK 0x7000

static void put_plain(struct made *made, uint64_t pc, uint8_t info, int cfa)
{
	made_function(made, pc, 0x20, ADDR1 | info, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), cfa);
}

static void put_framed(struct made *made, int pushed, int fp)
{
	made_function(made, 0x1000, 0x20, ADDR1, 0, 0, 3);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_row(made, 1, 1, ROW(BY_SP, 1, 2), pushed, -16);
	made_row(made, 1, 4, ROW(BY_FP, 1, 2), 16, fp);
}

static void right(struct made *made)
{
	put_framed(made, 16, -16);
	if (made->version == 3) {
		made_function(made, 0x1020, 0x20, ADDR1, FLEX, 0, 1);
		made_row(made, 1, 0, ROW(BY_SP, 1, 2), (int)CONTROL(3, 0), 8);
	}
	put_plain(made, 0x1040, made->version == 3 ? SIGNAL_P : 0, 8);
	put_plain(made, 0x1060, 0, 8);
}

static void wrong_cfa(struct made *made)
{
	put_framed(made, 24, -16);
	put_plain(made, 0x1060, 0, 8);
}

static void wrong_rbp(struct made *made)
{
	put_framed(made, 16, -24);
	put_plain(made, 0x1060, 0, 8);
}

static void too_long(struct made *made)
{
	made_function(made, 0x1060, 0x40, ADDR1, 0, 0, 1);
	made_row(made, 1, 0, ROW(BY_SP, 1, 1), 8);
}

static const struct {
	const char *name;
	unsigned int version; /* 0: no SFrame */
	void (*put)(struct made *made);
	uint64_t pc, rbp, word[8];
	uint32_t frames;
	enum stop_reason stop; /* of the table's stack */
	bool blamed;
	enum fault_kind kind;
	enum sframe_loss loss;
	uint32_t frame;
} cases[] = {
	{ "no_frame_agrees", 3, right, 0x1000, 0, { 0x1061 }, 0, 0, false, 0, 0, 0 },
	{ "the_same_rows", 3, right, 0x1000, 0, { 0x1061 }, 1, 0, false, 0, 0, 0 },
	{ "a_wrong_cfa", 2, wrong_cfa, 0x1001, 0, { 0, 0x1061 }, 1, 0, true, FAULT_SFRAME, 0, 0 },
	{ "a_wrong_cfa_of_a_caller",
	  2,
	  wrong_cfa,
	  0x1060,
	  0,
	  { 0x1002, 0, 0x1061 },
	  2,
	  0,
	  true,
	  FAULT_SFRAME,
	  0,
	  1 },
	/* The inner frame's row has rbp elsewhere, by which the outer one's CFA is found. */
	{ "a_wrong_rbp",
	  2,
	  wrong_rbp,
	  0x1010,
	  STACK,
	  { STACK + 16, 0x1010, 0, 0x1061 },
	  2,
	  0,
	  true,
	  FAULT_SFRAME,
	  0,
	  0 },
	{ "no_row",
	  2,
	  wrong_cfa,
	  0x1040,
	  0,
	  { 0x1061 },
	  1,
	  STOP_NO_ROW,
	  true,
	  FAULT_SFRAME_LOSS,
	  (enum sframe_loss)SFRAME_UNTOLD,
	  0 },
	{ "a_cfa_that_the_version_has_not",
	  2,
	  right,
	  0x1020,
	  0,
	  { 0x1061 },
	  1,
	  STOP_NO_ROW,
	  true,
	  FAULT_SFRAME_LOSS,
	  (enum sframe_loss)SFRAME_CFA_REGISTER,
	  0 },
	{ "a_register_that_is_not_tracked",
	  3,
	  right,
	  0x1060,
	  0,
	  { 0x1021, 0x1061 },
	  2,
	  STOP_REGISTER_UNKNOWN,
	  true,
	  FAULT_SFRAME_LOSS,
	  SFRAME_LOSS_REGISTER,
	  1 },
	{ "the_same_without_that_stop",
	  3,
	  right,
	  0x1060,
	  0,
	  { 0x1021, 0x1061 },
	  2,
	  STOP_NO_ROW,
	  false,
	  0,
	  0,
	  0 },
	{ "a_signal_without_a_mark",
	  2,
	  right,
	  0x1040,
	  0,
	  { 0x1060, 0x1061 },
	  2,
	  0,
	  true,
	  FAULT_SFRAME_LOSS,
	  SFRAME_LOSS_SIGNAL,
	  0 },
	{ "a_signal_with_a_mark", 3, right, 0x1040, 0, { 0x1060, 0x1061 }, 2, 0, false, 0, 0, 0 },
	{ "a_row_where_no_fde_is",
	  1,
	  too_long,
	  0x1080,
	  0,
	  { 0x1061 },
	  1,
	  0,
	  true,
	  FAULT_SFRAME,
	  0,
	  0 },
	{ "no_row_of_either", 2, right, 0x1080, 0, { 0x1061 }, 1, STOP_NO_ROW, false, 0, 0, 0 },
	{ "no_sframe",
	  0,
	  NULL,
	  0x1000,
	  0,
	  { 0x1061 },
	  1,
	  STOP_NO_ROW,
	  true,
	  FAULT_SFRAME_LOSS,
	  SFRAME_LOSS_NO_SECTION,
	  0 },
};

static int read_stack(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < STACK || address + size > STACK + 8 * sizeof(uint64_t))
		return -1;
	memcpy(ret, (const uint8_t *)context + (address - STACK), size);
	return 0;
}

static void put_cfi(struct bytes *bytes)
{
	size_t plain = put_cie(bytes, 0, (struct literal)CFI(CFA_USUAL));
	size_t signal = begin_entry(bytes);

	put_literal(bytes, (struct literal)BYTES("\0\0\0\0\1zS\0\1\x78\x10\0"));
	put_literal(bytes, (struct literal)CFI(CFA_USUAL));
	end_entry(bytes, signal);
	put_fde(bytes, plain, 0x1000, 0x20,
		(struct literal)CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_offset(RBP, 2),
				    CFA_advance_loc(3), CFA_def_cfa_register(RBP)));
	put_fde(bytes, plain, 0x1020, 0x20, (struct literal)CFI(CFA_def_cfa_register(RBX)));
	put_fde(bytes, signal, 0x1040, 0x20, (struct literal)CFI(CFA_nop));
	put_fde(bytes, plain, 0x1060, 0x20, (struct literal)CFI(CFA_nop));
}

/* One image, mapped where it says. */
struct mapped {
	struct bytes eh_frame, sframe_bytes;
	struct made made;
	struct image_file file; /* without symbols and sections */
	struct image image;
	struct image_segment segment;
	struct image_section section;
	struct image_entry entry;
	struct mapping mapping;
	struct address_space space;
};

static void map(struct mapped *mapped, unsigned int version, void (*put_sframe)(struct made *))
{
	struct error error;

	*mapped = (struct mapped) { .made.version = version };
	put_cfi(&mapped->eh_frame);
	mapped->image = fake_image(&mapped->eh_frame);
	mapped->segment = (struct image_segment) { 0x1000, 0x1000, 0, 0x1000, true };
	mapped->image.segment = &mapped->segment;
	mapped->image.segment_count = 1;
	mapped->image.type = ET_DYN;
	mapped->file.symbols_read = mapped->file.ranges_made = mapped->file.stubs_read = true;
	mapped->image.priv = &mapped->file;
	mapped->entry.image = &mapped->image;
	mapped->entry.cfi_if_read = cfi_of(&mapped->image);
	mapped->mapping =
		(struct mapping) { .start = 0x1000, .end = 0x2000, .entry = &mapped->entry };
	mapped->space = (struct address_space) { .mapping = &mapped->mapping, .mapping_count = 1 };
	if (!put_sframe)
		return;
	put_sframe(&mapped->made);
	made_finish(&mapped->made, &mapped->sframe_bytes);
	mapped->section = made_section(&mapped->sframe_bytes);
	mapped->entry.sframe_if_read = read_made(&mapped->section, &error);
	ck_assert_msg(mapped->entry.sframe_if_read, "%s", error.message);
}

static void unmap(struct mapped *mapped)
{
	cfi_destroy(mapped->entry.cfi_if_read);
	sframe_destroy(mapped->entry.sframe_if_read);
	free(mapped->entry.rows);
}

START_TEST(the_row_is_found)
{
	struct memory_reader memory = { read_stack, (void *)cases[_i].word };
	struct register_values regs = { .known = UINT32_MAX };
	struct judgement judgement = { .verdict = VERDICT_EXACT };
	struct stack table = { .stop = cases[_i].stop };
	struct mapped mapped;
	struct point point = { .space = &mapped.space, .regs = &regs, .memory = &memory };
	struct evidence evidence = { .point = &point, .table = &table, .of_sframe = true };
	const char *name = cases[_i].name;
	char text[256] = "";

	map(&mapped, cases[_i].version, cases[_i].put);
	regs.value[REGISTER_RIP] = cases[_i].pc;
	regs.value[REGISTER_RSP] = STACK;
	regs.value[REGISTER_RBP] = cases[_i].rbp;
	regs.value[3] = STACK + 8; /* rbx */
	ck_assert_msg(judge_sframe(&evidence, cases[_i].frames, &judgement) == cases[_i].blamed,
		      "%s: %s", name, fault_kind_name(judgement.kind));
	if (cases[_i].blamed) {
		ck_assert_msg(judgement.kind == cases[_i].kind &&
				      judgement.loss == cases[_i].loss &&
				      judgement.frame == cases[_i].frame,
			      "%s: %s, %s, frame %u", name, fault_kind_name(judgement.kind),
			      sframe_loss_name(judgement.loss), judgement.frame);
		ck_assert_int_eq(judgement.verdict, cases[_i].kind == FAULT_SFRAME
							    ? VERDICT_TABLE_FAULT
							    : VERDICT_CONVERSION_LOSS_FLAGGED);
		sframe_blame_describe(&mapped.entry, judgement.pc, text, sizeof(text));
		ck_assert_msg(!strncmp(text, "CFI ", 4) && strstr(text, "; SFrame "), "%s: %s",
			      name, text);
	}
	unmap(&mapped);
}
END_TEST

START_TEST(losses_have_names)
{
	for (int i = 0; i < SFRAME_LOSS_COUNT; i++)
		for (int other = 0; other < i; other++)
			ck_assert_str_ne(sframe_loss_name((enum sframe_loss)i),
					 sframe_loss_name((enum sframe_loss)other));
}
END_TEST

SUITE(sframe_blame, LOOP(the_row_is_found, cases), TEST(losses_have_names))
