/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_address_taken.c - functions of which only the address is known, and labels, which are none
 *
 * A case is assembled and linked into a shared object. What is asked about has no symbol and lies behind
 * f: only where f, or a word, keeps its address may it be a function.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "synthesis_fixture.h"

#define END ".size f, .-f; "

/* Behind f, without a symbol, where functions are aligned to. */
/* clang-format off */
static const struct kept_case {
	const char *rule, *f, *code;
	size_t rows; /* of what is 16 bytes behind f; none: no function begins there */
} kept[] = {
	{ "its address is made, and it returns", "lea rax, 1f[rip]; ret",
	  "1: push rbx; pop rbx; ret", 3 },
	{ "a word keeps it", "ret; .data; .quad 1f; .text", "1: push rbx; pop rbx; ret", 3 },
	{ "a label of a function with a frame", "lea rax, 1f[rip]; ret", "1: pop rbx; ret", 0 },
	{ "one behind which rbp is not what it was", "lea rax, 1f[rip]; ret", "1: leave; ret", 0 },
	{ "what never returns may be a label", "lea rax, 1f[rip]; ret", "1: jmp [rdi]", 0 },
	{ "but not if a jump in place of a call leads there", "lea rax, 1f[rip]; jmp rax",
	  "1: jmp [rdi]", 1 },
	{ "behind a call that may never come back nothing is proven", "lea rax, 1f[rip]; ret",
	  "1: call [rdi]; nop; ret", 0 },
	{ "one that a way of f leads to", "lea rax, 1f[rip]; push rbx; je 1f; pop rbx; ret",
	  "1: pop rbx; ret", 2 },
};
/* clang-format on */

START_TEST(a_function_of_which_only_the_address_is_known)
{
	const struct synthesis_function *function;
	struct world world;
	char *assembly;

	ck_assert_int_gt(
		asprintf(&assembly, "f: %s; " END ".balign 16; %s", kept[_i].f, kept[_i].code), 0);
	world_init(&world, assembly);
	function = function_at(&world, world.begin + 16);
	ck_assert_ptr_nonnull(function);
	ck_assert_msg(function->row_count == kept[_i].rows, "%s: %zu rows", kept[_i].rule,
		      function->row_count);
	free(assembly);
	world_deinit(&world);
}
END_TEST

/* Code that is kept where no function is aligned to. */
static const struct begin_case {
	const char *rule, *code;
	uint64_t at; /* behind f */
	bool begins;
} begins[] = {
	{ "not aligned", "nop; 1: ret", 17, false },
	{ "with an endbr64", "nop; 1: endbr64; ret", 17, true },
	{ "behind a return", ".skip 15, 0x90; ret; 1: ret", 32, true },
	{ "in the middle of mov rbx, rax", ".skip 14, 0x90; .byte 0x48, 0x89; 1: .byte 0xc3", 32,
	  false },
};

START_TEST(where_a_function_that_is_kept_may_begin)
{
	struct world world;
	char *assembly;

	ck_assert_int_gt(asprintf(&assembly, "f: lea rax, 1f[rip]; ret; " END ".balign 16; %s",
				  begins[_i].code),
			 0);
	world_init(&world, assembly);
	ck_assert_msg((function_at(&world, world.begin + begins[_i].at) != NULL) ==
			      begins[_i].begins,
		      "%s", begins[_i].rule);
	free(assembly);
	world_deinit(&world);
}
END_TEST

/* An older linker puts constants into the segment of code, behind the code. */
#define CONSTANTS ".section .rodata; 1: push rbx; pop rbx; ret; .skip 64, 0x90; "

START_TEST(what_lies_in_no_section_of_code_is_no_function)
{
	struct world world;

	world_init(&world, "f: lea rax, 1f[rip]; ret; " END CONSTANTS);
	ck_assert_uint_eq(world.synthesis.function_count, 1);
	world_deinit(&world);
}
END_TEST

START_TEST(a_function_ends_with_its_section_at_the_latest)
{
	struct world world;

	world_init(&world, "f: lea rax, 1f[rip]; ret; " END
			   ".balign 16; 1: push rbx; pop rbx; ret; " CONSTANTS);
	const struct synthesis_function *function = function_at(&world, world.begin + 16);
	ck_assert_ptr_nonnull(function);
	ck_assert_uint_eq(function->end - function->begin, 3);
	ck_assert_uint_eq(function->instructions, 3);
	world_deinit(&world);
}
END_TEST

static void count(void *context, uint64_t pc)
{
	unsigned int *told = context;

	(*told)++;
}

static void count_words(const struct image *image, unsigned int *told)
{
	const struct cfi none = { .image = image };
	struct flow_world of = { .cfi = &none };
	struct error error;

	if (!flow_code_map_init(&of.map, image, &error))
		flow_address_taken_words(&of, count, told);
	flow_code_map_deinit(&of.map);
}

/* Nothing that a file says of its relocations is believed: it is cut at each byte of its headers, and
 * each byte of its dynamic section is another. */
START_TEST(relocations_that_make_no_sense_are_none)
{
	unsigned int told = 0;
	struct world world;
	struct image *image;
	struct error error;
	const uint8_t *file;
	uint8_t *copy;
	size_t size;

	world_init(&world, "f: ret; " END ".balign 16; 1: ret; .data; .quad 1b");
	file = image_file_bytes(world.image, &size);
	count_words(world.image, &told);
	ck_assert_uint_eq(told, 1);
	copy = malloc(size);
	ck_assert_ptr_nonnull(copy);
	for (size_t i = 0; i < size; i++) {
		memcpy(copy, file, size);
		copy[i] ^= 0xff;
		if (image_create_memory(copy, size, "f.so", &image, &error))
			continue;
		count_words(image, &told);
		image_destroy(image);
	}
	for (size_t i = 0; i < size; i += i < 1024 ? 1 : 61) {
		if (image_create_memory(file, i, "f.so", &image, &error))
			continue;
		count_words(image, &told);
		image_destroy(image);
	}
	free(copy);
	world_deinit(&world);
}
END_TEST

SUITE(synthesis_address_taken, TIMEOUT(300),
      LOOP(a_function_of_which_only_the_address_is_known, kept),
      TEST(what_lies_in_no_section_of_code_is_no_function),
      TEST(a_function_ends_with_its_section_at_the_latest),
      LOOP(where_a_function_that_is_kept_may_begin, begins),
      TEST(relocations_that_make_no_sense_are_none))
