/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_kind.c - what an ELF file is for, by its type and its sections
 *
 * A kernel module is of type ET_REL, as an object file is, and has a section for its struct module. A
 * debug file (objcopy --only-keep-debug) has the headers of the file that it was split from, and says of
 * its code that it has no bytes.
 */
#include <gelf.h>
#include <string.h>
#include "image_kind.h"

static const struct {
	const char *name, *title;
} kinds[] = {
	[IMAGE_EXECUTABLE] = { "executable", "an executable" },
	[IMAGE_SHARED_OBJECT] = { "shared_object", "a shared object" },
	[IMAGE_OBJECT_FILE] = { "object_file", "an object file" },
	[IMAGE_KERNEL_MODULE] = { "kernel_module", "a kernel module" },
	[IMAGE_DEBUG_FILE] = { "debug_file", "a debug file, whose code is in another" },
	[IMAGE_CORE] = { "core", "a core file" },
	[IMAGE_OTHER] = { "other", "an ELF file of another type" },
};

const char *image_kind_name(enum image_kind kind)
{
	return kinds[kind].name;
}

const char *image_kind_title(enum image_kind kind)
{
	return kinds[kind].title;
}

static enum image_kind by_type(uint16_t type)
{
	switch (type) {
	case ET_EXEC: return IMAGE_EXECUTABLE;
	case ET_DYN: return IMAGE_SHARED_OBJECT;
	case ET_REL: return IMAGE_OBJECT_FILE;
	case ET_CORE: return IMAGE_CORE;
	default: return IMAGE_OTHER;
	}
}

enum image_kind image_kind(const struct image *image)
{
	enum image_kind kind = by_type(image->type);
	size_t size, names;
	const uint8_t *bytes = image_file_bytes(image, &size);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;

	if (!image->has_sections)
		return kind;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, size);
	if (!elf || elf_getshdrstrndx(elf, &names)) {
		elf_end(elf);
		return kind;
	}
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (header.sh_flags & SHF_EXECINSTR && header.sh_type == SHT_NOBITS)
			kind = IMAGE_DEBUG_FILE;
		else if (kind == IMAGE_OBJECT_FILE && name &&
			 !strcmp(name, ".gnu.linkonce.this_module"))
			kind = IMAGE_KERNEL_MODULE;
	}
	elf_end(elf);
	return kind;
}

/* Go's linker (of position-independent executables, too), the kernel's objtool. */
static bool is_of_other_tables(const char *section)
{
	return !strcmp(section, ".gopclntab") || !strcmp(section, ".data.rel.ro.gopclntab") ||
	       !strcmp(section, ".orc_unwind");
}

enum image_unwound image_unwound(const struct image *image)
{
	size_t size, names;
	const uint8_t *bytes = image_file_bytes(image, &size);
	bool has_tables = false, has_name = false, has_license = false;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, size);
	if (elf && !elf_getshdrstrndx(elf, &names))
		while ((section = elf_nextscn(elf, section))) {
			const char *name = gelf_getshdr(section, &header)
						   ? elf_strptr(elf, names, header.sh_name)
						   : NULL;

			if (!name)
				continue;
			has_tables |= is_of_other_tables(name);
			has_name |= !strcmp(name, ".modname");
			has_license |= !strcmp(name, ".module_license");
		}
	elf_end(elf);
	if (has_tables)
		return IMAGE_UNWOUND_BY_TABLES;
	/* GRUB loads none without its name and a license (grub-core/kern/dl.c), and has no unwinder. */
	return image->type == ET_REL && has_name && has_license ? IMAGE_NOT_UNWOUND
								: IMAGE_UNWOUND_BY_CFI;
}

/* The symbol by which GCC marks them (gcc/toplev.cc). */
static bool has_slim_symbol(Elf_Scn *section, const GElf_Shdr *header, Elf *elf)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name && !strcmp(name, "__gnu_lto_slim"))
			return true;
	}
	return false;
}

bool image_is_slim(const struct image *image)
{
	Elf_Scn *section = NULL;
	bool is_slim = false;
	GElf_Shdr header;
	size_t size;
	const uint8_t *bytes = image_file_bytes(image, &size);
	Elf *elf;

	if (image->type != ET_REL)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)bytes, size);
	while (!is_slim && (section = elf_nextscn(elf, section)))
		is_slim = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB &&
			  has_slim_symbol(section, &header, elf);
	elf_end(elf);
	return is_slim;
}
