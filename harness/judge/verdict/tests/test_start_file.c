/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_start_file.c - what is start-up code, and what only looks like it
 *
 * The image is this program: a real crti.o and crtbegin.o, and around them what a user may write,
 * which must not be filed with them. The assembly stands first in the first object, so that it is
 * what follows crtbegin.o's last function, whose symbol has no size: without a symbol, then without
 * .type, as Rust's global_asm! leaves it. All addresses are of the file, by symbol or by a word of
 * its data.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/verdict/verdict.h"
#include "cfi/code_name.h"

/* What the assembler calls the code is taken from its labels; the words hold where it is. */
asm(".text\n"
    ".Lnameless: nop; nop; ret\n"
    "by_hand: nop; ret\n"
    ".section .data.rel.local, \"aw\"\n"
    ".balign 8\n"
    "nameless_address: .quad .Lnameless\n"
    "by_hand_address: .quad by_hand\n"
    ".section .text.unlikely, \"ax\"\n"
    ".type frame_dummy, @function\n"
    "frame_dummy: nop; ret\n"
    ".size frame_dummy, . - frame_dummy\n"
    ".section .data.rel.local, \"aw\"\n"
    "impostor_address: .quad frame_dummy\n"
    ".text\n");
extern const uint64_t nameless_address, by_hand_address, impostor_address;
extern const char __executable_start[];

struct self {
	struct image *image;
	struct cfi *cfi;
	struct decoder *decoder;
};

static void open_self(struct self *self)
{
	struct error error = { 0 };

	ck_assert_msg(!image_create("/proc/self/exe", &self->image, &error), "%s", error.message);
	ck_assert_msg(!cfi_create(self->image, &self->cfi, &error), "%s", error.message);
	self->decoder = decoder_create(&error);
	ck_assert_msg(self->decoder != NULL, "%s", error.message);
}

static void close_self(struct self *self)
{
	decoder_destroy(self->decoder);
	cfi_destroy(self->cfi);
	image_destroy(self->image);
}

static uint64_t in_file(const struct self *self, uint64_t address)
{
	return self->image->type == ET_DYN ? address - (uint64_t)__executable_start : address;
}

/* The one that is crtbegin.o's, where there are two. */
static uint64_t crtstuff_address(const struct self *self, const char *name)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(self->image, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(symbol[i].name, name) &&
		    symbol[i].pc != in_file(self, impostor_address))
			return symbol[i].pc;
	ck_abort_msg("no %s", name);
}

static void check_at(const struct self *self, const char *what, uint64_t vaddr,
		     const char *function, const char *file)
{
	const char *found = start_file_find(self->image, self->cfi, vaddr, self->decoder);
	struct code_name name;
	char text[128];

	code_name_find(self->image, self->cfi, vaddr, &name);
	code_name_print(&name, text, sizeof(text));
	ck_assert_msg(!strcmp(text, function), "%s: it is in %s", what, text);
	ck_assert_msg(!strcmp(found ? found : "", file), "%s: filed under %s", what,
		      found ? found : "nothing");
}

static const struct {
	const char *name, *function, *file;
} functions[] = {
	{ "the_first_instruction_of_init", "_init", "crti.o" },
	{ "the_first_of_fini", "_fini", "crti.o" },
	{ "crtstuff_1", "deregister_tm_clones", "crtbegin.o" },
	{ "crtstuff_2", "register_tm_clones", "crtbegin.o" },
	{ "crtstuff_3", "__do_global_dtors_aux", "crtbegin.o" },
	{ "crtstuff_4", "frame_dummy", "crtbegin.o" },
	{ "the_entry_point", "_start", "crt1.o" },
	{ "a_function_of_the_program", "main", "" },
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

START_TEST(test_functions)
{
	struct self self;

	open_self(&self);
	check_at(&self, functions[_i].name, crtstuff_address(&self, functions[_i].function),
		 functions[_i].function, functions[_i].file);
	close_self(&self);
}
END_TEST

/* Every instruction of the four, and nothing of what pads them. */
START_TEST(test_a_function_of_crtbegin_ends_with_its_instructions)
{
	struct self self;
	uint64_t start, end = 0;

	open_self(&self);
	start = crtstuff_address(&self, "frame_dummy");
	while (start_file_find(self.image, self.cfi, start + end, self.decoder))
		end++;
	ck_assert_uint_ge(end, 5); /* at least its jump */
	ck_assert_uint_le(start + end, in_file(&self, nameless_address));
	close_self(&self);
}
END_TEST

/* frame_dummy's symbol reaches to the next one, and so over this: the name alone would hide it. */
START_TEST(test_code_without_symbol_behind_crtbegin)
{
	struct self self;

	open_self(&self);
	check_at(&self, "nameless", in_file(&self, nameless_address) + 2, "frame_dummy", "");
	close_self(&self);
}
END_TEST

START_TEST(test_code_without_type_behind_crtbegin)
{
	struct self self;

	open_self(&self);
	check_at(&self, "by_hand", in_file(&self, by_hand_address), "by_hand", "");
	check_at(&self, "by_hand", in_file(&self, by_hand_address) + 1, "by_hand", "");
	close_self(&self);
}
END_TEST

START_TEST(test_a_users_function_called_frame_dummy)
{
	struct self self;

	open_self(&self);
	check_at(&self, "impostor", in_file(&self, impostor_address), "frame_dummy", "");
	close_self(&self);
}
END_TEST

/* A program without the other start-up objects (-nostartfiles) has written its _start itself. */
START_TEST(test_a_users_start)
{
	struct self self;
	uint64_t start;

	open_self(&self);
	start = crtstuff_address(&self, "_start");
	for (size_t i = 0; i < self.image->symbol_count; i++)
		if (!strcmp(self.image->symbol[i].name, "_init"))
			self.image->symbol[i].name = "other";
	check_at(&self, "without_crti", start, "_start", "");
	close_self(&self);
	open_self(&self);
	self.image->entry++;
	check_at(&self, "not_the_entry_point", start, "_start", "");
	close_self(&self);
}
END_TEST

SUITE(start_file, TIMES(test_functions, FUNCTIONS),
      TEST(test_a_function_of_crtbegin_ends_with_its_instructions),
      TEST(test_code_without_symbol_behind_crtbegin), TEST(test_code_without_type_behind_crtbegin),
      TEST(test_a_users_function_called_frame_dummy), TEST(test_a_users_start))
