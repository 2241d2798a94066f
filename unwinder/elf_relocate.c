/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_relocate.c - the unwind tables of an object file that was not linked yet
 *
 * In an ET_REL file every section begins at address 0 and the PCs in .eh_frame are still zero:
 * relocations hold them (gABI, "Relocation"; psABI, table 4.10). This resolves those of one section
 * in place, with sections at 0 as they are, so that addresses are offsets in the code's section.
 * Several code sections thus overlap. Only the types that assemblers write there are known;
 * others, and those that point outside of the section, are left alone.
 *
 * So a PC alone says no function (with -ffunction-sections each begins at 0). What does is the
 * section that the relocation of an FDE's first PC leads to: that is kept, and asked for names.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include "cfi_section.h"
#include "elf_image.h"

/* A field that was relocated, and the section that it now points into. */
struct code_reference {
	const uint8_t *at;
	uint16_t section;
};

/* ---- apply ------------------------------------------------------------------------------- */

/* Where the relocated field is; NULL: nothing was done. */
static const uint8_t *apply(uint8_t *data, size_t size, const GElf_Rela *relocation,
			    uint64_t symbol, uint64_t section_vaddr)
{
	uint64_t offset = relocation->r_offset;
	uint64_t value = symbol + (uint64_t)relocation->r_addend;
	size_t bytes = 4;
	switch (GELF_R_TYPE(relocation->r_info)) {
	case R_X86_64_64: bytes = 8; break;
	case R_X86_64_PC64:
		bytes = 8;
		value -= section_vaddr + offset;
		break;
	case R_X86_64_32:
	case R_X86_64_32S: break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32: value -= section_vaddr + offset; break;
	default: return NULL;
	}
	if (offset > size || bytes > size - offset)
		return NULL;
	memcpy(data + offset, &value, bytes);
	return data + offset;
}

/* Without memory its function has no name. */
static void keep_reference(struct image_file *file, const uint8_t *at, uint16_t section)
{
	if (section == SHN_UNDEF || section >= SHN_LORESERVE)
		return;
	if (file->reference_count == file->reference_capacity) {
		size_t wanted = file->reference_capacity ? file->reference_capacity * 2 : 64;
		struct code_reference *moved = reallocarray(file->reference, wanted,
							    sizeof(*moved));
		if (!moved)
			return;
		file->reference = moved;
		file->reference_capacity = wanted;
	}
	file->reference[file->reference_count++] = (struct code_reference) { at, section };
}

/* The relocations of one section, budget of them at most. Returns how many there were. */
static size_t relocate(struct image_file *file, Elf_Data *relocations, Elf_Data *symbols,
		       size_t count, uint64_t vaddr, uint8_t *data, size_t size)
{
	size_t i;
	for (i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Rela relocation;
		GElf_Sym symbol;
		if (!gelf_getrela(relocations, (int)i, &relocation))
			break;
		uint64_t number = GELF_R_SYM(relocation.r_info);
		if (number > INT32_MAX || !gelf_getsym(symbols, (int)number, &symbol))
			continue;
		const uint8_t *at = apply(data, size, &relocation, symbol.st_value, vaddr);
		if (at)
			keep_reference(file, at, symbol.st_shndx);
	}
	return i;
}

static int compare_references(const void *left, const void *right)
{
	const struct code_reference *a = left;
	const struct code_reference *b = right;
	return a->at < b->at ? -1 : a->at > b->at;
}

void section_relocate(struct image_file *file, Elf_Scn *target, uint8_t *data, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Shdr target_header;
	/* Any number of sections may share the same bytes: no more than the file has room for. */
	size_t budget = file->size / sizeof(Elf64_Rela);
	if (!gelf_getshdr(target, &target_header))
		return;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    header.sh_info != elf_ndxscn(target) || !header.sh_entsize)
			continue;
		Elf_Data *relocations = elf_getdata(section, NULL);
		Elf_Scn *symbol_section = elf_getscn(file->elf, header.sh_link);
		Elf_Data *symbols = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
		if (!relocations || !symbols)
			continue;
		size_t count = header.sh_size / header.sh_entsize;
		budget -= relocate(file, relocations, symbols, count < budget ? count : budget,
				   target_header.sh_addr, data, size);
	}
	if (file->reference_count)
		qsort(file->reference, file->reference_count, sizeof(*file->reference),
		      compare_references);
}

/* ---- whose function ---------------------------------------------------------------------- */

/* 0: the field was not relocated. */
static uint16_t referenced_section(const struct image_file *file, const uint8_t *at)
{
	struct code_reference key = { .at = at };
	const struct code_reference *found = file->reference_count
						     ? bsearch(&key, file->reference,
							       file->reference_count, sizeof(key),
							       compare_references)
						     : NULL;
	return found ? found->section : SHN_UNDEF;
}

const struct image_symbol *cfi_fde_symbol(const struct cfi *cfi, const struct cfi_fde *fde)
{
	const struct image_file *file = cfi->image->priv;
	struct cfi_entry entry;
	struct error ignored;
	if (cfi->image->type != ET_REL) {
		struct code_name name;
		code_name_find(cfi->image, cfi, fde->pc_begin, &name);
		return name.symbol;
	}
	const struct image_section *where = cfi->cie[fde->cie].section;
	if (cfi_entry_read(where, where != &cfi->image->debug_frame, fde->offset, &entry, &ignored))
		return NULL;
	uint16_t section = referenced_section(file, entry.body);
	const struct image_symbol *symbol =
		section ? image_symbol_covering(cfi->image, section, fde->pc_begin) : NULL;
	/* One without size ends where the next FDE begins. */
	return symbol && (symbol->size || symbol->pc == fde->pc_begin) ? symbol : NULL;
}
