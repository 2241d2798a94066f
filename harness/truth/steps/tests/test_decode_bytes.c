/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_decode_bytes.c - what is read of an instruction's bytes, and what is kept of it
 *
 * The bytes lie between two pages that can't be read: right behind the first, or right before the
 * second. Who reads a byte more ends there. Encodings: Intel SDM volume 2.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "truth/steps/decode.c"

#define CODE(...) .bytes = { __VA_ARGS__ }, .size = sizeof((const uint8_t[]) { __VA_ARGS__ })
#define BASE	  0x401000ull
#define NONE	  16 /* no register */

static uint8_t *page; /* between two that are not there */

static void begin(void)
{
	page = mmap(NULL, 3 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	page += PAGE_BYTES;
	ck_assert_int_eq(mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
}

static void end(void)
{
	munmap(page - PAGE_BYTES, 3 * PAGE_BYTES);
}

static const uint8_t *at_begin(const uint8_t *bytes, size_t size)
{
	return memcpy(page, bytes, size);
}

static const uint8_t *at_end(const uint8_t *bytes, size_t size)
{
	return memcpy(page + PAGE_BYTES - size, bytes, size);
}

/* ---- what is put into rsp -------------------------------------------------------------------- */

static const struct source_case {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	enum sp_source source;
	uint8_t reg;
} sources[] = {
	{ "mov_rsp_rsp", CODE(0x48, 0x89, 0xe4), SP_MOVED, 4 },
	{ "mov_rsp_rbp", CODE(0x48, 0x89, 0xec), SP_FROM_FRAME, 5 },
	{ "mov_rsp_r12", CODE(0x4c, 0x89, 0xe4), SP_FROM_REGISTER, 12 },
	{ "mov_r12_rsp", CODE(0x49, 0x89, 0xe4), SP_MOVED, NONE },
	{ "mov_rsp_r13_the_other_way", CODE(0x49, 0x8b, 0xe5), SP_FROM_REGISTER, 13 },
	{ "mov_r12_rax_the_other_way", CODE(0x4c, 0x8b, 0xe0), SP_MOVED, NONE },
	{ "mov_rsp_memory", CODE(0x48, 0x8b, 0x20), SP_FROM_MEMORY, NONE },
	{ "mov_memory_rax_by_rsp", CODE(0x48, 0x89, 0x04, 0x24), SP_MOVED, NONE },
	{ "xchg_rsp_memory", CODE(0x48, 0x87, 0x23), SP_FROM_MEMORY, NONE },
	{ "xchg_rsp_rbx", CODE(0x48, 0x87, 0xe3), SP_FROM_REGISTER, 3 },
	{ "xchg_rbx_rsp", CODE(0x48, 0x87, 0xdc), SP_FROM_REGISTER, 3 },
	{ "xchg_memory_rax_by_rsp", CODE(0x48, 0x87, 0x04, 0x24), SP_MOVED, NONE },
	{ "xchg_rbx_rax", CODE(0x48, 0x87, 0xc3), SP_MOVED, NONE },
	{ "xchg_rsp_rax", CODE(0x48, 0x94), SP_FROM_REGISTER, 0 },
	{ "xchg_r12_rax", CODE(0x49, 0x94), SP_MOVED, 0 },
	{ "lea_rsp_r13", CODE(0x49, 0x8d, 0x65, 8), SP_FROM_REGISTER, 13 },
	{ "lea_rsp_rbp", CODE(0x48, 0x8d, 0x65, 8), SP_FROM_FRAME, 5 },
	{ "lea_rsp_rsp", CODE(0x48, 0x8d, 0x64, 0x24, 8), SP_MOVED, NONE },
	{ "lea_rsp_rbx_and_index", CODE(0x48, 0x8d, 0xa4, 0x03, 1, 2, 3, 4), SP_FROM_REGISTER, 3 },
	{ "lea_rsp_rip", CODE(0x48, 0x8d, 0x25, 1, 2, 3, 4), SP_FROM_REGISTER, NONE },
	{ "lea_of_a_register_is_none", CODE(0x48, 0x8d, 0xe4, 0x03), SP_MOVED, NONE },
	{ "lea_rax", CODE(0x48, 0x8d, 0x03), SP_MOVED, NONE },
	{ "lea_whose_base_is_cut_off", CODE(0x8d, 0x24), SP_FROM_REGISTER, 0 },
	{ "pop_rsp", CODE(0x5c), SP_FROM_MEMORY, NONE },
	{ "pop_r12", CODE(0x41, 0x5c), SP_MOVED, NONE },
	{ "pop_rsp_by_modrm", CODE(0x8f, 0xc4), SP_FROM_MEMORY, NONE },
	{ "pop_rbx_by_modrm", CODE(0x8f, 0xc3), SP_MOVED, NONE },
	{ "pop_memory_by_rsp", CODE(0x8f, 0x04, 0x24), SP_MOVED, NONE },
	{ "mov_rsp_constant", CODE(0x48, 0xc7, 0xc4, 1, 2, 3, 4), SP_FROM_REGISTER, NONE },
	{ "mov_rbx_constant", CODE(0x48, 0xc7, 0xc3, 1, 2, 3, 4), SP_MOVED, NONE },
	{ "mov_memory_constant", CODE(0x48, 0xc7, 0x04, 0x24, 1, 2, 3, 4), SP_MOVED, NONE },
	{ "mov_esp_constant", CODE(0xbc, 1, 2, 3, 4), SP_FROM_REGISTER, NONE },
	{ "mov_r12d_constant", CODE(0x41, 0xbc, 1, 2, 3, 4), SP_MOVED, NONE },
	{ "leave", CODE(0xc9), SP_FROM_FRAME, NONE },
	{ "iret", CODE(0x48, 0xcf), SP_FROM_MEMORY, NONE },
	{ "opcode_alone", CODE(0x8b), SP_MOVED, NONE },
	{ "prefixes_alone", CODE(0x66, 0x48), SP_MOVED, NONE },
};

START_TEST(source_of_rsp)
{
	const struct source_case *c = &sources[_i];

	for (int begins = 0; begins < 2; begins++) {
		const uint8_t *bytes = (begins ? at_begin : at_end)(c->bytes, c->size);
		uint8_t reg = 99;

		ck_assert_msg(instruction_sp_source(bytes, c->size, &reg) == c->source, "%s",
			      c->name);
		ck_assert_msg(reg == c->reg, "%s: %u", c->name, reg);
	}
}
END_TEST

/* However little of it there is, nothing behind it, or before, is looked at. */
START_TEST(nothing_behind_is_read)
{
	const struct source_case *c = &sources[_i];
	uint8_t reg;

	for (size_t size = 0; size <= c->size; size++) {
		const uint8_t *bytes = at_end(c->bytes, size);

		instruction_kind(bytes, size);
		instruction_sp_source(bytes, size, &reg);
		instruction_traits(bytes, size);
		ck_assert_int_eq(instruction_kind(bytes, 0), INSTRUCTION_UNKNOWN);
	}
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	enum instruction_kind kind;
} cut_off[] = {
	{ "nothing", .size = 0, .kind = INSTRUCTION_UNKNOWN },
	{ "a_prefix", CODE(0x48), INSTRUCTION_UNKNOWN },
	{ "int", CODE(0xcd), INSTRUCTION_UNKNOWN },
	{ "first_of_two", CODE(0x0f), INSTRUCTION_UNKNOWN },
	{ "group_5", CODE(0xff), INSTRUCTION_UNKNOWN },
	{ "call", CODE(0xe8), INSTRUCTION_CALL },
	{ "prefixes_and_a_last_opcode",
	  CODE(0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
	       0xc3),
	  INSTRUCTION_RETURN },
	{ "a_prefix_too_many",
	  CODE(0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
	       0x66, 0xc3),
	  INSTRUCTION_UNKNOWN },
};

START_TEST(kind_of_what_is_cut_off)
{
	const uint8_t *bytes = at_end(cut_off[_i].bytes, cut_off[_i].size);

	ck_assert_msg(instruction_kind(bytes, cut_off[_i].size) == cut_off[_i].kind, "%s",
		      cut_off[_i].name);
}
END_TEST

/* ---- where it may go on, and store: each opcode ---------------------------------------------- */

static struct instruction_traits traits_of(uint8_t first, uint8_t second)
{
	const uint8_t bytes[] = { first, second, 0, 0, 0, 0, 0, 0 };

	return instruction_traits(at_end(bytes, sizeof(bytes)), sizeof(bytes));
}

static bool is_one_of(uint8_t byte, const char *list)
{
	return byte && strchr(list, byte);
}

START_TEST(opcode_jumps)
{
	for (int i = 0; i < 256; i++) {
		bool jcc = i >= 0x70 && i <= 0x7f;
		bool loops = i >= 0xe0 && i <= 0xe3;

		if (is_prefix(i) || is_one_of(i, "\x0f\xc6\xc7\xff"))
			continue;
		ck_assert_msg(
			traits_of(i, 0).jumps ==
				(jcc || loops ||
				 is_one_of(i, "\xc2\xc3\xca\xcb\xcc\xcd\xcf\xe8\xe9\xeb\xf1")),
			"0x%x", i);
	}
	for (int i = 0; i < 256; i++) {
		int operation = i >> 3 & 7;
		bool is_ff = operation == 2 || operation == 3 || operation == 4 || operation == 5;

		ck_assert_msg(traits_of(0x0f, i).jumps ==
				      ((i >= 0x80 && i <= 0x8f) || is_one_of(i, "\5\7\x34\x35")),
			      "0x0f 0x%x", i);
		ck_assert_msg(traits_of(0xc6, i).jumps == (i == 0xf8), "0xc6 0x%x", i);
		ck_assert_msg(traits_of(0xc7, i).jumps == (i == 0xf8), "0xc7 0x%x", i);
		ck_assert_msg(traits_of(0xff, i).jumps == is_ff, "0xff 0x%x", i);
		ck_assert_msg(traits_of(0xff, i).jumps_computed == (operation == 4), "0xff 0x%x",
			      i);
		ck_assert_msg(traits_of(0x8e, i).holds_trap == (operation == 2), "0x8e 0x%x", i);
		ck_assert(!traits_of(i == 0x8e ? 0 : i, 0xd0).holds_trap);
		ck_assert(!traits_of(i == 0xff ? 0 : i, 0xe0).jumps_computed);
		ck_assert_int_eq(traits_of(0x0f, i).legacy_call, i == 0x34);
		ck_assert_int_eq(traits_of(i, 0).pushes_flags, i == 0x9c);
		ck_assert_int_eq(traits_of(i, 0).pops_flags, i == 0x9d || i == 0xcf);
	}
}
END_TEST

START_TEST(opcode_stores)
{
	for (int i = 0; i < 256; i++) {
		bool one = is_one_of(i, "\x87\x89\x8f\xc7");
		bool two = is_one_of(i, "\x11\x13\x17\x29\x2b\x7f\xb1\xc3\xd6\xe7");
		const uint8_t bytes[] = { 0x0f, i, 0, 0 };

		ck_assert_msg(is_prefix(i) || traits_of(i, 0).stores == one, "0x%x", i);
		ck_assert_msg(!traits_of(i, 0xc0).stores, "0x%x with a register", i);
		ck_assert_msg(instruction_traits(at_end(bytes, 3), 3).stores == two, "0x0f 0x%x",
			      i);
		ck_assert(!instruction_traits(at_end(bytes, 2), 2).stores);
	}
}
END_TEST

/* What is cut off may do anything, or does nothing that is known. */
static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	bool jumps, stores;
} cut_traits[] = {
	{ "nothing", .size = 0, .jumps = true },
	{ "prefixes", CODE(0x66, 0x48), true, false },
	{ "first_of_two", CODE(0x0f), true, false },
	{ "xbegin_perhaps", CODE(0xc7), true, false },
	{ "group_5", CODE(0xff), true, false },
	{ "mov_constant_without_it", CODE(0xc7, 0x07), false, true },
	{ "mov_byte_without_it", CODE(0xc6, 0x07), false, false },
	{ "inc", CODE(0xff, 0xc0), false, false },
	{ "setcc_without_an_operand", CODE(0x0f, 0x94), false, false },
	{ "mov_ss_perhaps", CODE(0x8e), false, false },
	{ "mov", CODE(0x89), false, false },
	{ "mov_without_its_index", CODE(0x89, 0x04), false, false },
	{ "mov_with_its_index", CODE(0x89, 0x04, 0x24), false, true },
	{ "mov_without_its_offset", CODE(0x89, 0x47), false, false },
	{ "mov_with_its_offset", CODE(0x89, 0x47, 8), false, true },
	{ "mov_with_a_part_of_its_offset", CODE(0x89, 0x87, 1, 2, 3), false, false },
	{ "mov_with_all_of_it", CODE(0x89, 0x87, 1, 2, 3, 4), false, true },
	{ "rip_with_a_part_of_it", CODE(0x89, 0x05, 1, 2, 3), false, false },
	{ "rip_with_all_of_it", CODE(0x89, 0x05, 1, 2, 3, 4), false, true },
	{ "no_base_with_a_part_of_it", CODE(0x89, 0x04, 0x25, 1, 2, 3), false, false },
	{ "no_base_with_all_of_it", CODE(0x89, 0x04, 0x25, 1, 2, 3, 4), false, true },
	{ "movups_without_an_operand", CODE(0x0f, 0x11), false, false },
	{ "movups", CODE(0x0f, 0x11, 0x07), false, true },
};

START_TEST(traits_of_what_is_cut_off)
{
	struct instruction_traits got = instruction_traits(
		at_end(cut_traits[_i].bytes, cut_traits[_i].size), cut_traits[_i].size);

	ck_assert_msg(got.jumps == cut_traits[_i].jumps, "%s: jumps", cut_traits[_i].name);
	ck_assert_msg(got.stores == cut_traits[_i].stores, "%s: stores", cut_traits[_i].name);
	ck_assert(!got.holds_trap && !got.jumps_computed && !got.legacy_call);
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	struct store_operand store;
} operands[] = {
	{ "plain", CODE(0x89, 0x07), { .base = 7, .index = BASE_NONE } },
	{ "rex", CODE(0x41, 0x89, 0x07), { .base = 15, .index = BASE_NONE } },
	{ "rex_before_another_prefix",
	  CODE(0x41, 0x66, 0x89, 0x07),
	  { .base = 7, .index = BASE_NONE } },
	{ "fs", CODE(0x64, 0x89, 0x07), { .base = 7, .index = BASE_NONE, .segment = SEGMENT_FS } },
	{ "gs_and_others",
	  CODE(0x65, 0x66, 0x89, 0x07),
	  { .base = 7, .index = BASE_NONE, .segment = SEGMENT_GS } },
	{ "index", CODE(0x89, 0x04, 0xcb), { .base = 3, .index = 1, .shift = 3 } },
	{ "index_with_rex", CODE(0x43, 0x89, 0x04, 0x4b), { .base = 11, .index = 9, .shift = 1 } },
	{ "r12_is_an_index", CODE(0x42, 0x89, 0x04, 0xa3), { .base = 3, .index = 12, .shift = 2 } },
	{ "rsp_is_none", CODE(0x89, 0x04, 0x24), { .base = 4, .index = BASE_NONE } },
	{ "rbp_and_8_bits",
	  CODE(0x89, 0x45, 0x80),
	  { .base = 5, .index = BASE_NONE, .displacement = -128 } },
	{ "rip",
	  CODE(0x89, 0x05, 1, 0, 0, 0),
	  { .base = BASE_RIP, .index = BASE_NONE, .displacement = 1 } },
	{ "nothing_but_an_offset",
	  CODE(0x89, 0x04, 0x25, 0xff, 0xff, 0xff, 0xff),
	  { .base = BASE_NONE, .index = BASE_NONE, .displacement = -1 } },
};

START_TEST(operand_is_read)
{
	struct store_operand got = instruction_traits(at_end(operands[_i].bytes, operands[_i].size),
						      operands[_i].size)
					   .store;
	const struct store_operand *wanted = &operands[_i].store;

	ck_assert_msg(got.base == wanted->base && got.index == wanted->index &&
			      got.shift == wanted->shift && got.segment == wanted->segment &&
			      got.displacement == wanted->displacement,
		      "%s: base %u, index %u << %u, %d", operands[_i].name, got.base, got.index,
		      got.shift, got.displacement);
}
END_TEST

/* Each register has a value of its own. */
START_TEST(address_has_the_registers)
{
	const struct user_regs_struct regs =
		IN_BRACES(.rax = 0x100, .rcx = 0x101, .rdx = 0x102, .rbx = 0x103, .rsp = 0x104,
			  .rbp = 0x105, .rsi = 0x106, .rdi = 0x107, .r8 = 0x108, .r9 = 0x109,
			  .r10 = 0x10a, .r11 = 0x10b, .r12 = 0x10c, .r13 = 0x10d, .r14 = 0x10e,
			  .r15 = 0x10f, .rip = 0x10000, .fs_base = 0x20000, .gs_base = 0x40000);
	struct instruction executed = { .length = 7 };
	struct store_operand *store = &executed.traits.store;

	for (int i = 0; i < 16; i++) {
		*store = (struct store_operand) { .base = i, .index = BASE_NONE };
		ck_assert_uint_eq(store_address(&executed, &regs), 0x100u + i);
		*store = (struct store_operand) { .base = BASE_NONE, .index = i, .shift = 3 };
		ck_assert_uint_eq(store_address(&executed, &regs), (0x100u + i) << 3);
	}
	*store =
		(struct store_operand) { .base = BASE_RIP, .index = BASE_NONE, .displacement = -8 };
	ck_assert_uint_eq(store_address(&executed, &regs), 0x10000 + 7 - 8);
	*store = (struct store_operand) { .base = BASE_NONE, .index = BASE_NONE };
	ck_assert_uint_eq(store_address(&executed, &regs), 0);
	store->segment = SEGMENT_FS;
	ck_assert_uint_eq(store_address(&executed, &regs), 0x20000);
	store->segment = SEGMENT_GS;
	ck_assert_uint_eq(store_address(&executed, &regs), 0x40000);
}
END_TEST

/* ---- registers -------------------------------------------------------------------------------- */

/* mov and pop of each of the 16 registers, in all its parts. */
START_TEST(register_has_its_number)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);

	for (int i = 0; i < 16; i++) {
		const uint8_t mov[] = { 0x48 | i >> 3, 0x89, 0xc0 | (i & 7) }; /* from rax */
		const uint8_t from[] = { 0x48 | i >> 3 << 2, 0x89, 0xc0 | (i & 7) << 3 };
		const uint8_t mov32[] = { 0x40 | i >> 3, 0x89, 0xc0 | (i & 7) };
		const uint8_t mov16[] = { 0x66, 0x40 | i >> 3, 0x89, 0xc0 | (i & 7) };
		const uint8_t mov8[] = { 0x40 | i >> 3, 0x88, 0xc0 | (i & 7) };
		const struct {
			const uint8_t *bytes;
			size_t size;
			uint16_t writes, computed_from;
		} cases[] = { { mov, 3, 1u << i, 1 },
			      { from, 3, 1, 1u << i },
			      { mov32, 3, 1u << i, 0 },
			      { mov16, 4, 1u << i, 0 },
			      { mov8, 3, 1u << i, 0 } };

		for (int j = 0; j < COUNT(cases); j++) {
			struct instruction got = { .writes = 0xffff, .computed_from = 0xffff };

			ck_assert_uint_eq(disassemble(decoder, BASE, cases[j].bytes, cases[j].size),
					  cases[j].size);
			instruction_registers(decoder->scratch, &got);
			ck_assert_msg(got.writes == cases[j].writes &&
					      got.computed_from == cases[j].computed_from,
				      "%d, %d: 0x%x from 0x%x", i, j, got.writes,
				      got.computed_from);
		}
	}
	for (int i = 4; i < 8; i++) { /* ah, ch, dh, bh */
		const uint8_t bytes[] = { 0x88, 0xc0 | i };
		struct instruction got = { 0 };

		ck_assert_uint_eq(disassemble(decoder, BASE, bytes, sizeof(bytes)), 2);
		instruction_registers(decoder->scratch, &got);
		ck_assert_uint_eq(got.writes, 1u << (i - 4));
	}
	decoder_destroy(decoder);
}
END_TEST

/* cmovcc rax, rsp: each of them copies. */
START_TEST(conditional_moves_copy)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);

	for (int condition = 0; condition < 16; condition++) {
		const uint8_t bytes[] = { 0x48, 0x0f, 0x40 | condition, 0xc4 };
		struct instruction got = { 0 };

		ck_assert_uint_eq(disassemble(decoder, BASE, bytes, sizeof(bytes)), 4);
		instruction_registers(decoder->scratch, &got);
		ck_assert_uint_eq(got.writes, 1);
		ck_assert_msg(got.computed_from & 1u << OPERAND_RSP, "condition %d", condition);
	}
	decoder_destroy(decoder);
}
END_TEST

/* Behind the last register that capstone tells, and the last operand, are none. */
START_TEST(operands_are_as_many_as_they_are)
{
	static const uint8_t pop[] = { 0x58 }, mov[] = { 0x48, 0x89, 0xc8 }; /* rax, rcx */
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	struct instruction got = { 0 };
	cs_detail *detail = decoder->scratch->detail;

	ck_assert_uint_eq(disassemble(decoder, BASE, mov, sizeof(mov)), 3);
	detail->x86.operands[2] = detail->x86.operands[0];
	detail->x86.operands[2].reg = X86_REG_RBX;
	instruction_registers(decoder->scratch, &got);
	ck_assert(got.writes == 1 && got.computed_from == 2);
	ck_assert_uint_eq(disassemble(decoder, BASE, pop, sizeof(pop)), 1);
	detail->regs_write[detail->regs_write_count] = X86_REG_RBX;
	instruction_registers(decoder->scratch, &got);
	ck_assert_uint_eq(got.writes, 1 | 1u << OPERAND_RSP);
	decoder_destroy(decoder);
}
END_TEST

/* ---- what is kept ------------------------------------------------------------------------------- */

struct code {
	uint8_t bytes[64];
	size_t size;   /* that can be read, */
	uint64_t from; /* from here on; 0: BASE */
};

static int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	const struct code *code = context;
	uint64_t from = code->from ? code->from : BASE;

	if (address < from || address - from + size > code->size)
		return -1;
	memcpy(ret, code->bytes + (address - from), size);
	return 0;
}

static const struct {
	const char *name;
	uint8_t before[5], after[5];
	bool stale;
} stale_cases[] = {
	{ "the_same", { 0x48, 0x89, 0xc3 }, { 0x48, 0x89, 0xc3 }, false },
	{ "another_register_is_written", { 0x48, 0x89, 0xc3 }, { 0x48, 0x89, 0xc2 }, true },
	{ "another_register_is_read", { 0x48, 0x89, 0xc3 }, { 0x48, 0x89, 0xd3 }, true },
	{ "a_store_elsewhere", { 0x48, 0x89, 0x45, 0x08 }, { 0x48, 0x89, 0x45, 0x10 }, true },
	{ "a_store_by_another_base", { 0x48, 0x89, 0x45, 0x08 }, { 0x48, 0x89, 0x47, 0x08 }, true },
	{ "a_store_of_another", { 0x48, 0x89, 0x45, 0x08 }, { 0x48, 0x89, 0x5d, 0x08 }, true },
	{ "a_load_no_store", { 0x48, 0x89, 0x45, 0x08 }, { 0x48, 0x8b, 0x45, 0x08 }, true },
	{ "another_push", { 0x53 }, { 0x55 }, true },
	{ "flags_are_pushed", { 0x53 }, { 0x9c }, true },
	{ "rsp_from_another", { 0x48, 0x89, 0xc4 }, { 0x48, 0x89, 0xdc }, true },
	{ "another_number", { 0xb8, 1 }, { 0xb8, 2 }, false },
	{ "another_kind", { 0xe8, 0, 0, 0, 0 }, { 0xb8, 0, 0, 0, 0 }, true },
	{ "another_length", { 0x90 }, { 0x66, 0x90 }, true },
	{ "into_rsp_now", { 0x48, 0x89, 0xc3 }, { 0x48, 0x89, 0xc4 }, true },
};

START_TEST(stale_is_what_matters)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	struct code code = { .size = sizeof(code.bytes) };
	const struct memory_reader memory = { read_code, &code };
	bool stale = true;

	memcpy(code.bytes, stale_cases[_i].before, sizeof(stale_cases[_i].before));
	decoder_renew(decoder, BASE, &memory, &stale);
	ck_assert(!stale); /* it was not known */
	decoder_at(decoder, BASE, &memory);
	memcpy(code.bytes, stale_cases[_i].after, sizeof(stale_cases[_i].after));
	decoder_renew(decoder, BASE, &memory, &stale);
	ck_assert_msg(stale == stale_cases[_i].stale, "%s", stale_cases[_i].name);
	decoder_renew(decoder, BASE, &memory, &stale);
	ck_assert(!stale);
	decoder_destroy(decoder);
}
END_TEST

START_TEST(traits_are_decoded)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	struct code code = { .bytes = { 0xff, 0xe0 }, .size = 16 };
	const struct memory_reader memory = { read_code, &code };
	struct instruction got = decoder_at(decoder, BASE, &memory);

	ck_assert(got.traits.jumps && got.traits.jumps_computed);
	decoder_destroy(decoder);
}
END_TEST

/* However often it is flushed, nothing of before is found. */
START_TEST(flushed_is_forgotten)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	struct code code = { .bytes = { 0xc3 }, .size = sizeof(code.bytes) };
	const struct memory_reader memory = { read_code, &code };

	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_RETURN);
	ck_assert_uint_eq(decoder->count, 1);
	decoder->generation = UINT32_MAX; /* after so many */
	code.bytes[0] = 0x90;
	decoder_flush(decoder);
	ck_assert_uint_eq(decoder->count, 0);
	ck_assert_uint_eq(decoder->generation, 1);
	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_OTHER);
	ck_assert_uint_eq(decoder->count, 1);
	decoder_flush(decoder);
	ck_assert_uint_eq(decoder->count, 0);
	decoder_destroy(decoder);
}
END_TEST

/* It is never more than half full. What lies behind the table is none of it. */
START_TEST(table_grows_when_it_is_half_full)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	const uint64_t behind = BASE - 1;

	decoder->entry = realloc(decoder->entry, (CACHE_SIZE_MIN + 1) * sizeof(*decoder->entry));
	decoder->entry[CACHE_SIZE_MIN] = (struct cache_entry) { .pc = behind, .generation = 1 };
	decoder->entry[7] = (struct cache_entry) { .pc = BASE, .generation = 1 };
	decoder->entry[8] = (struct cache_entry) { .pc = BASE + 1, .generation = 0 };
	decoder->count = CACHE_SIZE_MIN / 2 - 1;
	cache_make_room(decoder);
	ck_assert_uint_eq(decoder->size, CACHE_SIZE_MIN);
	decoder->count++;
	cache_make_room(decoder);
	ck_assert_uint_eq(decoder->size, 2 * CACHE_SIZE_MIN);
	ck_assert_uint_eq(cache_slot(decoder->entry, decoder->size, 1, BASE)->generation, 1);
	ck_assert_uint_eq(cache_slot(decoder->entry, decoder->size, 1, BASE + 1)->generation, 0);
	ck_assert_uint_eq(cache_slot(decoder->entry, decoder->size, 1, behind)->generation, 0);
	decoder_destroy(decoder);
}
END_TEST

/* ---- calls, and text ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct code code;
	uint64_t before; /* the end; 0: none */
} call_cases[] = {
	{ "far_in_the_last_bytes", { .bytes = { 0x90, 0x90, 0xff, 0x18 }, .size = 4 }, 0 },
	{ "near_in_the_last_bytes", { .bytes = { 0x90, 0x90, 0xff, 0x10 }, .size = 4 }, 2 },
	{ "behind_what_looks_like_a_prefix",
	  { .bytes = { 0x90, 0x90, 0x41, 0xe8, 1, 2, 3, 4 }, .size = 8 },
	  5 },
	{ "longest", { .bytes = { 0x41, 0xff, 0x94, 0x24, 0, 1, 0, 0 }, .size = 8 }, 8 },
	{ "nothing", { .bytes = { 0x90, 0x90, 0x90, 0x90 }, .size = 4 }, 0 },
};

START_TEST(call_is_before)
{
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	struct code code = call_cases[_i].code;
	const struct memory_reader memory = { read_code, &code };
	uint64_t pc = BASE + PAGE_BYTES; /* where they end, the page does */

	code.from = pc - code.size;

	ck_assert_msg(decoder_call_before(decoder, pc, &memory) ==
			      (call_cases[_i].before ? pc - call_cases[_i].before : 0),
		      "%s", call_cases[_i].name);
	decoder_destroy(decoder);
}
END_TEST

static const struct {
	const char *name;
	struct code code;
	unsigned int length;
} syscall_cases[] = {
	{ "syscall", { .bytes = { 0x0f, 0x05 }, .size = 2 }, 2 },
	{ "sysenter", { .bytes = { 0x0f, 0x34 }, .size = 2 }, 2 },
	{ "int_0x80", { .bytes = { 0xcd, 0x80 }, .size = 2 }, 2 },
	{ "int_0x81", { .bytes = { 0xcd, 0x81 }, .size = 2 }, 0 },
	{ "ud2", { .bytes = { 0x0f, 0x0b }, .size = 2 }, 0 },
	{ "unreadable", { .bytes = { 0x0f, 0x05 }, .size = 1 }, 0 },
};

START_TEST(syscall_has_two_bytes)
{
	struct code code = syscall_cases[_i].code;
	const struct memory_reader memory = { read_code, &code };

	ck_assert_msg(syscall_length(&memory, BASE) == syscall_cases[_i].length, "%s",
		      syscall_cases[_i].name);
}
END_TEST

/* In as much room as there is. */
START_TEST(bytes_are_as_many_as_there_is_room_for)
{
	static const char all[] = ".byte 06 06 06 06 06 06 06 06 06 06 06 06 06 06 06";
	struct error error;
	struct decoder *decoder = decoder_create(&error);
	struct code code = { .size = sizeof(code.bytes) };
	const struct memory_reader memory = { read_code, &code };
	char text[sizeof(all) + 8];

	memset(code.bytes, 6, sizeof(code.bytes));
	for (size_t size = 1; size < sizeof(all) + 2; size++) {
		memset(text, '#', sizeof(text));
		decoder_disassemble(decoder, BASE, &memory, text, size);
		ck_assert_uint_eq(strlen(text), size < sizeof(all) ? size - 1 : sizeof(all) - 1);
		ck_assert_int_eq(strncmp(text, all, strlen(text)), 0);
		ck_assert_int_eq(text[size], '#');
	}
	decoder_destroy(decoder);
}
END_TEST

SUITE(decode_bytes, FIXTURE(begin, end), LOOP(source_of_rsp, sources),
      LOOP(nothing_behind_is_read, sources), LOOP(kind_of_what_is_cut_off, cut_off),
      TEST(opcode_jumps), TEST(opcode_stores), LOOP(traits_of_what_is_cut_off, cut_traits),
      LOOP(operand_is_read, operands), TEST(address_has_the_registers),
      TEST(register_has_its_number), TEST(conditional_moves_copy),
      TEST(operands_are_as_many_as_they_are), LOOP(stale_is_what_matters, stale_cases),
      TEST(traits_are_decoded), TEST(flushed_is_forgotten), TEST(table_grows_when_it_is_half_full),
      LOOP(call_is_before, call_cases), LOOP(syscall_has_two_bytes, syscall_cases),
      TEST(bytes_are_as_many_as_there_is_room_for))
