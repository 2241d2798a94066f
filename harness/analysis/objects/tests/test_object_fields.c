/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_object_fields.c - the relocations of an object file as they fill its fields in, and the image's headers
 *
 * A case is a few instructions. What is expected is their bytes as they are laid out, with what each field leads to,
 * and then what the relocations came to.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "analysis/lint/lint_inside.h"
#include "object_fixture.h"

/* .text's bytes as they are laid out, but for fields of 4 bytes: [symbol place], = if it leads to the
 * symbol, & if it is an address, ? if it is not known. Then what the relocations came to. g is the
 * first byte of a section of 6 bytes. */
static const struct field_case {
	const char *rule, *code, *expected;
} field_cases[] = {
	{ "a call, a jump and a branch elsewhere", "	call x\n	jmp x\n	je x\n",
	  "e8 [x =] e9 [x =] 0f 84 [x =], 3 undefined" },
	{ "a call and a jump by the GOT", "	call [rip+x@GOTPCREL]\n	jmp [rip+x@GOTPCREL]\n",
	  "67 e8 [x =] e9 [x =] 90, 2 undefined" },
	{ "the same to a function here", "	call [rip+g@GOTPCREL]\n	jmp [rip+g@GOTPCREL]\n",
	  "67 e8 [g =] e9 [g =] 90, 2 resolved" },
	{ "other uses of the GOT", "	mov rax, x@GOTPCREL[rip]\n	push [rip+x@GOTPCREL]\n",
	  "48 8b 05 [x ?] ff 35 [x ?], 2 linker" },
	{ "an address elsewhere", "	lea rax, x[rip]\n	mov eax, offset x\n",
	  "48 8d 05 [x ?] b8 [x ?], 2 undefined" },
	{ "an address here",
	  "	lea rax, g[rip]\n	mov eax, offset g\n	mov eax, offset g+5\n",
	  "48 8d 05 [g =] b8 [g &.text.h+0x0] b8 [g &.text.h+0x5], 3 resolved" },
	{ "a branch that is not to the symbol itself", "	call x+4\n	jne x+1\n",
	  "e8 [x ?] 0f 85 [x ?], 2 undefined" },
	{ "to a section's end, and beyond",
	  "	call g+6\n	call g+7\n	jmp g+6\n	jg g+7\n	lea rax, "
	  "g+7[rip]\n",
	  "e8 [g .text.h+0x6] e8 [g ?] e9 [g .text.h+0x6] 0f 8f [g ?] 48 8d 05 [g 0x2b], 3 "
	  "resolved, 2 outside" },
	{ "what is like a branch",
	  "	.byte 0x0f, 0x90\n	.long x-.-4\n	.byte 0x0e, 0x84\n	.long x-.-4\n"
	  "	.byte 0x0f, 0x8f\n	.long x-.-4\n",
	  "0f 90 [x ?] 0e 84 [x ?] 0f 8f [x =], 3 undefined" },
	{ "a branch's byte before fields of other kinds",
	  "	.byte 0xe8\n	.reloc ., R_X86_64_32, x-4\n	.long 0\n"
	  "	.byte 0xe8\n	.reloc ., R_X86_64_PC64, x-4\n	.quad 0\n",
	  "e8 [x ?] e8 [x ?] 00 00 00 00, 2 undefined" },
	{ "what is like a call by the GOT",
	  "	mov edx, x@GOTPCREL[rip]\n	.byte 0xff, 0x15\n"
	  "	.reloc ., R_X86_64_GOTPCREL, x\n	.long 0\n"
	  "	.data\n	.byte 0xff, 0x15\n	.reloc ., R_X86_64_GOTPCREL, x-4\n	.long 0\n"
	  "	.text\n",
	  "8b 15 [x ?] ff 15 [x ?], 3 linker" },
	{ "no field", "	nop\n", "90" },
	{ "symbols at a section's end, and beyond",
	  "	.globl y, z\n	.set y, g+9\n	.set z, g+6\n	call y\n	call z\n	"
	  "call z-1\n"
	  "	mov eax, offset z\n	mov eax, offset y\n",
	  "e8 [g ?] e8 [g .text.h+0x6] e8 [g .text.h+0x5] b8 [z &.text.h+0x6] b8 [y ?], 3 "
	  "resolved, 2 outside" },
	{ "beyond a section without bytes",
	  "	.globl bb\n	.bss\nb:	.space 4\n	.set bb, b+9\n	.text\n"
	  "	lea rax, bb[rip]\n",
	  "48 8d 05 [bb 0x3002], 1 resolved" },
	{ "an FDE at a section's end, and beyond",
	  "	nop\n	.section .eh_frame,\"a\",@progbits\n	.long g+6-.\n	.long g+7-.\n	"
	  ".text\n",
	  "90, 1 resolved, 1 outside" },
	{ "a section that is not loaded",
	  "	.section .other\nq:	.long 0\n	.text\n	mov eax, offset q\n",
	  "b8 [- ?], 1 linker" },
	{ "fields in no order",
	  "1:	.long 0\n	.long 0\n	.reloc 1b+4, R_X86_64_PC32, x\n"
	  "	.reloc 1b, R_X86_64_PC32, x\n",
	  "[x ?] [x ?], 2 undefined" },
	{ "data",
	  "	nop\n	.data\n	.quad x\n	.quad g\n	.reloc ., R_X86_64_GOTOFF64, x\n"
	  "	.quad 0\n	.quad x+1\n	.text\n",
	  "90 x .text.h+0x0 elsewhere x, 1 resolved, 2 undefined, 1 linker" },
	{ "the first bytes", "	.long x-.\n", "[x ?], 1 undefined" },
	{ "a byte before", "	.byte 0xe9\n	.long x-.-4\n", "e9 [x =], 1 undefined" },
	{ "two bytes before", "	.byte 0x0f, 0x85\n	.long x-.-4\n",
	  "0f 85 [x =], 1 undefined" },
	{ "of the GOT as first bytes",
	  "	.byte 0x15\n	.reloc ., R_X86_64_GOTPCREL, x-4\n"
	  "	.long 0\n",
	  "15 [x ?], 1 linker" },
	{ "a number of another file",
	  "	.globl k\n	.set k, 0x1234\n	mov eax, offset k+1\n"
	  "	call k\n",
	  "b8 35 12 00 00 e8 [- ?], 1 undefined" },
	{ "the same by its symbol",
	  "	.globl k\n	.set k, 0x1234\n	.byte 0xb8\n	.reloc ., R_X86_64_32, "
	  "k+1\n"
	  "	.long 0\n	.byte 0xe8\n	.reloc ., R_X86_64_PC32, k-4\n	.long 0\n",
	  "b8 [- ?] e8 [- ?], 2 undefined" },
	{ "common storage", "	.comm c, 4\n	mov eax, c[rip]\n", "8b 05 [c ?], 1 linker" },
	{ "a weak one here", "	.weak f\n	mov eax, offset f\n	call f\n",
	  "b8 [f &.text+0x0] e8 [f =], 2 weak" },
	{ "a weak one elsewhere", "	.weak x\n	call x\n", "e8 [x =], 1 weak" },
	{ "a byte of code",
	  "	.reloc ., R_X86_64_PC8, g\n	.byte 0\n	.reloc ., R_X86_64_16, "
	  "g\n	.short 0\n",
	  "[g ?], 2 linker" },
	{ "what marks a call", "	.reloc ., R_X86_64_TLSDESC_CALL, x\n	call [rax]\n",
	  "ff 10, 1 linker" },
	{ "thread-local storage", "	mov eax, fs:x@tpoff\n	lea rdi, x@tlsgd[rip]\n",
	  "64 8b 04 25 [x ?] 48 8d 3d [x ?], 2 linker" },
};

static void say_field(FILE *file, const struct object *object, const struct object_field *field,
		      const uint8_t *code)
{
	char place[64] = "?";
	int32_t value;
	uint64_t relative;

	memcpy(&value, code, sizeof(value));
	relative = field->vaddr + 4 + (uint64_t)(int64_t)value;
	if (!field->unknown && field->symbol &&
	    image_symbol_address(object->image, field->symbol) == relative)
		snprintf(place, sizeof(place), "=");
	else if (!field->unknown && object_section_find(object, relative))
		lint_place_print(object, relative, place, sizeof(place));
	else if (!field->unknown && object_section_find(object, (uint32_t)value)) {
		place[0] = '&';
		lint_place_print(object, (uint32_t)value, place + 1, sizeof(place) - 1);
	} else if (!field->unknown)
		snprintf(place, sizeof(place), "0x%x", (unsigned int)value);
	fprintf(file, "[%s %s]", field->symbol ? field->symbol : "-", place);
}

/* Each 8 bytes of .data: 0 that stands for what another file has is somewhere there. */
static void say_data(FILE *file, const struct object *object)
{
	const struct object_section *data = section_named(object, ".data");
	uint64_t x = image_symbol_address(object->image, "x"), value;
	const uint8_t *all = image_bytes(object->image, data->vaddr, data->size);
	char place[64];

	for (uint64_t at = 0; at + sizeof(value) <= data->size; at += sizeof(value)) {
		memcpy(&value, all + at, sizeof(value));
		if (value == x)
			fputs(" x", file);
		else if (x && value < x && value > x - 100)
			fputs(" elsewhere", file);
		else if (object_section_find(object, value)) {
			lint_place_print(object, value, place, sizeof(place));
			fprintf(file, " %s", place);
		} else {
			fprintf(file, " 0x%llx", (unsigned long long)value);
		}
	}
}

static void check_unknown(const struct object *object)
{
	size_t count = 0;

	for (size_t i = 0; i < object->field_count; i++) {
		if (!object->field[i].unknown)
			continue;
		ck_assert_uint_lt(count, object->unknown_count);
		ck_assert_uint_eq(object->unknown[count++], object->field[i].vaddr);
	}
	ck_assert_uint_eq(count, object->unknown_count);
}

START_TEST(fields_are_filled_in)
{
	const struct field_case *test = &field_cases[_i];
	struct image *image;
	struct object *object;
	struct error error;
	const struct object_section *text;
	const uint8_t *code;
	char *source, *said;
	size_t said_size;
	FILE *file = open_memstream(&said, &said_size);

	ck_assert_int_ge(asprintf(&source,
				  "	.intel_syntax noprefix\n	.globl g, f\n	.text\n"
				  "f:\n%s	.section .text.h,\"ax\",@progbits\n"
				  "	.type g, @function\ng:	.space 6, 0x90\n",
				  test->code),
			 0);
	assemble_text(source);
	image = open_bytes();
	ck_assert_int_eq(object_create(image, &object, &error), 0);
	text = section_named(object, ".text");
	code = image_bytes(object->image, text->vaddr, text->size);
	ck_assert_ptr_nonnull(code);
	for (uint64_t i = 0; i < text->size; i++) {
		const struct object_field *field = object_field_find(object, text->vaddr + i, 1);

		fputs(i ? " " : "", file);
		if (field) {
			say_field(file, object, field, code + i);
			i += 3;
		} else {
			fprintf(file, "%02x", code[i]);
		}
	}
	if (strstr(test->code, ".quad x\n"))
		say_data(file, object);
	check_unknown(object);
	for (int i = 0; i < OBJECT_RELOCATION_COUNT; i++)
		if (object->relocations[i])
			fprintf(file, ", %d %s", (int)object->relocations[i],
				object_relocation_names[i]);
	fclose(file);
	ck_assert_msg(!strcmp(said, test->expected), "%s: %s", test->rule, said);
	object_destroy(object);
	image_destroy(image);
	forget();
	free(source);
	free(said);
}
END_TEST

/* x is what no section has. */
static void set_section_of_x(uint16_t section)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Shdr *all = (const Elf64_Shdr *)(bytes + header->e_shoff);

	for (size_t i = 0; i < header->e_shnum; i++)
		for (size_t at = 0; all[i].sh_type == SHT_SYMTAB && at < all[i].sh_size;
		     at += sizeof(Elf64_Sym)) {
			Elf64_Sym *symbol = (Elf64_Sym *)(bytes + all[i].sh_offset + at);
			const Elf64_Shdr *names = &all[all[i].sh_link];

			if (strcmp((char *)bytes + names->sh_offset + symbol->st_name, "x") != 0)
				continue;
			symbol->st_shndx = section;
			symbol->st_value = 0x1234;
		}
}

static const struct number_case {
	const char *rule;
	uint16_t section;
	uint32_t number; /* that is moved */
	uint64_t resolved, linker, unknown;
} number_cases[] = {
	{ "an absolute one is the number", SHN_ABS, 0x1239, 1, 1, 1 },
	{ "where common storage will be is not known", SHN_COMMON, 0, 0, 2, 2 },
};

START_TEST(a_symbol_may_be_a_number)
{
	const struct number_case *test = &number_cases[_i];
	struct image *image;
	struct object *object;
	struct error error;
	const struct object_section *text;
	uint32_t number;

	assemble_text("	.text\n	mov $x+5, %eax\n	call x\n");
	set_section_of_x(test->section);
	image = open_bytes();
	ck_assert_int_eq(object_create(image, &object, &error), 0);
	text = section_named(object, ".text");
	memcpy(&number, image_bytes(object->image, text->vaddr + 1, 4), sizeof(number));
	if (test->number)
		ck_assert_uint_eq(number, test->number);
	ck_assert_uint_eq(object->relocations[OBJECT_RESOLVED], test->resolved);
	ck_assert_uint_eq(object->relocations[OBJECT_LINKER], test->linker);
	ck_assert_uint_eq(object->unknown_count, test->unknown);
	object_destroy(object);
	image_destroy(image);
	forget();
}
END_TEST

/* ---- the image ---------------------------------------------------------------------------- */

static void say_headers(FILE *file, const uint8_t *data)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)data;
	const Elf64_Phdr *segment = (const Elf64_Phdr *)(data + header->e_phoff);
	const Elf64_Shdr *section = (const Elf64_Shdr *)(data + header->e_shoff);
	const char *names = (const char *)data + section[header->e_shstrndx].sh_offset;

	fprintf(file, "type %u, machine %u, entry %#lx, %u segments, %u sections, names in %u\n",
		header->e_type, header->e_machine, header->e_entry, header->e_phnum,
		header->e_shnum, header->e_shstrndx);
	for (size_t i = 0; i < header->e_phnum; i++)
		fprintf(file, "segment %u flags %u: %#lx at %#lx, %#lx, %#lx of %#lx, align %lu\n",
			segment[i].p_type, segment[i].p_flags, segment[i].p_offset,
			segment[i].p_vaddr, segment[i].p_paddr, segment[i].p_filesz,
			segment[i].p_memsz, segment[i].p_align);
	for (size_t i = 0; i < header->e_shnum; i++)
		fprintf(file,
			"%s: type %u flags %lu: %#lx at %#lx, %#lx, link %u, info %u, align %lu, "
			"entries %lu\n",
			names + section[i].sh_name, section[i].sh_type, section[i].sh_flags,
			section[i].sh_type ? section[i].sh_offset : 0, section[i].sh_addr,
			section[i].sh_size, section[i].sh_link, section[i].sh_info,
			section[i].sh_addralign, section[i].sh_entsize);
}

static void say_symbols(FILE *file, const uint8_t *data)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)data;
	const Elf64_Shdr *section = (const Elf64_Shdr *)(data + header->e_shoff);

	for (size_t i = 0; i < header->e_shnum; i++)
		for (size_t at = 0; section[i].sh_type == SHT_SYMTAB && at < section[i].sh_size;
		     at += sizeof(Elf64_Sym)) {
			const Elf64_Sym *symbol =
				(const Elf64_Sym *)(data + section[i].sh_offset + at);
			const Elf64_Shdr *names = &section[section[i].sh_link];

			fprintf(file, "\"%s\" %#lx size %lu info %u other %u in %u\n",
				(const char *)data + names->sh_offset + symbol->st_name,
				symbol->st_value, symbol->st_size, symbol->st_info,
				symbol->st_other, symbol->st_shndx);
		}
}

/* Of a file with two sections of code, one of data, one without bytes, and symbols that are global, local,
 * hidden, weak, and another file's. */
START_TEST(an_image_has_headers_and_symbols)
{
	static const char expected[] =
		"type 2, machine 62, entry 0, 2 segments, 8 sections, names in 7\n"
		"segment 1 flags 5: 0x1000 at 0x40001000, 0x40001000, 0x54 of 0x54, align 1\n"
		"segment 1 flags 6: 0x2000 at 0x40002000, 0x40002000, 0x54 of 0x54, align 1\n"
		": type 0 flags 0: 0 at 0, 0, link 0, info 0, align 0, entries 0\n"
		".text: type 1 flags 6: 0x1000 at 0x40001000, 0x6, link 0, info 0, align 1, "
		"entries 0\n"
		".text.g: type 1 flags 6: 0x1030 at 0x40001030, 0x4, link 0, info 0, align 1, "
		"entries 0\n"
		".eh_frame: type 1 flags 2: 0x2030 at 0x40002030, 0x4, link 0, info 0, align 1, "
		"entries 0\n"
		".undefined: type 1 flags 4: 0x3000 at 0x40003000, 0xc, link 0, info 0, align 1, "
		"entries 0\n"
		".symtab: type 2 flags 0: 0x3010 at 0, 0xd8, link 6, info 1, align 1, entries "
		"24\n"
		".strtab: type 3 flags 0: 0x30e8 at 0, 0x15, link 0, info 0, align 1, entries 0\n"
		".shstrtab: type 3 flags 0: 0x3108 at 0, 0x3e, link 0, info 0, align 0, entries "
		"0\n"
		"\"\" 0 size 0 info 0 other 0 in 0\n"
		"\"\" 0x40001000 size 0 info 3 other 0 in 1\n"
		"\"f\" 0x40001000 size 6 info 2 other 0 in 1\n"
		"\"end\" 0x40001034 size 0 info 0 other 0 in 2\n"
		"\"x\" 0x40003007 size 1 info 18 other 0 in 4\n"
		"\"g\" 0x40001030 size 0 info 18 other 0 in 2\n"
		"\"h\" 0x40001031 size 0 info 0 other 0 in 2\n"
		"\"i\" 0x40001032 size 0 info 0 other 0 in 2\n"
		"\"w\" 0x40001033 size 0 info 32 other 0 in 2\n";
	struct image *image;
	struct object *object;
	struct error error;
	const struct object_section *text, *other;
	const uint8_t *data;
	char *said;
	size_t said_size, image_size;
	FILE *file = open_memstream(&said, &said_size);

	assemble_text("	.text\n	.type f, @function\nf:	call x\n	ret\n	.size f, 6\n"
		      "	.section .text.g,\"ax\",@progbits\n	.globl g, h, i\n	.weak w\n"
		      "	.hidden h\n	.internal i\n	.type g, @function\ng:	ret\nh:	ret\n"
		      "i:	ret\nw:	ret\nend:	.data\nd:	.quad f\n	.bss\n"
		      "b:	.space 9\n	.section .eh_frame,\"a\",@progbits\nq:	.long 0\n");
	image = open_bytes();
	ck_assert_int_eq(object_create(image, &object, &error), 0);
	data = image_file_bytes(object->image, &image_size);
	say_headers(file, data);
	say_symbols(file, data);
	fclose(file);
	ck_assert_msg(!strcmp(said, expected), "%s", said);
	text = section_named(object, ".text");
	other = section_named(object, ".text.g");
	for (uint64_t at = text->vaddr + text->size; at < other->vaddr; at++)
		ck_assert_uint_eq(*image_bytes(object->image, at, 1), 0xcc);
	object_destroy(object);
	image_destroy(image);
	forget();
	free(said);
}
END_TEST

SUITE(object_fields, LOOP(fields_are_filled_in, field_cases),
      LOOP(a_symbol_may_be_a_number, number_cases), TEST(an_image_has_headers_and_symbols))
