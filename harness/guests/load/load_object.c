/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_object.c - BPF objects and the names of their programs
 *
 * An object is held as bytes and opened anew for each program that is tried: libbpf gives up at the
 * first program that the verifier refuses, and the other ones would not be heard of.
 *
 * The built-in objects are those of the skeletons: what this program loads itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "array.h"
#include "freed.h"
#include "load.h"
#include "skeletons.h"

#define OBJECT_BYTES_MAX (64u << 20)

/* ---- libbpf's messages ------------------------------------------------------------------ */

/* libbpf's callback has no context. */
static _Thread_local char first_warning[1024];

static int keep_warning(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (level == LIBBPF_WARN && !first_warning[0])
		vsnprintf(first_warning, sizeof(first_warning), format, arguments);
	first_warning[strcspn(first_warning, "\n")] = '\0';
	return 0;
}

void load_warning_reset(void)
{
	first_warning[0] = '\0';
	libbpf_set_print(keep_warning);
}

const char *load_warning(void)
{
	return first_warning;
}

/* ---- objects ---------------------------------------------------------------------------- */

/* Reads what is there of a file; more than OBJECT_BYTES_MAX is no BPF object. */
static int read_file(struct load_object *ret, const char *path, struct error *error)
{
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t used = 0;
	ssize_t got = 1;

	if (fd < 0)
		return error_set_errno(error, "can't be opened");
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > OBJECT_BYTES_MAX)
		return error_set(error, ERROR_UNSUPPORTED_ELF, "", 0, "is not a BPF object");
	ret->owned = malloc((size_t)st.st_size + 1);
	while (ret->owned && got > 0 && used < (size_t)st.st_size) {
		got = read(fd, (char *)ret->owned + used, (size_t)st.st_size - used);
		used += got > 0 ? (size_t)got : 0;
	}
	if (!ret->owned)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (got < 0)
		return error_set_errno(error, "can't be read");
	ret->data = ret->owned;
	ret->size = used;
	return 0;
}

/* Asks libbpf for the programs' names. */
static int read_programs(struct load_object *ret, struct error *error)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = ret->name);
	struct bpf_program *program;
	struct bpf_object *object;

	load_warning_reset();
	object = bpf_object__open_mem(ret->data, ret->size, &options);
	if (!object && errno_is_want(errno))
		return error_set_errno(error, "reading a BPF object");
	if (!object)
		return error_set(error, ERROR_UNSUPPORTED_ELF, "", 0, "is not a BPF object: %s",
				 load_warning()[0] ? load_warning() : strerror(errno));
	bpf_object__for_each_program(program, object)
	{
		if (!ARRAY_GROW(ret->program, ret->program_count)) {
			bpf_object__close(object);
			return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		}
		snprintf(ret->program[ret->program_count++], LOAD_NAME_MAX, "%s",
			 bpf_program__name(program));
	}
	bpf_object__close(object);
	if (!ret->program_count)
		return error_set(error, ERROR_UNSUPPORTED_ELF, "", 0, "holds no BPF program");
	load_compiler(ret->data, ret->size, ret->compiler, ret->version);
	return 0;
}

int load_object_init(struct load_object *ret, const char *path, struct error *error)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	*ret = (struct load_object) { 0 };
	snprintf(ret->file, sizeof(ret->file), "%s", path);
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)strcspn(name, "."), name);
	if (!read_file(ret, path, error) && !read_programs(ret, error))
		return 0;
	load_object_deinit(ret);
	return -1;
}

int load_object_init_built_in(struct load_object *ret, size_t i, struct error *error)
{
	static const struct {
		const char *name;
		const void *(*bytes)(size_t *size);
	} built_in[] = {
#define BUILT_IN(name) { #name, name##_bpf__elf_bytes },
		SKELETONS(BUILT_IN)
	};

	*ret = (struct load_object) { 0 };
	if (i >= sizeof(built_in) / sizeof(*built_in))
		return 1;
	strcpy(ret->file, "built-in");
	strcpy(ret->name, built_in[i].name);
	ret->data = built_in[i].bytes(&ret->size);
	if (!read_programs(ret, error))
		return 0;
	load_object_deinit(ret);
	return -1;
}

void load_object_deinit(struct load_object *object)
{
	free(object->owned);
	free(object->program);
	*object = (struct load_object) { 0 };
}
