/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_digest.c - which files have one digest, and which have not
 */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "image/code_digest.h"
#include "tests/suite.h"

/* A file with two functions. Its header lies in the segment, as of old linkers. */
struct made {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint8_t code[32];
	Elf64_Sym symbol[3];
	char names[8]; /* "", "f", "gg" */
	Elf64_Shdr section[3];
};

static struct made make(void)
{
	return (struct made) {
		.header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
			    .e_machine = EM_X86_64,
			    .e_phoff = offsetof(struct made, segment),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1,
			    .e_shoff = offsetof(struct made, section),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3 },
		.segment = { .p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_vaddr = 0x1000,
			     .p_filesz = offsetof(struct made, symbol) },
		.code = { 0x90, 0xc3 },
		.symbol = { [1] = { 1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, 0x1078, 1 },
			    [2] = { 3, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, 0x1079, 1 } },
		.names = "\0f\0gg",
		.section = { [1] = { .sh_type = SHT_SYMTAB,
				     .sh_offset = offsetof(struct made, symbol),
				     .sh_size = 3 * sizeof(Elf64_Sym),
				     .sh_link = 2 },
			     [2] = { .sh_type = SHT_STRTAB,
				     .sh_offset = offsetof(struct made, names),
				     .sh_size = 8 } },
	};
}

static void code(struct made *made)
{
	made->code[31] ^= 1;
}

static void place(struct made *made)
{
	made->segment.p_vaddr += 0x1000;
}

static void renamed(struct made *made)
{
	made->names[1] = 'h';
}

static void swapped(struct made *made)
{
	made->symbol[1].st_name = 3;
	made->symbol[2].st_name = 1;
}

static void longer(struct made *made)
{
	made->symbol[2].st_size++;
}

static void stripped(struct made *made)
{
	made->header.e_shnum = 0;
	made->header.e_shoff = 0;
}

static void in_another_order(struct made *made)
{
	Elf64_Sym first = made->symbol[1];

	made->symbol[1] = made->symbol[2];
	made->symbol[2] = first;
}

static void of_a_file(struct made *made)
{
	made->symbol[0] = (Elf64_Sym) { 3, ELF64_ST_INFO(STB_LOCAL, STT_FILE), 0, SHN_ABS, 0, 0 };
}

static void nothing(struct made *made)
{
	(void)made;
}

static const struct {
	const char *name;
	void (*change)(struct made *made);
	bool is_same;
} cases[] = {
	{ "nothing", nothing, true },
	{ "its_code", code, false },
	{ "where_it_lies", place, false },
	{ "a_name", renamed, false },
	{ "which_of_two_has_which_name", swapped, false },
	{ "a_symbol_s_size", longer, false },
	{ "it_was_stripped", stripped, true },
	{ "the_symbols_order", in_another_order, true },
	{ "a_symbol_of_no_code", of_a_file, true },
};

START_TEST(what_makes_another_file)
{
	struct made before = make(), after = make();
	struct code_digest one, other;

	cases[_i].change(&after);
	ck_assert(code_digest_of((uint8_t *)&before, sizeof(before), &one));
	ck_assert(code_digest_of((uint8_t *)&after, sizeof(after), &other));
	ck_assert_msg(code_digest_is_same(&one, &other) == cases[_i].is_same &&
			      code_digest_is_same(&other, &one) == cases[_i].is_same,
		      "%s", cases[_i].name);
}
END_TEST

/* It is a number in files: by FNV-1a as it is written down. */
static uint64_t fnv(uint64_t hash, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3;
	return hash;
}

START_TEST(it_is_as_the_page_says)
{
	struct made made = make();
	const uint64_t first = 0xcbf29ce484222325;
	uint64_t code_hash = fnv(first, &made.segment.p_vaddr, 8), sum = 0;
	struct code_digest digest;

	code_hash = fnv(code_hash, &made.segment.p_filesz, 8);
	code_hash = fnv(code_hash, (uint8_t *)&made + 64, made.segment.p_filesz - 64);
	for (int i = 1; i < 3; i++) {
		const Elf64_Sym *symbol = &made.symbol[i];

		sum += fnv(fnv(fnv(first, &symbol->st_value, 8), &symbol->st_size, 8),
			   &made.names[symbol->st_name], strlen(&made.names[symbol->st_name]));
	}
	ck_assert(code_digest_of((uint8_t *)&made, sizeof(made), &digest));
	ck_assert_uint_eq(digest.code, code_hash);
	ck_assert_uint_eq(digest.symtab, sum);
	ck_assert_uint_eq(digest.dynsym, 0);
}
END_TEST

/* Of nothing nothing is known, and that is nobody's. */
START_TEST(what_is_not_known_is_not_the_same)
{
	const struct code_digest none = { 0 };
	struct made made = make();
	struct code_digest digest;

	ck_assert(!code_digest_is_same(&none, &none));
	made.segment.p_flags = PF_R;
	ck_assert(!code_digest_of((uint8_t *)&made, sizeof(made), &digest));
	ck_assert_uint_eq(digest.code, 0);
	made.header.e_machine = EM_AARCH64;
	ck_assert(!code_digest_of((uint8_t *)&made, sizeof(made), &digest));
}
END_TEST

/* However much of it there is, and whatever its numbers are. */
START_TEST(no_byte_is_trusted)
{
	const struct made made = make();

	for (size_t size = 0; size <= sizeof(made); size++) {
		uint8_t *bytes = malloc(size + 1);
		struct code_digest digest;

		ck_assert_ptr_nonnull(bytes);
		memcpy(bytes, &made, size);
		code_digest_of(bytes, size, &digest);
		for (size_t at = 0; at + 8 <= size; at += 8) {
			memset(bytes + at, 0xff, 8);
			code_digest_of(bytes, size, &digest);
			memcpy(bytes + at, (const uint8_t *)&made + at, 8);
		}
		free(bytes);
	}
}
END_TEST

START_TEST(as_text_and_back)
{
	const struct code_digest digest = { 0x123, UINT64_MAX, 0 };
	struct code_digest read;
	char text[CODE_DIGEST_TEXT];

	ck_assert_str_eq(code_digest_print(&digest, text),
			 "0000000000000123-ffffffffffffffff-0000000000000000");
	ck_assert(code_digest_scan(text, &read));
	ck_assert_mem_eq(&read, &digest, sizeof(digest));
	text[49] = 'x';
	ck_assert(!code_digest_scan(text, &read));
	ck_assert(!code_digest_scan("", &read));
}
END_TEST

SUITE(code_digest, LOOP(what_makes_another_file, cases), TEST(it_is_as_the_page_says),
      TEST(what_is_not_known_is_not_the_same), TEST(no_byte_is_trusted), TEST(as_text_and_back))
