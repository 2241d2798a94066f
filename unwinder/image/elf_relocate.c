/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_relocate.c - the unwind tables of an object file that was not linked yet
 *
 * In an ET_REL file every section begins at address 0 and the PCs in .eh_frame are still zero:
 * relocations hold them (gABI, "Relocation"; psABI, table 4.10). This resolves those of one section
 * in place, with sections at 0 as they are, so that addresses are offsets in the code's section.
 * Several code sections thus overlap. The types that assemblers write there are known. Another one,
 * a symbol that there isn't, or a place outside of the section is an error, as it is for a linker:
 * a field that was left alone would say that a function is somewhere else.
 *
 * So a PC alone says no function (with -ffunction-sections each begins at 0). What does is the
 * section that the relocation of an FDE's first PC leads to: that is kept, and asked for names.
 */
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "elf_image.h"

/* A field that was relocated, and the section that it now points into. */
struct code_reference {
	const uint8_t *at;
	uint16_t section;
};

/* ---- apply ------------------------------------------------------------------------------- */

/* The section that is relocated, and by what. */
struct relocation_target {
	struct image_file *file;
	const char *name;
	uint64_t vaddr;
	uint8_t *data;
	size_t size;
	Elf_Data *symbols;
	struct error *error;
};

static int bad(const struct relocation_target *target, uint64_t offset, const char *what,
	       uint64_t number)
{
	/* The error's place is in the section. */
	return error_set(target->error, ERROR_RELOCATION, target->name,
			 offset < target->size ? offset : target->size,
			 "a relocation of 0x%" PRIx64 " %s %" PRIu64, offset, what, number);
}

/* How long the field is, and whether its value counts from itself. 0: nobody knows. */
static unsigned int field_bytes(uint64_t type, bool *ret_relative)
{
	*ret_relative = type == R_X86_64_PC64 || type == R_X86_64_PC32 || type == R_X86_64_PLT32 ||
			type == R_X86_64_PC16 || type == R_X86_64_PC8;
	switch (type) {
	case R_X86_64_64:
	case R_X86_64_PC64: return 8;
	case R_X86_64_32:
	case R_X86_64_32S:
	case R_X86_64_PC32:
	case R_X86_64_PLT32: return 4;
	case R_X86_64_16:
	case R_X86_64_PC16: return 2;
	case R_X86_64_8:
	case R_X86_64_PC8: return 1;
	default: return 0;
	}
}

/* *ret: where the relocated field is. */
static int apply(const struct relocation_target *target, const GElf_Rela *relocation,
		 uint64_t symbol, const uint8_t **ret)
{
	uint64_t offset = relocation->r_offset;
	uint64_t value = symbol + (uint64_t)relocation->r_addend;
	bool relative;
	unsigned int bytes = field_bytes(GELF_R_TYPE(relocation->r_info), &relative);

	if (!bytes)
		return bad(target, offset, "is of a type that is not known there:",
			   GELF_R_TYPE(relocation->r_info));
	if (offset > target->size || bytes > target->size - offset)
		return bad(target, offset, "reaches past the section's end at", target->size);
	if (relative)
		value -= target->vaddr + offset;
	memcpy(target->data + offset, &value, bytes);
	*ret = target->data + offset;
	return 0;
}

/* Without memory its function has no name. */
static void keep_reference(struct image_file *file, const uint8_t *at, uint16_t section)
{
	if (section != SHN_UNDEF && section < SHN_LORESERVE)
		ARRAY_ADD(file->reference, file->reference_count,
			  (struct code_reference) { at, section });
}

static int relocate_one(const struct relocation_target *target, Elf_Data *relocations, size_t index)
{
	GElf_Rela relocation;
	GElf_Sym symbol;
	const uint8_t *at = NULL;

	if (index > INT32_MAX || !gelf_getrela(relocations, (int)index, &relocation))
		return bad(target, 0, "can't be read: number", index);
	if (GELF_R_TYPE(relocation.r_info) == R_X86_64_NONE)
		return 0;
	uint64_t number = GELF_R_SYM(relocation.r_info);
	if (number > INT32_MAX || !target->symbols ||
	    !gelf_getsym(target->symbols, (int)number, &symbol))
		return bad(target, relocation.r_offset, "needs a symbol that there isn't:", number);
	if (apply(target, &relocation, symbol.st_value, &at))
		return -1;
	keep_reference(target->file, at, symbol.st_shndx);
	return 0;
}

ARRAY_ORDER(compare_references, struct code_reference, at)

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a_size && b_size && a < b + b_size && b < a + a_size;
}

/* Relocations are written where the section's bytes are in the file. If headers, names or symbols were
 * there, too, libelf would read something else than was checked. False: bytes of another thing. */
static bool lies_alone(const struct relocation_target *target, const Elf_Scn *own)
{
	const struct image_file *file = target->file;
	uint64_t at = (uint64_t)(target->data - file->data);
	Elf_Scn *section = NULL;
	GElf_Ehdr elf;
	GElf_Shdr header;
	size_t count;

	if (target->data < file->data || at >= file->size)
		return true; /* it was decompressed elsewhere */
	if (!gelf_getehdr(file->elf, &elf) || elf_getshdrnum(file->elf, &count) ||
	    overlap(at, target->size, 0, sizeof(Elf64_Ehdr)) ||
	    overlap(at, target->size, elf.e_shoff, count * sizeof(Elf64_Shdr)))
		return false;
	while ((section = elf_nextscn(file->elf, section)))
		if (section != own && gelf_getshdr(section, &header) &&
		    header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL &&
		    overlap(at, target->size, header.sh_offset, header.sh_size))
			return false;
	return true;
}

/* All relocations of one section of them. *budget: how many there may be yet. */
static int relocate(const struct relocation_target *target, Elf_Scn *section,
		    const GElf_Shdr *header, size_t *budget)
{
	Elf_Data *relocations = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	if (header->sh_entsize != sizeof(Elf64_Rela) || !relocations)
		return bad(target, 0, "has a size that it can't have:", header->sh_entsize);
	if (count > *budget)
		return bad(target, 0, "is one of more than the file has room for:", count);
	*budget -= count;
	for (size_t i = 0; i < count; i++)
		if (relocate_one(target, relocations, i))
			return -1;
	return 0;
}

int section_relocate(struct image_file *file, Elf_Scn *target, const char *name, uint8_t *data,
		     size_t size, struct error *error)
{
	struct relocation_target to = {
		.file = file, .name = name, .data = data, .size = size, .error = error
	};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	/* Any number of sections may share the same bytes: no more than the file has room for. */
	size_t room = file->size / sizeof(Elf64_Rela);
	size_t budget = room > file->relocations ? room - file->relocations : 0, begun = budget;

	if (!gelf_getshdr(target, &header))
		return 0;
	to.vaddr = header.sh_addr;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_info != elf_ndxscn(target) ||
		    !header.sh_size)
			continue;
		if (header.sh_type == SHT_REL)
			return bad(&to, 0, "without an addend, which x86-64 has not, in section",
				   elf_ndxscn(section));
		if (header.sh_type != SHT_RELA)
			continue;
		if (!lies_alone(&to, target))
			return bad(&to, 0, "would be written over other bytes, by section",
				   elf_ndxscn(section));
		Elf_Scn *symbols = elf_getscn(file->elf, header.sh_link);
		to.symbols = symbols ? elf_getdata(symbols, NULL) : NULL;
		int failed = relocate(&to, section, &header, &budget);
		file->relocations += begun - budget;
		begun = budget;
		if (failed)
			return -1;
	}
	ARRAY_SORT(file->reference, file->reference_count, compare_references);
	return 0;
}

/* ---- whose function ---------------------------------------------------------------------- */

uint16_t image_referenced_section(const struct image *image, const uint8_t *at)
{
	const struct image_file *file = image->priv;
	struct code_reference key = { .at = at };
	const struct code_reference *found = ARRAY_FIND(file->reference, file->reference_count,
							&key, compare_references);

	return found ? found->section : SHN_UNDEF;
}
