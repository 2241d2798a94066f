/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * elf_needs.c - what an executable file asks its loader for
 *
 * The interpreter (PT_INTERP), the libraries (DT_NEEDED) and where to look for them (DT_RPATH,
 * DT_RUNPATH): gABI chapter 5, "Dynamic Linking". Of scripts, the interpreter of the #! line
 * (execve(2)). Libraries that a program opens by name while it runs (dlopen) are not written down
 * anywhere, so they can't be found here: `--file` names them.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "elf_needs.h"

#define SHEBANG_BYTES_MAX 256 /* BINPRM_BUF_SIZE of the kernel */

static const char *elf_reason(void)
{
	return elf_errmsg(-1);
}

/* "python3", "-S A=b python3 -u": NULL if it is not said so plainly. */
static const char *program_of_env(char *argument)
{
	static const char *const split[] = { "--split-string=", "--split-string ", "-vS", "-S" };
	bool is_split = false;
	char *word, *rest;

	argument += strspn(argument, " \t");
	for (size_t i = 0; i < sizeof(split) / sizeof(*split) && !is_split; i++) {
		is_split = !strncmp(argument, split[i], strlen(split[i]));
		argument += is_split ? strlen(split[i]) : 0;
	}
	word = strtok_r(argument, " \t", &rest);
	/* Else the kernel gives env one argument, blanks and all: execve(2). */
	if (!is_split && word && strtok_r(NULL, " \t", &rest))
		return NULL;
	while (is_split && word && (strchr(word, '=') || !strcmp(word, "-i")))
		word = strtok_r(NULL, " \t", &rest);
	return word && *word != '-' && !strpbrk(word, "=\\\"'$#") ? word : NULL;
}

static int read_shebang(struct elf_needs *needs, int fd, struct error *error)
{
	char line[SHEBANG_BYTES_MAX + 1] = ""; /* all of it zeros */
	ssize_t size = pread(fd, line, SHEBANG_BYTES_MAX, 0);
	const char *program = NULL;
	char *start, *end;

	if (size < 2 || memcmp(line, "#!", 2))
		return 0;
	start = line + 2 + strspn(line + 2, " \t");
	end = strchr(start, '\n');
	if (end)
		*end = '\0';
	end = start + strcspn(start, " \t");
	if (*end)
		*end++ = '\0';
	if (*start != '/')
		return 0;
	if (!strcmp(strrchr(start, '/'), "/env"))
		program = program_of_env(end);
	needs->interpreter = strdup(start);
	needs->program = program ? strdup(program) : NULL;
	if (!needs->interpreter || !needs->program != !program)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	return 0;
}

/* The string at offset of the linked string table; NULL if there is none. Copied. */
static char *copy_string(Elf *elf, size_t section, size_t offset)
{
	const char *text = elf_strptr(elf, section, offset);

	return text ? strdup(text) : NULL;
}

static int add_needed(struct elf_needs *needs, char *name)
{
	if (!ARRAY_ADD(needs->needed, needs->needed_count, name)) {
		free(name);
		return -1;
	}
	return 0;
}

static int read_dynamic_entry(struct elf_needs *needs, Elf *elf, size_t strings,
			      const GElf_Dyn *entry, struct error *error)
{
	char **slot, *text;

	if (entry->d_tag != DT_NEEDED && entry->d_tag != DT_RPATH && entry->d_tag != DT_RUNPATH)
		return 0;
	text = copy_string(elf, strings, entry->d_un.d_val);
	if (!text)
		return error_set(error, ERROR_ELF_BOUNDS, ".dynamic", 0,
				 "a name lies outside of the string table");
	if (entry->d_tag == DT_NEEDED) {
		if (add_needed(needs, text))
			return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		return 0;
	}
	slot = entry->d_tag == DT_RPATH ? &needs->rpath : &needs->runpath;
	free(*slot);
	*slot = text;
	return 0;
}

static int read_dynamic(struct elf_needs *needs, Elf *elf, struct error *error)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Dyn entry;

		if (!gelf_getshdr(section, &header))
			return error_set(error, ERROR_ELF_BOUNDS, "", 0, "%s", elf_reason());
		if (header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		if (!data)
			return error_set(error, ERROR_ELF_BOUNDS, ".dynamic", 0, "%s",
					 elf_reason());
		for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
			if (read_dynamic_entry(needs, elf, header.sh_link, &entry, error))
				return -1;
		}
	}
	if (needs->runpath) { /* the gABI: DT_RUNPATH makes DT_RPATH void */
		free(needs->rpath);
		needs->rpath = NULL;
	}
	return 0;
}

static int read_interpreter(struct elf_needs *needs, Elf *elf, struct error *error)
{
	size_t count, file_size;
	const char *file = elf_rawfile(elf, &file_size);

	if (!file || elf_getphdrnum(elf, &count))
		return error_set(error, ERROR_ELF_BOUNDS, "", 0, "%s", elf_reason());
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header))
			return error_set(error, ERROR_ELF_BOUNDS, "", 0, "%s", elf_reason());
		if (header.p_type != PT_INTERP)
			continue;
		if (header.p_offset > file_size || header.p_filesz > file_size - header.p_offset)
			return error_set(error, ERROR_ELF_BOUNDS, "", header.p_offset,
					 "the interpreter's name lies outside of the file");
		needs->interpreter = strndup(file + header.p_offset, header.p_filesz);
		if (!needs->interpreter)
			return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		return 0;
	}
	return 0;
}

int elf_needs_init(struct elf_needs *needs, const char *path, struct error *error)
{
	GElf_Ehdr header;
	Elf *elf = NULL;
	int fd, ret = -1;

	*needs = (struct elf_needs) { 0 };
	elf_version(EV_CURRENT);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set_errno(error, "can't open %s", path);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf) {
		error_set(error, ERROR_NOT_ELF, "", 0, "%s: %s", path, elf_reason());
		goto out;
	}
	if (elf_kind(elf) != ELF_K_ELF) {
		ret = read_shebang(needs, fd, error);
		goto out;
	}
	if (!gelf_getehdr(elf, &header)) {
		error_set(error, ERROR_NOT_ELF, "", 0, "%s: %s", path, elf_reason());
		goto out;
	}
	needs->is_elf = true;
	needs->machine = header.e_machine;
	needs->elf_class = header.e_ident[EI_CLASS];
	ret = 0;
	if (header.e_type == ET_EXEC || header.e_type == ET_DYN) {
		ret = read_interpreter(needs, elf, error);
		ret = ret ? ret : read_dynamic(needs, elf, error);
	}
out:
	elf_end(elf);
	close(fd);
	if (ret)
		elf_needs_deinit(needs);
	return ret;
}

void elf_needs_deinit(struct elf_needs *needs)
{
	for (size_t i = 0; i < needs->needed_count; i++)
		free(needs->needed[i]);
	free(needs->needed);
	free(needs->interpreter);
	free(needs->program);
	free(needs->rpath);
	free(needs->runpath);
	*needs = (struct elf_needs) { 0 };
}
