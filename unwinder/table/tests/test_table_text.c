/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_text.c - each thing that the golden text must say, and what it must not
 *
 * A case is the instructions of one CIE and one FDE, and the lines that they must become. The CFI
 * structures are filled by hand, so that nothing but the text and cfi_program.c takes part. The
 * last cases move the same function to another address and another place in the section: the text
 * must stay, byte for byte.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "image/elf_image.h"
#include "table/saved_table.h"

#define HEADER	   "stackproof table text 1\n"
#define BYTES(...) { __VA_ARGS__ }, sizeof((uint8_t[]) { __VA_ARGS__ })
#define CIE	   BYTES(CFA_USUAL)

struct text_case {
	const char *name;
	uint8_t cie[16];
	size_t cie_bytes;
	uint8_t fde[32];
	size_t fde_bytes;
	uint64_t pc;
	uint64_t range;
	bool signal;
	const char *expected; /* after the header */
};

#define FUNCTION_PC 0x1000 /* where the symbol "function" is, 0x100 bytes long */

static const struct text_case cases[] = {
	{ "offsets_are_from_the_functions_start", CIE,
	  BYTES(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_offset(RBP, 2), CFA_advance_loc(3),
		CFA_def_cfa_register(RBP), CFA_advance_loc(32), CFA_def_cfa(RSP, 8)),
	  FUNCTION_PC, 0x25, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x1 cfa=rsp+16 ra=c-8 rbp=c-16\n"
	  "  +0x4 cfa=rbp+16 ra=c-8 rbp=c-16\n  +0x24 cfa=rsp+8 ra=c-8 rbp=c-16\n  +0x25 end\n" },
	{ "equal_neighbours_are_merged", CIE,
	  BYTES(CFA_advance_loc(1), CFA_def_cfa_offset(8), CFA_advance_loc(1),
		CFA_def_cfa_offset(16)),
	  FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x2 cfa=rsp+16 ra=c-8\n  +0x4 end\n" },
	{ "undefined_same_register_and_val_offset_have_words", CIE,
	  BYTES(CFA_undefined(RIP), CFA_same_value(RBX), CFA_register(R12, R13),
		CFA_val_offset_sf(RBP, SLEB(-2))),
	  FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=undefined rbx=same rbp=v+16 r12=r13\n  +0x4 "
	  "end\n" },
	{ "an_absent_return_address_rule_is_none", BYTES(CFA_def_cfa(RSP, 8)), BYTES(CFA_nop),
	  FUNCTION_PC, 4, false, "function function\n  +0x0 cfa=rsp+8 ra=none\n  +0x4 end\n" },
	{ "the_plt_expression_is_spelt_out", CIE,
	  BYTES(CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
				       DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus)),
	  FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=exp(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; "
	  "plus) ra=c-8\n  +0x4 end\n" },
	{ "negative_and_wide_operands_are_signed_as_they_say", CIE,
	  BYTES(CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref),
		CFA_expression(RBX, DW_OP_bregx, 6, SLEB(-16), DW_OP_plus_uconst, ULEB2(200))),
	  FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=exp(breg6-8; deref) ra=c-8 rbx=exp(bregx 6-16; "
	  "plus_uconst 200)\n  +0x4 end\n" },
	{ "val_expression_is_told_from_expression", CIE,
	  BYTES(CFA_val_expression(RBP, DW_OP_breg6, 0)), FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=c-8 rbp=val_exp(breg6+0)\n  +0x4 end\n" },
	{ "an_unknown_operation_keeps_its_bytes", CIE,
	  BYTES(CFA_val_expression(RBP, 0x31, 0xe5, 6, 0x22)), FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=c-8 rbp=val_exp(lit1; ? e5 06 22)\n  +0x4 "
	  "end\n" },
	{ "numbered_operations_have_their_number", CIE,
	  BYTES(CFA_val_expression(RBP, DW_OP_lit0, DW_OP_lit31, DW_OP_reg0, DW_OP_reg31,
				   DW_OP_breg0, 1, DW_OP_breg31, SLEB(-1))),
	  FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=c-8 rbp=val_exp(lit0; lit31; reg0; reg31; "
	  "breg0+1; breg31-1)\n  +0x4 end\n" },
	{ "an_empty_expression_is_empty", CIE, BYTES(CFA_VAL_EXPRESSION, RBP, 0), FUNCTION_PC, 4,
	  false, "function function\n  +0x0 cfa=rsp+8 ra=c-8 rbp=val_exp()\n  +0x4 end\n" },
	{ "args_size_ends_the_row", CIE, BYTES(CFA_GNU_args_size(16)), FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=c-8 args=16\n  +0x4 end\n" },
	{ "a_signal_frame_is_marked", CIE, BYTES(CFA_nop), FUNCTION_PC, 4, true,
	  "function function signal\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x4 end\n" },
	{ "an_fde_inside_a_symbol_has_its_offset", CIE, BYTES(CFA_nop), FUNCTION_PC + 0x40, 4,
	  false, "function function+0x40\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x4 end\n" },
	{ "an_fde_outside_all_symbols_is_numbered", CIE, BYTES(CFA_nop), FUNCTION_PC + 0x100, 4,
	  false, "function fde.1\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x4 end\n" },
	{ "a_name_cannot_break_a_line", CIE, BYTES(CFA_nop), 0x8000, 4, false,
	  "function a\\x0ab\\x5c\\x20c\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x4 end\n" },
	{ "malformed_instructions_keep_the_rows_before_them", CIE,
	  BYTES(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_advance_loc(1),
		0x3b /* undefined */),
	  FUNCTION_PC, 4, false,
	  "function function\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x1 cfa=rsp+16 ra=c-8\n"
	  "  diagnostic cfi_instruction\n  +0x4 end\n" },
	{ "an_fde_that_covers_nothing_is_not_lost", CIE, BYTES(CFA_nop), FUNCTION_PC, 0, false,
	  "function function\n  +0x0 end\n" },
};

#define CASE_COUNT (sizeof(cases) / sizeof(cases[0]))

/* The text of one case, its function and all else moved by shift. Freed by the caller. */
static char *write_text(const struct text_case *text_case, uint64_t shift,
			const struct error_list *diagnostics)
{
	struct image_symbol symbols[] = {
		{ FUNCTION_PC + shift, 0x100, FUNCTION_PC + shift + 0x100, .name = "function" },
		{ 0x8000 + shift, 4, 0x8000 + shift + 4, .name = "a\nb\\ c" }
	};
	struct image_file file = { .symbols_read = true };
	uint8_t bytes[256] = { 0 };
	struct image image = { .symbol = symbols, .symbol_count = 2, .priv = &file };
	struct image_section section = { bytes, sizeof(bytes), 0x9000 + shift, 0x9000,
					 ".eh_frame" };
	struct cfi_cie cie = { .section = &section,
			       .version = 1,
			       .augmentation = "zR",
			       .code_alignment = 1,
			       .data_alignment = -8,
			       .return_register = 16,
			       .address_bytes = 8,
			       .signal_frame = text_case->signal,
			       .instructions = bytes + shift % 64,
			       .instruction_bytes = text_case->cie_bytes };
	struct cfi_fde fde = { .pc_begin = text_case->pc + shift,
			       .pc_range = text_case->range,
			       .instructions = bytes + 64 + shift % 64,
			       .instruction_bytes = text_case->fde_bytes };
	uint32_t by_pc = 0;
	struct cfi cfi = { .image = &image,
			   .section = &section,
			   .is_eh_frame = true,
			   .cie = &cie,
			   .cie_count = 1,
			   .fde = &fde,
			   .fde_count = 1,
			   .by_pc = &by_pc,
			   .by_pc_count = text_case->range ? 1 : 0 };
	struct error error = { 0 };
	char *text = NULL;
	size_t size;

	memcpy(bytes + shift % 64, text_case->cie, text_case->cie_bytes);
	memcpy(bytes + 64 + shift % 64, text_case->fde, text_case->fde_bytes);
	if (diagnostics)
		cfi.diagnostics = *diagnostics;

	FILE *stream = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(table_text_write(stream, &cfi, &error), 0);
	fclose(stream);
	free(file.range);
	return text;
}

START_TEST(test_text)
{
	const struct text_case *text_case = &cases[_i];
	char *text = write_text(text_case, 0, NULL);

	ck_assert_msg(!strncmp(text, HEADER, strlen(HEADER)), "%s: no header: %s", text_case->name,
		      text);
	ck_assert_msg(!strcmp(text + strlen(HEADER), text_case->expected),
		      "%s:\nexpected\n%sactual\n%s", text_case->name, text_case->expected,
		      text + strlen(HEADER));
	free(text);
}
END_TEST

START_TEST(test_moving_everything_changes_nothing)
{
	char *here = write_text(&cases[_i], 0, NULL), *there = write_text(&cases[_i], 0x7130, NULL);

	ck_assert_msg(!strcmp(here, there), "%s:\n%s%s", cases[_i].name, here, there);
	free(here);
	free(there);
}
END_TEST

/* A lost entry is said, but neither where it lies nor its message, which may quote addresses. */
START_TEST(test_diagnostics_have_codes_only)
{
	struct error lost = { .code = ERROR_CIE_POINTER,
			      .section = ".eh_frame",
			      .offset = 0x1234,
			      .message = "0x401000 is wrong" };
	struct error_list list = { .error = &lost, .count = 1, .dropped = 7 };
	char *text = write_text(&cases[0], 0, &list);
	const char *expected = HEADER "diagnostic cie_pointer\ndiagnostics 7 more\nfunction ";

	ck_assert_msg(!strncmp(text, expected, strlen(expected)), "%s", text);
	free(text);
}
END_TEST

START_TEST(test_a_full_disk_is_an_error)
{
	struct image_file file = { .symbols_read = true };
	struct image image = { .priv = &file };
	struct cfi cfi = { .image = &image };
	struct error error = { 0 };
	FILE *full = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(full);
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(table_text_write(full, &cfi, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	fclose(full);
}
END_TEST

SUITE(table_text, TIMES(test_text, CASE_COUNT),
      TIMES(test_moving_everything_changes_nothing, CASE_COUNT),
      TEST(test_diagnostics_have_codes_only), TEST(test_a_full_disk_is_an_error))
