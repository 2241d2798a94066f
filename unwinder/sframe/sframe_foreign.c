/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_foreign.c - the section .sframe of a file for AArch64, s390x or x86-64, in either byte order
 *
 * struct image is x86-64's alone. To print another machine's rows nothing of it is needed but the section's bytes and
 * address; of an object file also the symbols that its relocations name. libelf turns headers, symbols and relocations
 * into this machine's byte order; the section's bytes stay as they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "image/elf_image.h"
#include "image/sframes.h"
#include "sframe.h"

struct sframe_foreign {
	uint8_t *data; /* the file, mapped */
	size_t size;
	Elf *elf;
	GElf_Ehdr header;
	struct image_section section;
	struct sframe *sframe;
};

/* How long the field is that a relocation fills with symbol + addend - place. 0: it is of another type. */
static unsigned int relative_bytes(uint16_t machine, uint64_t type)
{
	switch (machine) {
	case EM_X86_64: return type == R_X86_64_PC32 ? 4 : type == R_X86_64_PC64 ? 8 : 0;
	case EM_AARCH64: return type == R_AARCH64_PREL32 ? 4 : type == R_AARCH64_PREL64 ? 8 : 0;
	default: return type == R_390_PC32 ? 4 : type == R_390_PC64 ? 8 : 0;
	}
}

static int bad(struct error *error, uint64_t offset, const char *what)
{
	return error_set(error, ERROR_RELOCATION, ".sframe", offset, "a relocation %s", what);
}

static int relocate_one(struct sframe_foreign *foreign, Elf_Data *symbols,
			const GElf_Rela *relocation, uint8_t *bytes, struct error *error)
{
	unsigned int size = relative_bytes(foreign->header.e_machine,
					   GELF_R_TYPE(relocation->r_info));
	uint64_t number = GELF_R_SYM(relocation->r_info), offset = relocation->r_offset, value;
	bool big = foreign->header.e_ident[EI_DATA] == ELFDATA2MSB;
	GElf_Sym symbol;

	if (!GELF_R_TYPE(relocation->r_info))
		return 0;
	if (!size)
		return bad(error, offset, "is of a type that is not known there");
	if (offset > foreign->section.size || size > foreign->section.size - offset)
		return bad(error, foreign->section.size, "reaches past the section's end");
	if (!symbols || number > INT32_MAX || !gelf_getsym(symbols, (int)number, &symbol))
		return bad(error, offset, "needs a symbol that there isn't");
	value = symbol.st_value + (uint64_t)relocation->r_addend - foreign->section.vaddr - offset;
	for (unsigned int i = 0; i < size; i++)
		bytes[offset + i] = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
	return 0;
}

static int relocate(struct sframe_foreign *foreign, size_t target, uint8_t *bytes,
		    struct error *error)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Rela relocation;

	while ((section = elf_nextscn(foreign->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    header.sh_info != target)
			continue;
		Elf_Scn *symbol_section = elf_getscn(foreign->elf, header.sh_link);
		Elf_Data *symbols = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
		Elf_Data *relocations = elf_getdata(section, NULL);

		for (int i = 0; relocations && gelf_getrela(relocations, i, &relocation); i++)
			if (relocate_one(foreign, symbols, &relocation, bytes, error))
				return -1;
		return 0; /* more than one section of them is nobody's */
	}
	return 0;
}

/* The first section .sframe that has bytes. */
static int find_section(struct sframe_foreign *foreign, struct error *error)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(foreign->elf, &names))
		return error_set(error, ERROR_NO_SFRAME, NULL, 0, "the file has no .sframe");
	while ((section = elf_nextscn(foreign->elf, section))) {
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    !header.sh_size)
			continue;
		name = elf_strptr(foreign->elf, names, header.sh_name);
		if (header.sh_type != SHT_GNU_SFRAME && (!name || strcmp(name, ".sframe") != 0))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || header.sh_offset > foreign->size ||
		    header.sh_size > foreign->size - header.sh_offset)
			return error_set(error, ERROR_ELF_BOUNDS, ".sframe", header.sh_offset,
					 "the section reaches past the file's end at 0x%zx",
					 foreign->size);
		foreign->section = (struct image_section) {
			.data = data->d_buf,
			.size = data->d_size,
			.vaddr = header.sh_addr,
			.file_offset = header.sh_offset,
			.name = ".sframe",
		};
		if (foreign->header.e_type != ET_REL)
			return 0;
		return relocate(foreign, elf_ndxscn(section), data->d_buf, error);
	}
	return error_set(error, ERROR_NO_SFRAME, NULL, 0, "the file has no .sframe");
}

static int map_file(struct sframe_foreign *foreign, const char *path, struct error *error)
{
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *data;

	if (fd < 0 || fstat(fd, &status))
		return error_set_errno(error, "open");
	if (!S_ISREG(status.st_mode) || status.st_size < EI_NIDENT)
		return error_set(error, ERROR_NOT_ELF, NULL, 0, "no ELF file");
	data = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return error_set_errno(error, "mmap");
	foreign->data = data;
	foreign->size = (size_t)status.st_size;
	return 0;
}

static int open_elf(struct sframe_foreign *foreign, struct error *error)
{
	elf_version(EV_CURRENT);
	foreign->elf = elf_memory((char *)foreign->data, foreign->size);
	if (!foreign->elf || elf_kind(foreign->elf) != ELF_K_ELF ||
	    !gelf_getehdr(foreign->elf, &foreign->header))
		return error_set(error, ERROR_NOT_ELF, NULL, 0, "no ELF file");
	if (foreign->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    (foreign->header.e_machine != EM_X86_64 && foreign->header.e_machine != EM_AARCH64 &&
	     foreign->header.e_machine != EM_S390))
		return error_set(error, ERROR_UNSUPPORTED_ELF, NULL,
				 offsetof(Elf64_Ehdr, e_machine), "machine %u has no SFrame",
				 foreign->header.e_machine);
	return 0;
}

int sframe_foreign_open(const char *path, struct sframe_foreign **ret, struct error *error)
{
	struct sframe_foreign *foreign = calloc(1, sizeof(*foreign));
	struct sframe_input input = { .bounded = true };

	*ret = NULL;
	if (!foreign)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for SFrame");
	if (map_file(foreign, path, error) || open_elf(foreign, error) ||
	    find_section(foreign, error)) {
		sframe_foreign_close(foreign);
		return -1;
	}
	input.section = &foreign->section;
	input.object = foreign->header.e_type == ET_REL;
	if (sframe_create_sections(&input, 1, &foreign->sframe, error)) {
		sframe_foreign_close(foreign);
		return -1;
	}
	*ret = foreign;
	return 0;
}

const struct sframe *sframe_foreign_get(const struct sframe_foreign *foreign)
{
	return foreign->sframe;
}

void sframe_foreign_close(struct sframe_foreign *foreign)
{
	if (!foreign)
		return;
	sframe_destroy(foreign->sframe);
	elf_end(foreign->elf);
	if (foreign->data)
		munmap(foreign->data, foreign->size);
	free(foreign);
}
