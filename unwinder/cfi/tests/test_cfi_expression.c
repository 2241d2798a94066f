/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cfi_expression.c - the shapes that are recognised, and every operation evaluated
 *
 * Registers in these tests: rsp (7) is 0x1000, rbp (6) is 0x2000, rip (16) is 0x401234; no other
 * is known. Memory at 0x1000..0x1020 holds the bytes 0x00, 0x01 ... 0x1f; nothing else is readable.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfi_bytes.h"
#include "cfi/expression.h"
#include "table/table_abi.h"

#define MEMORY_START 0x1000
#define MEMORY_BYTES 0x20

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < MEMORY_START || address - MEMORY_START > MEMORY_BYTES - size)
		return -1;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)ret)[i] = (uint8_t)(address - MEMORY_START + i);
	return 0;
}

static const struct memory_reader memory = { .read = read_memory };
static const struct register_values registers = {
	.value = { [6] = 0x2000, [7] = 0x1000, [16] = 0x401234 },
	.known = 1u << 6 | 1u << 7 | 1u << 16,
};

/* ---- recognise --------------------------------------------------------------------------- */

#define OTHER	    EXPRESSION_OTHER, 0, 0, 0, 0, 0
#define OTHER_SAVED EXPRESSION_OTHER, 0, 0, 0, 0
#define NO_INDEX    0, 0

static const struct {
	const char *name;
	struct literal expression;
	enum expression_form form;
	uint32_t reg;
	int64_t a;
	int64_t b;
	uint32_t index;
	uint64_t scale;
} shapes[] = {
	{ "plt_lazy", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), EXPRESSION_PLT, 7, 8,
	  11, NO_INDEX },
	{ "plt_ibt", BYTES("\x77\x08\x80\x00\x3f\x1a\x39\x2a\x33\x24\x22"), EXPRESSION_PLT, 7, 8, 9,
	  NO_INDEX },
	{ "plt_with_other_operands", BYTES("\x76\x18\x80\x00\x3f\x1a\x35\x2a\x33\x24\x22"),
	  EXPRESSION_PLT, 6, 24, 5, NO_INDEX },
	{ "plt_with_another_mask", BYTES("\x77\x08\x80\x00\x3e\x1a\x3b\x2a\x33\x24\x22"), OTHER },
	{ "plt_with_another_shift", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x32\x24\x22"), OTHER },
	{ "plt_with_an_offset_to_rip", BYTES("\x77\x08\x80\x01\x3f\x1a\x3b\x2a\x33\x24\x22"),
	  OTHER },
	{ "plt_of_another_register", BYTES("\x77\x08\x76\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), OTHER },
	{ "plt_that_compares_otherwise", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2b\x33\x24\x22"),
	  OTHER },
	{ "plt_cut_short", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24"), OTHER },
	{ "plt_with_more_behind", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22\x35"),
	  OTHER },
	{ "plt_times_eight", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x38\x1e\x22\x96"),
	  EXPRESSION_PLT, 7, 8, 11, NO_INDEX },
	{ "plt_the_other_way_round", BYTES("\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x77\x08\x22\x38\x22"),
	  EXPRESSION_PLT, 7, 16, 11, NO_INDEX },
	{ "rip", BYTES("\x80\x0c"), EXPRESSION_REGISTER, 16, 12, 0, NO_INDEX },
	{ "tail_of_constants", BYTES("\x80\x0c\x0d\x07\0\0\0\x1c\x0d\x02\0\0\0\x22"),
	  EXPRESSION_REGISTER, 16, 7, 0, NO_INDEX },
	{ "constants_that_make_one", BYTES("\x77\x08\x34\x34\x1e\x1f\x22"), EXPRESSION_REGISTER, 7,
	  -8, 0, NO_INDEX },
	{ "constant_before_the_register", BYTES("\x38\x77\x08\x22"), EXPRESSION_REGISTER, 7, 16, 0,
	  NO_INDEX },
	{ "constant_less_a_register_is_another", BYTES("\x38\x77\x08\x1c"), OTHER },
	{ "index_shifted", BYTES("\x77\x08\x79\x01\x33\x24\x22"), EXPRESSION_REGISTER, 7, 16, 0, 9,
	  8 },
	{ "index_first", BYTES("\x79\x00\x38\x1e\x77\x08\x22"), EXPRESSION_REGISTER, 7, 8, 0, 9,
	  8 },
	{ "register_used_twice", BYTES("\x79\x00\x12\x22"), EXPRESSION_REGISTER, 9, 0, 0, 9, 1 },
	{ "register_as_a_place", BYTES("\x57"), EXPRESSION_REGISTER, 7, 0, 0, NO_INDEX },
	{ "dropped_register_still_must_be_known", BYTES("\x79\x00\x13\x77\x08"), OTHER },
	{ "dropped_memory_still_must_be_read", BYTES("\x77\x00\x06\x13\x77\x08"), OTHER },
	{ "swapped", BYTES("\x38\x77\x08\x16\x1c"), EXPRESSION_REGISTER, 7, 0, 0, NO_INDEX },
	{ "rotated_the_second_is_on_top", BYTES("\x33\x35\x77\x00\x17\x1c\x22"),
	  EXPRESSION_REGISTER, 7, -2, 0, NO_INDEX },
	{ "rotated_the_top_is_third", BYTES("\x77\x00\x33\x35\x17\x22\x16\x1c"),
	  EXPRESSION_REGISTER, 7, -2, 0, NO_INDEX },
	{ "address_of_the_image_is_another", BYTES("\x77\x08\x03\x08\0\0\0\0\0\0\0\x22"), OTHER },
	{ "number_alone_is_another", BYTES("\x38"), OTHER },
	{ "division_by_zero_is_another", BYTES("\x77\x08\x38\x30\x1b\x22"), OTHER },
	{ "register", BYTES("\x76\x70"), EXPRESSION_REGISTER, 6, -16, 0, NO_INDEX },
	{ "register_by_number", BYTES("\x92\x07\x80\x01"), EXPRESSION_REGISTER, 7, 128, 0,
	  NO_INDEX },
	{ "deref", BYTES("\x76\x78\x06"), EXPRESSION_DEREF, 6, -8, 0, NO_INDEX },
	{ "deref_of_r10", BYTES("\x7a\x00\x06"), EXPRESSION_DEREF, 10, 0, 0, NO_INDEX },
	{ "deref_plus_uconst", BYTES("\x77\x88\x01\x06\x23\x10"), EXPRESSION_DEREF, 7, 136, 16,
	  NO_INDEX },
	{ "deref_plus_literal", BYTES("\x77\x00\x06\x38\x22"), EXPRESSION_DEREF, 7, 0, 8,
	  NO_INDEX },
	{ "deref_plus_constant", BYTES("\x77\x00\x06\x09\xf8\x22"), EXPRESSION_DEREF, 7, 0, -8,
	  NO_INDEX },
	{ "indexed", BYTES("\x77\x08\x79\x00\x38\x1e\x22"), EXPRESSION_REGISTER, 7, 8, 0, 9, 8 },
	{ "indexed_and_constant_added", BYTES("\x77\x08\x79\x02\x34\x1e\x22\x23\x10"),
	  EXPRESSION_REGISTER, 7, 32, 0, 9, 4 },
	{ "indexed_without_a_scale", BYTES("\x77\x08\x79\x00\x22"), EXPRESSION_REGISTER, 7, 8, 0, 9,
	  1 },
	{ "indexed_deref", BYTES("\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08"), EXPRESSION_DEREF, 7,
	  8, 8, 9, 8 },
	{ "indexed_and_not_added_is_another", BYTES("\x77\x08\x79\x00\x38\x1e\x1c"), OTHER },
	{ "indexed_times_zero_still_needs_the_index", BYTES("\x77\x08\x79\x00\x30\x1e\x22"),
	  OTHER },
	{ "indexed_cut_short", BYTES("\x77\x08\x79\x00\x38\x1e"), OTHER },
	{ "deref_minus_literal", BYTES("\x77\x00\x06\x38\x1c"), EXPRESSION_DEREF, 7, 0, -8,
	  NO_INDEX },
	{ "deref_and_a_tail", BYTES("\x77\x00\x06\x38\x1c\x23\x10"), EXPRESSION_DEREF, 7, 0, 8,
	  NO_INDEX },
	{ "deref_of_8_bytes", BYTES("\x77\x00\x94\x08"), EXPRESSION_DEREF, 7, 0, 0, NO_INDEX },
	{ "deref_of_4_bytes_is_another", BYTES("\x77\x00\x94\x04"), OTHER },
	{ "deref_twice_is_another", BYTES("\x77\x00\x06\x06"), OTHER },
	{ "deref_plus_cut_short", BYTES("\x77\x00\x06\x23"), OTHER },
	{ "register_17_is_another", BYTES("\x81\x00"), OTHER },
	{ "offset_cut_short", BYTES("\x77\x80"), OTHER },
	{ "empty", BYTES(""), OTHER },
};

START_TEST(shape_is_recognised)
{
	struct expression_shape shape;
	expression_recognise((const uint8_t *)shapes[_i].expression.data,
			     shapes[_i].expression.size, &shape);
	ck_assert_msg(shape.form == shapes[_i].form && shape.reg == shapes[_i].reg &&
			      shape.a == shapes[_i].a && shape.b == shapes[_i].b &&
			      shape.index == shapes[_i].index && shape.scale == shapes[_i].scale,
		      "%s: form %d reg %u a %" PRId64 " b %" PRId64, shapes[_i].name, shape.form,
		      shape.reg, shape.a, shape.b);
}
END_TEST

/* What is recognised must mean what evaluating it gives. */
START_TEST(shape_and_value_agree)
{
	struct expression_shape shape;
	const uint8_t *bytes = (const uint8_t *)shapes[_i].expression.data;
	expression_recognise(bytes, shapes[_i].expression.size, &shape);
	if (shape.form == EXPRESSION_OTHER)
		return;
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	for (uint64_t low = 0; low < 16; low++) {
		for (unsigned int reg = 0; reg < REGISTER_COUNT; reg++)
			regs.value[reg] = 0x1008;
		regs.value[REGISTER_RIP] = 0x401230 + low;
		uint64_t indexed = regs.value[shape.index] * shape.scale;
		if (shape.form == EXPRESSION_DEREF)
			regs.value[shape.reg] = 0x1008 - (uint64_t)shape.a - indexed;
		uint64_t expected = regs.value[shape.reg] + indexed + (uint64_t)shape.a;
		if (shape.form == EXPRESSION_DEREF)
			expected = 0x0f0e0d0c0b0a0908 + (uint64_t)shape.b;
		if (shape.form == EXPRESSION_PLT)
			expected += (uint64_t)((int64_t)low >= shape.b) << 3;
		uint64_t value;
		struct error error;
		ck_assert_msg(!expression_evaluate(bytes, shapes[_i].expression.size, &regs, false,
						   0, &memory, &value, &error),
			      "%s: %s", shapes[_i].name, error.message);
		ck_assert_msg(value == expected, "%s: 0x%" PRIx64 ", expected 0x%" PRIx64,
			      shapes[_i].name, value, expected);
	}
}
END_TEST

/* Of a register: the CFA is on the stack. less: what is taken off it before it is rounded down. */
static const struct {
	const char *name;
	struct literal expression;
	enum expression_form form;
	uint32_t reg;
	int64_t a;
	int64_t less;
	uint64_t scale;
} saved_shapes[] = {
	{ "cfa_left_below_a_register", BYTES("\x76\x58"), EXPRESSION_REGISTER, 6, -40, 0, 0 },
	{ "cfa_dropped", BYTES("\x13\x77\xa8\x01"), EXPRESSION_REGISTER, 7, 168, 0, 0 },
	{ "cfa_dropped_alone", BYTES("\x13"), OTHER_SAVED },
	{ "dropped_twice", BYTES("\x13\x13\x77\x08"), OTHER_SAVED },
	{ "realigned_slot", BYTES("\x38\x1c\x09\xc0\x1a\x0b\x48\xff\x22"), EXPRESSION_ALIGNED, 0,
	  -184, 8, 64 },
	{ "realigned_slot_with_wide_constants",
	  BYTES("\x38\x1c\x0d\xe0\xff\xff\xff\x1a\x0d\x90\xff\xff\xff\x22"), EXPRESSION_ALIGNED, 0,
	  -112, 8, 32 },
	{ "realigned_slot_of_no_power_of_two", BYTES("\x38\x1c\x09\xc1\x1a\x0b\x48\xff\x22"),
	  OTHER_SAVED },
	{ "realigned_slot_with_a_mask_of_0", BYTES("\x38\x1c\x30\x1a\x0b\x48\xff\x22"),
	  OTHER_SAVED },
	{ "realigned_slot_after_a_drop", BYTES("\x13\x38\x1c\x09\xc0\x1a\x0b\x48\xff\x22"),
	  OTHER_SAVED },
	{ "realigned_slot_cut_short", BYTES("\x38\x1c\x09\xc0\x1a\x0b\x48\xff"), OTHER_SAVED },
	{ "realigned_slot_with_a_tail", BYTES("\x38\x1c\x09\xc0\x1a\x0b\x48\xff\x22\x96\x38\x1c"),
	  EXPRESSION_ALIGNED, 0, -192, 8, 64 },
	{ "realigned_twice_is_another", BYTES("\x38\x1c\x09\xc0\x1a\x09\xe0\x1a"), OTHER_SAVED },
	{ "cfa_itself", BYTES("\x96"), EXPRESSION_ALIGNED, 0, 0, 0, 1 },
	{ "cfa_and_a_constant", BYTES("\x23\x08\x34\x1c"), EXPRESSION_ALIGNED, 0, 4, 0, 1 },
	{ "cfa_and_a_register_is_another", BYTES("\x77\x08\x22"), OTHER_SAVED },
};

/* And it means what evaluating it gives. */
START_TEST(saved_shape_is_recognised)
{
	const uint8_t *bytes = (const uint8_t *)saved_shapes[_i].expression.data;
	size_t size = saved_shapes[_i].expression.size;
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	uint64_t cfa = 0x7ffe1238, value, expected;
	struct expression_shape shape;
	struct error error;

	expression_recognise_saved(bytes, size, &shape);
	ck_assert_msg(shape.form == saved_shapes[_i].form && shape.reg == saved_shapes[_i].reg &&
			      shape.a == saved_shapes[_i].a && shape.b == saved_shapes[_i].less &&
			      shape.scale == saved_shapes[_i].scale,
		      "%s: form %d reg %u a %" PRId64 " b %" PRId64, saved_shapes[_i].name,
		      shape.form, shape.reg, shape.a, shape.b);
	if (shape.form == EXPRESSION_OTHER)
		return;
	regs.value[shape.reg] = 0x1008;
	expected = shape.form == EXPRESSION_ALIGNED ? (cfa - shape.b) & -shape.scale : 0x1008;
	ck_assert_msg(!expression_evaluate(bytes, size, &regs, true, cfa, &memory, &value, &error),
		      "%s: %s", saved_shapes[_i].name, error.message);
	ck_assert_uint_eq(value, expected + (uint64_t)shape.a);
}
END_TEST

/* ---- which registers ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct literal expression;
	uint32_t mask;
} takers[] = {
	{ "nothing", BYTES(""), 0 },
	{ "breg", BYTES("\x77\x08"), 1u << 7 },
	{ "breg31_does_not_exist", BYTES("\x8f\x08"), 0 },
	{ "bregx", BYTES("\x92\x07\x08"), 1u << 7 },
	{ "bregx_by_a_long_number", BYTES("\x92\x87\x00\x08"), 1u << 7 },
	{ "bregx_that_does_not_exist", BYTES("\x92\x11\x08"), 0 },
	{ "reg", BYTES("\x53"), 1u << 3 },
	{ "reg31_does_not_exist", BYTES("\x6f"), 0 },
	{ "reg0_is_the_first", BYTES("\x50"), 1u << 0 },
	{ "reg16_is_the_last", BYTES("\x60"), 1u << 16 },
	{ "reg17_does_not_exist", BYTES("\x61"), 0 },
	{ "breg0_has_an_operand", BYTES("\x70\x53"), 1u << 0 },
	{ "reg31_has_no_operand", BYTES("\x6f\x77\x08"), 1u << 7 },
	{ "breg31_has_an_operand", BYTES("\x8f\x53\x77\x08"), 1u << 7 },
	{ "regx", BYTES("\x90\x0c\x23\x70"), 1u << 12 },
	{ "regx_has_no_offset", BYTES("\x90\x0c\x53"), 1u << 12 | 1u << 3 },
	{ "bregx_has_an_offset", BYTES("\x92\x0c\x53"), 1u << 12 },
	{ "lit_is_a_number", BYTES("\x30\x4f"), 0 },
	{ "operands_are_no_operations",
	  BYTES("\x03\x70\x70\x70\x70\x70\x70\x70\x70\x08\x71\x09\x72\x0a\x73\x73\x0b\x74\x74"
		"\x0c\x75\x75\x75\x75\x0d\x76\x76\x76\x76\x10\xf0\x70\x11\x70\x94\x71\x15\x72"
		"\x28\x73\x73\x2f\x74\x74\x23\x75\x96"),
	  0 },
	{ "wide_operands_are_no_operations",
	  BYTES("\x0e\x70\x70\x70\x70\x70\x70\x70\x70\x0f\x71\x71\x71\x71\x71\x71\x71\x71\x78\0"),
	  1u << 8 },
	{ "several", BYTES("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), 1u << 7 | 1u << 16 },
	{ "before_what_is_unknown", BYTES("\x76\x08\xe0\x77\x08"), 1u << 6 },
	{ "cut_off", BYTES("\x76\x08\x77"), 1u << 6 },
	{ "cut_off_in_a_register", BYTES("\x76\x08\x92\x87"), 1u << 6 },
};

START_TEST(registers_are_found)
{
	ck_assert_msg(expression_registers((const uint8_t *)takers[_i].expression.data,
					   takers[_i].expression.size) == takers[_i].mask,
		      "%s", takers[_i].name);
}
END_TEST

/* ---- evaluate ---------------------------------------------------------------------------- */

#define MINUS_1 UINT64_MAX

static const struct {
	const char *name;
	struct literal expression;
	uint64_t value;
	enum error_code code;
	uint64_t offset; /* of the operation that fails */
} values[] = {
	{ "addr", BYTES("\x03\1\2\3\4\5\6\7\x08"), 0x0807060504030201, 0, 0 },
	{ "lit0", BYTES("\x30"), 0, 0, 0 },
	{ "lit31", BYTES("\x4f"), 31, 0, 0 },
	{ "const1u", BYTES("\x08\xff"), 0xff, 0, 0 },
	{ "const1s", BYTES("\x09\xff"), MINUS_1, 0, 0 },
	{ "const2u", BYTES("\x0a\xfe\xff"), 0xfffe, 0, 0 },
	{ "const2s", BYTES("\x0b\xff\xff"), MINUS_1, 0, 0 },
	{ "const4u", BYTES("\x0c\xff\xff\xff\xff"), 0xffffffff, 0, 0 },
	{ "const4s", BYTES("\x0d\xff\xff\xff\xff"), MINUS_1, 0, 0 },
	{ "const8u", BYTES("\x0e\1\0\0\0\0\0\0\x80"), 0x8000000000000001, 0, 0 },
	{ "const8s", BYTES("\x0f\xff\xff\xff\xff\xff\xff\xff\xff"), MINUS_1, 0, 0 },
	{ "constu", BYTES("\x10\xe5\x8e\x26"), 624485, 0, 0 },
	{ "consts", BYTES("\x11\x80\x7f"), (uint64_t)-128, 0, 0 },
	{ "breg", BYTES("\x77\x78"), 0xff8, 0, 0 },
	{ "bregx", BYTES("\x92\x10\x00"), 0x401234, 0, 0 },
	{ "reg_is_its_value", BYTES("\x57"), 0x1000, 0, 0 },
	{ "regx", BYTES("\x90\x10"), 0x401234, 0, 0 },
	{ "dup", BYTES("\x32\x12\x22"), 4, 0, 0 },
	{ "drop", BYTES("\x32\x33\x13"), 2, 0, 0 },
	{ "over", BYTES("\x32\x33\x14"), 2, 0, 0 },
	{ "pick_0_is_dup", BYTES("\x32\x33\x15\0"), 3, 0, 0 },
	{ "pick_2", BYTES("\x31\x32\x33\x15\2"), 1, 0, 0 },
	{ "swap", BYTES("\x32\x33\x16"), 2, 0, 0 },
	{ "rot_takes_the_top_down", BYTES("\x31\x32\x33\x17"), 2, 0, 0 },
	{ "rot_puts_it_third", BYTES("\x31\x32\x33\x17\x13\x13"), 3, 0, 0 },
	{ "deref", BYTES("\x77\x00\x06"), 0x0706050403020100, 0, 0 },
	{ "deref_size_1", BYTES("\x77\x05\x94\x01"), 5, 0, 0 },
	{ "deref_size_4", BYTES("\x77\x04\x94\x04"), 0x07060504, 0, 0 },
	{ "abs", BYTES("\x09\x80\x19"), 128, 0, 0 },
	{ "abs_of_a_positive_number", BYTES("\x32\x19"), 2, 0, 0 },
	{ "and", BYTES("\x3c\x3a\x1a"), 8, 0, 0 },
	{ "div_is_signed", BYTES("\x09\xf9\x32\x1b"), (uint64_t)-3, 0, 0 },
	{ "div_of_the_least_by_minus_1_wraps", BYTES("\x0e\0\0\0\0\0\0\0\x80\x09\xff\x1b"),
	  0x8000000000000000, 0, 0 },
	{ "minus_takes_the_top_from_the_second", BYTES("\x32\x33\x1c"), MINUS_1, 0, 0 },
	{ "mod_is_unsigned", BYTES("\x09\xff\x3a\x1d"), 5, 0, 0 },
	{ "mul", BYTES("\x36\x37\x1e"), 42, 0, 0 },
	{ "neg", BYTES("\x31\x1f"), MINUS_1, 0, 0 },
	{ "not", BYTES("\x30\x20"), MINUS_1, 0, 0 },
	{ "or", BYTES("\x3c\x33\x21"), 15, 0, 0 },
	{ "plus", BYTES("\x32\x33\x22"), 5, 0, 0 },
	{ "plus_uconst", BYTES("\x32\x23\x80\x01"), 130, 0, 0 },
	{ "shl", BYTES("\x31\x33\x24"), 8, 0, 0 },
	{ "shl_by_63", BYTES("\x31\x08\x3f\x24"), 0x8000000000000000, 0, 0 },
	{ "shl_by_64_is_0", BYTES("\x31\x08\x40\x24"), 0, 0, 0 },
	{ "shr_is_logical", BYTES("\x09\xff\x08\x3f\x25"), 1, 0, 0 },
	{ "shr_by_64_is_0", BYTES("\x09\xff\x08\x40\x25"), 0, 0, 0 },
	{ "shra_is_arithmetic", BYTES("\x09\x80\x33\x26"), (uint64_t)-16, 0, 0 },
	{ "shra_by_64_is_the_sign", BYTES("\x09\x80\x08\x40\x26"), MINUS_1, 0, 0 },
	{ "xor", BYTES("\x3c\x3a\x27"), 6, 0, 0 },
	{ "eq_true", BYTES("\x32\x32\x29"), 1, 0, 0 },
	{ "eq_false", BYTES("\x32\x33\x29"), 0, 0, 0 },
	{ "ge_equal", BYTES("\x32\x32\x2a"), 1, 0, 0 },
	{ "ge_is_signed", BYTES("\x32\x09\xff\x2a"), 1, 0, 0 },
	{ "gt_equal", BYTES("\x32\x32\x2b"), 0, 0, 0 },
	{ "gt", BYTES("\x33\x32\x2b"), 1, 0, 0 },
	{ "le", BYTES("\x32\x33\x2c"), 1, 0, 0 },
	{ "le_is_signed", BYTES("\x32\x09\xff\x2c"), 0, 0, 0 },
	{ "lt_equal", BYTES("\x32\x32\x2d"), 0, 0, 0 },
	{ "lt", BYTES("\x32\x33\x2d"), 1, 0, 0 },
	{ "ne", BYTES("\x32\x33\x2e"), 1, 0, 0 },
	{ "skip_forward", BYTES("\x32\x2f\1\0\x33\x34\x22"), 6, 0, 0 },
	{ "skip_to_the_end", BYTES("\x32\x2f\1\0\x33"), 2, 0, 0 },
	{ "bra_taken", BYTES("\x32\x31\x28\1\0\x33"), 2, 0, 0 },
	{ "bra_not_taken", BYTES("\x32\x30\x28\1\0\x33"), 3, 0, 0 },
	{ "bra_loops", BYTES("\x35\x31\x1c\x12\x28\xfa\xff"), 0, 0, 0 },
	{ "nop", BYTES("\x32\x96"), 2, 0, 0 },

	{ "empty_leaves_nothing", BYTES(""), 0, ERROR_EXPRESSION, 0 },
	{ "drop_leaves_nothing", BYTES("\x30\x13"), 0, ERROR_EXPRESSION, 2 },
	{ "underflow_of_1", BYTES("\x06"), 0, ERROR_EXPRESSION, 0 },
	{ "underflow_of_2", BYTES("\x30\x22"), 0, ERROR_EXPRESSION, 1 },
	{ "underflow_of_3", BYTES("\x30\x30\x17"), 0, ERROR_EXPRESSION, 2 },
	{ "pick_underflow", BYTES("\x30\x15\1"), 0, ERROR_EXPRESSION, 1 },
	{ "bra_underflow", BYTES("\x28\0\0"), 0, ERROR_EXPRESSION, 0 },
	{ "addr_past_end", BYTES("\x03\1\2\3\4\5\6\7"), 0, ERROR_EXPRESSION, 0 },
	{ "const1u_past_end", BYTES("\x30\x08"), 0, ERROR_EXPRESSION, 1 },
	{ "const8s_past_end", BYTES("\x0f\1\2\3\4\5\6\7"), 0, ERROR_EXPRESSION, 0 },
	{ "constu_past_end", BYTES("\x10\x80"), 0, ERROR_EXPRESSION, 0 },
	{ "breg_past_end", BYTES("\x77"), 0, ERROR_EXPRESSION, 0 },
	{ "bregx_past_end", BYTES("\x92\x87"), 0, ERROR_EXPRESSION, 0 },
	{ "pick_past_end", BYTES("\x30\x15"), 0, ERROR_EXPRESSION, 1 },
	{ "deref_size_past_end", BYTES("\x30\x94"), 0, ERROR_EXPRESSION, 1 },
	{ "plus_uconst_past_end", BYTES("\x30\x23"), 0, ERROR_EXPRESSION, 1 },
	{ "skip_past_end", BYTES("\x30\x2f\0"), 0, ERROR_EXPRESSION, 1 },
	{ "skip_out_at_the_end", BYTES("\x30\x2f\1\0"), 0, ERROR_EXPRESSION, 1 },
	{ "skip_out_at_the_start", BYTES("\x30\x2f\xfb\xff"), 0, ERROR_EXPRESSION, 1 },
	{ "endless_loop", BYTES("\x2f\xfd\xff"), 0, ERROR_EXPRESSION, 0 },
	{ "stack_overflow", BYTES("\x30\x2f\xfc\xff"), 0, ERROR_EXPRESSION, 0 },
	{ "register_not_known", BYTES("\x73\x00"), 0, ERROR_EXPRESSION_REGISTER, 0 },
	{ "register_17", BYTES("\x81\x00"), 0, ERROR_EXPRESSION, 0 },
	{ "register_1000", BYTES("\x92\xe8\x07\x00"), 0, ERROR_EXPRESSION, 0 },
	{ "division_by_zero", BYTES("\x32\x30\x1b"), 0, ERROR_EXPRESSION, 2 },
	{ "modulo_zero", BYTES("\x32\x30\x1d"), 0, ERROR_EXPRESSION, 2 },
	{ "deref_size_0", BYTES("\x77\x00\x94\x00"), 0, ERROR_EXPRESSION, 2 },
	{ "deref_size_9", BYTES("\x77\x00\x94\x09"), 0, ERROR_EXPRESSION, 2 },
	{ "deref_of_nowhere", BYTES("\x76\x00\x06"), 0, ERROR_EXPRESSION_MEMORY, 2 },
	{ "xderef", BYTES("\x30\x30\x18"), 0, ERROR_EXPRESSION, 2 },
	{ "reg_not_known", BYTES("\x53"), 0, ERROR_EXPRESSION_REGISTER, 0 },
	{ "reg31", BYTES("\x6f"), 0, ERROR_EXPRESSION, 0 },
	{ "regx_past_end", BYTES("\x90"), 0, ERROR_EXPRESSION, 0 },
	{ "fbreg", BYTES("\x91\x00"), 0, ERROR_EXPRESSION, 0 },
	{ "piece", BYTES("\x30\x93\x08"), 0, ERROR_EXPRESSION, 1 },
	{ "call2", BYTES("\x98\0\0"), 0, ERROR_EXPRESSION, 0 },
	{ "call_frame_cfa", BYTES("\x9c"), 0, ERROR_EXPRESSION, 0 },
	{ "stack_value", BYTES("\x30\x9f"), 0, ERROR_EXPRESSION, 1 },
	{ "entry_value", BYTES("\xa3\1\x55"), 0, ERROR_EXPRESSION, 0 },
	{ "lo_user", BYTES("\xe0"), 0, ERROR_EXPRESSION, 0 },
};

START_TEST(operation_is_evaluated)
{
	uint64_t value = 0;
	struct error error = { 0 };
	int result = expression_evaluate((const uint8_t *)values[_i].expression.data,
					 values[_i].expression.size, &registers, false, 0, &memory,
					 &value, &error);
	ck_assert_msg(result == (values[_i].code ? -1 : 0) && error.code == values[_i].code,
		      "%s: %d %s", values[_i].name, result, error.message);
	ck_assert_msg(error.offset == values[_i].offset, "%s: at %" PRIu64 ": %s", values[_i].name,
		      error.offset, error.message);
	ck_assert_msg(value == values[_i].value, "%s: 0x%" PRIx64 ", expected 0x%" PRIx64,
		      values[_i].name, value, values[_i].value);
}
END_TEST

START_TEST(cfa_is_pushed_first)
{
	uint64_t value;
	struct error error = { 0 };
	static const uint8_t plus_8[] = { 0x23, 0x08 };
	ck_assert_int_eq(
		expression_evaluate(plus_8, 2, &registers, true, 0x5000, NULL, &value, &error), 0);
	ck_assert_uint_eq(value, 0x5008);
	ck_assert_int_eq(
		expression_evaluate(plus_8, 0, &registers, true, 0x5000, NULL, &value, &error), 0);
	ck_assert_uint_eq(value, 0x5000);
}
END_TEST

START_TEST(without_memory_nothing_is_read)
{
	static const uint8_t deref[] = { 0x77, 0x00, 0x06 };
	const struct memory_reader none = { .read = NULL };
	struct error error = { 0 };
	uint64_t value;

	ck_assert_int_eq(expression_evaluate(deref, 3, &registers, false, 0, _i ? &none : NULL,
					     &value, &error),
			 -1);
	ck_assert_int_eq(error.code, ERROR_EXPRESSION_MEMORY);
}
END_TEST

START_TEST(error_names_the_operation)
{
	uint64_t value;
	struct error error;
	static const uint8_t cfa[] = { 0x30, 0x9c };
	ck_assert_int_eq(expression_evaluate(cfa, 2, &registers, false, 0, &memory, &value, &error),
			 -1);
	ck_assert_msg(strstr(error.message, "0x9c") && strstr(error.message, "byte 1"), "%s",
		      error.message);
}
END_TEST

static const struct {
	struct literal expression;
	uint8_t opcode; /* 0: the message is all of it */
	int byte;
	const char *message;
} messages[] = {
	{ BYTES("\x32\x30\x1b"), 0x1b, 2, "division by zero" },
	{ BYTES("\x32\x30\x1d"), 0x1d, 2, "division by zero" },
	{ BYTES("\x30\x30\x18"), 0x18, 2, "it is not evaluated here" },
	{ BYTES("\x9c"), 0x9c, 0, "it is not evaluated here" },
	{ BYTES("\x30\x22"), 0x22, 1, "the stack has too few entries" },
	{ BYTES("\x30\x15\1"), 0x15, 1, "the stack has too few entries" },
	{ BYTES("\x2f\xfd\xff"), 0x2f, 0, "it loops too long" },
	{ BYTES("\x30\x2f\xfc\xff"), 0x30, 0, "the stack is full" },
	{ BYTES("\x30\x2f\1\0"), 0x2f, 1, "it branches out of the expression" },
	{ BYTES("\x77\0\x94\x09"), 0x94, 2, "the size is not 1 to 8" },
	{ BYTES("\x73\0"), 0x73, 0, "the value of rbx is not known" },
	{ BYTES("\x81\0"), 0x81, 0, "the register doesn't exist" },
	{ BYTES("\x6f"), 0x6f, 0, "the register doesn't exist" },
	{ BYTES("\x8f\0"), 0x8f, 0, "the register doesn't exist" },
	{ BYTES("\x30\x08"), 0x08, 1, "its operand reaches past the expression's end" },
	{ BYTES("\x76\0\x06"), 0, 0, "8 bytes at 0x2000 could not be read" },
	{ BYTES("\x76\0\x94\4"), 0, 0, "4 bytes at 0x2000 could not be read" },
};

START_TEST(error_says_what_is_wrong)
{
	struct error error = { 0 };
	char expected[160];
	uint64_t value;

	snprintf(expected, sizeof(expected),
		 "DWARF operation 0x%02x at byte %d of the expression: %s", messages[_i].opcode,
		 messages[_i].byte, messages[_i].message);
	ck_assert_int_eq(expression_evaluate((const uint8_t *)messages[_i].expression.data,
					     messages[_i].expression.size, &registers, false, 0,
					     &memory, &value, &error),
			 -1);
	ck_assert_str_eq(error.message, messages[_i].opcode ? expected : messages[_i].message);
}
END_TEST

/* As many entries and steps as there may be, and one more. */
START_TEST(evaluation_is_bounded)
{
	static uint8_t bytes[10001];
	const int limit = _i ? 10000 : 64;
	struct error error = { 0 };
	uint64_t value = 0;

	memset(bytes, _i ? 0x96 : 0x33, sizeof(bytes)); /* nop, or lit3 */
	bytes[0] = 0x33;
	ck_assert_int_eq(
		expression_evaluate(bytes, limit, &registers, false, 0, &memory, &value, &error),
		0);
	ck_assert_uint_eq(value, 3);
	ck_assert_int_eq(expression_evaluate(bytes, limit + 1, &registers, false, 0, &memory,
					     &value, &error),
			 -1);
	ck_assert_int_eq(error.code, ERROR_EXPRESSION);
	ck_assert_uint_eq(error.offset, _i ? limit - 1 : limit); /* that it loops is said behind */
}
END_TEST

/* Any bytes at all end in a value or an error. */
START_TEST(random_bytes_are_bounded)
{
	unsigned int seed = 1;
	for (int round = 0; round < 20000; round++) {
		uint8_t bytes[24];
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(rand_r(&seed) >> 7);
		uint64_t value;
		struct error error;
		struct expression_shape shape;
		size_t size = (size_t)rand_r(&seed) % sizeof(bytes);
		expression_recognise(bytes, size, &shape);
		int result = expression_evaluate(bytes, size, &registers, round & 1, 0x1000,
						 &memory, &value, &error);
		ck_assert(result == 0 || error.code == ERROR_EXPRESSION ||
			  error.code == ERROR_EXPRESSION_MEMORY ||
			  error.code == ERROR_EXPRESSION_REGISTER);
	}
}
END_TEST

/* ---- text -------------------------------------------------------------------------------- */

/* An operand of every size, with its first and its last bit. */
static const struct {
	const char *name;
	struct literal expression;
	const char *text;
} texts[] = {
	{ "addr", BYTES("\x03\1\0\0\0\0\0\0\x80\x06"), "addr 9223372036854775809; deref" },
	{ "const1u", BYTES("\x08\x81\x06"), "const1u 129; deref" },
	{ "const1s", BYTES("\x09\x81\x06"), "const1s-127; deref" },
	{ "const2u", BYTES("\x0a\1\x80\x06"), "const2u 32769; deref" },
	{ "const2s", BYTES("\x0b\1\x80\x06"), "const2s-32767; deref" },
	{ "const4u", BYTES("\x0c\1\0\0\x80\x06"), "const4u 2147483649; deref" },
	{ "const4s", BYTES("\x0d\1\0\0\x80\x06"), "const4s-2147483647; deref" },
	{ "const8u", BYTES("\x0e\1\0\0\0\0\0\0\x80\x06"), "const8u 9223372036854775809; deref" },
	{ "const8s", BYTES("\x0f\1\0\0\0\0\0\0\x80\x06"), "const8s-9223372036854775807; deref" },
	{ "constu", BYTES("\x10\x81\x01\x06"), "constu 129; deref" },
	{ "consts", BYTES("\x11\x81\x7f\x06"), "consts-127; deref" },
	{ "pick", BYTES("\x15\x81\x06"), "pick 129; deref" },
	{ "bra", BYTES("\x28\1\x80\x06"), "bra-32767; deref" },
	{ "skip", BYTES("\x2f\1\0\x06"), "skip+1; deref" },
	{ "lit0", BYTES("\x30\x06"), "lit0; deref" },
	{ "lit31", BYTES("\x4f\x06"), "lit31; deref" },
	{ "reg0", BYTES("\x50\x06"), "reg0; deref" },
	{ "breg0", BYTES("\x70\x81\x7f\x06"), "breg0-127; deref" },
	{ "reg31", BYTES("\x6f\x06"), "reg31; deref" },
	{ "breg31", BYTES("\x8f\x81\x7f\x06"), "breg31-127; deref" },
	{ "regx", BYTES("\x90\x81\x01\x06"), "regx 129; deref" },
	{ "bregx", BYTES("\x92\x81\x01\x01\x06"), "bregx 129+1; deref" },
	{ "deref_size", BYTES("\x94\x04\x06"), "deref_size 4; deref" },
	{ "unknown", BYTES("\x06\x01\x06"), "deref; ? 01 06" },
	{ "cut_off", BYTES("\x06\x0e\1\0\0\0\0\0\0"), "deref; const8u? 0e 01 00 00 00 00 00 00" },
	{ "padded", BYTES("\x10\x81\x81\0\x06"), "constu? 10 81 81 00 06" },
};

START_TEST(expression_has_its_text)
{
	const struct literal *expression = &texts[_i].expression;
	size_t size, read_size = 0;
	uint8_t read[16];
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	expression_print(file, (const uint8_t *)expression->data, expression->size);
	fclose(file);
	ck_assert_str_eq(text, texts[_i].text);
	ck_assert_msg(!expression_read(text, size, read, sizeof(read), &read_size) &&
			      read_size == expression->size &&
			      !memcmp(read, expression->data, read_size),
		      "%s: read back: %zu bytes", texts[_i].name, read_size);
	free(text);
}
END_TEST

SUITE(cfi_expression, LOOP(shape_is_recognised, shapes), LOOP(shape_and_value_agree, shapes),
      LOOP(saved_shape_is_recognised, saved_shapes), LOOP(registers_are_found, takers),
      LOOP(operation_is_evaluated, values), TEST(cfa_is_pushed_first),
      TIMES(without_memory_nothing_is_read, 2), TEST(error_names_the_operation),
      LOOP(error_says_what_is_wrong, messages), TIMES(evaluation_is_bounded, 2),
      TEST(random_bytes_are_bounded), LOOP(expression_has_its_text, texts))
