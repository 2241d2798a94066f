/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_symbols.c - which symbols an image has, and which of a PLT's stubs are whose
 *
 * One small ELF file: a segment of code at 0x1000 with .plt and .text, .symtab, .dynsym and the
 * relocations of the PLT's slots. A case gives the symbols of both tables, or how many stubs there
 * are. test_code_name.c has the names of addresses.
 */
#include <stdio.h>
#include "tests/suite.h"
#include "tests/cfi_bytes.h"
#include "image/elf_image.h"

#define CODE	    0x1000
#define TEXT_VADDR  0x1200
#define STUB_BYTES  16
#define STUBS_MAX   16
#define STUBS	    3 /* of the case that leaves one out */
#define CODE_BYTES  0x400
#define CODE_OFFSET 0x200
#define SLOT(n)	    (0x8000ull + 8 * (n))
#define SYMBOLS_MAX 4

enum { NOTHING, PLT, TEXT, SYMTAB, DYNSYM, RELA, STRTAB, SECTIONS };

/* The names of one letter are its symbols', the stubs' functions are "A", "B", ... */
static const char names[] = "\0.plt\0.text\0.symtab\0.dynsym\0.rela.plt\0.strtab\0f\0g\0h\0"
			    "A\0B\0C\0D\0E\0F\0G\0H\0I\0J\0K\0L\0M\0N\0O\0P";

static uint32_t name_at(const char *text)
{
	uint32_t at = 0;

	while (strcmp(names + at, text)) {
		at += strlen(names + at) + 1;
		ck_assert_uint_lt(at, sizeof(names));
	}
	return at;
}

struct symbol {
	const char *name; /* NULL: there are no more */
	uint64_t pc;
};

static void put_symbols(struct bytes *bytes, const struct symbol *symbol, Elf64_Shdr *section)
{
	Elf64_Sym entry = { 0 };

	section->sh_offset = bytes->size;
	put(bytes, &entry, sizeof(entry));
	for (int i = 0; i < SYMBOLS_MAX && symbol[i].name; i++) {
		entry = (Elf64_Sym) { .st_name = name_at(symbol[i].name),
				      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				      .st_shndx = TEXT,
				      .st_value = symbol[i].pc,
				      .st_size = 8 };
		put(bytes, &entry, sizeof(entry));
	}
	section->sh_size = bytes->size - section->sh_offset;
}

/* Stub n jumps through slot n, which is function n's. */
static void put_stubs(struct bytes *bytes, int stubs)
{
	uint8_t code[CODE_BYTES];

	memset(code, 0x90, sizeof(code));
	for (int i = 0; i < stubs; i++) {
		uint32_t distance = (uint32_t)(SLOT(i) - (CODE + STUB_BYTES * i + 6));

		memcpy(code + STUB_BYTES * i, "\xff\x25", 2);
		memcpy(code + STUB_BYTES * i + 2, &distance, sizeof(distance));
	}
	put(bytes, code, sizeof(code));
}

/* Of the functions that the slots are for; they come last in .dynsym. */
static void put_imports(struct bytes *bytes, int stubs, Elf64_Shdr *sections)
{
	uint64_t first = sections[DYNSYM].sh_size / sizeof(Elf64_Sym);

	for (int i = 0; i < stubs; i++) {
		const char name[] = { (char)('A' + i), '\0' };
		Elf64_Sym symbol = { .st_name = name_at(name),
				     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };

		put(bytes, &symbol, sizeof(symbol));
	}
	sections[DYNSYM].sh_size = bytes->size - sections[DYNSYM].sh_offset;
	sections[RELA].sh_offset = bytes->size;
	for (int i = stubs - 1; i >= 0; i--) { /* not in the order of the slots */
		Elf64_Rela relocation = { SLOT(i),
					  ELF64_R_INFO(first + (uint64_t)i, R_X86_64_JUMP_SLOT),
					  0 };

		put(bytes, &relocation, sizeof(relocation));
	}
	sections[RELA].sh_size = bytes->size - sections[RELA].sh_offset;
}

static void make_file(struct bytes *bytes, const struct symbol *symtab, const struct symbol *dynsym,
		      int stubs)
{
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
				     .p_offset = CODE_OFFSET,
				     .p_vaddr = CODE,
				     .p_filesz = CODE_BYTES,
				     .p_memsz = CODE_BYTES };
	const uint64_t executable = SHF_ALLOC | SHF_EXECINSTR;
	Elf64_Shdr sections[SECTIONS] = {
		[PLT] = { name_at(".plt"), SHT_PROGBITS, executable, CODE, CODE_OFFSET,
			  STUB_BYTES * STUBS_MAX, 0, 0, 16, 0 },
		[TEXT] = { name_at(".text"), SHT_PROGBITS, executable, TEXT_VADDR,
			   CODE_OFFSET + TEXT_VADDR - CODE, CODE_BYTES - (TEXT_VADDR - CODE), 0, 0,
			   16, 0 },
		[SYMTAB] = { name_at(".symtab"), SHT_SYMTAB, 0, 0, 0, 0, STRTAB, 1, 8,
			     sizeof(Elf64_Sym) },
		[DYNSYM] = { name_at(".dynsym"), SHT_DYNSYM, 0, 0, 0, 0, STRTAB, 1, 8,
			     sizeof(Elf64_Sym) },
		[RELA] = { name_at(".rela.plt"), SHT_RELA, 0, 0, 0, 0, DYNSYM, 0, 8,
			   sizeof(Elf64_Rela) },
		[STRTAB] = { name_at(".strtab"), SHT_STRTAB, 0, 0, 0, sizeof(names), 0, 0, 1, 0 },
	};

	*bytes = (struct bytes) { .size = CODE_OFFSET };
	put_stubs(bytes, stubs);
	put_symbols(bytes, symtab, &sections[SYMTAB]);
	put_symbols(bytes, dynsym, &sections[DYNSYM]);
	put_imports(bytes, stubs, sections);
	header.e_shoff = bytes->size;
	bytes->size += sizeof(sections);
	sections[STRTAB].sh_offset = bytes->size;
	put(bytes, names, sizeof(names));
	memcpy(bytes->data + header.e_shoff, sections, sizeof(sections));
	memcpy(bytes->data + sizeof(header), &segment, sizeof(segment));
	memcpy(bytes->data, &header, sizeof(header));
}

static struct image *open_bytes(const char *name, const struct bytes *bytes)
{
	struct error error = { 0 };
	struct image *image;

	ck_assert_msg(!image_create_memory(bytes->data, bytes->size, name, &image, &error),
		      "%s: %s", name, error.message);
	return image;
}

/* ---- both tables ------------------------------------------------------------------------- */

static const struct symbol no_symbols[SYMBOLS_MAX] = { { 0 } };

static const struct tables_case {
	const char *name;
	struct symbol symtab[SYMBOLS_MAX], dynsym[SYMBOLS_MAX], expected[2 * SYMBOLS_MAX];
} tables[] = {
	{ "none", { { 0 } }, { { 0 } }, { { 0 } } },
	{ "of_one_table", { { "f", 0x1200 } }, { { 0 } }, { { "f", 0x1200 } } },
	{ "of_the_other_table", { { 0 } }, { { "f", 0x1200 } }, { { "f", 0x1200 } } },
	{ "by_address",
	  { { "h", 0x1220 }, { "f", 0x1200 } },
	  { { "g", 0x1210 } },
	  { { "f", 0x1200 }, { "g", 0x1210 }, { "h", 0x1220 } } },
	{ "the_same_in_both_is_one",
	  { { "f", 0x1200 } },
	  { { "f", 0x1200 } },
	  { { "f", 0x1200 } } },
	{ "the_same_before_another",
	  { { "f", 0x1200 }, { "g", 0x1210 } },
	  { { "f", 0x1200 } },
	  { { "f", 0x1200 }, { "g", 0x1210 } } },
	{ "the_same_behind_another",
	  { { "f", 0x1200 }, { "g", 0x1210 } },
	  { { "g", 0x1210 } },
	  { { "f", 0x1200 }, { "g", 0x1210 } } },
	{ "several_that_are_the_same",
	  { { "f", 0x1200 }, { "g", 0x1210 }, { "f", 0x1200 } },
	  { { "f", 0x1200 }, { "g", 0x1210 } },
	  { { "f", 0x1200 }, { "g", 0x1210 } } },
	{ "two_names_of_an_address",
	  { { "f", 0x1200 }, { "g", 0x1200 } },
	  { { "g", 0x1200 }, { "h", 0x1210 } },
	  { { "f", 0x1200 }, { "g", 0x1200 }, { "h", 0x1210 } } },
	{ "two_addresses_of_a_name",
	  { { "f", 0x1200 }, { "f", 0x1210 } },
	  { { "f", 0x1220 } },
	  { { "f", 0x1200 }, { "f", 0x1210 }, { "f", 0x1220 } } },
};

START_TEST(tables_become_one)
{
	const struct tables_case *c = &tables[_i];
	const struct image_symbol *symbol;
	struct image *image;
	struct bytes bytes;
	size_t count;

	make_file(&bytes, c->symtab, c->dynsym, 0);
	image = open_bytes(c->name, &bytes);
	symbol = image_symbols(image, &count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(i < COUNT(c->expected) && c->expected[i].name &&
				      !strcmp(symbol[i].name, c->expected[i].name) &&
				      symbol[i].pc == c->expected[i].pc,
			      "%s: symbol %zu is %s at 0x%lx", c->name, i, symbol[i].name,
			      symbol[i].pc);
	ck_assert_msg(!c->expected[count].name, "%s: %zu symbols", c->name, count);
	image_destroy(image);
}
END_TEST

/* ---- data -------------------------------------------------------------------------------- */

static const struct {
	unsigned char type;
	uint64_t size;
} kinds[SYMBOLS_MAX] = {
	{ STT_OBJECT, 4 }, { STT_OBJECT, 0x20 }, { STT_OBJECT, 0 }, { STT_NOTYPE, 8 }
};

/* Two of data, one in the other; one without a size; and a label. */
static void make_data(struct bytes *bytes)
{
	static const struct symbol symbols[SYMBOLS_MAX] = {
		{ "g", 0x1210 }, { "f", 0x1200 }, { "h", 0x1240 }, { "A", 0x1250 }
	};
	const Elf64_Shdr *section;
	Elf64_Sym *entry;

	make_file(bytes, symbols, no_symbols, 0);
	section = (Elf64_Shdr *)(bytes->data + ((Elf64_Ehdr *)bytes->data)->e_shoff) + SYMTAB;
	entry = (Elf64_Sym *)(bytes->data + section->sh_offset) + 1;
	for (int i = 0; i < SYMBOLS_MAX; i++) {
		entry[i].st_info = ELF64_ST_INFO(STB_GLOBAL, kinds[i].type);
		entry[i].st_size = kinds[i].size;
	}
}

static const struct data_case {
	uint64_t vaddr;
	bool data;
} data_cases[] = {
	{ 0x11ff, false }, { 0x1200, true },  { 0x120f, true }, { 0x1210, true },
	{ 0x1213, true },  { 0x1214, true },  { 0x121f, true }, { 0x1220, false },
	{ 0x1240, false }, { 0x1250, false },
};

START_TEST(data_among_code_is_known)
{
	const struct data_case *c = &data_cases[_i / 2];
	struct image *image, *debug;
	struct bytes bytes;

	make_file(&bytes, no_symbols, no_symbols, 0);
	image = open_bytes("stripped", &bytes);
	make_data(&bytes);
	debug = open_bytes("data", &bytes);
	ck_assert(!image_is_data(image, c->vaddr));
	if (_i % 2) { /* the symbols of a debug file are its image's */
		image_adopt_debug(image, debug);
		ck_assert_int_eq(image_is_data(image, c->vaddr), c->data);
	} else {
		ck_assert_int_eq(image_is_data(debug, c->vaddr), c->data);
		image_destroy(debug);
	}
	image_destroy(image);
}
END_TEST

/* A file without section headers has no symbols, whatever its number of them says: what a library
 * would take for headers is program headers, and nobody has checked it. */
START_TEST(section_headers_are_nowhere)
{
	static const struct symbol some[SYMBOLS_MAX] = { { "f", 0x1200 } };
	struct image *image;
	struct bytes bytes;
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes.data;
	size_t count;

	make_file(&bytes, some, no_symbols, 0);
	/* At 0, where sections are if there is no offset: the file's header counts as the first. */
	memcpy(bytes.data + SECTIONS * sizeof(Elf64_Shdr), bytes.data + sizeof(*header),
	       sizeof(Elf64_Phdr));
	memcpy(bytes.data + sizeof(Elf64_Shdr), bytes.data + header->e_shoff + sizeof(Elf64_Shdr),
	       (SECTIONS - 1) * sizeof(Elf64_Shdr));
	header->e_phoff = SECTIONS * sizeof(Elf64_Shdr);
	_Static_assert(SECTIONS * sizeof(Elf64_Shdr) + sizeof(Elf64_Phdr) <= CODE_OFFSET,
		       "before the code");
	header->e_shoff = 0;
	image = open_bytes("nowhere", &bytes);
	image_symbols(image, &count);
	ck_assert_uint_eq(count, 0);
	ck_assert_ptr_null(image_symbol_find(image, 0x1200));
	image_destroy(image);
}
END_TEST

/* Compressed symbols are not read, and cost the other table nothing. */
START_TEST(compressed_table_is_left)
{
	static const struct symbol one[SYMBOLS_MAX] = { { "f", 0x1200 } },
				   other[SYMBOLS_MAX] = { { "g", 0x1210 } };
	const struct image_symbol *symbol;
	struct image *image;
	struct bytes bytes;
	Elf64_Shdr *sections;
	size_t count;

	make_file(&bytes, one, other, 0);
	sections = (Elf64_Shdr *)(bytes.data + ((Elf64_Ehdr *)bytes.data)->e_shoff);
	sections[_i ? DYNSYM : SYMTAB].sh_flags = SHF_COMPRESSED;
	image = open_bytes("compressed", &bytes);
	symbol = image_symbols(image, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(symbol->name, _i ? "f" : "g");
	image_destroy(image);
}
END_TEST

/* ---- stubs ------------------------------------------------------------------------------- */

START_TEST(each_stub_has_its_name)
{
	struct image *image;
	struct bytes bytes;

	make_file(&bytes, no_symbols, no_symbols, _i);
	image = open_bytes("stubs", &bytes);
	for (int i = 0; i < STUBS_MAX; i++) {
		const struct plt_stub *stub = image_plt_stub(image, CODE + STUB_BYTES * i);
		const char name[] = { (char)('A' + i), '\0' };

		ck_assert_msg(!stub == (i >= _i), "stub %d of %d", i, _i);
		if (stub)
			ck_assert_str_eq(stub->name, name);
	}
	image_destroy(image);
}
END_TEST

/* Of three, the first or the last is in no relocation: then it is no stub. */
START_TEST(a_slot_that_nothing_fills_has_no_stub)
{
	const int left_out = _i ? STUBS - 1 : 0;
	Elf64_Shdr *relocations;
	struct image *image;
	struct bytes bytes;

	make_file(&bytes, no_symbols, no_symbols, STUBS);
	relocations = (Elf64_Shdr *)(bytes.data + ((Elf64_Ehdr *)bytes.data)->e_shoff) + RELA;
	relocations->sh_size -= sizeof(Elf64_Rela);
	if (_i) /* they come in the other order */
		relocations->sh_offset += sizeof(Elf64_Rela);
	image = open_bytes("stubs", &bytes);
	for (int i = 0; i < STUBS; i++) {
		const struct plt_stub *stub = image_plt_stub(image, CODE + STUB_BYTES * i);

		ck_assert_msg(!stub == (i == left_out), "stub %d", i);
	}
	image_destroy(image);
}
END_TEST

SUITE(symbols, LOOP(tables_become_one, tables),
      TIMES(data_among_code_is_known, 2 * COUNT(data_cases)), TEST(section_headers_are_nowhere),
      TIMES(compressed_table_is_left, 2), TIMES(each_stub_has_its_name, STUBS_MAX + 1),
      TIMES(a_slot_that_nothing_fills_has_no_stub, 2))
