/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_objects.c - object files as they are laid out, and damaged ones
 *
 * One object file is assembled, with code in two sections, a jump table, a symbol of another file and
 * relocations of every outcome. Of its layout is asserted what objects/object.h promises; then it is cut
 * off at every byte, and changed at many, and whatever comes out is followed as lint does.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "analysis/lint/lint.h"
#include "analysis/lint/lint_inside.h"
#include "object_fixture.h"

static const char assembly[] =
	"	.intel_syntax noprefix\n	.text\n	.type f, @function\n"
	"f:	.cfi_startproc\n	.cfi_personality 0x1b, handler\n	.cfi_lsda 0x1b, "
	".Larea\n"
	"	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n"
	"	cmp edi, 1\n	ja 1f\n	mov edi, edi\n	lea rdx, 9f[rip]\n"
	"	movsxd rax, dword ptr [rdx+rdi*4]\n	add rax, rdx\n	jmp rax\n"
	"2:	call g\n3:	call abort@PLT\n4:	mov ebx, offset frame\n	mov rax, "
	"g@GOTPCREL[rip]\n"
	"1:	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	ret\n"
	"	.cfi_endproc\n	.size f, .-f\n"
	"	.section .text.g,\"ax\",@progbits\n	.weak g\n	.type g, @function\n"
	"g:	.cfi_startproc\n	call f\n	.byte 0xe9\n"
	"	.reloc ., R_X86_64_PC32, .text+995\n	.long 0\n	.cfi_endproc\n"
	"	.size g, .-g\n"
	"	.section .rodata\n9:	.long 2b-9b, 1b-9b\n"
	"	.section .gcc_except_table,\"a\"\n.Larea:	.byte 0xff, 0xff, 1, 4\n"
	"	.byte 2b-f, 3b-2b, 4b-f, 0\n	.bss\n	.space 100\n";

static void assemble(void)
{
	assemble_text(assembly);
}

START_TEST(sections_have_places_and_relocations_are_counted)
{
	struct image *image = open_bytes();
	struct object *object;
	struct error error;
	const struct object_section *text, *other;
	char place[64];

	ck_assert_int_eq(object_create(image, &object, &error), 0);
	ck_assert_int_eq(object->image->type, ET_EXEC);
	text = section_named(object, ".text");
	other = section_named(object, ".text.g");
	ck_assert_uint_ge(other->vaddr, text->vaddr + text->size + 15);
	for (size_t i = 1; i < object->section_count; i++)
		ck_assert_uint_gt(object->section[i].vaddr,
				  object->section[i - 1].vaddr + object->section[i - 1].size);
	ck_assert_ptr_eq(object_section_find(object, text->vaddr), text);
	ck_assert_ptr_eq(object_section_find(object, text->vaddr + text->size), text);
	ck_assert_ptr_null(object_section_find(object, text->vaddr + text->size + 1));
	ck_assert_ptr_null(object_section_find(object, text->vaddr - 1));
	lint_place_print(object, other->vaddr + 5, place, sizeof(place));
	ck_assert_str_eq(place, ".text.g+0x5");
	/* The table's two entries, f in g and in its FDE, g's FDE, the area, the table's address. */
	ck_assert_uint_eq(object->relocations[OBJECT_RESOLVED], 7);
	/* handler, abort, frame; g and its address in a GOT; .text+999. */
	ck_assert_uint_eq(object->relocations[OBJECT_UNDEFINED], 3);
	ck_assert_uint_eq(object->relocations[OBJECT_WEAK], 1);
	ck_assert_uint_eq(object->relocations[OBJECT_LINKER], 1);
	ck_assert_uint_eq(object->relocations[OBJECT_OUTSIDE], 1);
	ck_assert_uint_eq(object->relocations[OBJECT_UNKNOWN], 0);
	ck_assert_uint_eq(object->unknown_count, 3);
	ck_assert_uint_eq(object->field_count, 7);
	object_destroy(object);
	image_destroy(image);
}
END_TEST

/* A file without any relocation was finished by its compiler (Cranelift): .eh_frame counts from where it lies in the
 * file, and in this layout nobody knows of which code its FDEs are. */
static const struct {
	const char *name, *text;
	bool unknown;
} known_cases[] = {
	{ "relocated", "f:	.cfi_startproc\n	ret\n	.cfi_endproc\n", false },
	{ "nothing is relocated", "f:	ret\n", true },
	{ "only data is", "f:	ret\n	.data\n	.quad f\n", false },
	{ "of a function that is elsewhere",
	  "	.section .eh_frame,\"a\",@progbits\n	.long 16, 0\n	.byte 1, 0, 1, 0x78, 16\n"
	  "	.byte 0x0c, 7, 8, 0x90, 1, 0, 0\n	.long 20, 24\n	.quad elsewhere, 1\n",
	  true },
};

START_TEST(whose_fdes_are_known)
{
	struct object *object;
	struct image *image;
	struct error error;

	assemble_text(known_cases[_i].text);
	image = open_bytes();
	ck_assert_msg(!object_create(image, &object, &error), "%s: %s", known_cases[_i].name,
		      error.message);
	ck_assert_msg(object->cfi_unknown == known_cases[_i].unknown, "%s", known_cases[_i].name);
	object_destroy(object);
	image_destroy(image);
	forget();
}
END_TEST

START_TEST(calls_lead_to_what_they_name)
{
	struct image *image = open_bytes();
	struct object *object;
	struct error error;
	const struct object_section *text;
	uint64_t f, g, abort_at;
	const uint8_t *code;

	ck_assert_int_eq(object_create(image, &object, &error), 0);
	text = section_named(object, ".text");
	f = image_symbol_address(object->image, "f");
	g = image_symbol_address(object->image, "g");
	abort_at = image_symbol_address(object->image, "abort");
	ck_assert_uint_eq(f, text->vaddr);
	ck_assert_uint_eq(g, section_named(object, ".text.g")->vaddr);
	ck_assert_ptr_null(image_bytes(object->image, abort_at, 1));
	for (size_t i = 0; i < object->field_count; i++) {
		const struct object_field *field = &object->field[i];
		int32_t distance;
		uint64_t to;

		ck_assert_ptr_eq(object_field_find(object, field->vaddr - 1, 2), field);
		ck_assert_ptr_null(object_field_find(object, field->vaddr + 1, 1));
		if (!field->symbol || field->unknown)
			continue;
		code = image_bytes(object->image, field->vaddr, 4);
		ck_assert_ptr_nonnull(code);
		memcpy(&distance, code, sizeof(distance));
		to = field->vaddr + 4 + (uint64_t)(int64_t)distance;
		ck_assert_uint_eq(to, image_symbol_address(object->image, field->symbol));
	}
	object_destroy(object);
	image_destroy(image);
}
END_TEST

/* What has no bytes has a place all the same, and nothing is found where there is nothing. */
START_TEST(empty_sections)
{
	struct image *image;
	struct object *object;
	struct error error;
	const struct object_section *code;
	uint32_t number;

	assemble_text("	.text\ne:	.section .text.g,\"ax\",@progbits\n	mov $e, %eax\n"
		      "	mov $b, %eax\n	.bss\n	.space 4\nb:\n");
	image = open_bytes();
	ck_assert_int_eq(object_create(image, &object, &error), 0);
	ck_assert_uint_eq(object->section_count, 1);
	code = section_named(object, ".text.g");
	ck_assert_uint_eq(code->number, 4);
	memcpy(&number, image_bytes(object->image, code->vaddr + 1, 4), sizeof(number));
	ck_assert_uint_eq(number, 0x40003000);
	memcpy(&number, image_bytes(object->image, code->vaddr + 6, 4), sizeof(number));
	ck_assert_uint_eq(number, 0x40005004); /* behind .data, which has none either */
	object_destroy(object);
	image_destroy(image);
	forget();
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	assemble_text("");
	image = open_bytes();
	ck_assert_int_eq(object_create(image, &object, &error), 0);
	ck_assert_uint_eq(object->section_count, 0);
	ck_assert_ptr_null(object_section_find(object, 0));
	ck_assert_ptr_null(object_section_find(object, UINT64_MAX));
	ck_assert_ptr_null(object_field_find(object, 0, UINT64_MAX));
	object_destroy(object);
	image_destroy(image);
	forget();
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------- */

static void take_finding(void *context, const struct lint_finding *finding)
{
	ck_assert_uint_lt(strlen(finding->actual), sizeof(finding->actual));
}

/* Follows it as lint does; what comes out doesn't matter. true: it could be laid out. */
static bool follow(const uint8_t *data, size_t length)
{
	static const struct lint_watch watch = { .finding = take_finding };
	struct lint_counts counts;
	struct image *image;
	struct object *object;
	struct error error;
	struct cfi *cfi = NULL;
	bool laid_out;

	if (image_create_memory(data, length, "f.o", &image, &error))
		return false;
	laid_out = image->type == ET_REL && !object_create(image, &object, &error);
	if (laid_out && !cfi_create(object->image, &cfi, &error))
		lint_image(cfi, object, &watch, &counts, &error);
	cfi_destroy(cfi);
	if (laid_out)
		object_destroy(object);
	image_destroy(image);
	return laid_out;
}

/* Numbers that 16 bits reserve: in a file of so many sections they are numbers like others, and SHN_ABS is not
 * among them. */
#define MANY_SECTIONS                                                                              \
	"	.altmacro\n"                                                                             \
	"	.macro many n\n	.section .text.n\\n,\"ax\",@progbits\n	.if \\n == 65517\n"               \
	"f:	.cfi_startproc\n	call g\n	mov $constant, %eax\n	ret\n	"                                \
	".cfi_endproc\n"                                                                           \
	"	.endif\n	.endm\n	.set i, 0\n"                                                            \
	"	.rept 65540\n	many %i\n	.set i, i+1\n	.endr\n"                                           \
	"	.globl constant\n	.set constant, 0x1234\n"

START_TEST(numbers_of_sections_that_sixteen_bits_reserve)
{
	struct image *image;
	struct object *object;
	struct error error;
	const struct object_section *code;
	struct cfi *cfi;
	uint32_t number;

	assemble_text(MANY_SECTIONS);
	image = open_bytes();
	ck_assert_msg(!object_create(image, &object, &error), "%s", error.message);
	code = section_named(object, ".text.n65517");
	ck_assert_uint_eq(code->number, SHN_ABS);
	ck_assert_msg(!cfi_create(object->image, &cfi, &error), "%s", error.message);
	ck_assert_uint_eq(cfi->fde_count, 1);
	ck_assert_uint_eq(cfi->fde[0].pc_begin, code->vaddr);
	cfi_destroy(cfi);
	memcpy(&number, image_bytes(object->image, code->vaddr + 6, 4), sizeof(number));
	ck_assert_uint_eq(number, 0x1234);
	object_destroy(object);
	image_destroy(image);
	forget();
}
END_TEST

START_TEST(cut_off_at_every_byte)
{
	for (size_t length = 0; length < size; length++)
		follow(bytes, length);
	ck_assert(follow(bytes, size));
}
END_TEST

#define MUTATIONS 3000

/* The same changes each time. */
static uint32_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static const uint8_t borders[] = { 0x00, 0x01, 0x7f, 0x80, 0xff, 0xfe, 0x04, 0x10 };

START_TEST(changed_at_many_bytes)
{
	uint8_t *copy = malloc(size);
	uint64_t state = 1;
	unsigned int laid_out = 0;

	ck_assert_ptr_nonnull(copy);
	for (unsigned int i = 0; i < MUTATIONS; i++) {
		unsigned int changes = 1 + next_number(&state) % 4;

		memcpy(copy, bytes, size);
		for (unsigned int j = 0; j < changes; j++) {
			uint32_t at = next_number(&state) % (uint32_t)size;
			uint32_t with = next_number(&state);

			copy[at] = with & 0x100 ? (uint8_t)with : borders[with % sizeof(borders)];
		}
		laid_out += follow(copy, size);
	}
	ck_assert_uint_gt(laid_out, MUTATIONS / 4);
	free(copy);
}
END_TEST

/* Where the n-th relocation of a type is in the file. */
static uint8_t *relocation_of(uint32_t type)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *section = (const Elf64_Shdr *)(bytes + header->e_shoff);

	for (size_t i = 0; i < header->e_shnum; i++)
		for (size_t at = 0; section[i].sh_type == SHT_RELA && at < section[i].sh_size;
		     at += sizeof(Elf64_Rela)) {
			Elf64_Rela *rela = (Elf64_Rela *)(bytes + section[i].sh_offset + at);

			if (ELF64_R_TYPE(rela->r_info) == type)
				return (uint8_t *)rela;
		}
	ck_abort_msg("no relocation of type %u", type);
	return NULL;
}

static Elf64_Shdr *relocations_of_text(void)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	Elf64_Shdr *section = (Elf64_Shdr *)(bytes + header->e_shoff);

	for (size_t i = 0; i < header->e_shnum; i++)
		if (section[i].sh_type == SHT_RELA && section[i].sh_info == 1)
			return &section[i];
	ck_abort_msg("no relocations of .text");
	return NULL;
}

static void set_type(uint32_t type)
{
	Elf64_Rela *rela = (Elf64_Rela *)relocation_of(R_X86_64_REX_GOTPCRELX);

	rela->r_info = ELF64_R_INFO(ELF64_R_SYM(rela->r_info), type);
}

static void unknown_type(void)
{
	set_type(200);
}
static void no_type(void)
{
	set_type(R_X86_64_NONE);
}
static void past_the_end(void)
{
	((Elf64_Rela *)relocation_of(R_X86_64_REX_GOTPCRELX))->r_offset = 100000;
}
static void at_the_end(void)
{
	((Elf64_Rela *)relocation_of(R_X86_64_REX_GOTPCRELX))->r_offset =
		((Elf64_Shdr *)(bytes + ((Elf64_Ehdr *)bytes)->e_shoff))[1].sh_size - 3;
}
static void no_symbol(void)
{
	((Elf64_Rela *)relocation_of(R_X86_64_REX_GOTPCRELX))->r_info =
		ELF64_R_INFO(1000, R_X86_64_REX_GOTPCRELX);
}
static void without_addends(void)
{
	relocations_of_text()->sh_type = SHT_REL;
}
static void in_another_form(void)
{
	relocations_of_text()->sh_type = 0x40000014;
}
static void other_symbols(void)
{
	relocations_of_text()->sh_link = 1;
}

/* libelf, asked for one of e_shnum headers at offset 0, gives one. */
static void without_headers(void)
{
	((Elf64_Ehdr *)bytes)->e_shoff = 0;
}
/* What a header of no section says of its bytes nobody has checked. */
static void null_section_elsewhere(void)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	Elf64_Shdr *section = (Elf64_Shdr *)(bytes + header->e_shoff);

	for (size_t i = 0; i < header->e_shnum; i++)
		if (section[i].sh_flags & SHF_ALLOC && !section[i].sh_size) {
			no_type();
			section[i].sh_type = SHT_NULL;
			section[i].sh_size = 16;
			section[i].sh_offset = UINT64_C(1) << 40;
			return;
		}
	ck_abort_msg("no empty section");
}

static void of_another_size(void)
{
	relocations_of_text()->sh_entsize = 16;
}

/* Three sections have them; each alone has fewer than the file has room for. */
static void shared_relocations(void)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	Elf64_Shdr *section = (Elf64_Shdr *)(bytes + header->e_shoff);
	size_t from = (size + 7) & ~(size_t)7, none = from;

	memset(bytes + size, 0, from + none - size);
	size = from + none / sizeof(Elf64_Rela) * sizeof(Elf64_Rela);
	for (size_t i = 0, shared = 0; i < header->e_shnum && shared < 3; i++)
		if (section[i].sh_type == SHT_RELA) {
			section[i].sh_offset = from;
			section[i].sh_size = size - from;
			shared++;
		}
}

/* Each that no relocation fills in is the same half of the file. */
static void over_each_other(void)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	Elf64_Shdr *section = (Elf64_Shdr *)(bytes + header->e_shoff);
	uint64_t from = size - size / 2 - 8;

	for (size_t i = 1; i < header->e_shnum; i++)
		if (section[i].sh_type == SHT_PROGBITS && section[i + 1].sh_type != SHT_RELA) {
			section[i].sh_flags |= SHF_ALLOC;
			section[i].sh_offset = from;
			section[i].sh_size = size - from;
		}
}

static const struct damage_case {
	const char *rule;
	void (*damage)(void);
	const char *message;  /* NULL: it is laid out */
	unsigned int unknown; /* relocations */
} damage_cases[] = {
	{ "without section headers", without_headers, "an object file without sections", 0 },
	{ "sections that share bytes", over_each_other, "sections that lie over each other", 0 },
	{ "a header of no section", null_section_elsewhere, NULL, 0 },
	{ "a type that is not known is counted", unknown_type, NULL, 1 },
	{ "a relocation that is none", no_type, NULL, 0 },
	{ "past the end", past_the_end, "a relocation of 0x186a0 reaches past the section's end",
	  0 },
	{ "at the end", at_the_end, "a relocation of 0x2d reaches past the section's end", 0 },
	{ "a symbol that there isn't", no_symbol,
	  "a relocation of 0x2a needs a symbol that there isn't", 0 },
	{ "relocations without addends", without_addends,
	  "a relocation of 0x0 is of a form that is not read here", 0 },
	{ "relocations of LLVM's own form", in_another_form,
	  "a relocation of 0x0 is of a form that is not read here", 0 },
	{ "relocations of another size", of_another_size, "a relocation of 0x0 can't be read", 0 },
	{ "relocations that sections share", shared_relocations,
	  "a relocation of 0x0 is one of more than the file has room for", 0 },
	{ "relocations of other symbols", other_symbols, "a relocation of 0x0 can't be read", 0 },
};

START_TEST(damage_is_named)
{
	const struct damage_case *test = &damage_cases[_i];
	struct image *image;
	struct object *object;
	struct error error = { .code = ERROR_NONE };
	int result;

	test->damage();
	image = open_bytes();
	result = object_create(image, &object, &error);
	ck_assert_int_eq(result, test->message ? -1 : 0);
	if (test->message) {
		ck_assert_int_eq(error.code, test->damage == without_headers   ? ERROR_NOT_ELF
					     : test->damage == over_each_other ? ERROR_ELF_BOUNDS
									       : ERROR_RELOCATION);
		ck_assert_str_eq(error.message, test->message);
		ck_assert_ptr_null(object);
	} else {
		ck_assert_uint_eq(object->relocations[OBJECT_UNKNOWN], test->unknown);
		ck_assert_uint_eq(object->unknown_count, 2 + test->unknown);
		ck_assert_uint_eq(object->relocations[OBJECT_LINKER], 0);
	}
	object_destroy(object);
	image_destroy(image);
}
END_TEST

SUITE(objects, GROUP(empty), TEST(empty_sections), LOOP(whose_fdes_are_known, known_cases),
      TEST(numbers_of_sections_that_sixteen_bits_reserve), GROUP(layout), FIXTURE(assemble, forget),
      TEST(sections_have_places_and_relocations_are_counted), TEST(calls_lead_to_what_they_name),
      GROUP(damaged), TIMEOUT(600), FIXTURE(assemble, forget), LOOP(damage_is_named, damage_cases),
      TEST(cut_off_at_every_byte), TEST(changed_at_many_bytes))
