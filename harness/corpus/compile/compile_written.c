/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_written.c - was what a command line promises written, and is there code in it?
 *
 * A compiler that is a script may change the folder, and write somewhere else. Then there is no such file, or
 * an older one, which would be taken for the new one: so each file is looked at before and after.
 *
 * An object of link time optimization that is slim (GCC manual, "-ffat-lto-objects"; LLVM's bitcode) holds the
 * compiler's own form of the program: code is made of it when it is linked.
 *
 * A static program is one that needs neither an interpreter nor, unlike a shared object, to be loaded by another program.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "compile_line.h"
#include "base/images/archive.h"

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

/* ---- what was linked ---------------------------------------------------------------------- */

/* -1: none. */
static int open_elf(const char *path, Elf **ret, GElf_Ehdr *header, size_t *segments)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -1;
	elf_version(EV_CURRENT);
	*ret = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (*ret && elf_kind(*ret) == ELF_K_ELF && gelf_getehdr(*ret, header) &&
	    !elf_getphdrnum(*ret, segments))
		return fd;
	elf_end(*ret);
	close(fd);
	return -1;
}

static void close_elf(int fd, Elf *elf)
{
	if (fd < 0)
		return;
	elf_end(elf);
	close(fd);
}

/* A position-independent program by its flags. */
static bool is_pie(Elf *elf, const GElf_Phdr *segment)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz,
					      ELF_T_DYN);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		if (entry.d_tag == DT_FLAGS_1)
			return entry.d_un.d_val & DF_1_PIE;
	return false;
}

bool compile_is_static(const char *path)
{
	Elf *elf = NULL;
	GElf_Ehdr header;
	size_t count = 0;
	int fd = open_elf(path, &elf, &header, &count);
	bool found = fd >= 0 && (header.e_type == ET_EXEC || header.e_type == ET_DYN);

	for (size_t i = 0; i < count && found; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment))
			found = false;
		else if (segment.p_type == PT_INTERP)
			found = false;
		else if (segment.p_type == PT_DYNAMIC && header.e_type == ET_DYN)
			found = is_pie(elf, &segment);
	}
	close_elf(fd, elf);
	return found;
}

static bool is_same_segment(Elf *a, Elf *b, int number)
{
	GElf_Phdr first, second;

	if (!gelf_getphdr(a, number, &first) || !gelf_getphdr(b, number, &second) ||
	    first.p_type != second.p_type)
		return false;
	if (first.p_type != PT_LOAD)
		return true;
	return first.p_vaddr == second.p_vaddr && first.p_memsz == second.p_memsz &&
	       first.p_filesz == second.p_filesz && first.p_flags == second.p_flags;
}

bool compile_is_same_image(const char *a, const char *b)
{
	Elf *first = NULL, *second = NULL;
	GElf_Ehdr header;
	size_t count = 0, other = 0;
	int fd = open_elf(a, &first, &header, &count), fd2 = open_elf(b, &second, &header, &other);
	bool same = fd >= 0 && fd2 >= 0 && count && count == other;

	for (size_t i = 0; i < count && same; i++)
		same = is_same_segment(first, second, (int)i);
	close_elf(fd, first);
	close_elf(fd2, second);
	return same;
}
