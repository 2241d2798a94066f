/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_written.c - was what a command line promises written, and is there code in it?
 *
 * A compiler that is a script may change the folder, and write somewhere else. Then there is no such file, or
 * an older one, which would be taken for the new one: so each file is looked at before and after.
 *
 * An object of link time optimization that is slim (GCC manual, "-ffat-lto-objects"; LLVM's bitcode) holds the
 * compiler's own form of the program: code is made of it when it is linked.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "compile/compile.h"
#include "images/archive.h"

/* ---- written ------------------------------------------------------------------------------ */

int compile_outputs_note(struct compile_outputs *outputs, struct error *error)
{
	outputs->before = calloc(outputs->count + 1, sizeof(*outputs->before));
	if (!outputs->before)
		return error_set(error, ERROR_MEMORY, NULL, 0, "a compiler's outputs");
	for (size_t i = 0; i < outputs->count; i++)
		stat(outputs->path[i], &outputs->before[i]); /* what isn't there stays 0 */
	return 0;
}

static bool is_same(const struct stat *before, const struct stat *now)
{
	return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
	       before->st_size == now->st_size && before->st_ctim.tv_sec == now->st_ctim.tv_sec &&
	       before->st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

const char *compile_output_missing(const struct compile_outputs *outputs, size_t number)
{
	struct stat now;

	if (stat(outputs->path[number], &now))
		return "was not written";
	if (!S_ISREG(now.st_mode))
		return "is no regular file";
	if (!now.st_size)
		return "is empty";
	return is_same(&outputs->before[number], &now) ? "was not written: it is as it was before"
						       : NULL;
}

/* ---- code --------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *start)
{
	return text && !strncmp(text, start, strlen(start));
}

static enum compile_code code_in_sections(Elf *elf)
{
	enum compile_code found = COMPILE_NO_CODE;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return COMPILE_CODE; /* who reads it says what is wrong */
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_flags & SHF_EXECINSTR && header.sh_size)
			return COMPILE_CODE;
		const char *name = elf_strptr(elf, names, header.sh_name);

		if (begins_with(name, ".gnu.lto_") || begins_with(name, ".llvm.lto"))
			found = COMPILE_CODE_LATER;
	}
	return found;
}

enum compile_code compile_code(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum compile_code found = COMPILE_CODE;
	char magic[4] = "";
	Elf *elf;

	if (fd < 0)
		return found;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    archive_kind(magic, sizeof(magic)) == ARCHIVE_BITCODE)
		found = COMPILE_CODE_LATER;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		found = code_in_sections(elf);
	elf_end(elf);
	close(fd);
	return found;
}
