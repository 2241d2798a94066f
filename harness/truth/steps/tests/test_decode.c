/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_decode.c - bytes -> kind and length of an instruction; the cache
 *
 * The kinds must hold for what capstone can't decode too (AVX-512, shadow stack instructions), so
 * some cases expect length 0. Encodings: Intel SDM volume 2.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/steps/decoder.h"

#define BASE	 0x401000ULL
#define PAGE_END 0x402000ULL

struct code {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	unsigned int reads;
};

/* Memory that ends with the code: whatever reaches past it can't be read. */
static int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	struct code *code = context;

	code->reads++;
	if (address < code->address || address - code->address > code->size ||
	    size > code->size - (address - code->address))
		return -1;
	memcpy(ret, code->bytes + (address - code->address), size);
	return 0;
}

#define CODE(...) .bytes = { __VA_ARGS__ }, .size = sizeof((const uint8_t[]) { __VA_ARGS__ })

static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	enum instruction_kind kind;
	uint8_t length;
} kinds[] = {
	{ "call_rel32", CODE(0xe8, 1, 2, 3, 4), INSTRUCTION_CALL, 5 },
	{ "call_with_data16_rex_of_tls_get_addr", CODE(0x66, 0x66, 0x48, 0xe8, 1, 2, 3, 4),
	  INSTRUCTION_CALL, 8 },
	{ "call_with_bnd", CODE(0xf2, 0xe8, 1, 2, 3, 4), INSTRUCTION_CALL, 6 },
	{ "call_register", CODE(0xff, 0xd0), INSTRUCTION_CALL, 2 },
	{ "call_r11", CODE(0x41, 0xff, 0xd3), INSTRUCTION_CALL, 3 },
	{ "call_notrack_register", CODE(0x3e, 0xff, 0xe0), INSTRUCTION_OTHER, 3 },
	{ "call_notrack_rdx", CODE(0x3e, 0xff, 0xd2), INSTRUCTION_CALL, 3 },
	{ "call_rip_relative", CODE(0xff, 0x15, 1, 2, 3, 4), INSTRUCTION_CALL, 6 },
	{ "call_sib_disp8", CODE(0xff, 0x54, 0xc3, 8), INSTRUCTION_CALL, 4 },
	{ "call_fs_relative", CODE(0x64, 0xff, 0x14, 0x25, 0x10, 0, 0, 0), INSTRUCTION_CALL, 8 },
	{ "call_far_memory", CODE(0x48, 0xff, 0x18), INSTRUCTION_CALL, 3 },
	{ "ff_3_with_a_register_is_undefined", CODE(0xff, 0xd8), INSTRUCTION_OTHER, 0 },
	{ "jump_memory_is_no_call", CODE(0xff, 0x25, 1, 2, 3, 4), INSTRUCTION_OTHER, 6 },
	{ "push_memory_is_no_call", CODE(0xff, 0x75, 8), INSTRUCTION_OTHER, 3 },
	{ "inc_is_no_call", CODE(0xff, 0xc0), INSTRUCTION_OTHER, 2 },
	{ "ret", CODE(0xc3), INSTRUCTION_RETURN, 1 },
	{ "ret_with_rep", CODE(0xf3, 0xc3), INSTRUCTION_RETURN, 2 },
	{ "ret_with_bnd", CODE(0xf2, 0xc3), INSTRUCTION_RETURN, 2 },
	{ "ret_n", CODE(0xc2, 0x10, 0), INSTRUCTION_RETURN, 3 },
	{ "ret_far", CODE(0x48, 0xcb), INSTRUCTION_RETURN, 2 },
	{ "ret_far_n", CODE(0xca, 8, 0), INSTRUCTION_RETURN, 3 },
	{ "syscall", CODE(0x0f, 0x05), INSTRUCTION_SYSCALL, 2 },
	{ "sysenter", CODE(0x0f, 0x34), INSTRUCTION_SYSCALL, 2 },
	{ "int_0x80", CODE(0xcd, 0x80), INSTRUCTION_SYSCALL, 2 },
	{ "int3", CODE(0xcc), INSTRUCTION_TRAP, 1 },
	{ "int_3_long_form", CODE(0xcd, 3), INSTRUCTION_TRAP, 2 },
	{ "int1", CODE(0xf1), INSTRUCTION_TRAP, 1 },
	{ "endbr64", CODE(0xf3, 0x0f, 0x1e, 0xfa), INSTRUCTION_OTHER, 4 },
	{ "push", CODE(0x55), INSTRUCTION_OTHER, 1 },
	{ "e8_inside_an_immediate_is_no_call", CODE(0xb8, 0xe8, 0, 0, 0), INSTRUCTION_OTHER, 5 },
	{ "vex_then_e8", CODE(0xc5, 0xf8, 0x77), INSTRUCTION_OTHER, 3 },
	{ "evex", CODE(0x62, 0xf1, 0xfe, 0x28, 0x6f, 0x06), INSTRUCTION_OTHER, 6 },
	{ "kmov_is_beyond_capstone", CODE(0xc5, 0xfb, 0x93, 0xc0), INSTRUCTION_OTHER, 0 },
	{ "rdsspq_is_beyond_capstone", CODE(0xf3, 0x48, 0x0f, 0x1e, 0xc8), INSTRUCTION_OTHER, 0 },
	{ "undefined", CODE(0x0f, 0x0b), INSTRUCTION_OTHER, 2 },
	{ "nothing_readable", .size = 0, .kind = INSTRUCTION_UNKNOWN, .length = 0 },
	{ "prefixes_to_the_end", CODE(0x66, 0x66), INSTRUCTION_UNKNOWN, 0 },
	{ "ff_cut_before_its_modrm", CODE(0xff), INSTRUCTION_UNKNOWN, 0 },
	{ "0f_cut", CODE(0x0f), INSTRUCTION_UNKNOWN, 0 },
	{ "call_cut_in_its_displacement_is_a_call", CODE(0xe8, 1, 2), INSTRUCTION_CALL, 0 },
	{ "fifteen_prefixes_are_no_instruction",
	  CODE(0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
	       0x66, 0xe8),
	  INSTRUCTION_UNKNOWN, 0 },
};

START_TEST(test_kind)
{
	const uint8_t *bytes = kinds[_i].bytes;

	ck_assert_msg(instruction_kind(bytes, kinds[_i].size) == kinds[_i].kind, "%s: kind %d",
		      kinds[_i].name, instruction_kind(bytes, kinds[_i].size));
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	enum sp_source source;
} sources[] = {
	{ "mov_rsp_memory", CODE(0x48, 0x8b, 0xa7, 0xa0, 0, 0, 0), SP_FROM_MEMORY },
	{ "mov_rsp_rip_relative", CODE(0x48, 0x8b, 0x25, 1, 2, 3, 4), SP_FROM_MEMORY },
	{ "mov_rsp_own_memory", CODE(0x48, 0x8b, 0x64, 0x24, 8), SP_FROM_MEMORY },
	{ "mov_r12_memory_is_another_register", CODE(0x4c, 0x8b, 0x67, 8), SP_MOVED },
	{ "mov_memory_rsp_only_reads_it", CODE(0x48, 0x89, 0x27), SP_MOVED },
	{ "mov_rsp_rax", CODE(0x48, 0x89, 0xc4), SP_FROM_REGISTER },
	{ "mov_rsp_r8", CODE(0x4c, 0x89, 0xc4), SP_FROM_REGISTER },
	{ "mov_rsp_r8_other_encoding", CODE(0x49, 0x8b, 0xe0), SP_FROM_REGISTER },
	{ "mov_rsp_r13_is_not_rbp", CODE(0x4c, 0x89, 0xec), SP_FROM_REGISTER },
	{ "mov_r12_rax", CODE(0x49, 0x89, 0xc4), SP_MOVED },
	{ "mov_rsp_rbp_ends_a_frame", CODE(0x48, 0x89, 0xec), SP_FROM_FRAME },
	{ "mov_rax_rsp_only_reads_it", CODE(0x48, 0x89, 0xe0), SP_MOVED },
	{ "mov_rsp_constant", CODE(0x48, 0xc7, 0xc4, 0, 0, 1, 0), SP_FROM_REGISTER },
	{ "movabs_rsp", CODE(0x48, 0xbc, 0, 0, 1, 0, 0, 0, 0, 0), SP_FROM_REGISTER },
	{ "movabs_r12", CODE(0x49, 0xbc, 0, 0, 1, 0, 0, 0, 0, 0), SP_MOVED },
	{ "xchg_rsp_memory", CODE(0x48, 0x87, 0x26), SP_FROM_MEMORY },
	{ "xchg_rax_rsp", CODE(0x48, 0x94), SP_FROM_REGISTER },
	{ "xchg_rsp_rdx", CODE(0x48, 0x87, 0xd4), SP_FROM_REGISTER },
	{ "xchg_rdx_rsp", CODE(0x48, 0x87, 0xe2), SP_FROM_REGISTER },
	{ "xchg_rax_r12", CODE(0x49, 0x94), SP_MOVED },
	{ "pop_rsp", CODE(0x5c), SP_FROM_MEMORY },
	{ "pop_rsp_long_form", CODE(0x8f, 0xc4), SP_FROM_MEMORY },
	{ "pop_r12", CODE(0x41, 0x5c), SP_MOVED },
	{ "lea_rsp_rsp", CODE(0x48, 0x8d, 0x64, 0x24, 0xd8), SP_MOVED },
	{ "lea_rsp_rbp", CODE(0x48, 0x8d, 0x65, 0xd8), SP_FROM_FRAME },
	{ "lea_rsp_r10", CODE(0x49, 0x8d, 0x62, 0xf8), SP_FROM_REGISTER },
	{ "lea_rsp_r12_is_not_rsp", CODE(0x49, 0x8d, 0x64, 0x24, 8), SP_FROM_REGISTER },
	{ "lea_rsp_rip_relative", CODE(0x48, 0x8d, 0x25, 1, 2, 3, 4), SP_FROM_REGISTER },
	{ "lea_rsp_rdi_rsi", CODE(0x48, 0x8d, 0x24, 0x37), SP_FROM_REGISTER },
	{ "leave", CODE(0xc9), SP_FROM_FRAME },
	{ "push", CODE(0x55), SP_MOVED },
	{ "sub_rsp", CODE(0x48, 0x83, 0xec, 0x28), SP_MOVED },
	{ "and_rsp", CODE(0x48, 0x83, 0xe4, 0xf0), SP_MOVED },
	{ "ret", CODE(0xc3), SP_MOVED },
	{ "iret", CODE(0x48, 0xcf), SP_FROM_MEMORY },
	{ "vex_has_no_such_opcode", CODE(0xc5, 0xf8, 0x8b, 0xe7), SP_MOVED },
	{ "cut_before_its_operands", CODE(0x48), SP_MOVED },
	{ "nothing", .size = 0, .source = SP_MOVED },
};

START_TEST(test_sp_source)
{
	uint8_t from;
	enum sp_source source = instruction_sp_source(sources[_i].bytes, sources[_i].size, &from);

	ck_assert_msg(source == sources[_i].source, "%s: %d", sources[_i].name, source);

	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	struct code code = { sources[_i].bytes, sources[_i].size, PAGE_END - sources[_i].size, 0 };
	struct memory_reader memory = { .read = read_code, .context = &code };
	struct instruction found = decoder_decode(decoder, code.address, &memory);

	ck_assert_msg(found.sp_source == source, "%s: decoded as %d", sources[_i].name,
		      found.sp_source);
	ck_assert(source != SP_FROM_REGISTER || found.sp_register == from);
	decoder_destroy(decoder);
}
END_TEST

#define REG(number) (1u << (number)) /* the encoding's: rax 0, rcx 1, rdx 2, rbx 3, rsp 4 */

static const struct {
	const char *name;
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	size_t size;
	uint16_t writes, computed_from;
} register_cases[] = {
	{ "mov_rax_rsp", CODE(0x48, 0x89, 0xe0), REG(0), REG(4) },
	{ "mov_from_memory_is_computed_from_nothing", CODE(0x48, 0x8b, 0x04, 0x24), REG(0), 0 },
	{ "mov_to_memory_writes_nothing", CODE(0x48, 0x89, 0x04, 0x24), 0, REG(0) },
	{ "lea_takes_base_and_index", CODE(0x48, 0x8d, 0x04, 0x0b), REG(0), REG(3) | REG(1) },
	{ "sub_keeps_its_own", CODE(0x48, 0x29, 0xc8), REG(0), REG(0) | REG(1) },
	{ "and_with_a_constant", CODE(0x48, 0x83, 0xe0, 0xf0), REG(0), REG(0) },
	{ "half_a_register_is_no_address", CODE(0x89, 0xe0), REG(0), 0 },
	{ "r15", CODE(0x49, 0x89, 0xe7), REG(15), REG(4) },
	{ "a_byte_of_r12_is_r12", CODE(0x41, 0xb4, 1), REG(12), 0 },
	{ "a_byte_of_r8_is_r8", CODE(0x41, 0xb0, 1), REG(8), 0 },
	{ "a_byte_of_r15_is_r15", CODE(0x41, 0xb7, 1), REG(15), 0 },
	{ "16_bits_of_r8_are_r8", CODE(0x66, 0x41, 0xb8, 1, 0), REG(8), 0 },
	{ "16_bits_of_r13_are_r13", CODE(0x66, 0x41, 0xbd, 1, 0), REG(13), 0 },
	{ "16_bits_of_r15_are_r15", CODE(0x66, 0x41, 0xbf, 1, 0), REG(15), 0 },
	{ "32_bits_of_r8_are_r8", CODE(0x41, 0xb8, 1, 0, 0, 0), REG(8), 0 },
	{ "32_bits_of_r15_are_r15", CODE(0x41, 0xbf, 1, 0, 0, 0), REG(15), 0 },
	{ "ah_is_rax", CODE(0xb4, 1), REG(0), 0 },
	{ "imul_is_no_sum", CODE(0x48, 0x0f, 0xaf, 0xc4), REG(0), 0 },
	{ "pop_is_from_memory", CODE(0x58), REG(0) | REG(4), 0 },
	{ "xor_of_itself", CODE(0x31, 0xc0), REG(0), 0 },
};

START_TEST(test_registers)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	struct code code = { register_cases[_i].bytes, register_cases[_i].size,
			     PAGE_END - register_cases[_i].size, 0 };
	struct memory_reader memory = { .read = read_code, .context = &code };
	struct instruction found = decoder_at(decoder, code.address, &memory);

	ck_assert_msg(found.writes == register_cases[_i].writes &&
			      found.computed_from == register_cases[_i].computed_from,
		      "%s: writes 0x%x, from 0x%x", register_cases[_i].name, found.writes,
		      found.computed_from);
	decoder_destroy(decoder);
}
END_TEST

/* The code ends where the mapping ends: the decoder may not ask for a byte more. */
#define JUMPS	     IN_BRACES(.jumps = true)
#define NOTHING	     IN_BRACES(0)
#define PUSHES_FLAGS IN_BRACES(.pushes_flags = true)
#define POPS_FLAGS   IN_BRACES(.pops_flags = true)

static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	struct instruction_traits traits; /* but where it stores */
} traits[] = {
	{ "jump_short", CODE(0xeb, 0xfe), JUMPS },
	{ "jump_near", CODE(0xe9, 1, 2, 3, 4), JUMPS },
	{ "jump_memory", CODE(0xff, 0x25, 1, 2, 3, 4), { .jumps = true, .jumps_computed = true } },
	{ "jump_register", CODE(0xff, 0xe0), { .jumps = true, .jumps_computed = true } },
	{ "jump_notrack_register",
	  CODE(0x3e, 0xff, 0xe0),
	  { .jumps = true, .jumps_computed = true } },
	{ "jump_register_cut_off", CODE(0xff), JUMPS },
	{ "jcc_short", CODE(0x74, 2), JUMPS },
	{ "jcc_near", CODE(0x0f, 0x84, 1, 2, 3, 4), JUMPS },
	{ "loop", CODE(0xe2, 0xfe), JUMPS },
	{ "jrcxz", CODE(0xe3, 0xfe), JUMPS },
	{ "call", CODE(0xe8, 1, 2, 3, 4), JUMPS },
	{ "ret", CODE(0xc3), JUMPS },
	{ "xbegin", CODE(0xc7, 0xf8, 1, 2, 3, 4), JUMPS },
	{ "syscall", CODE(0x0f, 0x05), JUMPS },
	{ "int_0x80", CODE(0xcd, 0x80), { .jumps = true, .legacy_call = true } },
	{ "sysenter", CODE(0x0f, 0x34), { .jumps = true, .legacy_call = true } },
	{ "what_cant_be_read_may_do_anything", CODE(0x48), JUMPS },
	{ "push_memory", CODE(0xff, 0x75, 8), NOTHING },
	{ "call_memory", CODE(0xff, 0x55, 8), JUMPS },
	{ "call_far", CODE(0xff, 0x1f), JUMPS },
	{ "jump_far", CODE(0xff, 0x2f), JUMPS },
	{ "setcc_is_no_jump", CODE(0x0f, 0x94, 0xc0), NOTHING },
	{ "in_is_no_loop", CODE(0xe4, 0x10), NOTHING },
	{ "pushf", CODE(0x9c), PUSHES_FLAGS },
	{ "pushf_of_16_bits", CODE(0x66, 0x9c), PUSHES_FLAGS },
	{ "popf", CODE(0x9d), POPS_FLAGS },
	{ "iretq", CODE(0x48, 0xcf), { .jumps = true, .pops_flags = true } },
	{ "mov_ss_register", CODE(0x8e, 0xd0), { .holds_trap = true } },
	{ "mov_ss_memory", CODE(0x8e, 0x55, 8), { .holds_trap = true } },
	{ "mov_ds", CODE(0x8e, 0xd8), NOTHING },
	{ "mov_to_memory", CODE(0x48, 0x89, 0x07), { .stores = true } },
	{ "mov_to_register", CODE(0x48, 0x89, 0xc7), NOTHING },
	{ "mov_from_memory", CODE(0x48, 0x8b, 0x07), NOTHING },
	{ "mov_constant_to_memory", CODE(0x48, 0xc7, 0x07, 1, 2, 3, 4), { .stores = true } },
	{ "movdqu_to_memory", CODE(0xf3, 0x0f, 0x7f, 0x07), { .stores = true } },
	{ "store_whose_address_is_cut_off", CODE(0x48, 0x89, 0x87, 1, 2), NOTHING },
};

START_TEST(test_traits)
{
	struct instruction_traits got = instruction_traits(traits[_i].bytes, traits[_i].size);
	const struct instruction_traits *expected = &traits[_i].traits;

	ck_assert_msg(got.jumps == expected->jumps, "%s: jumps", traits[_i].name);
	ck_assert_msg(got.jumps_computed == expected->jumps_computed, "%s: computed",
		      traits[_i].name);
	ck_assert_msg(got.pushes_flags == expected->pushes_flags, "%s: pushf", traits[_i].name);
	ck_assert_msg(got.pops_flags == expected->pops_flags, "%s: popf", traits[_i].name);
	ck_assert_msg(got.holds_trap == expected->holds_trap, "%s: mov ss", traits[_i].name);
	ck_assert_msg(got.legacy_call == expected->legacy_call, "%s: i386", traits[_i].name);
	ck_assert_msg(got.stores == expected->stores, "%s: stores", traits[_i].name);
}
END_TEST

/* What goes whole to memory, or comes from there. */
static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	uint16_t stored, loaded;
	bool addresses;
	bool copies; /* from memory to memory */
} transfers[] = {
	{ "push_rax", CODE(0x50), 1, 0, false },
	{ "push_rdi", CODE(0x57), 1 << 7, 0, false },
	{ "push_r8", CODE(0x41, 0x50), 1 << 8, 0, false },
	{ "pop_rax", CODE(0x58), 0, 1, false },
	{ "pop_r15", CODE(0x41, 0x5f), 0, 1 << 15, false },
	{ "mov_to_memory", CODE(0x48, 0x89, 0x0c, 0x24), 1 << 1, 0, true },
	{ "mov_r10_to_memory", CODE(0x4c, 0x89, 0x14, 0xd4), 1 << 10, 0, true },
	{ "mov_rax_to_r12_s", CODE(0x49, 0x89, 0x04, 0x24), 1, 0, true },
	{ "mov_half_to_memory", CODE(0x89, 0x0c, 0x24), 0, 0, false },
	{ "mov_half_to_r9_s", CODE(0x41, 0x89, 0x01), 0, 0, false },
	{ "mov_to_register", CODE(0x48, 0x89, 0xc8), 0, 0, false },
	{ "mov_from_memory", CODE(0x48, 0x8b, 0x0c, 0x24), 0, 1 << 1, true },
	{ "mov_r10_from_memory", CODE(0x4f, 0x8b, 0x14, 0xd8), 0, 1 << 10, true },
	{ "mov_half_from_memory", CODE(0x8b, 0x0c, 0x24), 0, 0, false },
	{ "mov_from_register", CODE(0x48, 0x8b, 0xc8), 0, 0, false },
	{ "mov_a_byte", CODE(0x48, 0x88, 0x0c, 0x24), 0, 0, false },
	{ "lea", CODE(0x48, 0x8d, 0x0c, 0x24), 0, 0, false },
	{ "push_memory", CODE(0xff, 0x74, 0x24, 0x10), 0, 0, false, .copies = true },
	{ "push_memory_of_r12", CODE(0x41, 0xff, 0x34, 0x24), 0, 0, false, .copies = true },
	{ "push_a_register_by_modrm", CODE(0xff, 0xf0), 0, 0, false },
	{ "call_memory", CODE(0xff, 0x54, 0x24, 0x10), 0, 0, false },
	{ "nothing_is_behind_push", CODE(0xff, 0x7c, 0x24, 0x10), 0, 0, false },
	{ "push_cut_off", CODE(0xff, 0x74, 0x24), 0, 0, false },
	{ "cut_off", CODE(0x48, 0x8b), 0, 0, false },
};

START_TEST(test_transfers)
{
	struct instruction_traits got = instruction_traits(transfers[_i].bytes, transfers[_i].size);

	ck_assert_msg(got.stored == transfers[_i].stored, "%s: stores %x", transfers[_i].name,
		      got.stored);
	ck_assert_msg(got.loaded == transfers[_i].loaded, "%s: loads %x", transfers[_i].name,
		      got.loaded);
	ck_assert_msg(got.addresses == transfers[_i].addresses, "%s", transfers[_i].name);
	ck_assert_msg(got.copies == transfers[_i].copies, "%s: copies", transfers[_i].name);
}
END_TEST

/* rsp has it, too, and is none of them. */
START_TEST(test_registers_with_a_value)
{
	const struct user_regs_struct regs = { .rax = 7, .rsp = 7, .rdi = 7, .r8 = 8, .r15 = 7 };

	ck_assert_uint_eq(registers_with(&regs, 7), 1 | 1 << 7 | 1 << 15);
	ck_assert_uint_eq(registers_with(&regs, 8), 1 << 8);
	ck_assert_uint_eq(registers_with(&regs, 9), 0);
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	uint64_t address;
} stores[] = {
	{ "base", CODE(0x48, 0x89, 0x07), 0x7000 },
	{ "base_and_8_bits", CODE(0x48, 0x89, 0x47, 0xf8), 0x6ff8 },
	{ "base_and_32_bits", CODE(0x48, 0x89, 0x87, 0, 1, 0, 0), 0x7100 },
	{ "r15", CODE(0x49, 0x89, 0x07), 0xf000 },
	{ "rip", CODE(0x48, 0x89, 0x05, 0x10, 0, 0, 0), BASE + 7 + 0x10 },
	{ "rip_before_a_constant", CODE(0x48, 0xc7, 0x05, 0x10, 0, 0, 0, 1, 2, 3, 4),
	  BASE + 11 + 0x10 },
	{ "index", CODE(0x48, 0x89, 0x04, 0xcf), 0x7000 + 0x1000 * 8 },
	{ "index_r9", CODE(0x4a, 0x89, 0x04, 0xcf), 0x7000 + 0x9000 * 8 },
	{ "index_without_base", CODE(0x48, 0x89, 0x04, 0x4d, 0x20, 0, 0, 0), 0x20 + 0x1000 * 2 },
	{ "rsp_is_no_index", CODE(0x48, 0x89, 0x44, 0x24, 8), 0x4008 },
	{ "fs", CODE(0x64, 0x48, 0x89, 0x04, 0x25, 0x60, 0xff, 0xff, 0xff), 0xf5000 - 0xa0 },
	{ "gs_and_base", CODE(0x65, 0x48, 0x89, 0x07), 0x65000 + 0x7000 },
	{ "movdqu", CODE(0xf3, 0x41, 0x0f, 0x7f, 0x43, 0x10), 0xb010 },
};

START_TEST(test_store_address)
{
	const struct user_regs_struct regs = {
		.rcx = 0x1000,
		.rsp = 0x4000,
		.rdi = 0x7000,
		.r9 = 0x9000,
		.r11 = 0xb000,
		.r15 = 0xf000,
		.rip = BASE,
		.gs_base = 0x65000,
		.fs_base = 0xf5000,
	};
	struct instruction instruction = {
		.length = stores[_i].size,
		.traits = instruction_traits(stores[_i].bytes, stores[_i].size),
	};

	ck_assert_msg(instruction.traits.stores, "%s", stores[_i].name);
	ck_assert_msg(store_address(&instruction, &regs) == stores[_i].address, "%s: 0x%lx",
		      stores[_i].name, store_address(&instruction, &regs));
}
END_TEST

START_TEST(test_renewed_is_what_memory_holds)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	uint8_t bytes[32] = { 0xc3 };
	struct code code = { bytes, sizeof(bytes), BASE, 0 };
	struct memory_reader memory = { read_code, &code };
	bool stale;

	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_RETURN);
	ck_assert_int_eq(decoder_renew(decoder, BASE, &memory, &stale).kind, INSTRUCTION_RETURN);
	ck_assert(!stale);
	memcpy(bytes, (const uint8_t[]) { 0xff, 0xd7 }, 2);
	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_RETURN);
	ck_assert_int_eq(decoder_renew(decoder, BASE, &memory, &stale).kind, INSTRUCTION_CALL);
	ck_assert(stale);
	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_CALL);
	decoder_renew(decoder, BASE + 2, &memory, &stale);
	ck_assert(!stale);
	decoder_destroy(decoder);
}
END_TEST

START_TEST(test_decode_at_page_end)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	struct code code = { kinds[_i].bytes, kinds[_i].size, PAGE_END - kinds[_i].size, 0 };
	struct memory_reader memory = { read_code, &code };

	ck_assert_ptr_nonnull(decoder);

	struct instruction instruction = decoder_at(decoder, code.address, &memory);

	ck_assert_msg(instruction.kind == kinds[_i].kind && instruction.length == kinds[_i].length,
		      "%s: kind %d length %d", kinds[_i].name, instruction.kind,
		      instruction.length);
	decoder_destroy(decoder);
}
END_TEST

START_TEST(test_cache_keeps_until_flushed)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	uint8_t bytes[32] = { 0xc3 };
	struct code code = { bytes, sizeof(bytes), BASE, 0 };
	struct memory_reader memory = { read_code, &code };

	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_RETURN);
	bytes[0] = 0xe8;
	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_RETURN);
	ck_assert_uint_eq(code.reads, 1);
	ck_assert_int_eq(decoder_decode(decoder, BASE, &memory).kind, INSTRUCTION_CALL);
	decoder_flush(decoder);
	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_CALL);
	decoder_destroy(decoder);
}
END_TEST

/* A page that is not there yet may come without a system call. */
START_TEST(test_what_could_not_be_read_is_read_again)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	uint8_t bytes[32] = { 0xc3 };
	struct code code = { bytes, 0, BASE, 0 };
	struct memory_reader memory = { read_code, &code };

	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_UNKNOWN);
	code.size = sizeof(bytes);
	ck_assert_int_eq(decoder_at(decoder, BASE, &memory).kind, INSTRUCTION_RETURN);
	decoder_destroy(decoder);
}
END_TEST

START_TEST(test_cache_grows_and_forgets_nothing)
{
	enum { COUNT = 20000 };
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	uint8_t *bytes = malloc(COUNT + 16);
	struct code code = { bytes, COUNT + 16, BASE, 0 };
	struct memory_reader memory = { read_code, &code };

	for (int i = 0; i < COUNT + 16; i++)
		bytes[i] = i % 3 ? 0x90 : 0xc3;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < COUNT; i++)
			ck_assert_int_eq(decoder_at(decoder, BASE + i, &memory).kind,
					 i % 3 ? INSTRUCTION_OTHER : INSTRUCTION_RETURN);
	ck_assert_uint_eq(code.reads, COUNT);
	free(bytes);
	decoder_destroy(decoder);
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[16];
	size_t size;
	const char *text;
} texts[] = {
	{ "call_rip_relative",
	  CODE(0xff, 0x15, 0xe2, 0x2f, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
	       0x90),
	  "call qword ptr [rip + 0x2fe2]" },
	{ "ret_has_no_operand",
	  CODE(0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
	       0x90, 0x90),
	  "ret" },
	{ "undecodable_is_bytes",
	  CODE(0xf3, 0x48, 0x0f, 0x1e, 0xc8, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
	       0x90, 0x90),
	  ".byte f3 48 0f 1e c8 90 90 90 90 90 90 90 90 90 90" },
	{ "unreadable_says_so", .size = 0, .text = "(unreadable)" },
};

START_TEST(test_disassemble)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	struct code code = { texts[_i].bytes, texts[_i].size, BASE, 0 };
	struct memory_reader memory = { read_code, &code };
	char text[128];
	char small[8];

	decoder_disassemble(decoder, BASE, &memory, text, sizeof(text));
	ck_assert_str_eq(text, texts[_i].text);
	decoder_disassemble(decoder, BASE, &memory, small, sizeof(small));
	ck_assert_uint_lt(strlen(small), sizeof(small));
	decoder_destroy(decoder);
}
END_TEST

static const struct {
	const char *name;
	uint8_t bytes[32];
	int call; /* bytes before the end of the 8, where the return address is; 0: none */
} calls[] = {
	{ "near", { 0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4 }, 5 },
	{ "register", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0 }, 2 },
	{ "register_with_rex", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd4 }, 3 },
	{ "register_behind_an_offset", { 0x90, 0x90, 0x90, 0x48, 0x8b, 0x48, 0xff, 0xd0 }, 2 },
	{ "memory_with_rex", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0x14 }, 0 },
	{ "rip_relative", { 0x90, 0x90, 0xff, 0x15, 1, 2, 3, 4 }, 6 },
	{ "memory", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x10 }, 2 },
	{ "memory_near_a_register", { 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 8 }, 3 },
	{ "memory_near_rsp", { 0x90, 0x90, 0x90, 0x90, 0xff, 0x54, 0x24, 8 }, 4 },
	{ "memory_near_r12", { 0x90, 0x90, 0x90, 0x41, 0xff, 0x54, 0x24, 8 }, 5 },
	{ "memory_far_from_r12", { 0x41, 0xff, 0x94, 0x24, 0, 1, 0, 0 }, 8 },
	{ "memory_far_from_rsp", { 0x90, 0xff, 0x94, 0x24, 0, 1, 0, 0 }, 7 },
	/* jmp -193 ends with ff ff ff; pop rbx: no call begins at its last byte. */
	{ "far_by_chance", { 0x90, 0x90, 0xe9, 0x3f, 0xff, 0xff, 0xff, 0x5b, 0xc3 }, 0 },
	{ "no_call", { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 }, 0 },
};

START_TEST(test_call_before)
{
	struct error error = { 0 };
	struct decoder *decoder = decoder_create(&error);
	struct code code = { calls[_i].bytes, sizeof(calls[_i].bytes), BASE, 0 };
	struct memory_reader memory = { read_code, &code };
	uint64_t expected = calls[_i].call ? BASE + 8 - calls[_i].call : 0;

	if (!strcmp(calls[_i].name, "far_by_chance")) /* its return address is behind the ret */
		ck_assert_uint_eq(decoder_call_before(decoder, BASE + 9, &memory), expected);
	ck_assert_uint_eq(decoder_call_before(decoder, BASE + 8, &memory), expected);
	decoder_destroy(decoder);
}
END_TEST

SUITE(decode, LOOP(test_sp_source, sources), LOOP(test_registers, register_cases),
      LOOP(test_kind, kinds), LOOP(test_decode_at_page_end, kinds), LOOP(test_traits, traits),
      LOOP(test_transfers, transfers), TEST(test_registers_with_a_value),
      LOOP(test_store_address, stores), TEST(test_renewed_is_what_memory_holds),
      TEST(test_cache_keeps_until_flushed), TEST(test_what_could_not_be_read_is_read_again),
      TEST(test_cache_grows_and_forgets_nothing), LOOP(test_disassemble, texts),
      LOOP(test_call_before, calls))
