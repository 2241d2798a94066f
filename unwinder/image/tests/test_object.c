/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_object.c - object files: relocations, and whose function an FDE is
 *
 * An object file of two code sections that both begin at 0, as -ffunction-sections makes them, is
 * put together by hand. The PC says nothing about the function there; the relocation of an FDE's
 * first PC does. Then what no assembler writes: relocations of nothing, and far too many of them.
 */
#include <inttypes.h>
#include <time.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "image/eh_frames.h"
#include "image/elf_image.h"
#include "table/saved_table.h"

enum { NOTHING, CODE_A, CODE_B, EH_FRAME, RELA, SYMTAB, STRTAB, SECTIONS };

/* Of code sections, then functions. */
enum {
	SYMBOL_NONE,
	SECTION_A,
	SECTION_B,
	NO_CODE,
	WEAK,
	FUNCTION_F,
	FUNCTION_G,
	FUNCTION_H,
	SYMBOLS
};

static const char names[] = "\0a_weak\0f\0g\0h\0.text.f\0.text.g\0.eh_frame\0.rela\0.symtab\0.str";
#define NAME(text)                                                                                 \
	((uint32_t)((const char *)memmem(names, sizeof(names), text, sizeof(text)) - names))

static const struct {
	const char *name; /* of the function, as the text has it */
	uint32_t type;
	uint32_t symbol;
	int64_t addend;
	uint64_t pc; /* in its section */
} fdes[] = {
	{ "f", R_X86_64_PC32, SECTION_A, 0, 0 },
	{ "g", R_X86_64_PC32, SECTION_B, 0, 0 },
	{ "g", R_X86_64_PC32, FUNCTION_G, 0, 0 },
	{ "f", R_X86_64_32, WEAK, 0, 0 }, /* of several names the global one */
	{ "f+0x4", R_X86_64_PLT32, SECTION_A, 4, 4 },
	{ "h", R_X86_64_PC32, SECTION_B, 0x20, 0x20 },
	{ "h+0x8", R_X86_64_PC32, FUNCTION_H, 8, 0x28 },
	{ "fde.2", R_X86_64_PC32, SECTION_B, 0x30, 0x30 }, /* behind h, whose size is 0x10 */
	{ "fde.3", R_X86_64_PC32, SECTION_A, 0x30, 0x30 },
	{ "fde.1", R_X86_64_PC32, NO_CODE, 0x24, 0x24 }, /* h, if the section did not matter */
	{ "fde.4", R_X86_64_NONE, SECTION_A, 0, 0x40 },	 /* not relocated */
};
enum { FDES = sizeof(fdes) / sizeof(fdes[0]) };

struct object {
	struct bytes bytes;
	size_t header; /* of section NOTHING */
};

/* Aligns, and returns where the next section begins. */
static size_t align(struct bytes *bytes)
{
	while (bytes->size % 8)
		put_number(bytes, 0, 1);
	return bytes->size;
}

static void put_fdes(struct bytes *bytes, uint64_t offsets[FDES])
{
	size_t section = bytes->size;
	put_cie(bytes, 0x0b, (struct literal)CFI(CFA_USUAL)); /* sdata4 */
	for (size_t i = 0; i < FDES; i++) {
		size_t start = begin_entry(bytes);
		put_number(bytes, bytes->size - section, 4);
		offsets[i] = bytes->size - section;
		put_number(bytes, fdes[i].type == R_X86_64_NONE ? fdes[i].pc : 0, 4);
		put_number(bytes, 4, 4);
		put_number(bytes, 0, 1);
		end_entry(bytes, start);
	}
}

static void put_symbols(struct bytes *bytes)
{
	const Elf64_Sym symbols[SYMBOLS] = {
		[SECTION_A] = { .st_info = STT_SECTION, .st_shndx = CODE_A },
		[SECTION_B] = { .st_info = STT_SECTION, .st_shndx = CODE_B },
		[NO_CODE] = { .st_info = STT_SECTION, .st_shndx = STRTAB },
		[WEAK] = { NAME("a_weak"), ELF64_ST_INFO(STB_WEAK, STT_FUNC), 0, CODE_A, 0, 16 },
		[FUNCTION_F] = { NAME("f"), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, CODE_A, 0, 16 },
		[FUNCTION_G] = { NAME("g"), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, CODE_B, 0, 32 },
		[FUNCTION_H] = { NAME("h"), ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, CODE_B, 32, 16 },
	};
	put(bytes, symbols, sizeof(symbols));
}

/* R_X86_64_PC32 counts from the field, sdata4 doesn't: the addend makes up for it. */
static void put_relocations(struct bytes *bytes, const uint64_t offsets[FDES])
{
	for (size_t i = 0; i < FDES; i++) {
		bool pc_relative = fdes[i].type == R_X86_64_PC32 || fdes[i].type == R_X86_64_PLT32;
		Elf64_Rela relocation = { offsets[i],
					  ELF64_R_INFO((uint64_t)fdes[i].symbol, fdes[i].type),
					  fdes[i].addend +
						  (pc_relative ? (int64_t)offsets[i] : 0) };
		put(bytes, &relocation, sizeof(relocation));
	}
}

static void make_object(struct object *object)
{
	struct bytes *bytes = &object->bytes;
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = ET_REL,
			      .e_machine = EM_X86_64,
			      .e_version = 1,
			      .e_ehsize = 64,
			      .e_shentsize = 64,
			      .e_shnum = SECTIONS,
			      .e_shstrndx = STRTAB };
	uint64_t offsets[FDES];
	*bytes = (struct bytes) { .size = 0 };
	put(bytes, &header, sizeof(header));
	size_t frame = bytes->size;
	put_fdes(bytes, offsets);
	size_t frame_size = bytes->size - frame;
	size_t symbols = align(bytes);
	put_symbols(bytes);
	size_t relocations = align(bytes);
	put_relocations(bytes, offsets);
	size_t strings = align(bytes);
	put(bytes, names, sizeof(names));
	object->header = align(bytes);
	const Elf64_Shdr sections[SECTIONS] = {
		[CODE_A] = { NAME(".text.f"), SHT_NOBITS, SHF_EXECINSTR, 0, 0, 0x50, 0, 0, 1, 0 },
		[CODE_B] = { NAME(".text.g"), SHT_NOBITS, SHF_EXECINSTR, 0, 0, 0x50, 0, 0, 1, 0 },
		[EH_FRAME] = { NAME(".eh_frame"), SHT_PROGBITS, SHF_ALLOC, 0, frame, frame_size, 0,
			       0, 8, 0 },
		[RELA] = { NAME(".rela"), SHT_RELA, 0, 0, relocations, FDES * sizeof(Elf64_Rela),
			   SYMTAB, EH_FRAME, 8, sizeof(Elf64_Rela) },
		[SYMTAB] = { NAME(".symtab"), SHT_SYMTAB, 0, 0, symbols,
			     SYMBOLS * sizeof(Elf64_Sym), STRTAB, WEAK, 8, sizeof(Elf64_Sym) },
		[STRTAB] = { NAME(".str"), SHT_STRTAB, 0, 0, strings, sizeof(names), 0, 0, 1, 0 },
	};
	put(bytes, sections, sizeof(sections));
	memcpy(bytes->data + offsetof(Elf64_Ehdr, e_shoff), &object->header, 8);
}

static void open_object(const void *data, size_t size, struct image **ret_image,
			struct cfi **ret_cfi)
{
	struct error error = { 0 };
	ck_assert_msg(!image_create_memory(data, size, "object", ret_image, &error), "%s",
		      error.message);
	ck_assert_msg(!cfi_create(*ret_image, ret_cfi, &error), "%s", error.message);
}

static void close_object(struct image *image, struct cfi *cfi)
{
	cfi_destroy(cfi);
	image_destroy(image);
}

START_TEST(relocation_is_applied_and_names_the_function)
{
	struct object object;
	struct image *image;
	struct cfi *cfi;
	make_object(&object);
	open_object(object.bytes.data, object.bytes.size, &image, &cfi);
	ck_assert_uint_eq(cfi->fde_count, FDES);
	ck_assert_uint_eq(cfi->fde[_i].pc_begin, fdes[_i].pc);
	const struct image_symbol *symbol = cfi_fde_symbol(cfi, &cfi->fde[_i]);
	if (!strncmp(fdes[_i].name, "fde.", 4))
		ck_assert_msg(!symbol, "%s: %s", fdes[_i].name, symbol ? symbol->name : "");
	else
		ck_assert_msg(symbol && *symbol->name == *fdes[_i].name && !symbol->name[1],
			      "%s: %s", fdes[_i].name, symbol ? symbol->name : "none");
	close_object(image, cfi);
}
END_TEST

/* In order of their PCs, then of the section. */
START_TEST(text_has_the_names)
{
	static const char *const order[] = { "f",     "g",     "g",	"f",	 "f+0x4", "h",
					     "fde.1", "h+0x8", "fde.2", "fde.3", "fde.4" };
	struct object object;
	struct image *image;
	struct cfi *cfi;
	struct table_text *text;
	struct error error;
	make_object(&object);
	open_object(object.bytes.data, object.bytes.size, &image, &cfi);
	ck_assert_msg(!table_text_create(cfi, &text, &error), "%s", error.message);
	ck_assert_uint_eq(text->function_count, FDES);
	for (size_t i = 0; i < FDES; i++)
		ck_assert_str_eq(text->function[i].name, order[i]);
	table_text_destroy(text);
	close_object(image, cfi);
}
END_TEST

/* Fails as a linker does: the message says a part of this. */
static void expect_no_image(const char *name, const void *data, size_t size, const char *says)
{
	struct image *image;
	struct error error = { 0 };
	ck_assert_msg(image_create_memory(data, size, "object", &image, &error), "%s: it is read",
		      name);
	ck_assert_msg(error.code == ERROR_RELOCATION && !strcmp(error.section, ".eh_frame") &&
			      strstr(error.message, says),
		      "%s: %s: %s", name, error.section, error.message);
}

static const struct {
	const char *name;
	size_t section;
	size_t field; /* in its header */
	uint64_t value;
	const char *function; /* of the first FDE; NULL: none */
	const char *says;     /* it is an error */
} damages[] = {
	{ "nothing", RELA, offsetof(Elf64_Shdr, sh_addr), 0, "f", NULL },
	{ "relocations_of_another_section", RELA, offsetof(Elf64_Shdr, sh_info), CODE_A, NULL,
	  NULL },
	{ "no_relocations", RELA, offsetof(Elf64_Shdr, sh_size), 0, NULL, NULL },
	{ "symbols_that_do_not_exist", RELA, offsetof(Elf64_Shdr, sh_link), 99, NULL, "symbol" },
	{ "symbols_that_are_none", RELA, offsetof(Elf64_Shdr, sh_link), CODE_A, NULL, "symbol" },
	{ "no_symbols", SYMTAB, offsetof(Elf64_Shdr, sh_size), 0, NULL, "symbol" },
	{ "entries_of_0_bytes", RELA, offsetof(Elf64_Shdr, sh_entsize), 0, NULL, "size" },
	{ "entries_of_16_bytes", RELA, offsetof(Elf64_Shdr, sh_entsize), 16, NULL, "size" },
	{ "without_addends", RELA, offsetof(Elf64_Shdr, sh_type), SHT_REL, NULL, "addend" },
};

START_TEST(damage_is_an_error_or_costs_names_only)
{
	struct object object;
	struct image *image;
	struct cfi *cfi;
	make_object(&object);
	size_t field = damages[_i].field;
	bool is_word = field == offsetof(Elf64_Shdr, sh_info) ||
		       field == offsetof(Elf64_Shdr, sh_link) ||
		       field == offsetof(Elf64_Shdr, sh_type);
	memcpy(object.bytes.data + object.header + 64 * damages[_i].section + field,
	       &damages[_i].value, is_word ? 4 : 8);
	if (damages[_i].says) {
		expect_no_image(damages[_i].name, object.bytes.data, object.bytes.size,
				damages[_i].says);
		return;
	}
	open_object(object.bytes.data, object.bytes.size, &image, &cfi);
	ck_assert_uint_eq(cfi->fde_count, FDES);
	const struct image_symbol *symbol = cfi_fde_symbol(cfi, &cfi->fde[0]);
	ck_assert_msg(!symbol == !damages[_i].function &&
			      (!symbol || !strcmp(symbol->name, damages[_i].function)),
		      "%s: %s", damages[_i].name, symbol ? symbol->name : "none");
	close_object(image, cfi);
}
END_TEST

/* Of no type it is not looked at before; it may be no more than a terminator, but not there. */
START_TEST(small_section_behind_the_end_is_not_read)
{
	struct error_list said = { 0 };
	struct object object;
	struct image *image;
	struct error error;

	make_object(&object);
	const Elf64_Shdr header = { .sh_name = NAME(".eh_frame"),
				    .sh_type = SHT_NULL,
				    .sh_flags = SHF_ALLOC,
				    .sh_offset = (uint64_t)1 << 62,
				    .sh_size = _i ? sizeof(header) : 4 };
	memcpy(object.bytes.data + object.header + sizeof(header) * RELA, &header, sizeof(header));
	ck_assert_msg(!image_create_memory(object.bytes.data, object.bytes.size, "object", &image,
					   &error),
		      "%s", error.message);
	image_eh_frame_errors(image, &said);
	ck_assert_uint_eq(said.count, 1);
	ck_assert_int_eq(said.error[0].code, ERROR_ELF_BOUNDS);
	error_list_deinit(&said);
	image_destroy(image);
}
END_TEST

/* What ld calls an error is one: a field left alone would put the function at 0. */
static const struct {
	const char *name;
	uint64_t offset; /* UINT64_MAX: as it was */
	uint64_t info;
	const char *says;
} bad_relocations[] = {
	{ "unknown_type", UINT64_MAX, ELF64_R_INFO(1ull, 200),
	  "type that is not known there: 200" },
	{ "type_that_needs_a_got", UINT64_MAX, ELF64_R_INFO(1ull, R_X86_64_GOTPCREL), "type" },
	{ "symbol_that_there_is_not", UINT64_MAX, ELF64_R_INFO(77ull, R_X86_64_PC32),
	  "symbol that there isn't: 77" },
	{ "offset_behind_the_section", 0x100000, ELF64_R_INFO(1ull, R_X86_64_PC32), "end" },
	{ "offset_near_the_last", UINT64_MAX - 1, ELF64_R_INFO(1ull, R_X86_64_64), "end" },
};

START_TEST(bad_relocation_is_an_error)
{
	struct object object;
	Elf64_Shdr header;
	Elf64_Rela relocation;
	make_object(&object);
	memcpy(&header, object.bytes.data + object.header + sizeof(header) * RELA, sizeof(header));
	memcpy(&relocation, object.bytes.data + header.sh_offset, sizeof(relocation));
	relocation.r_info = bad_relocations[_i].info;
	if (bad_relocations[_i].offset != UINT64_MAX)
		relocation.r_offset = bad_relocations[_i].offset;
	memcpy(object.bytes.data + header.sh_offset, &relocation, sizeof(relocation));
	expect_no_image(bad_relocations[_i].name, object.bytes.data, object.bytes.size,
			bad_relocations[_i].says);
}
END_TEST

/* Relocations are written into the file's bytes, where nothing else may lie: another section, put
 * beside .eh_frame or over its first or last byte. */
static const struct {
	const char *name;
	uint32_t type;
	int64_t first; /* its first byte: from .eh_frame's first, or if from_end from its end */
	bool from_end;
	uint64_t bytes;
	bool alone;
} beside[] = {
	{ "before_it", SHT_PROGBITS, -1, false, 1, true },
	{ "over_its_first_byte", SHT_PROGBITS, -1, false, 2, false },
	{ "at_its_first_byte", SHT_PROGBITS, 0, false, 1, false },
	{ "inside_it", SHT_PROGBITS, 5, false, 1, false },
	{ "over_its_last_byte", SHT_PROGBITS, -1, true, 2, false },
	{ "behind_it", SHT_PROGBITS, 0, true, 1, true },
	{ "empty_inside_it", SHT_PROGBITS, 5, false, 0, true },
	{ "without_bytes_inside_it", SHT_NOBITS, 5, false, 9, true },
	{ "none_inside_it", SHT_NULL, 5, false, 9, true },
	{ "the_same", SHT_NOTE, 0, false, 64, false },
};

static Elf64_Shdr *header_of(struct object *object, int section)
{
	return (Elf64_Shdr *)(object->bytes.data + object->header) + section;
}

static void check_alone(const char *name, struct object *object, bool alone)
{
	struct image *image;
	struct cfi *cfi;

	if (!alone) {
		expect_no_image(
			name, object->bytes.data, object->bytes.size,
			"a relocation of 0x0 would be written over other bytes, by section 4");
		return;
	}
	open_object(object->bytes.data, object->bytes.size, &image, &cfi);
	ck_assert_msg(cfi->fde_count == FDES && cfi->fde[4].pc_begin == 4, "%s", name);
	close_object(image, cfi);
}

START_TEST(relocated_bytes_lie_alone)
{
	struct object object;

	make_object(&object);
	const Elf64_Shdr *frame = header_of(&object, EH_FRAME);
	Elf64_Shdr *other = header_of(&object, CODE_B);

	other->sh_type = beside[_i].type;
	other->sh_offset = frame->sh_offset + (beside[_i].from_end ? frame->sh_size : 0) +
			   (uint64_t)beside[_i].first;
	other->sh_size = beside[_i].bytes;
	check_alone(beside[_i].name, &object, beside[_i].alone);
}
END_TEST

/* .eh_frame behind the section headers, and over their last byte; and over the file header's. */
START_TEST(headers_are_not_relocated)
{
	struct object object;

	make_object(&object);
	Elf64_Shdr *frame = header_of(&object, EH_FRAME);
	size_t at = object.bytes.size - (_i == 1);

	if (_i == 2) {
		frame->sh_offset--;
	} else {
		put(&object.bytes, object.bytes.data + frame->sh_offset, frame->sh_size);
		frame->sh_offset = at;
	}
	check_alone("headers", &object, !_i);
}
END_TEST

/* What its number means is another type's matter. */
START_TEST(only_relocations_relocate)
{
	struct object object;

	make_object(&object);
	header_of(&object, CODE_B)->sh_info = EH_FRAME;
	check_alone("another type", &object, true);
}
END_TEST

/* 20,000 sections that say that the same 10,000 relocations are theirs: done once, it is enough. */
START_TEST(shared_relocations_are_bounded)
{
	enum { COPIES = 20000, RELOCATIONS = 10000 };
	struct object object;
	make_object(&object);
	size_t relocations = object.bytes.size;
	size_t headers = relocations + RELOCATIONS * sizeof(Elf64_Rela);
	size_t size = headers + (SECTIONS + COPIES) * sizeof(Elf64_Shdr);
	uint8_t *file = calloc(1, size);
	ck_assert_ptr_nonnull(file);
	memcpy(file, object.bytes.data, object.bytes.size);
	for (size_t i = 0; i < RELOCATIONS; i++) {
		Elf64_Rela relocation = { 0, ELF64_R_INFO(1ull, R_X86_64_PC32), 0 };
		memcpy(file + relocations + i * sizeof(relocation), &relocation,
		       sizeof(relocation));
	}
	Elf64_Shdr *section = (Elf64_Shdr *)(file + headers);
	memcpy(section, object.bytes.data + object.header, SECTIONS * sizeof(*section));
	for (size_t i = SECTIONS; i < SECTIONS + COPIES; i++) {
		section[i] = section[RELA];
		section[i].sh_offset = relocations;
		section[i].sh_size = RELOCATIONS * sizeof(Elf64_Rela);
	}
	((Elf64_Ehdr *)file)->e_shoff = headers;
	((Elf64_Ehdr *)file)->e_shnum = SECTIONS + COPIES;
	clock_t start = clock();
	expect_no_image("shared", file, size, "room");
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	ck_assert_msg(seconds < 1, "%.1f s", seconds);
	free(file);
}
END_TEST

/* What a linker leaves of a function that it discarded covers nothing, and is not lost. */
START_TEST(discarded_function_is_in_the_text)
{
	struct bytes bytes = { .size = 0 };
	put_cie(&bytes, 0, (struct literal)CFI(CFA_USUAL));
	put_fde(&bytes, 0, 0, 0x10, (struct literal)CFI(CFA_def_cfa_offset(16)));
	struct image_file file = { .symbols_read = true };
	struct image image = fake_image(&bytes);
	image.type = ET_DYN;
	image.priv = &file;
	struct table_text *text;
	struct error error;
	struct cfi *cfi = cfi_of(&image);
	ck_assert_uint_eq(cfi->by_pc_count, 0);
	ck_assert_msg(!table_text_create(cfi, &text, &error), "%s", error.message);
	ck_assert_uint_eq(text->function_count, 1);
	ck_assert_uint_eq(text->function->length, 0x10);
	ck_assert_uint_eq(text->row_count, 1);
	ck_assert(text->function->has_pc);
	table_text_destroy(text);
	cfi_destroy(cfi);
	free(file.range);
}
END_TEST

SUITE(object, TIMES(relocation_is_applied_and_names_the_function, FDES), TEST(text_has_the_names),
      LOOP(damage_is_an_error_or_costs_names_only, damages),
      TIMES(small_section_behind_the_end_is_not_read, 2),
      LOOP(bad_relocation_is_an_error, bad_relocations), LOOP(relocated_bytes_lie_alone, beside),
      TIMES(headers_are_not_relocated, 3), TEST(only_relocations_relocate),
      TEST(shared_relocations_are_bounded), TEST(discarded_function_is_in_the_text))
