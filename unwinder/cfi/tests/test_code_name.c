/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_name.c - which function an address is in
 *
 * One small ELF file with the sections that matter (.init, three PLTs as ld and mold write them,
 * .text with data in it, .fini), and for each case its own symbols and FDEs: what NASM or gas write
 * without .type and .size, labels, aliases, sizes that lie. Then the same file without what it
 * could do without.
 */
#include <errno.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "array.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "image/elf_image.h"
#include "cfi/code_name.h"

enum {
	IMAGE_VADDR = 0x1000,
	IMAGE_OFFSET = 0x200,
	IMAGE_BYTES = 0x400,
	GOT = 0x2000, /* in no segment: only relocations name it */
};

enum {
	NOTHING,
	INIT,
	PLT,
	PLT_SEC,
	PLT_GOT,
	TEXT,
	FINI,
	EH_FRAME,
	RELA,
	DYNSYM,
	SYMTAB,
	STRTAB,
	SECTIONS
};

static const struct {
	uint64_t vaddr, size;
} code[] = {
	[INIT] = { 0x1000, 0x20 },    [PLT] = { 0x1020, 0x40 },	  [PLT_SEC] = { 0x1060, 0x20 },
	[PLT_GOT] = { 0x1080, 0x10 }, [TEXT] = { 0x1100, 0x200 }, [FINI] = { 0x1300, 0x10 },
};

static const char names[] =
	"\0.init\0.plt\0.plt.sec\0.plt.got\0.text\0.fini\0.eh_frame\0.rela.plt\0.dynsym\0.symtab\0"
	".strtab\0read\0close\0pick\0f\0g\0h\0local_name\0global_name\0weak_name\0table\0$x\0.L1\0"
	"_init\0_fini\0frame_dummy\0by_hand";

static uint32_t name_at(const char *text)
{
	char whole[32];
	size_t size = strlen(text) + 2;

	/* With the ends of it, so that no longer one is taken. */
	snprintf(whole + 1, sizeof(whole) - 1, "%s", text);
	whole[0] = '\0';
	const char *at = memmem(names, sizeof(names), whole, size);
	ck_assert_msg(at != NULL, "%s", text);
	return (uint32_t)(at + 1 - names);
}

struct symbol {
	const char *name;
	uint64_t pc, size;
	uint8_t type, binding;
	uint16_t section; /* 0: .text */
};

struct fde {
	uint64_t pc, range;
};

#define SYMBOLS(...) .symbols = { __VA_ARGS__ }
#define FDES(...)    .fdes = { __VA_ARGS__ }

struct name_case {
	const char *name;
	uint64_t vaddr;
	const char *expected, *place; /* place NULL: the same */
	struct symbol symbols[4];
	struct fde fdes[3];
};

#define F(name, pc, size)		  IN_BRACES(name, pc, size, STT_FUNC, STB_GLOBAL, 0)
#define LABEL(name, pc)			  IN_BRACES(name, pc, 0, STT_NOTYPE, STB_LOCAL, 0)
#define IN(section, name, pc)		  IN_BRACES(name, pc, 0, STT_FUNC, STB_LOCAL, section)
#define OF(name, pc, size, type, binding) IN_BRACES(name, pc, size, type, binding, 0)

static const struct name_case cases[] = {
	/* Sizes. */
	{ "a_size_is_believed", 0x110f, "f", SYMBOLS(F("f", 0x1100, 0x10)) },
	{ "a_size_ends_the_function", 0x1110, "gap@0x1100", SYMBOLS(F("f", 0x1100, 0x10)) },
	{ "behind_it_the_fde_has_no_name", 0x1118, "fde@0x1110", SYMBOLS(F("f", 0x1100, 0x10)),
	  FDES({ 0x1110, 0x10 }) },
	{ "a_gap_begins_behind_the_last_fde", 0x1138, "gap@0x1120", SYMBOLS(F("f", 0x1100, 0x10)),
	  FDES({ 0x1110, 0x10 }, { 0x1140, 0x10 }) },
	{ "a_gap_begins_in_its_section", 0x1108, "gap@0x1100", FDES({ 0x1020, 0x10 }) },
	{ "no_size_reaches_beyond_the_section", 0x1305, ".fini", SYMBOLS(F("f", 0x1100, 0x400)) },
	{ "no_size_reaches_to_the_next_symbol", 0x112f, "f",
	  SYMBOLS(F("f", 0x1100, 0), F("g", 0x1130, 0x10)) },
	{ "no_size_reaches_to_the_sections_end", 0x12ff, "f", SYMBOLS(F("f", 0x1100, 0)) },
	{ "no_size_does_not_reach_into_the_next_section", 0x1300, ".fini",
	  SYMBOLS(F("f", 0x1100, 0)) },
	{ "a_function_behind_a_sized_one_has_no_name", 0x1148, "gap@0x1100",
	  SYMBOLS(F("f", 0x1100, 0), F("g", 0x1130, 0x10)) },
	{ "data_ends_it", 0x1128, "gap@0x1100",
	  SYMBOLS(F("f", 0x1100, 0), OF("table", 0x1120, 8, STT_OBJECT, STB_LOCAL)) },
	{ "before_the_data_it_goes_on", 0x111f, "f",
	  SYMBOLS(F("f", 0x1100, 0), OF("table", 0x1120, 8, STT_OBJECT, STB_LOCAL)) },
	{ "an_fde_that_begins_ends_it", 0x1128, "fde@0x1120", SYMBOLS(LABEL("f", 0x1100)),
	  FDES({ 0x1120, 0x10 }) },
	{ "its_own_fdes_end_ends_it", 0x1110, "gap@0x1110", SYMBOLS(LABEL("f", 0x1100)),
	  FDES({ 0x1100, 0x10 }) },
	{ "its_own_fde_has_its_name", 0x110f, "f", SYMBOLS(LABEL("f", 0x1100)),
	  FDES({ 0x1100, 0x10 }) },
	{ "a_label_in_the_middle_of_an_fde_has_its_name", 0x1110, "f", SYMBOLS(LABEL("f", 0x1108)),
	  FDES({ 0x1100, 0x20 }) },
	/* Types. */
	{ "without_type_it_is_a_function", 0x1105, "by_hand", SYMBOLS(LABEL("by_hand", 0x1100)) },
	{ "it_ends_the_one_before_it", 0x1144, "by_hand",
	  SYMBOLS(OF("frame_dummy", 0x1130, 0, STT_FUNC, STB_LOCAL), LABEL("by_hand", 0x1140)) },
	{ "a_label_in_a_sized_function_is_none", 0x1118, "f",
	  SYMBOLS(F("f", 0x1100, 0x20), LABEL("h", 0x1110)) },
	{ "nor_does_it_go_on_behind_it", 0x1128, "gap@0x1100",
	  SYMBOLS(F("f", 0x1100, 0x20), LABEL("h", 0x1110)) },
	{ "a_mapping_symbol_is_none", 0x1118, "f",
	  SYMBOLS(F("f", 0x1100, 0), LABEL("$x", 0x1110)) },
	{ "an_assemblers_local_label_is_none", 0x1118, "f",
	  SYMBOLS(F("f", 0x1100, 0), LABEL(".L1", 0x1110)) },
	{ "a_section_symbol_is_none", 0x1118, "f",
	  SYMBOLS(F("f", 0x1100, 0), OF("h", 0x1110, 0, STT_SECTION, STB_LOCAL)) },
	{ "an_absolute_one_is_none", 0x1118, "f",
	  SYMBOLS(F("f", 0x1100, 0), { "h", 0x1110, 8, STT_FUNC, STB_GLOBAL, SHN_ABS }) },
	{ "one_of_another_section_is_none", 0x1118, "f",
	  SYMBOLS(F("f", 0x1100, 0), { "h", 0x1110, 0, STT_NOTYPE, STB_GLOBAL, EH_FRAME }) },
	{ "a_sections_end_is_no_function", 0x1300, ".fini", SYMBOLS(LABEL("h", 0x1300)) },
	{ "a_function_with_a_size_is_believed_in_any_section", 0x1114, "h",
	  SYMBOLS({ "h", 0x1110, 8, STT_FUNC, STB_GLOBAL, EH_FRAME }) },
	{ "an_ifunc_is_one", 0x1104, "pick",
	  SYMBOLS(OF("pick", 0x1100, 8, STT_GNU_IFUNC, STB_GLOBAL)) },
	/* Names of one address, and functions in each other. */
	{ "global_before_weak_before_local", 0x1104, "global_name",
	  SYMBOLS(OF("local_name", 0x1100, 8, STT_FUNC, STB_LOCAL),
		  OF("weak_name", 0x1100, 8, STT_FUNC, STB_WEAK),
		  OF("global_name", 0x1100, 8, STT_FUNC, STB_GLOBAL)) },
	{ "the_shortest_of_equals", 0x1104, "f",
	  SYMBOLS(F("global_name", 0x1100, 8), F("f", 0x1100, 8)) },
	{ "the_first_by_alphabet_of_equals", 0x1104, "f",
	  SYMBOLS(F("g", 0x1100, 8), F("f", 0x1100, 8)) },
	{ "a_function_before_a_label", 0x1104, "local_name",
	  SYMBOLS(OF("g", 0x1100, 8, STT_NOTYPE, STB_GLOBAL),
		  OF("local_name", 0x1100, 8, STT_FUNC, STB_LOCAL)) },
	{ "a_size_before_none", 0x1104, "local_name",
	  SYMBOLS(F("g", 0x1100, 0), OF("local_name", 0x1100, 8, STT_FUNC, STB_LOCAL)) },
	{ "the_alias_that_reaches_farther", 0x110c, "global_name",
	  SYMBOLS(F("f", 0x1100, 8), F("global_name", 0x1100, 0x10)) },
	{ "the_innermost", 0x1114, "g", SYMBOLS(F("f", 0x1100, 0x40), F("g", 0x1110, 8)) },
	{ "behind_the_innermost_the_one_around_it", 0x1118, "f",
	  SYMBOLS(F("f", 0x1100, 0x40), F("g", 0x1110, 8)) },
	{ "one_that_ends_in_the_other", 0x1128, "g",
	  SYMBOLS(F("f", 0x1100, 0x20), F("g", 0x1110, 0x20)) },
	/* Sections with a name of their own. */
	{ "init_has_its_symbols_name", 0x101f, "_init", SYMBOLS(IN(INIT, "_init", 0x1000)) },
	{ "init_does_not_take_the_plt", 0x1020, ".plt", SYMBOLS(IN(INIT, "_init", 0x1000)) },
	{ "init_without_symbol", 0x1010, ".init", .place = NULL },
	{ "fini_without_symbol", 0x1308, ".fini", .place = NULL },
	{ "an_fde_is_no_better_name_there", 0x1020, ".plt", FDES({ 0x1020, 0x40 }) },
	/* Stubs. The first is no one's. */
	{ "a_lazy_stub", 0x1030, "read@plt", .place = ".plt" },
	{ "its_other_half", 0x103b, "read@plt", .place = ".plt", FDES({ 0x1020, 0x40 }) },
	{ "a_slot_that_nothing_fills", 0x1040, ".plt", .place = NULL },
	{ "a_stub_with_r11d", 0x1050, "close@plt", .place = ".plt" },
	{ "a_stub_for_ibt", 0x1064, "close@plt", .place = ".plt.sec" },
	{ "a_stub_with_notrack", 0x1070, "read@plt", .place = ".plt.sec" },
	{ "a_resolver_without_a_name", 0x1080, "*ABS*+0x1150@plt", .place = ".plt.got" },
	{ "a_resolver_with_a_name", 0x1080, "pick@plt", .place = ".plt.got",
	  SYMBOLS(OF("pick", 0x1150, 8, STT_GNU_IFUNC, STB_GLOBAL)) },
	{ "a_resolver_is_a_begin", 0x1080, "*ABS*+0x1150@plt", .place = ".plt.got",
	  SYMBOLS(F("f", 0x1140, 0x20)) },
	{ "a_stub_that_has_a_symbol", 0x1030, "h",
	  SYMBOLS({ "h", 0x1030, 16, STT_FUNC, STB_LOCAL, PLT }) },
	{ "the_next_data_end_a_symbol_without_size", 0x1130, "gap@0x1100",
	  SYMBOLS(F("f", 0x1100, 0), OF("g", 0x1140, 8, STT_OBJECT, STB_GLOBAL),
		  OF("table", 0x1120, 8, STT_OBJECT, STB_GLOBAL)) },
	{ "an_fde_begins_behind_a_symbol_without_size", 0x1110, "fde@0x1110",
	  SYMBOLS(F("f", 0x1100, 0)), FDES({ 0x1110, 0x10 }) },
	{ "a_jump_elsewhere_is_no_stub", 0x1200, "gap@0x1100", .place = NULL },
	{ "no_code", 0x5000, "gap@0x0", .place = NULL },
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

/* ---- the file ---------------------------------------------------------------------------- */

static void put_jump(uint8_t *image, uint64_t at, const char *before, size_t size, uint64_t slot)
{
	uint8_t *to = image + (at - IMAGE_VADDR);
	uint32_t distance = (uint32_t)(slot - (at + size + 6));

	memcpy(to, before, size);
	memcpy(to + size, "\xff\x25", 2);
	memcpy(to + size + 2, &distance, 4);
}

static void put_code(struct bytes *bytes)
{
	uint8_t image[IMAGE_BYTES];

	memset(image, 0x90, sizeof(image));
	put_jump(image, 0x1020, "\xff\x35\x00\x00\x00\x00", 6, GOT + 0x10);
	put_jump(image, 0x1030, "", 0, GOT + 0x18);
	memcpy(image + 0x36, "\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff", 10);
	put_jump(image, 0x1040, "", 0, GOT + 0x80);
	put_jump(image, 0x1050, "\xf3\x0f\x1e\xfa\x41\xbb\x01\x00\x00\x00", 10, GOT + 0x20);
	put_jump(image, 0x1060, "\xf3\x0f\x1e\xfa\xf2", 5, GOT + 0x20);
	put_jump(image, 0x1070, "\xf3\x0f\x1e\xfa\x3e", 5, GOT + 0x18);
	put_jump(image, 0x1080, "", 0, GOT + 0x28);
	put_jump(image, 0x1200, "", 0, GOT + 0x18);
	put(bytes, image, sizeof(image));
}

static Elf64_Sym symbol_of(const struct symbol *symbol)
{
	return (Elf64_Sym) {
		.st_name = name_at(symbol->name),
		.st_info = ELF64_ST_INFO(symbol->binding, symbol->type),
		.st_shndx = symbol->section ? symbol->section : TEXT,
		.st_value = symbol->pc,
		.st_size = symbol->size,
	};
}

static size_t align(struct bytes *bytes)
{
	while (bytes->size % 8)
		put_number(bytes, 0, 1);
	return bytes->size;
}

static void put_tables(struct bytes *bytes, const struct name_case *c, Elf64_Shdr *sections)
{
	const Elf64_Sym imported[] = {
		{ 0 },
		{ .st_name = name_at("read"), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) },
		{ .st_name = name_at("close"), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) }
	};
	const Elf64_Rela relocations[] = {
		{ GOT + 0x18, ELF64_R_INFO(1UL, R_X86_64_JUMP_SLOT), 0 },
		{ GOT + 0x20, ELF64_R_INFO(2UL, R_X86_64_GLOB_DAT), 0 },
		{ GOT + 0x28, R_X86_64_IRELATIVE, 0x1150 },
	};
	Elf64_Sym none = { 0 };

	sections[RELA] = (Elf64_Shdr) { .sh_name = name_at(".rela.plt"),
					.sh_type = SHT_RELA,
					.sh_offset = align(bytes),
					.sh_size = sizeof(relocations),
					.sh_link = DYNSYM,
					.sh_entsize = sizeof(Elf64_Rela) };
	put(bytes, relocations, sizeof(relocations));
	sections[DYNSYM] = (Elf64_Shdr) { .sh_name = name_at(".dynsym"),
					  .sh_type = SHT_DYNSYM,
					  .sh_offset = bytes->size,
					  .sh_size = sizeof(imported),
					  .sh_link = STRTAB,
					  .sh_entsize = sizeof(Elf64_Sym) };
	put(bytes, imported, sizeof(imported));
	sections[SYMTAB] = (Elf64_Shdr) { .sh_name = name_at(".symtab"),
					  .sh_type = SHT_SYMTAB,
					  .sh_offset = bytes->size,
					  .sh_link = STRTAB,
					  .sh_entsize = sizeof(Elf64_Sym) };
	put(bytes, &none, sizeof(none));
	for (size_t i = 0; i < 4 && c->symbols[i].name; i++) {
		Elf64_Sym symbol = symbol_of(&c->symbols[i]);
		put(bytes, &symbol, sizeof(symbol));
	}
	sections[SYMTAB].sh_size = bytes->size - sections[SYMTAB].sh_offset;
	sections[STRTAB] = (Elf64_Shdr) { .sh_name = name_at(".strtab"),
					  .sh_type = SHT_STRTAB,
					  .sh_offset = bytes->size,
					  .sh_size = sizeof(names) };
	put(bytes, names, sizeof(names));
}

static void put_frames(struct bytes *bytes, const struct name_case *c, Elf64_Shdr *section)
{
	size_t start = align(bytes), cie;
	struct bytes frame = { .size = 0 };

	cie = put_cie(&frame, 0, (struct literal)CFI(CFA_USUAL));
	for (size_t i = 0; i < 3 && c->fdes[i].range; i++)
		put_fde(&frame, cie, c->fdes[i].pc, c->fdes[i].range, (struct literal)BYTES(""));
	put_number(&frame, 0, 4);
	put(bytes, frame.data, frame.size);
	*section = (Elf64_Shdr) { .sh_name = name_at(".eh_frame"),
				  .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC,
				  .sh_addr = 0x4000,
				  .sh_offset = start,
				  .sh_size = frame.size };
}

static void make_file(struct bytes *bytes, const struct name_case *c)
{
	static const char *const code_names[] = {
		[INIT] = ".init",	[PLT] = ".plt",	  [PLT_SEC] = ".plt.sec",
		[PLT_GOT] = ".plt.got", [TEXT] = ".text", [FINI] = ".fini",
	};
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = 1,
			      .e_ehsize = sizeof(header),
			      .e_phoff = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 1,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = SECTIONS,
			      .e_shstrndx = STRTAB };
	const Elf64_Phdr segment = { .p_type = PT_LOAD,
				     .p_flags = PF_R | PF_X,
				     .p_offset = IMAGE_OFFSET,
				     .p_vaddr = IMAGE_VADDR,
				     .p_filesz = IMAGE_BYTES,
				     .p_memsz = IMAGE_BYTES };
	Elf64_Shdr sections[SECTIONS] = { { 0 } };

	*bytes = (struct bytes) { .size = 0 };
	put(bytes, &header, sizeof(header));
	put(bytes, &segment, sizeof(segment));
	while (bytes->size < IMAGE_OFFSET)
		put_number(bytes, 0, 1);
	put_code(bytes);
	for (size_t i = INIT; i <= FINI; i++)
		sections[i] =
			(Elf64_Shdr) { .sh_name = name_at(code_names[i]),
				       .sh_type = SHT_PROGBITS,
				       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				       .sh_addr = code[i].vaddr,
				       .sh_offset = code[i].vaddr - IMAGE_VADDR + IMAGE_OFFSET,
				       .sh_size = code[i].size };
	put_tables(bytes, c, sections);
	put_frames(bytes, c, &sections[EH_FRAME]);
	header.e_shoff = align(bytes);
	put(bytes, sections, sizeof(sections));
	memcpy(bytes->data, &header, sizeof(header));
}

/* ---- the tests --------------------------------------------------------------------------- */

static void find(const struct bytes *bytes, uint64_t vaddr, char *text, char *place, size_t size)
{
	struct error error = { 0 };
	struct code_name name;
	struct image *image;
	struct cfi *cfi;

	ck_assert_msg(!image_create_memory(bytes->data, bytes->size, "names", &image, &error), "%s",
		      error.message);
	cfi_create(image, &cfi, &error);
	ck_assert_int_eq(code_name_prepare(image, &error), 0);
	code_name_find(image, cfi, vaddr, &name);
	ck_assert_int_eq(code_name_is_stub(image, cfi, vaddr), name.kind == CODE_STUB);
	code_name_print(&name, text, size);
	code_name_print_place(&name, place, size);
	cfi_destroy(cfi);
	image_destroy(image);
}

START_TEST(test_name)
{
	const struct name_case *c = &cases[_i];
	const char *expected_place = c->place ? c->place : c->expected;
	struct bytes bytes;
	char text[64], place[64];

	make_file(&bytes, c);
	find(&bytes, c->vaddr, text, place, sizeof(text));
	ck_assert_msg(!strcmp(text, c->expected), "%s: %s", c->name, text);
	ck_assert_msg(!strcmp(place, expected_place), "%s: a place is %s", c->name, place);
}
END_TEST

/* Nothing is known then, and nothing is guessed. */
START_TEST(test_without_section_headers)
{
	const struct name_case *c = &cases[_i];
	struct bytes bytes;
	char text[64], place[64];

	make_file(&bytes, c);
	((Elf64_Ehdr *)bytes.data)->e_shoff = 0;
	((Elf64_Ehdr *)bytes.data)->e_shnum = 0;
	find(&bytes, c->vaddr, text, place, sizeof(text));
	ck_assert_msg(!strcmp(text, "gap@0x0"), "%s: %s", c->name, text);
}
END_TEST

/* Whatever headers, symbols and relocations say: no crash, and a name. */
START_TEST(test_random_bytes)
{
	struct bytes whole, bytes;
	char text[64], place[64];
	unsigned int seed = 11 + (unsigned int)_i;

	make_file(&whole, &cases[_i]);
	for (int round = 0; round < 300; round++) {
		struct error error;
		struct image *image;

		bytes = whole;
		for (int i = 0; i < 6; i++) {
			size_t tables = IMAGE_OFFSET + IMAGE_BYTES;
			size_t at = tables + (size_t)rand_r(&seed) % (bytes.size - tables);
			bytes.data[at] = (uint8_t)(rand_r(&seed) >> 5);
		}
		if (image_create_memory(bytes.data, bytes.size, "names", &image, &error))
			continue;
		image_destroy(image);
		find(&bytes, cases[_i].vaddr, text, place, sizeof(text));
		ck_assert(text[0] && place[0]);
	}
}
END_TEST

START_TEST(test_kind)
{
	static const struct {
		uint64_t vaddr;
		enum code_name_kind kind;
		uint64_t start;
	} kinds[] = {
		{ 0x1010, CODE_SECTION, 0x1000 }, { 0x1045, CODE_SECTION, 0x1020 },
		{ 0x103b, CODE_STUB, 0x1030 },	  { 0x1105, CODE_SYMBOL, 0x1100 },
		{ 0x1118, CODE_FDE, 0x1110 },	  { 0x1128, CODE_GAP, 0x1120 },
	};
	static const struct name_case c = { .symbols = { F("f", 0x1100, 0x10) },
					    .fdes = { { 0x1110, 0x10 } } };
	struct error error = { 0 };
	struct code_name name;
	struct image *image;
	struct bytes bytes;
	struct cfi *cfi;

	make_file(&bytes, &c);
	ck_assert(!image_create_memory(bytes.data, bytes.size, "kinds", &image, &error));
	ck_assert(!cfi_create(image, &cfi, &error));
	code_name_find(image, cfi, kinds[_i].vaddr, &name);
	ck_assert_int_eq(name.kind, kinds[_i].kind);
	ck_assert_uint_eq(name.start, kinds[_i].start);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

/* A stub that was found stays where it is, as long as its image does. */
START_TEST(test_stubs_are_read_once)
{
	struct error error = { 0 };
	struct image *image;
	struct bytes bytes;

	make_file(&bytes, &cases[0]);
	ck_assert_msg(!image_create_memory(bytes.data, bytes.size, "names", &image, &error), "%s",
		      error.message);

	const struct plt_stub *stub = image_plt_stub(image, 0x1030);

	ck_assert(stub && !strcmp(stub->name, "read"));
	ck_assert_ptr_null(image_plt_stub(image, 0x1040));
	ck_assert_ptr_eq(image_plt_stub(image, 0x103f), stub);
	image_destroy(image);
}
END_TEST

/* ---- a few addresses ------------------------------------------------------------------------ */

static void check_same(const struct image *image, uint64_t vaddr, const struct code_name *few,
		       const struct code_name *all)
{
	ck_assert_msg(few->kind == all->kind && few->start == all->start,
		      "%s 0x%llx: %d 0x%llx, not %d 0x%llx", image->path, (unsigned long long)vaddr,
		      few->kind, (unsigned long long)few->start, all->kind,
		      (unsigned long long)all->start);
	ck_assert_str_eq(few->name ? few->name : "", all->name ? all->name : "");
}

/* Of each case: address by address, as from all symbols. */
START_TEST(one_address_needs_no_other_symbols)
{
	struct error error = { 0 };
	struct image *all, *few;
	struct bytes bytes;

	make_file(&bytes, &cases[_i]);
	ck_assert(!image_create_memory(bytes.data, bytes.size, "all", &all, &error));
	ck_assert(!image_create_memory(bytes.data, bytes.size, "few", &few, &error));
	for (uint64_t vaddr = IMAGE_VADDR; vaddr < IMAGE_VADDR + IMAGE_BYTES; vaddr++) {
		struct code_name name, expected;

		ck_assert(!code_name_prepare_at(few, &vaddr, 1, &error));
		code_name_find(few, NULL, vaddr, &name);
		code_name_find(all, NULL, vaddr, &expected);
		check_same(all, vaddr, &name, &expected);
		if (vaddr & 1) /* else with what was read for the address before */
			image_give_back(few);
	}
	image_destroy(all);
	image_destroy(few);
}
END_TEST

#define SOME 64

/* A real library: addresses in, between and at the ends of its symbols, some at a time. */
START_TEST(some_addresses_need_few_symbols)
{
	const char *path = program_invocation_name;
	struct error error = { 0 };
	const struct image_symbol *symbol;
	struct image *all, *few;
	uint64_t address[SOME];
	size_t count, most = 0;

	ck_assert(!image_create(path, &all, &error));
	ck_assert(!image_create(path, &few, &error));
	symbol = image_symbols(all, &count);
	ck_assert_uint_gt(count, SOME);
	for (size_t first = 0; first + SOME <= count; first += 7 * SOME) {
		size_t some, read;

		for (some = 0; some < SOME; some++)
			address[some] = symbol[first + some].pc +
					(some % 4 == 0	 ? 0
					 : some % 4 == 1 ? symbol[first + some].size / 2
							 : symbol[first + some].size - some % 2);
		qsort(address, some, sizeof(*address), array_order_u64);
		ck_assert(!code_name_prepare_at(few, address, some, &error));
		image_symbols(few, &read);
		most = read > most ? read : most;
		for (size_t i = 0; i < some; i++) {
			struct code_name name, expected;

			code_name_find(few, NULL, address[i], &name);
			code_name_find(all, NULL, address[i], &expected);
			check_same(all, address[i], &name, &expected);
		}
		image_give_back(few);
	}
	ck_assert_uint_lt(most, count);
	image_destroy(all);
	image_destroy(few);
}
END_TEST

SUITE(code_name, TIMES(test_name, CASES), TIMES(test_kind, 6), TEST(test_stubs_are_read_once),
      TIMES(test_without_section_headers, CASES), TIMES(test_random_bytes, CASES),
      TIMES(one_address_needs_no_other_symbols, CASES), TEST(some_addresses_need_few_symbols))
