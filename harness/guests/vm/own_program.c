/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_program.c - this program, for a guest whose root is another system
 *
 * The root has libraries of its own, perhaps of another C library, perhaps older; and the program that is to run there
 * is this one. So the program comes with its dynamic linker and its libraries, in one folder, and a copy of it is
 * changed so that it finds them there, and nothing else does:
 *
 *	PT_INTERP	"/lib64/ld-linux-x86-64.so.2"  ->  "/run/stackproof/ld", NUL, "$ORIGIN"
 *	.dynamic	a spare DT_NULL		       ->  DT_RPATH, whose string is that "$ORIGIN"
 *
 * Both strings have room where one was, and ld(1) leaves five spare entries (-z spare-dynamic-tags). DT_RPATH counts
 * from DT_STRTAB, and wraps around where .interp lies before it (gABI 5, "Dynamic Section").
 *
 * Not LD_LIBRARY_PATH: the programs that this one starts are the root's, and would inherit it. Not `ld.so PROGRAM`:
 * /proc/self/exe would be ld.so.
 */
#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/child/child.h"
#include "elf_needs.h"
#include "frame.h"
#include "freed.h"
#include "own_program.h"

#define RPATH		"$ORIGIN"
#define OWN_INTERPRETER FRAME_OWN_PATH "/ld"
#define OWN_PROGRAM	FRAME_OWN_PATH "/stackproof"
#define OWN_BYTES_MAX	(256u << 20)

/* Where a segment lies in the file; NULL: there is none, or not in the file. */
static const Elf64_Phdr *find_segment(const char *data, size_t size, uint32_t type)
{
	const Elf64_Ehdr *header = (const void *)data;
	const Elf64_Phdr *segments;

	if (size < sizeof(*header) || memcmp(data, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(*segments) ||
	    header->e_phoff > size || header->e_phoff % sizeof(uint64_t) ||
	    (size - header->e_phoff) / sizeof(*segments) < header->e_phnum)
		return NULL;
	segments = (const void *)(data + header->e_phoff);
	for (size_t i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == type && segments[i].p_offset <= size &&
		    segments[i].p_offset % sizeof(uint64_t) ==
			    segments[i].p_vaddr % sizeof(uint64_t) &&
		    segments[i].p_filesz <= size - segments[i].p_offset)
			return &segments[i];
	return NULL;
}

/* The entry that is to be DT_RPATH: one that says the same already, or a spare one. NULL: there is none. */
static Elf64_Dyn *find_entry(Elf64_Dyn *entries, size_t count, uint64_t *ret_strings)
{
	Elf64_Dyn *found = NULL;
	size_t i;

	*ret_strings = 0;
	for (i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
		if (entries[i].d_tag == DT_STRTAB)
			*ret_strings = entries[i].d_un.d_ptr;
		/* DT_RUNPATH makes DT_RPATH void, and serves direct needs only. */
		if (entries[i].d_tag == DT_RUNPATH || (entries[i].d_tag == DT_RPATH && !found))
			found = &entries[i];
	}
	if (!found && i + 1 < count) /* the last one ends the list */
		found = &entries[i];
	return *ret_strings ? found : NULL;
}

int elf_rehome(void *data, size_t size, const char *interpreter, struct error *error)
{
	const Elf64_Phdr *interp = find_segment(data, size, PT_INTERP);
	const Elf64_Phdr *dynamic = find_segment(data, size, PT_DYNAMIC);
	size_t length = strlen(interpreter) + 1;
	uint64_t strings;
	Elf64_Dyn *entry;
	char *name;

	if (!interp || !dynamic)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the program has no interpreter: it can't be moved");
	entry = find_entry((void *)((char *)data + dynamic->p_offset),
			   dynamic->p_filesz / sizeof(*entry), &strings);
	if (!entry || length + sizeof(RPATH) > interp->p_filesz)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the program has no room for another interpreter and DT_RPATH");
	name = (char *)data + interp->p_offset;
	memset(name, 0, interp->p_filesz);
	memcpy(name, interpreter, length);
	memcpy(name + length, RPATH, sizeof(RPATH));
	entry->d_tag = DT_RPATH;
	entry->d_un.d_val = interp->p_vaddr + length - strings;
	return 0;
}

static int read_program(const char *path, struct own_program *ret, struct error *error)
{
	FILE_CLOSED FILE *file = fopen(path, "re");
	struct stat st;

	if (!file || fstat(fileno(file), &st))
		return error_set_errno(error, "%.150s", path);
	if (st.st_size <= 0 || st.st_size > OWN_BYTES_MAX)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s has %lld bytes", path,
				 (long long)st.st_size);
	ret->size = (size_t)st.st_size;
	ret->data = malloc(ret->size);
	if (!ret->data)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (fread(ret->data, 1, ret->size, file) != ret->size)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "%.150s changed while it was read", path);
	return 0;
}

/* All names into one folder, where DT_RPATH has the linker look for them; the program itself is not among them. */
static int gather(struct guest_files *files, const char *interpreter, struct error *error)
{
	char linker[PATH_MAX];
	size_t kept = 0;

	if (guest_path_normalise(interpreter, linker, sizeof(linker), error))
		return -1;
	for (size_t i = 0; i < files->count; i++) {
		struct guest_path path = files->file[i];
		char *name = NULL;

		if (!strcmp(path.guest, OWN_PROGRAM)) {
			free(path.host);
			free(path.guest);
			continue;
		}
		files->file[kept++] = path;
		if (!strcmp(path.guest, linker))
			name = strdup(OWN_INTERPRETER);
		else if (asprintf(&name, "%s%s", FRAME_OWN_PATH, strrchr(path.guest, '/')) < 0)
			name = NULL;
		free(path.guest);
		files->file[kept - 1].guest = name;
		if (!name) {
			files->count = kept;
			return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		}
	}
	files->count = kept;
	return 0;
}

int own_program_collect(struct own_program *ret, struct error *error)
{
	char path[PATH_MAX];
	struct elf_needs needs;
	int status;

	if (child_self(path, sizeof(path), error) || read_program(path, ret, error) ||
	    elf_needs_init(&needs, path, error))
		return -1;
	/* A static program is complete as it is. */
	status = !needs.interpreter
			 ? 0
			 : guest_files_add(&ret->files, path, OWN_PROGRAM, error) ||
				   gather(&ret->files, needs.interpreter, error) ||
				   elf_rehome(ret->data, ret->size, OWN_INTERPRETER, error);
	elf_needs_deinit(&needs);
	return status ? -1 : 0;
}

void own_program_deinit(struct own_program *program)
{
	free(program->data);
	guest_files_deinit(&program->files);
	*program = (struct own_program) { 0 };
}
