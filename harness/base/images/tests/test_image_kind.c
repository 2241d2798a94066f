/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_image_kind.c - what an ELF file is for, and whether it is a slim object of GCC's
 *
 * A file is made of its type and a few sections, which have one string table: that of their names.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "base/images/image_kind.h"

#define SECTIONS_MAX 6
#define SYMBOLS_MAX  3
#define NO_NAME	     "-" /* one whose name is behind the string table */
#define SLIM	     "__gnu_lto_slim"
#define MODULE	     ".gnu.linkonce.this_module"
#define CODE	     (SHF_ALLOC | SHF_EXECINSTR)

struct section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	const char *symbol[SYMBOLS_MAX];
};

struct file {
	Elf64_Ehdr header;
	char strings[512];
	Elf64_Sym symbol[SECTIONS_MAX][SYMBOLS_MAX];
	Elf64_Shdr section[SECTIONS_MAX + 2]; /* the first is none, the second the string table */
};

static uint32_t add_string(struct file *file, size_t *used, const char *text)
{
	size_t at = *used;

	if (!text || !strcmp(text, NO_NAME))
		return text ? sizeof(file->strings) : 0;
	*used += strlen(strcpy(file->strings + at, text)) + 1;
	ck_assert_uint_le(*used, sizeof(file->strings));
	return (uint32_t)at;
}

static void make_file(struct file *file, uint16_t type, const struct section *section)
{
	size_t used = 1;
	uint16_t count = 2;

	*file = (struct file) {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = type,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_shoff = offsetof(struct file, section),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shstrndx = 1 },
		.section[1] = { .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct file, strings),
				.sh_size = sizeof(file->strings) },
	};
	for (; section->name; section++, count++) {
		Elf64_Sym *symbol = file->symbol[count - 2];

		file->section[count] = (Elf64_Shdr) {
			.sh_name = add_string(file, &used, section->name),
			.sh_type = section->type,
			.sh_flags = section->flags,
			.sh_offset = offsetof(struct file, symbol[count - 2]),
			.sh_size = sizeof(file->symbol[0]),
			.sh_link = 1,
			.sh_entsize = sizeof(Elf64_Sym),
			.sh_addralign = 8,
		};
		for (int i = 0; i < SYMBOLS_MAX; i++)
			symbol[i].st_name = add_string(file, &used, section->symbol[i]);
	}
	file->header.e_shnum = count;
}

static struct image *open_file(const struct file *file)
{
	struct image *image;
	struct error error;

	ck_assert_msg(!image_create_memory(file, sizeof(*file), "f", &image, &error), "%s",
		      error.message);
	return image;
}

/* ---- what it is for ------------------------------------------------------------------------- */

#define OF(name, type, flags)                                                                      \
	{                                                                                          \
		name, type, flags,                                                                 \
		{                                                                                  \
			NULL                                                                       \
		}                                                                                  \
	}
#define NONE OF(NULL, 0, 0)

static const struct {
	uint16_t type;
	struct section section[SECTIONS_MAX];
	enum image_kind kind;
} cases[] = {
	{ ET_EXEC, { NONE }, IMAGE_EXECUTABLE },
	{ ET_DYN, { NONE }, IMAGE_SHARED_OBJECT },
	{ ET_REL, { NONE }, IMAGE_OBJECT_FILE },
	{ ET_CORE, { NONE }, IMAGE_CORE },
	{ ET_NONE, { NONE }, IMAGE_OTHER },
	{ ET_LOOS, { NONE }, IMAGE_OTHER },
	{ ET_DYN, { OF(".text", SHT_PROGBITS, CODE) }, IMAGE_SHARED_OBJECT },
	{ ET_DYN, { OF(".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE) }, IMAGE_SHARED_OBJECT },
	{ ET_DYN, { OF(".text", SHT_NOBITS, CODE) }, IMAGE_DEBUG_FILE },
	{ ET_EXEC, { OF(".text", SHT_NOBITS, CODE) }, IMAGE_DEBUG_FILE },
	{ ET_DYN,
	  { OF(".bss", SHT_NOBITS, SHF_ALLOC), OF(".a", SHT_PROGBITS, CODE),
	    OF(".b", SHT_NOBITS, CODE) },
	  IMAGE_DEBUG_FILE },
	{ ET_DYN, { OF(".b", SHT_NOBITS, CODE), OF(".a", SHT_PROGBITS, CODE) }, IMAGE_DEBUG_FILE },
	{ ET_REL, { OF(MODULE, SHT_PROGBITS, SHF_ALLOC) }, IMAGE_KERNEL_MODULE },
	{ ET_REL,
	  { OF(".text", SHT_PROGBITS, CODE), OF(MODULE, SHT_PROGBITS, SHF_ALLOC),
	    OF("x", SHT_PROGBITS, 0) },
	  IMAGE_KERNEL_MODULE },
	{ ET_REL, { OF(MODULE "s", SHT_PROGBITS, SHF_ALLOC) }, IMAGE_OBJECT_FILE },
	{ ET_DYN, { OF(MODULE, SHT_PROGBITS, SHF_ALLOC) }, IMAGE_SHARED_OBJECT },
	{ ET_REL,
	  { OF(".text", SHT_NOBITS, CODE), OF(MODULE, SHT_PROGBITS, SHF_ALLOC) },
	  IMAGE_DEBUG_FILE },
	{ ET_REL, { OF(NO_NAME, SHT_PROGBITS, SHF_ALLOC) }, IMAGE_OBJECT_FILE },
	{ ET_REL,
	  { OF(NO_NAME, SHT_PROGBITS, SHF_ALLOC), OF(MODULE, SHT_PROGBITS, SHF_ALLOC) },
	  IMAGE_KERNEL_MODULE },
};

START_TEST(kind_of_a_file)
{
	struct file file;
	struct image *image;

	make_file(&file, cases[_i].type, cases[_i].section);
	image = open_file(&file);
	ck_assert_int_eq(image_kind(image), cases[_i].kind);
	image_destroy(image);
}
END_TEST

/* What lies at offset 0 are none, though libelf would take it for them. */
START_TEST(kind_without_headers)
{
	const struct section code[] = { OF(".text", SHT_NOBITS, CODE), NONE };
	struct file file;
	struct image *image;

	make_file(&file, ET_DYN, code);
	file.header.e_shoff = 0;
	memcpy(file.strings, &file.section[2], sizeof(file.section[2]));
	image = open_file(&file);
	ck_assert_int_eq(image_kind(image), IMAGE_SHARED_OBJECT);
	image_destroy(image);
}
END_TEST

static const struct {
	const char *name, *title;
} names[] = {
	[IMAGE_EXECUTABLE] = { "executable", "an executable" },
	[IMAGE_SHARED_OBJECT] = { "shared_object", "a shared object" },
	[IMAGE_OBJECT_FILE] = { "object_file", "an object file" },
	[IMAGE_KERNEL_MODULE] = { "kernel_module", "a kernel module" },
	[IMAGE_DEBUG_FILE] = { "debug_file", "a debug file, whose code is in another" },
	[IMAGE_CORE] = { "core", "a core file" },
	[IMAGE_OTHER] = { "other", "an ELF file of another type" },
};

START_TEST(names_of_kinds)
{
	ck_assert_str_eq(image_kind_name((enum image_kind)_i), names[_i].name);
	ck_assert_str_eq(image_kind_title((enum image_kind)_i), names[_i].title);
}
END_TEST

/* ---- slim ones ------------------------------------------------------------------------------ */

static const struct {
	uint16_t type;
	struct section section[SECTIONS_MAX];
	bool is_slim;
} slim_cases[] = {
	{ ET_REL, { NONE }, false },
	{ ET_REL, { { ".symtab", SHT_SYMTAB, 0, { SLIM } } }, true },
	{ ET_REL, { { ".symtab", SHT_SYMTAB, 0, { NULL, SLIM } } }, true },
	{ ET_REL, { { ".symtab", SHT_SYMTAB, 0, { NULL, "main", SLIM } } }, true },
	{ ET_REL, { { ".symtab", SHT_SYMTAB, 0, { NULL, "main", "__gnu_lto_v1" } } }, false },
	{ ET_REL, { { ".symtab", SHT_SYMTAB, 0, { NULL, SLIM "2" } } }, false },
	{ ET_REL, { { ".symtab", SHT_SYMTAB, 0, { NULL, NO_NAME, SLIM } } }, true },
	{ ET_REL, { { ".dynsym", SHT_DYNSYM, 0, { NULL, SLIM } } }, false },
	{ ET_REL, { { ".data", SHT_PROGBITS, 0, { NULL, SLIM } } }, false },
	{ ET_REL,
	  { OF(".text", SHT_PROGBITS, CODE), { ".symtab", SHT_SYMTAB, 0, { NULL, SLIM } } },
	  true },
	{ ET_REL,
	  { { ".symtab", SHT_SYMTAB, 0, { NULL, SLIM } }, OF(".text", SHT_PROGBITS, CODE) },
	  true },
	{ ET_REL,
	  { { "a", SHT_SYMTAB, 0, { NULL, "a" } }, { "b", SHT_SYMTAB, 0, { NULL, SLIM } } },
	  true },
	{ ET_DYN, { { ".symtab", SHT_SYMTAB, 0, { NULL, SLIM } } }, false },
	{ ET_EXEC, { { ".symtab", SHT_SYMTAB, 0, { NULL, SLIM } } }, false },
};

START_TEST(slim_or_not)
{
	struct file file;
	struct image *image;

	make_file(&file, slim_cases[_i].type, slim_cases[_i].section);
	image = open_file(&file);
	ck_assert_int_eq(image_is_slim(image), slim_cases[_i].is_slim);
	image_destroy(image);
}
END_TEST

SUITE(image_kind, LOOP(kind_of_a_file, cases), TEST(kind_without_headers),
      LOOP(names_of_kinds, names), LOOP(slim_or_not, slim_cases))
