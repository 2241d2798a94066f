/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_files.c - where the libraries of a guest's programs are looked for, and found
 *
 * Programs and libraries are made here: an ELF header, what they ask for, and no code. access() is
 * this program's own, so that it is known where was looked, and in which order; and so is glob():
 * the loader's configuration is a file of the test. The heap says NULL when a case wants it to.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "tests/failing_heap.h"
#include "guests/vm/guest_files.h"

#define NEEDS_MAX 3
#define FILES_MAX 4

static char asked[16384]; /* paths of libraries, a line each; below the folder: @/... */

/* ---- what the product calls --------------------------------------------------------------- */

/* The text with each @ as the folder's name. */
static const char *expand(const char *text, char *ret, size_t size)
{
	size_t used = 0;

	for (; text && *text; text++) {
		int n = snprintf(ret + used, size - used, *text == '@' ? "%s" : "%.1s",
				 *text == '@' ? folder : text);

		used += (size_t)n;
		ck_assert_uint_lt(used, size);
	}
	ret[used] = '\0';
	return text ? ret : NULL;
}

int access(const char *path, int mode)
{
	size_t used = strlen(asked), length = strlen(folder);

	if (length && !strncmp(path, folder, length))
		snprintf(asked + used, sizeof(asked) - used, "@%s\n", path + length);
	else
		snprintf(asked + used, sizeof(asked) - used, "%s\n", path);
	return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

int glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *ret)
{
	int (*real)(const char *, int, int (*)(const char *, int), glob_t *) = dlsym(RTLD_NEXT,
										     "glob");
	char own[128];

	if (!strcmp(pattern, "/etc/ld.so.conf"))
		pattern = expand("@/conf", own, sizeof(own));
	return real(pattern, flags, on_error, ret);
}

/* ---- files -------------------------------------------------------------------------------- */

static void set_up(void)
{
	folder_make();
	asked[0] = '\0';
}

/* Writes it, and the folders that it lies in. */
static void write_file(const char *name, const void *data, size_t size)
{
	char path[256];
	FILE *file;

	expand(name, path, sizeof(path));
	for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		ck_assert(!mkdir(path, 0700) || errno == EEXIST);
	}
	file = fopen(path, "we");
	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert(!fclose(file));
}

static void write_text(const char *name, const char *text)
{
	char expanded[2048];

	expand(text, expanded, sizeof(expanded));
	write_file(name, expanded, strlen(expanded));
}

struct elf {
	const char *path;
	const char *needed[NEEDS_MAX];
	const char *rpath, *runpath, *interpreter;
	uint16_t machine; /* 0: this one's */
};

struct elf_bytes {
	Elf64_Ehdr header;
	Elf64_Phdr interpreter;
	Elf64_Shdr section[3]; /* none, strings, dynamic */
	Elf64_Dyn dynamic[NEEDS_MAX + 3];
	char strings[1024];
};

static uint64_t add_string(struct elf_bytes *bytes, const char *text)
{
	uint64_t at = bytes->section[1].sh_size;

	expand(text, bytes->strings + at, sizeof(bytes->strings) - at);
	bytes->section[1].sh_size += strlen(bytes->strings + at) + 1;
	return at;
}

static void write_elf(const struct elf *elf)
{
	struct elf_bytes bytes = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = elf->machine ? elf->machine : EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = offsetof(struct elf_bytes, interpreter),
			    .e_shoff = offsetof(struct elf_bytes, section),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3 },
		.section = { [1] = { .sh_type = SHT_STRTAB,
				     .sh_offset = offsetof(struct elf_bytes, strings),
				     .sh_size = 1 },
			     [2] = { .sh_type = SHT_DYNAMIC,
				     .sh_offset = offsetof(struct elf_bytes, dynamic),
				     .sh_size = sizeof(bytes.dynamic),
				     .sh_link = 1,
				     .sh_entsize = sizeof(Elf64_Dyn) } },
	};
	int count = 0;

	for (int i = 0; i < NEEDS_MAX && elf->needed[i]; i++)
		bytes.dynamic[count++] = (Elf64_Dyn) { DT_NEEDED,
						       { add_string(&bytes, elf->needed[i]) } };
	if (elf->rpath)
		bytes.dynamic[count++] = (Elf64_Dyn) { DT_RPATH,
						       { add_string(&bytes, elf->rpath) } };
	if (elf->runpath)
		bytes.dynamic[count++] = (Elf64_Dyn) { DT_RUNPATH,
						       { add_string(&bytes, elf->runpath) } };
	if (elf->interpreter) {
		uint64_t at = add_string(&bytes, elf->interpreter);

		bytes.interpreter =
			(Elf64_Phdr) { .p_type = PT_INTERP,
				       .p_offset = offsetof(struct elf_bytes, strings) + at,
				       .p_filesz = strlen(bytes.strings + at) + 1 };
	}
	write_file(elf->path, &bytes, sizeof(bytes));
}

/* Does the guest get host at that place? Both below the folder if they begin with @. */
static bool has(const struct guest_files *files, const char *host, const char *guest)
{
	char from[256], to[256], real[PATH_MAX];

	ck_assert_ptr_nonnull(realpath(expand(host, from, sizeof(from)), real));
	expand(guest, to, sizeof(to));
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].host && !strcmp(files->file[i].host, real) &&
		    !strcmp(files->file[i].guest, to))
			return !files->file[i].link;
	return false;
}

/* ---- libraries ---------------------------------------------------------------------------- */

#define DEFAULTS(library)                                                                          \
	"/lib/x86_64-linux-gnu/" library "\n/usr/lib/x86_64-linux-gnu/" library                    \
	"\n/lib64/" library "\n/usr/lib64/" library "\n/lib/" library "\n/usr/lib/" library "\n"
#define PROGRAM	   "@/bin/p"
#define NEEDS_X	   .path = PROGRAM, .needed = { "libx.so" }
#define A_X	   .path = "@/a/libx.so"
#define B_X	   .path = "@/b/libx.so"
#define FILES(...) .file = { __VA_ARGS__ }

static const struct search_case {
	const char *name;
	struct elf file[FILES_MAX];
	const char *conf;    /* NULL: there is none */
	const char *library; /* as which file it is found; NULL: it is not */
	const char *guest;   /* where the guest has it, if not there */
	const char *asked;   /* NULL: whatever */
	const char *place;   /* of the program, in the guest; NULL: the same */
} searches[] = {
	{ "rpath", FILES({ NEEDS_X, .rpath = "@/a" }, { A_X }), .library = "@/a/libx.so",
	  .asked = "@/a/libx.so\n" },
	{ "runpath", FILES({ NEEDS_X, .runpath = "@/a" }, { A_X }), .library = "@/a/libx.so",
	  .asked = "@/a/libx.so\n" },
	{ "runpath_makes_rpath_void",
	  FILES({ NEEDS_X, .rpath = "@/a", .runpath = "@/b" }, { A_X }, { B_X }),
	  .library = "@/b/libx.so", .asked = "@/b/libx.so\n" },
	{ "one_after_another_and_none_without_a_name",
	  FILES({ NEEDS_X, .rpath = ":@/c::@/a:@/b:" }, { A_X }, { B_X }), .library = "@/a/libx.so",
	  .asked = "@/c/libx.so\n@/a/libx.so\n" },
	{ "everywhere_in_this_order", FILES({ NEEDS_X, .rpath = "@/a:@/b" }), .conf = "@/c\n",
	  .asked = "@/a/libx.so\n@/b/libx.so\n@/c/libx.so\n" DEFAULTS("libx.so") },
	{ "everywhere_with_a_runpath", FILES({ NEEDS_X, .runpath = "@/a" }), .conf = "@/c\n",
	  .asked = "@/a/libx.so\n@/c/libx.so\n" DEFAULTS("libx.so") },
	{ "without_a_configuration", FILES({ NEEDS_X }), .asked = DEFAULTS("libx.so") },
	{ "of_another_machine",
	  FILES({ NEEDS_X, .rpath = "@/a:@/b" }, { .path = "@/a/libx.so", .machine = EM_AARCH64 },
		{ B_X }),
	  .library = "@/b/libx.so" },
	{ "origin_is_the_files_folder", FILES({ NEEDS_X, .rpath = "$ORIGIN/../a" }, { A_X }),
	  .library = "@/a/libx.so", .asked = "@/bin/../a/libx.so\n" },
	{ "origin_in_braces_in_the_middle_and_at_the_end",
	  FILES({ NEEDS_X, .rpath = "@/a/..${ORIGIN}:/${ORIGIN}/lib:$ORIGI:${ORIGIN" },
		{ .path = "@/bin/lib/libx.so" }),
	  .library = "@/bin/lib/libx.so" },
	{ "what_is_almost_origin", FILES({ NEEDS_X, .rpath = "$ORIGI:${ORIGIN:@/a" }, { A_X }),
	  .library = "@/a/libx.so", .asked = "$ORIGI/libx.so\n${ORIGIN/libx.so\n@/a/libx.so\n" },
	{ "origin_in_the_guest_is_the_guests",
	  FILES({ NEEDS_X, .runpath = "$ORIGIN/lib" }, { .path = "@/bin/lib/libx.so" }),
	  .place = "/g/h/p", .library = "@/bin/lib/libx.so", .guest = "/g/h/lib/libx.so" },
	{ "at_its_own_place_if_it_is_not_the_origins",
	  FILES({ NEEDS_X, .runpath = "@/a" }, { A_X }), .place = "/g/h/p",
	  .library = "@/a/libx.so" },
	{ "in_the_rpath_of_who_needs_the_library",
	  FILES({ .path = PROGRAM, .needed = { "liby.so" }, .rpath = "$ORIGIN/../a" },
		{ .path = "@/a/liby.so", .needed = { "libx.so" }, .rpath = "@/c" }, { A_X }),
	  .library = "@/a/libx.so",
	  .asked = "@/bin/../a/liby.so\n@/c/libx.so\n@/bin/../a/libx.so\n" },
	{ "not_in_that_of_others_if_there_is_a_runpath",
	  FILES({ .path = PROGRAM, .needed = { "liby.so" }, .rpath = "@/a" },
		{ .path = "@/a/liby.so", .needed = { "libx.so" }, .runpath = "@/c" }, { A_X }),
	  .asked = "@/a/liby.so\n@/c/libx.so\n" DEFAULTS("libx.so") },
	{ "a_runpath_is_for_the_file_alone",
	  FILES({ .path = PROGRAM, .needed = { "liby.so" }, .runpath = "@/a" },
		{ .path = "@/a/liby.so", .needed = { "libx.so" } }, { A_X }),
	  .asked = "@/a/liby.so\n" DEFAULTS("libx.so") },
	{ "by_its_path",
	  FILES({ .path = PROGRAM, .needed = { "@/b/../a/libx.so" } }, { A_X }, { B_X }),
	  .library = "@/a/libx.so", .asked = "" },
	{ "each_that_is_needed",
	  FILES({ .path = PROGRAM, .needed = { "liby.so", "libz.so", "libx.so" }, .rpath = "@/a" },
		{ .path = "@/a/liby.so", .needed = { "libx.so" } },
		{ .path = "@/a/libz.so", .needed = { "libx.so", "liby.so" }, .rpath = "@/a" },
		{ A_X }),
	  .library = "@/a/libx.so" },
	{ "the_interpreter_is_needed_too",
	  FILES({ .path = PROGRAM, .interpreter = "@/a/libx.so" }, { A_X }),
	  .library = "@/a/libx.so", .asked = "" },
	{ "what_the_interpreter_needs",
	  FILES({ .path = PROGRAM, .interpreter = "@/a/ld.so" },
		{ .path = "@/a/ld.so", .needed = { "libx.so" }, .rpath = "@/b" }, { B_X }),
	  .library = "@/b/libx.so" },
	{ "configuration", FILES({ NEEDS_X }, { A_X }),
	  .conf = "# @/none\n@/c#@/d\n\n \t@/e\nrelative\nhwcap 0 no\n@/a\r\n@/f\n",
	  .library = "@/a/libx.so", .asked = "@/c/libx.so\n@/e/libx.so\n@/a/libx.so\n" },
	{ "configuration_with_blanks_at_its_ends", FILES({ NEEDS_X }, { A_X }),
	  .conf = "\t@/c \t\n  @/a # these\n", .library = "@/a/libx.so",
	  .asked = "@/c/libx.so\n@/a/libx.so\n" },
	{ "configuration_without_its_last_end_of_line", FILES({ NEEDS_X }, { A_X }), .conf = "@/a",
	  .library = "@/a/libx.so" },
	{ "origin_of_a_configuration", FILES({ NEEDS_X }, { .path = "@/bin/libx.so" }),
	  .conf = "/$ORIGIN\n", .library = "@/bin/libx.so" },
	{ "included_configurations", FILES({ NEEDS_X }, { A_X }),
	  .conf = "@/c\ninclude \t@/more/*.conf\n@/f\n", .library = "@/a/libx.so",
	  .asked = "@/c/libx.so\n@/1/libx.so\n@/a/libx.so\n" },
	{ "included_behind_a_tab", FILES({ NEEDS_X }, { A_X }),
	  .conf = "include\t@/more/none.conf @/more/2.conf \n", .library = "@/a/libx.so",
	  .asked = "@/a/libx.so\n" },
	{ "behind_what_is_included", FILES({ NEEDS_X }, { A_X }),
	  .conf = "include @/more/1.conf\ninclude @/more/none.conf\nincluded @/b\n@/a\n",
	  .library = "@/a/libx.so", .asked = "@/1/libx.so\n@/a/libx.so\n" },
	{ "configuration_that_includes_itself", FILES({ NEEDS_X }, { A_X }),
	  .conf = "include @/conf\n@/a\n", .library = "@/a/libx.so" },
};

START_TEST(library_is_found_where_the_loader_would)
{
	const struct search_case *c = &searches[_i];
	struct guest_files files = { 0 };
	struct error error = { 0 };
	char program[128];
	int status;

	for (int i = 0; i < FILES_MAX && c->file[i].path; i++)
		write_elf(&c->file[i]);
	write_text("@/more/1.conf", "@/1\n");
	write_text("@/more/2.conf", "@/a\n");
	write_text("@/more/3.other", "@/b\n");
	write_text("@/b/other", "");
	if (c->conf)
		write_text("@/conf", c->conf);
	expand(PROGRAM, program, sizeof(program));
	asked[0] = '\0';
	status = guest_files_add(&files, program, c->place, &error);
	ck_assert_msg(!status == !!c->library, "%s: %s", c->name, error.message);
	ck_assert_msg(!c->asked || !strcmp(asked, c->asked), "%s: asked\n%s", c->name, asked);
	ck_assert_msg(has(&files, PROGRAM, c->place ? c->place : PROGRAM), "%s", c->name);
	if (c->library) {
		ck_assert_msg(has(&files, c->library, c->guest ? c->guest : c->library), "%s",
			      c->name);
	} else {
		ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
		ck_assert_msg(strstr(error.message, " needs the library libx.so, which is nowhere"),
			      "%s: %s", c->name, error.message);
	}
	guest_files_deinit(&files);
	ck_assert(!files.file && !files.count);
}
END_TEST

/* A library's name may be that of what is none: the next folder is looked into. */
START_TEST(what_is_no_library_of_this_kind)
{
	static const struct elf program = { .path = PROGRAM,
					    .needed = { "libx.so" },
					    .rpath = "@/a:@/b" },
				library = { B_X };
	Elf32_Ehdr small = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32,
					  ELFDATA2LSB, EV_CURRENT },
			     .e_type = ET_DYN,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_ehsize = sizeof(small) };
	static const char script[] = "#!/bin/sh\n", cut[] = "\177ELF\2\1\1";
	const struct {
		const void *bytes;
		size_t size;
	} others[] = { { &small, sizeof(small) },
		       { script, sizeof(script) - 1 },
		       { cut, sizeof(cut) - 1 },
		       { "", 0 } };
	char path[128];

	write_elf(&program);
	write_elf(&library);
	for (int i = 0; i < COUNT(others); i++) {
		struct guest_files files = { 0 };
		struct error error = { 0 };

		write_file("@/a/libx.so", others[i].bytes, others[i].size);
		ck_assert_msg(
			!guest_files_add(&files, expand(PROGRAM, path, sizeof(path)), NULL, &error),
			"%d: %s", i, error.message);
		ck_assert_msg(has(&files, "@/b/libx.so", "@/b/libx.so"), "%d", i);
		ck_assert_uint_eq(files.count, 2);
		/* What is no ELF file, were it empty, is taken as it is. */
		expand("@/a/libx.so", path, sizeof(path));
		ck_assert(!guest_files_add(&files, path, "/x", &error));
		guest_files_deinit(&files);
	}
}
END_TEST

/* Configurations include others eight deep, and libraries need others 64 deep: no more. */
START_TEST(nesting_has_its_bounds)
{
	static const struct elf program = { .path = PROGRAM,
					    .needed = { "libx.so" },
					    .rpath = "@/n" },
				library = { A_X };
	struct guest_files files = { 0 };
	char name[64], text[64], path[128];
	struct error error = { 0 };

	for (int bound = 8; bound <= 9; bound++) {
		write_elf(&program);
		write_elf(&library);
		write_text("@/conf", "include @/1.conf\n");
		for (int i = 1; i <= bound; i++) {
			snprintf(name, sizeof(name), "@/%d.conf", i);
			snprintf(text, sizeof(text), "include @/%d.conf\n", i + 1);
			write_text(name, i == bound ? "@/a\n" : text);
		}
		ck_assert_int_eq(
			guest_files_add(&files, expand(PROGRAM, path, sizeof(path)), NULL, &error),
			bound == 8 ? 0 : -1);
		guest_files_deinit(&files);
	}
	for (int bound = 64; bound <= 65; bound++) {
		write_elf(
			&(struct elf) { .path = PROGRAM, .needed = { "lib1.so" }, .rpath = "@/n" });
		for (int i = 1; i <= bound; i++) {
			snprintf(name, sizeof(name), "@/n/lib%d.so", i);
			snprintf(text, sizeof(text), "lib%d.so", i + 1);
			write_elf(&(struct elf) { .path = name,
						  .needed = { i == bound ? NULL : text } });
		}
		ck_assert_int_eq(
			guest_files_add(&files, expand(PROGRAM, path, sizeof(path)), NULL, &error),
			bound == 64 ? 0 : -1);
		ck_assert_uint_eq(files.count, 65);
		guest_files_deinit(&files);
	}
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_msg(strstr(error.message, "/n/lib65.so: libraries nest too deep"), "%s",
		      error.message);
}
END_TEST

/* Each is read once. */
START_TEST(libraries_may_need_each_other)
{
	struct guest_files files = { 0 };
	struct error error = { 0 };
	char path[128];

	write_elf(&(struct elf) { .path = PROGRAM, .needed = { "libx.so" }, .rpath = "@/a" });
	write_elf(&(struct elf) { .path = "@/a/libx.so", .needed = { "liby.so" } });
	write_elf(&(struct elf) { .path = "@/a/liby.so", .needed = { "libx.so" } });
	ck_assert_msg(!guest_files_add(&files, expand(PROGRAM, path, sizeof(path)), NULL, &error),
		      "%s", error.message);
	ck_assert_uint_eq(files.count, 3);
	guest_files_deinit(&files);
}
END_TEST

static const struct {
	const char *loader, *library;
	bool in_it;
} of_musl[] = {
	{ "@/ld-musl-x.so", "libc.so", true },	  { "@/ld-musl-x.so", "libpthread.so.0", true },
	{ "@/ld-musl-x.so", "librt.so", true },	  { "@/ld-musl-x.so", "libm.so", true },
	{ "@/ld-musl-x.so", "libdl.so", true },	  { "@/ld-musl-x.so", "libutil.so", true },
	{ "@/ld-musl-x.so", "libxnet.so", true }, { "@/ld-musl-x.so", "libc", false },
	{ "@/ld-musl-x.so", "libcc.so", false },  { "@/ld-musl-x.so", "lib.so", false },
	{ "@/ld-musl-x.so", "lidc.so", false },	  { "@/ld-musl.so", "libnone.so", false },
	{ "@/ld-muslx.so", "libxnet.so", false },
};

START_TEST(library_in_the_loader)
{
	struct guest_files files = { 0 };
	struct error error = { 0 };
	char path[128];
	int status;

	/* It is the program's loader, whoever needs the library. */
	write_elf(&(struct elf) {
		.path = PROGRAM, .needed = { "@/a/libx.so" }, .interpreter = of_musl[_i].loader });
	write_elf(&(struct elf) {
		.path = "@/a/libx.so", .needed = { of_musl[_i].library }, .rpath = "@/none" });
	write_elf(&(struct elf) { .path = of_musl[_i].loader });
	status = guest_files_add(&files, expand(PROGRAM, path, sizeof(path)), NULL, &error);
	ck_assert_msg(!status == of_musl[_i].in_it, "%s: %s", of_musl[_i].library, error.message);
	ck_assert_msg(!of_musl[_i].in_it == !!asked[0], "asked %s", asked);
	ck_assert_uint_eq(files.count, 3);
	guest_files_deinit(&files);
}
END_TEST

/* ---- what is in the list ------------------------------------------------------------------ */

START_TEST(first_of_a_place_stays)
{
	struct guest_files files = { 0 };
	static char path[PATH_MAX + 2];
	struct error error = { 0 };

	ck_assert(!guest_files_add(&files, "/etc/passwd", "/a/./b", &error));
	ck_assert(!guest_files_add_link(&files, "/a/c", "there", &error));
	ck_assert(!guest_files_add_directory(&files, "/a/d", &error));
	for (int again = 0; again < 2; again++) {
		ck_assert_uint_eq(files.count, 3);
		ck_assert_str_eq(files.file[0].guest, "/a/b");
		ck_assert_str_eq(files.file[0].host, "/etc/passwd");
		ck_assert_str_eq(files.file[1].guest, "/a/c");
		ck_assert_str_eq(files.file[1].link, "there");
		ck_assert_str_eq(files.file[2].guest, "/a/d");
		ck_assert(!files.file[0].link && !files.file[1].host && !files.file[2].link &&
			  !files.file[2].host);
		ck_assert(!guest_files_add(&files, "/etc/group", "/a/c", &error));
		ck_assert(!guest_files_add_link(&files, "/a/d", "elsewhere", &error));
		ck_assert(!guest_files_add_directory(&files, "/a/b", &error));
	}
	ck_assert_int_eq(guest_files_add_link(&files, "b", "c", &error), -1);
	ck_assert_int_eq(guest_files_add_directory(&files, "b", &error), -1);
	memset(path, 'a', PATH_MAX);
	path[0] = '/';
	error = (struct error) { 0 };
	ck_assert_int_eq(guest_files_add(&files, "/etc/passwd", path, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_uint_eq(files.count, 3);
	guest_files_deinit(&files);
}
END_TEST

static const struct {
	const char *name;
	struct elf file[FILES_MAX];
	const char *message;
	enum error_code code;
} bad[] = {
	{ "no_interpreter", FILES({ .path = PROGRAM, .interpreter = "@/none" }),
	  .message = "/none: No such", .code = ERROR_SYSTEM },
	{ "no_library_at_that_path", FILES({ .path = PROGRAM, .needed = { "@/none" } }),
	  .message = "/none: No such", .code = ERROR_SYSTEM },
	{ "library_at_a_relative_path",
	  FILES({ .path = PROGRAM, .needed = { "a/libx.so" } }, { A_X }),
	  .message = "a/libx.so: a path in the guest must be absolute", .code = ERROR_UNAVAILABLE },
	{ "a_folder_for_a_library", FILES({ .path = PROGRAM, .needed = { "@/a" } }, { A_X }),
	  .message = "/a is not a regular file", .code = ERROR_UNAVAILABLE },
	{ "second_of_two",
	  FILES({ .path = PROGRAM, .needed = { "libx.so", "none.so" }, .rpath = "@/a" }, { A_X }),
	  .message = "/bin/p needs the library none.so, which", .code = ERROR_UNAVAILABLE },
	{ "of_a_library",
	  FILES({ NEEDS_X, .rpath = "@/a" }, { .path = "@/a/libx.so", .needed = { "none.so" } }),
	  .message = "/a/libx.so needs the library none.so, which", .code = ERROR_UNAVAILABLE },
};

START_TEST(what_is_missing_is_said)
{
	struct guest_files files = { 0 };
	struct error error = { 0 };
	char path[128];

	for (int i = 0; i < FILES_MAX && bad[_i].file[i].path; i++)
		write_elf(&bad[_i].file[i]);
	ck_assert(!chdir(folder));
	ck_assert_int_eq(guest_files_add(&files, expand(PROGRAM, path, sizeof(path)), NULL, &error),
			 -1);
	ck_assert_msg(strstr(error.message, bad[_i].message), "%s: %s", bad[_i].name,
		      error.message);
	ck_assert_int_eq(error.code, bad[_i].code);
	guest_files_deinit(&files);
}
END_TEST

#if !SANITIZED
/* Each allocation fails once: then that is said, or all is there nevertheless. */
START_TEST(without_memory)
{
	static const struct elf library = { .path = "@/a/libx.so",
					    .needed = { "liby.so" },
					    .rpath = "@/a" };
	char path[128];
	bool done = false;

	write_elf(&(struct elf) { .path = PROGRAM,
				  .needed = { "libx.so" },
				  .runpath = "@/a",
				  .interpreter = "@/a/ld.so" });
	write_elf(&library);
	write_elf(&(struct elf) { .path = "@/a/liby.so" });
	write_elf(&(struct elf) { .path = "@/a/ld.so" });
	expand(PROGRAM, path, sizeof(path));
	for (long nth = 1; !done; nth++) {
		struct guest_files files = { 0 };
		struct error error = { 0 };
		int status, link, directory;

		failed = 0;
		until_none = nth;
		status = guest_files_add(&files, path, NULL, &error);
		link = guest_files_add_link(&files, "/l", "t", &error);
		directory = guest_files_add_directory(&files, "/d", &error);
		until_none = 0;
		done = !failed;
		ck_assert_int_lt(nth, 10000);
		ck_assert_msg(status || files.count >= 4, "%ld: %zu files", nth, files.count);
		ck_assert_msg(!(link || directory) || error.code == ERROR_MEMORY, "%ld", nth);
		ck_assert(!done || (!status && !link && !directory && files.count == 6));
		ck_assert(error.code != ERROR_NONE || (!status && !link && !directory));
		for (size_t i = 0; !status && i < 4; i++)
			ck_assert_msg(files.file[i].host && files.file[i].guest, "%ld", nth);
		guest_files_deinit(&files);
	}
}
END_TEST
#endif

SUITE_MAIN(guest_files)
{
	Suite *suite = suite_create("guest_files");
	TCase *tests = tcase_create("guest_files");

	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, set_up, folder_remove);
	tcase_add_loop_test(tests, library_is_found_where_the_loader_would, 0, COUNT(searches));
	tcase_add_test(tests, what_is_no_library_of_this_kind);
	tcase_add_test(tests, nesting_has_its_bounds);
	tcase_add_test(tests, libraries_may_need_each_other);
	tcase_add_loop_test(tests, library_in_the_loader, 0, COUNT(of_musl));
	tcase_add_test(tests, first_of_a_place_stays);
	tcase_add_loop_test(tests, what_is_missing_is_said, 0, COUNT(bad));
#if !SANITIZED
	tcase_add_test(tests, without_memory);
#endif
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
