/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_crafted.h - truths of small ELF files, as score_fixture.h writes stacks and fields down
 *
 * A file has headers at 0x1000, and code at 0x2000 whose offset in the file is 0x1000: a number may be both,
 * and mean two functions. All of it is zeros, without CFI; symbols are all that it is known by.
 */
#ifndef STACKPROOF_TESTS_SCORE_CRAFTED_H
#define STACKPROOF_TESTS_SCORE_CRAFTED_H

#include <check.h>
#include <sys/stat.h>
#include "score_fixture.h"

#define CRAFTED_CODE	   0x2000ull
#define CRAFTED_CODE_BYTES 0x3000ull
#define CRAFTED_OFFSET	   0x1000ull
#define CRAFTED_SYMBOLS	   64
#define CRAFTED_IMAGES	   8

struct crafted_symbol {
	const char *name; /* NULL: there are no more; "ifunc_...": an IFUNC */
	uint64_t pc, size;
	bool local;
};

static inline void crafted_write(const char *path, const struct crafted_symbol *symbol)
{
	enum { NOTHING, TEXT, SYMTAB, STRTAB, SECTIONS };
	static const char names[] = "\0.text\0.symtab\0.strtab";
	const uint64_t behind = CRAFTED_OFFSET + CRAFTED_CODE_BYTES;
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = 1,
			      .e_ehsize = sizeof(header),
			      .e_phoff = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 2,
			      .e_shoff = behind,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = SECTIONS,
			      .e_shstrndx = STRTAB };
	const Elf64_Phdr segment[] = {
		{ PT_LOAD, PF_R, 0, 0x1000, 0x1000, CRAFTED_OFFSET, CRAFTED_OFFSET, 0x1000 },
		{ PT_LOAD, PF_R | PF_X, CRAFTED_OFFSET, CRAFTED_CODE, CRAFTED_CODE,
		  CRAFTED_CODE_BYTES, CRAFTED_CODE_BYTES, 0x1000 },
	};
	Elf64_Sym entry[CRAFTED_SYMBOLS + 1] = { { 0 } };
	char text[4096];
	size_t size = sizeof(names), count = 1;
	FILE *file = fopen(path, "we");

	memcpy(text, names, sizeof(names));
	for (; symbol->name; symbol++) {
		ck_assert(count <= CRAFTED_SYMBOLS && size + strlen(symbol->name) < sizeof(text));
		entry[count++] = (Elf64_Sym) {
			.st_name = size,
			.st_info = ELF64_ST_INFO(
				symbol->local ? STB_LOCAL : STB_GLOBAL,
				strncmp(symbol->name, "ifunc_", 6) ? STT_FUNC : STT_GNU_IFUNC),
			.st_shndx = TEXT,
			.st_value = symbol->pc,
			.st_size = symbol->size
		};
		strcpy(text + size, symbol->name);
		size += strlen(symbol->name) + 1;
	}
	const uint64_t symbols = behind + SECTIONS * sizeof(Elf64_Shdr);
	const Elf64_Shdr section[SECTIONS] = {
		[TEXT] = { 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CRAFTED_CODE, CRAFTED_OFFSET,
			   CRAFTED_CODE_BYTES, 0, 0, 16, 0 },
		[SYMTAB] = { 7, SHT_SYMTAB, 0, 0, symbols, count * sizeof(*entry), STRTAB, 1, 8,
			     sizeof(*entry) },
		[STRTAB] = { 15, SHT_STRTAB, 0, 0, symbols + count * sizeof(*entry), size, 0, 0, 1,
			     0 },
	};

	ck_assert_ptr_nonnull(file);
	fwrite(&header, sizeof(header), 1, file);
	fwrite(segment, sizeof(segment), 1, file);
	fseek(file, behind, SEEK_SET);
	fwrite(section, sizeof(section), 1, file);
	fwrite(entry, sizeof(*entry), count, file);
	fwrite(text, size, 1, file);
	ck_assert_int_eq(fclose(file), 0);
}

/* ---- what most cases are of --------------------------------------------------------------------- */

static char crafted_folder[] = "/tmp/test_score_crafted.XXXXXX";

/* "deep" has the offsets in the file that "leaf" has as addresses, "twin" is two local functions. */
static const struct crafted_symbol crafted_prog[] = {
	{ "main", 0x2000, 0x100, false },
	{ "f", 0x2100, 0x100, false },
	{ "f.isra.0", 0x2100, 0x100, true },
	{ "leaf", 0x2800, 0x100, false },
	{ "twin", 0x2a00, 0x100, true },
	{ "same", 0x2e00, 0x100, false },
	{ "_start", 0x2f00, 0x100, false },
	{ "deep", 0x3800, 0x100, false },
	{ "twin", 0x3a00, 0x100, true },
	{ "hidden", 0x4a00, 0x100, true },
	{ 0 },
};
static const struct crafted_symbol crafted_lib[] = {
	{ "g", 0x2000, 0x100, false },	       { "f", 0x2300, 0x200, false },
	{ "same", 0x2e00, 0x100, false },      { "_Z5plaini", 0x3c00, 0x100, false },
	{ "_Z5plainl", 0x3d00, 0x100, false }, { "twin", 0x4000, 0x100, false },
	{ "_Z4onlyi", 0x4200, 0x100, false },  { 0 },
};
static const struct crafted_symbol crafted_strip[] = { { "e", 0x2000, 0x10, false }, { 0 } };

static inline const char *crafted_path(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", crafted_folder, name);
	return path;
}

static inline void crafted_begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(crafted_folder));
	crafted_write(crafted_path("prog"), crafted_prog);
	crafted_write(crafted_path("lib.so"), crafted_lib);
	crafted_write(crafted_path("strip.so"), crafted_strip);
}

static inline void crafted_end(void)
{
	unlink(crafted_path("prog"));
	unlink(crafted_path("lib.so"));
	unlink(crafted_path("strip.so"));
	rmdir(crafted_folder);
}

/* 0: prog, 1: lib.so, 2: strip.so, 3: code without a file, 4: another kernel's vDSO. */
static inline void open_crafted(const char *lines)
{
	static const char *const names[] = { "prog", "lib.so", "strip.so" };

	truth_text(&written, "program", crafted_path("prog"));
	for (int i = 0; i < 3; i++)
		truth_image(&written, TRUTH_IMAGE_FILE, crafted_path(names[i]), "", 0);
	truth_image(&written, TRUTH_IMAGE_ANONYMOUS, "", "", 0);
	truth_image(&written, TRUTH_IMAGE_VDSO, "[vdso]", "\1\2", 2);
	truth_stacks(lines);
	open_truth();
}

/* A suite of crafted truths. */
#define CRAFTED FIXTURE_ONCE(crafted_begin, crafted_end), FIXTURE(NULL, truth_end)

struct crafted_case {
	const char *name, *truth, *profile, *expected;
};

static inline void check_crafted(const struct crafted_case *test)
{
	open_crafted(test->truth);
	check_counts(test->name, test->profile, test->expected);
}

#endif
