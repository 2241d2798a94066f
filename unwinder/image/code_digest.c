/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * code_digest.c - a digest of a file's code, and of its symbols
 *
 * Of the bytes alone, without libelf: QEMU's plugin asks, too. The ELF header is left out, though old linkers put it into
 * the segment with the code: strip(1) changes where it says that the section headers are. So are these, which Go's
 * linker puts there,
 * too: strip changes them, and libelf in memory, where a section is decompressed. Symbols are added up, so that
 * their order does not count.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "code_digest.h"
#include "hash.h"

#define NAME_BYTES_MAX 4096u /* of a name, so many count */

struct bytes {
	const uint8_t *data;
	uint64_t size;
};

static const void *at(const struct bytes *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

/* 0 says that there is none. */
static uint64_t not_zero(uint64_t digest)
{
	return digest ? digest : 1;
}

static bool is_ours(const Elf64_Ehdr *header)
{
	return header && !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64;
}

static uint64_t add_bytes(const struct bytes *file, uint64_t begin, uint64_t end, uint64_t digest)
{
	const void *code = begin < end ? at(file, begin, end - begin) : NULL;

	return code ? hash_bytes_on(digest, code, end - begin) : digest;
}

static uint64_t add_segment(const struct bytes *file, const Elf64_Ehdr *header,
			    const Elf64_Phdr *segment, uint64_t digest)
{
	uint64_t begin = segment->p_offset, end = begin + segment->p_filesz;
	uint64_t sections = header->e_shoff,
		 sections_end = sections + header->e_shnum * (uint64_t)header->e_shentsize;

	digest = hash_bytes_on(digest, &segment->p_vaddr, sizeof(segment->p_vaddr));
	digest = hash_bytes_on(digest, &segment->p_filesz, sizeof(segment->p_filesz));
	if (begin < sizeof(*header))
		begin = sizeof(*header);
	if (end < begin || !at(file, begin, end - begin))
		return digest;
	if (sections >= end || sections_end <= begin || sections_end <= sections)
		return add_bytes(file, begin, end, digest);
	digest = add_bytes(file, begin, sections, digest);
	return add_bytes(file, sections_end, end, digest);
}

static uint64_t digest_code(const struct bytes *file, const Elf64_Ehdr *header)
{
	uint64_t digest = HASH_BYTES_FIRST;
	bool has_code = false;
	Elf64_Phdr segment;

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const void *found = at(file, header->e_phoff + i * (uint64_t)header->e_phentsize,
				       sizeof(segment));

		if (!found)
			break;
		memcpy(&segment, found, sizeof(segment));
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !segment.p_filesz)
			continue;
		has_code = true;
		digest = add_segment(file, header, &segment, digest);
	}
	return has_code ? not_zero(digest) : 0;
}

static bool is_code_symbol(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE;
}

static uint64_t digest_table(const struct bytes *file, const Elf64_Shdr *table,
			     const Elf64_Shdr *strings)
{
	uint64_t sum = 0, count = table->sh_size / sizeof(Elf64_Sym);

	for (uint64_t i = 0; i < count; i++) {
		const void *found = at(file, table->sh_offset + i * sizeof(Elf64_Sym),
				       sizeof(Elf64_Sym));
		uint64_t digest = HASH_BYTES_FIRST;
		Elf64_Sym symbol;
		uint64_t left;
		const char *name;

		if (!found)
			break;
		memcpy(&symbol, found, sizeof(symbol));
		if (!is_code_symbol(&symbol) || symbol.st_name >= strings->sh_size)
			continue;
		name = at(file, strings->sh_offset + symbol.st_name, 1);
		if (!name)
			continue;
		digest = hash_bytes_on(digest, &symbol.st_value, sizeof(symbol.st_value));
		digest = hash_bytes_on(digest, &symbol.st_size, sizeof(symbol.st_size));
		left = file->size - strings->sh_offset - symbol.st_name;
		sum += hash_bytes_on(digest, name,
				     strnlen(name, left < NAME_BYTES_MAX ? left : NAME_BYTES_MAX));
	}
	return not_zero(sum);
}

static bool read_section(const struct bytes *file, const Elf64_Ehdr *header, uint64_t number,
			 Elf64_Shdr *ret)
{
	const void *found = number < header->e_shnum
				    ? at(file, header->e_shoff + number * sizeof(*ret),
					 sizeof(*ret))
				    : NULL;

	if (found)
		memcpy(ret, found, sizeof(*ret));
	return found != NULL;
}

static void digest_symbols(const struct bytes *file, const Elf64_Ehdr *header,
			   struct code_digest *ret)
{
	Elf64_Shdr table, strings;

	if (header->e_shentsize != sizeof(table))
		return;
	for (unsigned int i = 0; read_section(file, header, i, &table); i++) {
		uint64_t *digest = table.sh_type == SHT_SYMTAB	 ? &ret->symtab
				   : table.sh_type == SHT_DYNSYM ? &ret->dynsym
								 : NULL;

		if (digest && !*digest && read_section(file, header, table.sh_link, &strings))
			*digest = digest_table(file, &table, &strings);
	}
}

bool code_digest_of(const uint8_t *bytes, size_t size, struct code_digest *ret)
{
	const struct bytes file = { bytes, size };
	Elf64_Ehdr header;

	*ret = (struct code_digest) { 0 };
	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (!is_ours(&header))
		return false;
	ret->code = digest_code(&file, &header);
	if (ret->code)
		digest_symbols(&file, &header, ret);
	return ret->code != 0;
}

static bool may_be_same(uint64_t a, uint64_t b)
{
	return !a || !b || a == b;
}

bool code_digest_is_same(const struct code_digest *a, const struct code_digest *b)
{
	return a->code && a->code == b->code && may_be_same(a->symtab, b->symtab) &&
	       may_be_same(a->dynsym, b->dynsym);
}

const char *code_digest_print(const struct code_digest *digest, char ret[CODE_DIGEST_TEXT])
{
	snprintf(ret, CODE_DIGEST_TEXT, "%016" PRIx64 "-%016" PRIx64 "-%016" PRIx64, digest->code,
		 digest->symtab, digest->dynsym);
	return ret;
}

bool code_digest_scan(const char *text, struct code_digest *ret)
{
	int end = 0;

	return strlen(text) == CODE_DIGEST_TEXT - 1 &&
	       sscanf(text, "%16" SCNx64 "-%16" SCNx64 "-%16" SCNx64 "%n", &ret->code, &ret->symtab,
		      &ret->dynsym, &end) == 3 &&
	       end == CODE_DIGEST_TEXT - 1;
}
