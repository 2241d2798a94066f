/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_relocate.c - the unwind tables of an object file that was not linked yet
 *
 * In an ET_REL file every section begins at address 0 and the PCs in .eh_frame are still zero:
 * relocations hold them (gABI, "Relocation"; psABI, table 4.10). This resolves those of one section
 * in place, with sections at 0 as they are, so that addresses are offsets in the code's section.
 * Several code sections thus overlap. Only the types that assemblers write there are known;
 * others, and those that point outside of the section, are left alone.
 */
#include <gelf.h>
#include <string.h>
#include "elf_image.h"

static void apply(uint8_t *data, size_t size, const GElf_Rela *relocation, uint64_t symbol,
		  uint64_t section_vaddr)
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
	default: return;
	}
	if (offset <= size && bytes <= size - offset)
		memcpy(data + offset, &value, bytes);
}

void section_relocate(Elf *elf, Elf_Scn *target, uint8_t *data, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Shdr target_header;
	if (!gelf_getshdr(target, &target_header))
		return;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    header.sh_info != elf_ndxscn(target) || !header.sh_entsize)
			continue;
		Elf_Data *relocations = elf_getdata(section, NULL);
		Elf_Scn *symbol_section = elf_getscn(elf, header.sh_link);
		Elf_Data *symbols = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
		if (!relocations || !symbols)
			continue;
		size_t count = header.sh_size / header.sh_entsize;
		for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
			GElf_Rela relocation;
			GElf_Sym symbol;
			if (!gelf_getrela(relocations, (int)i, &relocation))
				break;
			uint64_t number = GELF_R_SYM(relocation.r_info);
			if (number <= INT32_MAX && gelf_getsym(symbols, (int)number, &symbol))
				apply(data, size, &relocation, symbol.st_value,
				      target_header.sh_addr);
		}
	}
}
