/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_address_taken.c - addresses of code in words, in instructions, and where a function may begin
 *
 * A file is made of a struct: data at DATA, and code at CODE. A case changes it; what is expected are the
 * addresses that are told, from CODE.
 */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "analysis/flow/flow.h"

#define DATA	  UINT64_C(0x10000)
#define CODE	  UINT64_C(0x20000)
#define AT(field) (DATA + offsetof(struct file, field))
#define WORDS	  140

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr data, code, dynamic;
	Elf64_Dyn entry[6];
	Elf64_Rela rela[4];
	uint64_t relr[4];
	uint64_t word[WORDS];
	uint8_t text[64];
};

static const struct file plain = {
	.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		  .e_type = ET_DYN,
		  .e_machine = EM_X86_64,
		  .e_version = EV_CURRENT,
		  .e_phoff = offsetof(struct file, data),
		  .e_ehsize = sizeof(Elf64_Ehdr),
		  .e_phentsize = sizeof(Elf64_Phdr),
		  .e_phnum = 3,
		  .e_shentsize = sizeof(Elf64_Shdr) },
	.data = { PT_LOAD, PF_R | PF_W, 0, DATA, DATA, offsetof(struct file, text),
		  offsetof(struct file, text), 8 },
	.code = { PT_LOAD, PF_R | PF_X, offsetof(struct file, text), CODE, CODE, 64, 64, 8 },
	.dynamic = { PT_DYNAMIC, PF_R, offsetof(struct file, entry), AT(entry), AT(entry),
		     6 * sizeof(Elf64_Dyn), 6 * sizeof(Elf64_Dyn), 8 },
	.entry = { { DT_RELA, { AT(rela) } },
		   { DT_RELASZ, { 3 * sizeof(Elf64_Rela) } },
		   { DT_RELR, { AT(relr) } },
		   { DT_RELRSZ, { 3 * 8 } },
		   { DT_NULL, { 0 } },
		   { DT_RELASZ, { 0 } } },
	.rela = { { 0, R_X86_64_RELATIVE, CODE + 1 },
		  { 0, R_X86_64_IRELATIVE, CODE + 2 },
		  { 0, R_X86_64_RELATIVE, CODE + 63 },
		  { 0, R_X86_64_RELATIVE, CODE + 4 } },
};

static void none(struct file *file)
{
	(void)file;
}

static void by_symbol(struct file *file)
{
	file->rela[0].r_info = R_X86_64_64;
	file->rela[1].r_info = R_X86_64_JUMP_SLOT;
}

static void elsewhere(struct file *file)
{
	file->rela[0].r_addend = 0;
	file->rela[1].r_addend = CODE - 1;
	file->rela[2].r_addend = CODE + 64;
}

/* Where code lies at 0, that is none all the same. */
static void to_nothing(struct file *file)
{
	file->code.p_vaddr = file->code.p_paddr = 0;
	file->rela[0].r_addend = 0;
	file->rela[1].r_addend = 5;
}

static void half_a_relocation(struct file *file)
{
	file->entry[1].d_un.d_val = 2 * sizeof(Elf64_Rela) + 23;
}

static void too_many(struct file *file)
{
	file->entry[1].d_un.d_val = offsetof(struct file, text) - offsetof(struct file, rela) + 1;
}

static void no_end(struct file *file)
{
	file->entry[4].d_tag = DT_DEBUG;
	file->entry[5].d_un.d_val = sizeof(Elf64_Rela);
}

static void cut_dynamic(struct file *file)
{
	no_end(file);
	file->dynamic.p_filesz = 5 * sizeof(Elf64_Dyn) + 15;
}

static void dynamic_of_a_byte(struct file *file)
{
	file->dynamic.p_filesz = 15;
}

/* What can be read of it counts: here nothing is behind the second entry. */
static void dynamic_ends_with_its_segment(struct file *file)
{
	file->data.p_filesz = offsetof(struct file, entry[2]);
	file->data.p_memsz = file->data.p_filesz;
	file->entry[0].d_un.d_val = CODE;
	file->entry[1].d_un.d_val = sizeof(Elf64_Rela);
	((Elf64_Rela *)file->text)->r_info = R_X86_64_RELATIVE;
	((Elf64_Rela *)file->text)->r_addend = CODE + 9;
}

static void no_dynamic(struct file *file)
{
	file->dynamic.p_type = PT_NULL;
}

static void words(struct file *file)
{
	file->entry[0].d_un.d_ptr = 0;
	for (uint64_t i = 0; i < WORDS; i++)
		file->word[i] = CODE + i % 64;
}

static void one_word(struct file *file)
{
	words(file);
	file->relr[0] = AT(word[5]);
	file->relr[1] = AT(word[7]);
	file->entry[3].d_un.d_val = 2 * 8;
}

/* Bits of 63 words, and of 63 more. */
static void many_words(struct file *file)
{
	words(file);
	file->relr[0] = AT(word[1]);
	file->relr[1] = 1 | UINT64_C(1) << 1 | UINT64_C(1) << 3 | UINT64_C(1) << 63;
	file->relr[2] = 1 | UINT64_C(1) << 1 | UINT64_C(1) << 62;
}

static void half_a_word(struct file *file)
{
	many_words(file);
	file->entry[3].d_un.d_val = 2 * 8 + 7;
}

static void word_that_is_not_there(struct file *file)
{
	words(file);
	file->relr[0] = AT(text) - 6;
	file->relr[1] = AT(word[3]);
	file->entry[3].d_un.d_val = 2 * 8;
}

static void too_many_words(struct file *file)
{
	one_word(file);
	file->entry[3].d_un.d_val = offsetof(struct file, text) - offsetof(struct file, relr) + 1;
}

/* Sizes before addresses, and the other path round: each entry is one of them. */
static void in_another_order(struct file *file)
{
	one_word(file);
	file->entry[0] = (Elf64_Dyn) { DT_RELR, { AT(relr) } };
	file->entry[1] = (Elf64_Dyn) { DT_RELRSZ, { 2 * 8 } };
	file->entry[2] = (Elf64_Dyn) { DT_RELASZ, { 2 * sizeof(Elf64_Rela) } };
	file->entry[3] = (Elf64_Dyn) { DT_RELA, { AT(rela) } };
}

static void in_a_third_order(struct file *file)
{
	in_another_order(file);
	file->entry[0] = (Elf64_Dyn) { DT_RELRSZ, { 2 * 8 } };
	file->entry[1] = (Elf64_Dyn) { DT_RELR, { AT(relr) } };
}

/* Bits without an address before them count from 0. */
static void bits_alone(struct file *file)
{
	file->data.p_vaddr = file->data.p_paddr = 0;
	file->dynamic.p_vaddr = offsetof(struct file, entry);
	file->entry[0] = (Elf64_Dyn) { DT_RELR, { offsetof(struct file, relr) } };
	file->entry[1] = (Elf64_Dyn) { DT_RELRSZ, { 8 } };
	file->entry[2].d_tag = DT_NULL;
	file->word[0] = CODE + 12;
	file->relr[0] = 1 | UINT64_C(1) << (offsetof(struct file, word[0]) / 8 + 1);
}

/* Where nothing is relocated each word may be one. */
static void fixed(struct file *file)
{
	no_dynamic(file);
	memset(file->rela, 0, sizeof(file->rela));
	file->head.e_type = ET_EXEC;
	file->code.p_paddr = 0; /* p_vaddr is such a word, too */
	file->word[1] = CODE - 1;
	file->word[2] = CODE + 64;
	file->word[WORDS - 1] = CODE + 63;
	memcpy(file->text, &(uint64_t) { CODE + 7 }, 8);
	memcpy(file->text + 56, &(uint64_t) { CODE + 8 }, 8);
}

/* By the address, not by where the segment begins. */
static void fixed_not_aligned(struct file *file)
{
	fixed(file);
	file->code.p_vaddr = CODE + 3;
	memset(file->text, 0, sizeof(file->text));
	memcpy(file->text + 5, &(uint64_t) { CODE + 9 }, 8);
	memcpy(file->text + 53, &(uint64_t) { CODE + 10 }, 8);
	memcpy(file->text + 40, &(uint64_t) { CODE + 11 }, 8);
}

static void half_a_word_at_the_end(struct file *file)
{
	fixed(file);
	file->data.p_filesz--;
}

static const struct word_case {
	const char *rule;
	void (*change)(struct file *file);
	const char *expected;
} word_cases[] = {
	{ "relocations", none, "1 2 63 " },
	{ "those that have a symbol", by_symbol, "63 " },
	{ "those that lead to no code", elsewhere, "" },
	{ "to 0", to_nothing, "5 " },
	{ "half of one", half_a_relocation, "1 2 " },
	{ "more than there are bytes", too_many, "" },
	{ "the last entry counts", no_end, "1 " },
	{ "half an entry", cut_dynamic, "1 2 63 " },
	{ "less than one", dynamic_of_a_byte, "" },
	{ "entries that are not there", dynamic_ends_with_its_segment, "9 " },
	{ "no dynamic section", no_dynamic, "" },
	{ "words", one_word, "5 7 " },
	{ "words by bits", many_words, "1 2 4 0 1 62 " },
	{ "the last number is cut off", half_a_word, "1 2 4 0 " },
	{ "half a word", word_that_is_not_there, "3 " },
	{ "more of them than there are bytes", too_many_words, "" },
	{ "entries in another order", in_another_order, "1 2 5 7 " },
	{ "in a third one", in_a_third_order, "1 2 5 7 " },
	{ "bits before an address", bits_alone, "12 " },
	{ "of a program at a fixed address", fixed, "0 63 7 8 " },
	{ "whose data end with half a word", half_a_word_at_the_end, "0 7 8 " },
	{ "whose code begins anywhere", fixed_not_aligned, "3 64 63 9 10 " },
};

struct told {
	char text[600];
	uint64_t code;
};

static void tell(void *context, uint64_t pc)
{
	struct told *told = context;
	size_t at = strlen(told->text);

	snprintf(told->text + at, sizeof(told->text) - at, "%d ", (int)(pc - told->code));
}

static struct image *image_of(const struct file *file)
{
	struct image *image;
	struct error error;

	ck_assert_int_eq(
		image_create_memory((const uint8_t *)file, sizeof(*file), "f", &image, &error), 0);
	return image;
}

START_TEST(words_are_told)
{
	const struct word_case *test = &word_cases[_i];
	struct file file = plain;
	struct told told = { .text = "" };
	struct cfi cfi = { .fde_count = 0 };
	struct flow_world world = { .cfi = &cfi };
	struct error error;
	struct image *image;

	test->change(&file);
	told.code = file.code.p_vaddr ? CODE : 0;
	cfi.image = image = image_of(&file);
	ck_assert_int_eq(flow_code_map_init(&world.map, image, &error), 0);
	flow_address_taken_words(&world, tell, &told);
	flow_code_map_deinit(&world.map);
	ck_assert_msg(!strcmp(told.text, test->expected), "%s: %s", test->rule, told.text);
	image_destroy(image);
}
END_TEST

/* ---- instructions --------------------------------------------------------------------------- */

START_TEST(an_instruction_makes_an_address)
{
	struct file file = plain;
	const struct code address = { .effect = EFFECT_ADDRESS,
				      .displacement = CODE + 5,
				      .base = CODE_NO_REGISTER,
				      .index = CODE_NO_REGISTER };
	const struct code constant = { .effect = EFFECT_CONSTANT, .constant = CODE + 6 };
	struct code code = address;
	struct image *image = image_of(&file);

	ck_assert_uint_eq(flow_address_taken_by(image, &address), CODE + 5);
	code.base = 1;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 0);
	code = address;
	code.index = 1;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 0);
	code = address;
	code.displacement = CODE + 64;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 0);
	code = address;
	code.effect = EFFECT_LOAD;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 0);
	ck_assert_uint_eq(flow_address_taken_by(image, &constant), 0);
	image_destroy(image);

	file.head.e_type = ET_EXEC;
	image = image_of(&file);
	ck_assert_uint_eq(flow_address_taken_by(image, &constant), CODE + 6);
	code = constant;
	code.effect = EFFECT_ADD;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 0);
	image_destroy(image);

	/* No address is 0, even where code lies. */
	file.code.p_vaddr = file.code.p_paddr = 0;
	image = image_of(&file);
	code = address;
	code.effect = EFFECT_LOAD;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 0);
	code = constant;
	code.constant = 0;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 0);
	code.constant = 1;
	ck_assert_uint_eq(flow_address_taken_by(image, &code), 1);
	image_destroy(image);
}
END_TEST

/* Behind 16 bytes, of which those that aren't said are moves, of 16 bytes again. at: where it is asked. */
static const struct begin_case {
	const char *rule, *before, *behind;
	unsigned int at;
	bool begins;
} begin_cases[] = {
	{ "the code begins", "\xb8\1\2\3\4", "", 0, true },
	{ "with padding", "\x90", "", 0, false },
	{ "with what is no instruction", "\x06", "", 0, false },
	{ "behind a return", "\xc3", "\x31\xc0", 16, true },
	{ "that pops", "\xc2\x08\0", "\x31\xc0", 16, true },
	{ "behind a jump", "\xeb\x40", "\x31\xc0", 16, true },
	{ "a jump that is computed", "\xff\xe0", "\x31\xc0", 16, true },
	{ "a call", "\xe8\1\2\3\4", "\x31\xc0", 16, true },
	{ "a call that is computed", "\xff\xd0", "\x31\xc0", 16, true },
	{ "what stops", "\x0f\x0b", "\x31\xc0", 16, true },
	{ "padding", "\x90", "\x31\xc0", 16, true },
	{ "padding of 15 bytes", "\x66\x66\x66\x66\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0", "\x31\xc0",
	  16, true },
	{ "a jump of 15 bytes", "\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\xff\x24\x25\0\0\0\0", "\x31\xc0",
	  16, true },
	{ "a move", "\x89\xc8", "\x31\xc0", 16, false },
	{ "a move behind a return", "\xc3\x89\xc8", "\x31\xc0", 16, false },
	{ "a branch", "\x74\x40", "\x31\xc0", 16, false },
	{ "a transaction", "\xc7\xf8\1\2\3\4", "\x31\xc0", 16, false },
	{ "what is no instruction", "\x06", "\x31\xc0", 16, false },
	{ "where nobody knows what follows", "\x48\xcf", "\x31\xc0", 16, false },
	{ "padding behind a return", "\xc3", "\x90", 16, false },
	{ "no instruction behind a return", "\xc3", "\x06", 16, false },
	{ "not aligned", "\xc3", "\x31\xc0", 17, false },
	{ "behind a return, not aligned", "\xc3", "\xc3\x31\xc0", 17, false },
	{ "an endbr64", "", "\xf3\x0f\x1e\xfa", 16, true },
	{ "not aligned, too", "", "\x90\xf3\x0f\x1e\xfa", 17, true },
	{ "half of one", "", "\x90\xf3\x0f\x1e", 17, false },
	{ "another", "", "\x90\xf3\x0f\x1e\xfb", 17, false },
	{ "the last bytes", "", "", 60, true },
	{ "less than an endbr64", "", "", 61, false },
	{ "the last byte", "", "", 63, false },
	{ "where nothing is", "", "", 64, false },
};

/* A text's bytes; the 0 behind it is none, unless it is to be. */
static size_t bytes_of(const char *text)
{
	size_t size = strlen(text);

	return size && (text[0] == '\xc2' || text[0] == '\x66' || text[0] == '\x2e')
		       ? text[0] == '\xc2' ? 3 : 15
		       : size;
}

START_TEST(where_a_function_may_begin)
{
	const struct begin_case *test = &begin_cases[_i];
	size_t before = bytes_of(test->before), behind = strlen(test->behind);
	struct code_decoder *decoder = code_decoder_create();
	struct file file = plain;
	struct image *image;

	/* 16 bytes of moves: that end at each second byte, and at none between */
	for (size_t i = 0; i < sizeof(file.text); i += 2)
		memcpy(file.text + i, "\x89\xc8", 2);
	memcpy(file.text + 60, "\xf3\x0f\x1e\xfa", 4);
	memcpy(file.text + (test->at ? 16 - before : 0), test->before, before);
	memcpy(file.text + 16, test->behind, behind);
	image = image_of(&file);
	ck_assert_msg(flow_function_may_begin(image, decoder, CODE + test->at) == test->begins,
		      "%s", test->rule);
	image_destroy(image);
	code_decoder_destroy(decoder);
}
END_TEST

/* The first byte of a segment is not aligned, and the second is. */
START_TEST(a_function_may_begin_behind_the_first_byte)
{
	struct code_decoder *decoder = code_decoder_create();
	struct file file = plain;

	for (int i = 0; i < 2; i++) {
		struct image *image;

		file.code.p_vaddr = file.code.p_paddr = CODE - 1;
		memcpy(file.text, i ? "\xc3\x31\xc0" : "\x50\x31\xc0", 3);
		image = image_of(&file);
		ck_assert(flow_function_may_begin(image, decoder, CODE) == i);
		image_destroy(image);
	}
	code_decoder_destroy(decoder);
}
END_TEST

SUITE(flow_address_taken, TIMEOUT(300), LOOP(words_are_told, word_cases),
      TEST(an_instruction_makes_an_address), LOOP(where_a_function_may_begin, begin_cases),
      TEST(a_function_may_begin_behind_the_first_byte))
