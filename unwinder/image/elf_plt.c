/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_plt.c - what an entry of a PLT is called: "read@plt"
 *
 * No symbol covers the stubs that a linker writes (only mold's have some). What they are for is in
 * the relocation of the GOT's slot that they jump through: of the symbol whose address the dynamic
 * loader puts there, or, IRELATIVE, of the function that is asked for an address (psABI, 5.2; gABI,
 * "Procedure Linkage Table"). So each stub's jump is read:
 *
 *	[endbr64] [mov r11d, number] [bnd|notrack] jmp [rip + distance]
 *
 * ld writes all but the second, for .plt, .plt.got and .plt.sec, static programs too; gold and lld
 * the plain one; mold the one with r11d. What else is in a PLT (its first entry, ld's lazy halves
 * under IBT) jumps through no slot of a symbol, and has the section's name. Stubs begin at
 * multiples of 8 bytes.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include "elf_image.h"
#include "reader.h"
#include "array.h"

#define STUB_ALIGNMENT 8

/* A stub and its slot, for the time of looking for relocations. */
struct slot {
	uint64_t vaddr;
	size_t stub;
};

static bool accept(struct reader *reader, const char *bytes, size_t size)
{
	return reader_left(reader) >= size && !memcmp(reader->at, bytes, size) &&
	       reader_skip(reader, size);
}

/* The bytes of the stub that data begins with, 0 if it does with none; and its jump's distance. */
static size_t read_stub(const uint8_t *data, size_t size, size_t *ret_jump_end,
			int64_t *ret_distance)
{
	struct reader reader = { data, data + size };
	accept(&reader, "\xf3\x0f\x1e\xfa", 4);				/* endbr64 */
	if (accept(&reader, "\x41\xbb", 2) && !reader_skip(&reader, 4)) /* mov r11d, imm32 */
		return 0;
	if (!accept(&reader, "\xf2", 1))    /* bnd */
		accept(&reader, "\x3e", 1); /* notrack */
	if (!accept(&reader, "\xff\x25", 2) || !reader_signed(&reader, 4, ret_distance))
		return 0;
	*ret_jump_end = (size_t)(reader.at - data);
	/* The lazy half: push of the relocation's number, jump to the first entry. */
	if (accept(&reader, "\x68", 1) && reader_skip(&reader, 9))
		return (size_t)(reader.at - data);
	size_t padded = (*ret_jump_end + STUB_ALIGNMENT - 1) & ~(size_t)(STUB_ALIGNMENT - 1);
	return padded < size ? padded : size;
}

/* Room for one stub of each 8 bytes. Sections may lie over each other: no more than the file
 * has. */
static size_t stub_capacity(const struct image_file *file)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < file->code_by_address_count; i++) {
		const struct code_section *code = &file->code[file->code_by_address[i]];
		uint64_t size = code->end - code->start;
		if (code->is_plt)
			bytes += size < file->size ? size : file->size;
	}
	return (bytes < file->size ? bytes : file->size) / STUB_ALIGNMENT;
}

static void read_stubs(const struct image *image, struct image_file *file, struct slot *slot,
		       size_t capacity)
{
	uint64_t behind = 0; /* the last stub */
	for (size_t i = 0; i < file->code_by_address_count; i++) {
		const struct code_section *code = &file->code[file->code_by_address[i]];
		uint64_t size = code->end - code->start;
		const uint8_t *data = code->is_plt ? image_bytes(image, code->start, size) : NULL;
		if (!data)
			continue;
		for (uint64_t at = 0; at < size && file->stub_count < capacity;
		     at += STUB_ALIGNMENT) {
			size_t jump_end;
			int64_t distance;
			uint64_t start = code->start + at;
			if (start < behind)
				continue;
			size_t bytes = read_stub(data + at, size - at, &jump_end, &distance);
			if (!bytes)
				continue;
			behind = start + bytes;
			slot[file->stub_count] = (struct slot) {
				start + jump_end + (uint64_t)distance, file->stub_count
			};
			file->stub[file->stub_count++] = (struct plt_stub) { .start = start,
									     .end = behind };
		}
	}
}

ARRAY_ORDER_TWO(compare_slots, struct slot, vaddr, stub)

static void name_stub(struct plt_stub *stub, Elf *elf, const GElf_Shdr *symbols,
		      Elf_Data *symbol_data, const GElf_Rela *relocation)
{
	GElf_Sym symbol;
	uint64_t number = GELF_R_SYM(relocation->r_info);
	if (stub->known)
		return;
	if (GELF_R_TYPE(relocation->r_info) == R_X86_64_IRELATIVE) {
		stub->target = (uint64_t)relocation->r_addend;
		stub->known = true;
	} else if (number && number <= INT32_MAX && symbol_data &&
		   gelf_getsym(symbol_data, (int)number, &symbol)) {
		stub->name = elf_strptr(elf, symbols->sh_link, symbol.st_name);
		stub->known = stub->name && *stub->name;
	}
}

/* Gives each stub whose slot the relocations of one section fill its name; how many it read. */
static size_t read_relocations(const struct image *image, Elf_Scn *section, const GElf_Shdr *header,
			       const struct slot *slot, size_t budget)
{
	struct image_file *file = image->priv;
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *symbol_section = header->sh_link ? elf_getscn(file->elf, header->sh_link) : NULL;
	GElf_Shdr symbols = { 0 };
	Elf_Data *symbol_data = NULL;
	if (symbol_section && gelf_getshdr(symbol_section, &symbols) &&
	    (symbols.sh_type == SHT_DYNSYM || symbols.sh_type == SHT_SYMTAB))
		symbol_data = elf_getdata(symbol_section, NULL);
	size_t count = data ? header->sh_size / sizeof(Elf64_Rela) : 0;
	if (count > budget)
		count = budget;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Rela relocation;
		if (!gelf_getrela(data, (int)i, &relocation))
			break;
		size_t low = ARRAY_BEFORE(file->stub_count, at,
					  slot[at].vaddr < relocation.r_offset);
		for (; low < file->stub_count && slot[low].vaddr == relocation.r_offset; low++)
			name_stub(&file->stub[slot[low].stub], file->elf, &symbols, symbol_data,
				  &relocation);
	}
	return count;
}

/* What jumps through a slot that nothing fills is no stub, as far as the file says. */
static void drop_unknown(struct image_file *file)
{
	size_t kept = 0;
	for (size_t i = 0; i < file->stub_count; i++)
		if (file->stub[i].known)
			file->stub[kept++] = file->stub[i];
	file->stub_count = kept;
}

/* False: no memory. */
static bool read_plt(const struct image *image, struct image_file *file)
{
	size_t symbols;
	image_symbols(image, &symbols); /* reads the sections, too */
	size_t capacity = image->type == ET_REL ? 0 : stub_capacity(file);
	size_t budget = file->size / sizeof(Elf64_Rela);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	if (!capacity)
		return true;
	FREED struct slot *slot = calloc(capacity, sizeof(*slot));
	file->stub = calloc(capacity, sizeof(*file->stub));
	if (!slot || !file->stub) {
		free(file->stub);
		file->stub = NULL;
		return false;
	}
	read_stubs(image, file, slot, capacity);
	ARRAY_SORT(slot, file->stub_count, compare_slots);
	while (file->stub_count && (section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    header.sh_entsize == sizeof(Elf64_Rela))
			budget -= read_relocations(image, section, &header, slot, budget);
	drop_unknown(file);
	return true;
}

bool image_read_plt(const struct image *image)
{
	struct image_file *file = image->priv; /* a cache: the image looks the same */
	if (!file->stubs_read)
		file->stubs_read = read_plt(image, file);
	return file->stubs_read;
}

const struct plt_stub *image_plt_stub(const struct image *image, uint64_t vaddr)
{
	const struct image_file *file = image->priv;
	image_read_plt(image);
	size_t low = ARRAY_BEFORE(file->stub_count, i, file->stub[i].start <= vaddr);
	return low && vaddr < file->stub[low - 1].end ? &file->stub[low - 1] : NULL;
}
