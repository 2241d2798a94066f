/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_elf_needs.c - what one file asks its loader for: #! lines, and ELF files of a few entries
 *
 * What is then looked for, and where, is in test_guest_files.c.
 */
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/vm/elf_needs.h"

static char path[64];

static void set_up(void)
{
	strcpy(path, "/tmp/test_elf_needs.XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void tear_down(void)
{
	unlink(path);
}

static void write_path(const void *data, size_t size)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert(!fclose(file));
}

static const char *text_of(const char *text)
{
	return text ? text : "-";
}

/* ---- scripts ------------------------------------------------------------------------------ */

#define A_64  "a23456789.123456789.123456789.123456789.123456789.123456789.1234"
#define A_252 A_64 A_64 A_64 "a23456789.123456789.123456789.123456789.12345678901234567890"
#define A_253 "/" A_252

static const struct {
	const char *text, *interpreter;
} scripts[] = {
	{ "#!/bin/sh\n", "/bin/sh" },
	{ "#! /bin/sh -e\necho\n", "/bin/sh" },
	{ "#!\t \t/bin/x\ty z\n", "/bin/x" },
	{ "#!/bin/x", "/bin/x" },
	{ "#!/", "/" },
	{ "#!sh\n", "-" },
	{ "#!\n/bin/sh\n", "-" },
	{ "#!", "-" },
	{ "#", "-" },
	{ "", "-" },
	{ "#/bin/sh\n", "-" },
	{ "##/bin/sh\n", "-" },
	{ "x!/bin/sh\n", "-" },
	{ "x#!/bin/sh\n", "-" },
	{ " #!/bin/sh\n", "-" },
	{ "#!" A_253 "\n", A_253 },
	/* As the kernel has it: 256 bytes of the line are looked at. */
	{ "#!" A_253 "defgh\n", A_253 "d" },
	{ "!<arch>\n", "-" },
};

/* Behind each longer line, of which nothing is left. */
START_TEST(scripts_name_their_interpreter)
{
	struct elf_needs needs;
	struct error error = { 0 };

	for (int i = 0; i < 2; i++) {
		const char *text = i ? scripts[_i].text : "#!" A_253 "bcdefgh\n";

		write_path(text, strlen(text));
		ck_assert_msg(!elf_needs_init(&needs, path, &error), "%s", error.message);
		if (i)
			ck_assert_str_eq(text_of(needs.interpreter), scripts[_i].interpreter);
		ck_assert(!needs.is_elf && !needs.needed_count && !needs.rpath && !needs.runpath);
		elf_needs_deinit(&needs);
		ck_assert(!needs.interpreter);
	}
}
END_TEST

static const struct {
	const char *text, *program;
} of_env[] = {
	{ "#!/usr/bin/env python3\n", "python3" },
	{ "#! /bin/env\tsh \nx", "sh" },
	{ "#!/usr/bin/env -S python3 -u\n", "python3" },
	{ "#!/usr/bin/env -Ssh\n", "sh" },
	{ "#!/usr/bin/env -vS -i A=b C= sh -e\n", "sh" },
	{ "#!/usr/bin/env --split-string=perl -w\n", "perl" },
	{ "#!/usr/bin/env /opt/x\n", "/opt/x" },
	/* The kernel splits nothing: env looks for "sh -e". */
	{ "#!/usr/bin/env sh -e\n", "-" },
	{ "#!/usr/bin/env -S -u X sh\n", "-" },
	{ "#!/usr/bin/env -S 'a b'\n", "-" },
	{ "#!/usr/bin/env A=b\n", "-" },
	{ "#!/usr/bin/env -S\n", "-" },
	{ "#!/usr/bin/env", "-" },
	{ "#!/usr/bin/printenv sh\n", "-" },
};

START_TEST(env_is_to_find_a_program)
{
	struct elf_needs needs;
	struct error error = { 0 };

	write_path(of_env[_i].text, strlen(of_env[_i].text));
	ck_assert_msg(!elf_needs_init(&needs, path, &error), "%s", error.message);
	ck_assert_ptr_nonnull(needs.interpreter);
	ck_assert_msg(!strcmp(text_of(needs.program), of_env[_i].program), "%s: %s",
		      of_env[_i].text, text_of(needs.program));
	elf_needs_deinit(&needs);
	ck_assert_ptr_null(needs.program);
}
END_TEST

START_TEST(no_file)
{
	struct elf_needs needs;
	struct error error = { 0 };

	ck_assert_int_eq(elf_needs_init(&needs, "/nowhere/at/all", &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_str_eq(error.message, "can't open /nowhere/at/all: No such file or directory");
}
END_TEST

/* The first descriptor is one as any, and a pipe that nobody writes into is no file to wait for. */
START_TEST(unusual_files)
{
	struct elf_needs needs;
	struct error error = { 0 };
	int input = dup(STDIN_FILENO);

	write_path("#!/bin/sh\n", 10);
	close(STDIN_FILENO);
	int status = elf_needs_init(&needs, path, &error);
	int next = dup(input);
	dup2(input, STDIN_FILENO);
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_int_eq(next, STDIN_FILENO);
	ck_assert_str_eq(text_of(needs.interpreter), "/bin/sh");
	elf_needs_deinit(&needs);
	close(input);
	ck_assert(!unlink(path) && !mkfifo(path, 0600));
	if (!elf_needs_init(&needs, path, &error))
		ck_assert(!needs.is_elf && !needs.interpreter);
}
END_TEST

/* ---- ELF files ---------------------------------------------------------------------------- */

#define ENTRIES_MAX 6
#define STRINGS	    "\0libone.so\0libtwo.so\0/r\0/s"
#define ONE	    1
#define TWO	    11
#define R	    21
#define S	    24
#define BEHIND	    ((int)sizeof(STRINGS))

static struct image {
	Elf64_Ehdr header;
	Elf64_Phdr program[3];
	Elf64_Shdr section[4];
	Elf64_Dyn dynamic[ENTRIES_MAX];
	char strings[sizeof(STRINGS)];
	char interpreter[8];
} image;

static void make_image(uint16_t type)
{
	image = (struct image) {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = type,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = offsetof(struct image, program),
			    .e_shoff = offsetof(struct image, section),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = COUNT(image.program),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = COUNT(image.section) },
		.program = { { .p_type = PT_LOAD, .p_filesz = sizeof(image) },
			     { .p_type = PT_INTERP,
			       .p_offset = offsetof(struct image, interpreter),
			       .p_filesz = sizeof(image.interpreter) },
			     { .p_type = PT_INTERP,
			       .p_offset = offsetof(struct image, strings),
			       .p_filesz = sizeof(image.strings) } },
		.section = { { 0 },
			     { .sh_type = SHT_STRTAB,
			       .sh_offset = offsetof(struct image, strings),
			       .sh_size = sizeof(STRINGS) },
			     { .sh_type = SHT_PROGBITS,
			       .sh_offset = sizeof(image) + 1, /* nobody asks for it */
			       .sh_size = sizeof(image.program),
			       .sh_link = 1,
			       .sh_entsize = sizeof(Elf64_Dyn) },
			     { .sh_type = SHT_DYNAMIC,
			       .sh_offset = offsetof(struct image, dynamic),
			       .sh_size = sizeof(image.dynamic),
			       .sh_link = 1,
			       .sh_entsize = sizeof(Elf64_Dyn) } },
		.strings = STRINGS,
		.interpreter = "/ld.so.",
	};
}

#define ENTRIES(...) .entry = { __VA_ARGS__ }
#define NEEDS(...)   .needed = { __VA_ARGS__ }

static const struct dynamic_case {
	const char *name;
	struct {
		int64_t tag;
		int value;
	} entry[ENTRIES_MAX]; /* 0: DT_NULL */
	const char *needed[2], *rpath, *runpath;
	const char *message;
} dynamics[] = {
	{ "nothing", .message = NULL },
	{ "two_in_order", ENTRIES({ DT_NEEDED, TWO }, { DT_NEEDED, ONE }),
	  NEEDS("libtwo.so", "libone.so") },
	{ "the_whole_section",
	  ENTRIES({ DT_NEEDED, ONE }, { DT_DEBUG, 0 }, { DT_DEBUG, 0 }, { DT_DEBUG, 0 },
		  { DT_DEBUG, 0 }, { DT_NEEDED, TWO }),
	  NEEDS("libone.so", "libtwo.so") },
	{ "other_entries", ENTRIES({ DT_SONAME, ONE }, { DT_DEBUG, BEHIND }, { DT_NEEDED, TWO }),
	  NEEDS("libtwo.so") },
	{ "rpath", ENTRIES({ DT_RPATH, R }), .rpath = "/r" },
	{ "runpath", ENTRIES({ DT_RUNPATH, S }), .runpath = "/s" },
	{ "runpath_voids_rpath", ENTRIES({ DT_RPATH, R }, { DT_RUNPATH, S }), .runpath = "/s" },
	{ "and_behind_it", ENTRIES({ DT_RUNPATH, S }, { DT_RPATH, R }), .runpath = "/s" },
	{ "last_of_two", ENTRIES({ DT_RPATH, R }, { DT_RPATH, S }), .rpath = "/s" },
	{ "behind_the_end", ENTRIES({ DT_NEEDED, ONE }, { 0 }, { DT_NEEDED, TWO }),
	  NEEDS("libone.so") },
	{ "name_that_is_none", ENTRIES({ DT_NEEDED, ONE }, { DT_NEEDED, BEHIND }),
	  .message = "a name lies outside of the string table" },
	{ "path_that_is_none", ENTRIES({ DT_RUNPATH, BEHIND }),
	  .message = "a name lies outside of the string table" },
};

START_TEST(dynamic_entries_are_read)
{
	const struct dynamic_case *c = &dynamics[_i];
	struct elf_needs needs;
	struct error error = { 0 };
	size_t count = 0;

	make_image(_i % 2 ? ET_DYN : ET_EXEC);
	for (int i = 0; i < ENTRIES_MAX; i++)
		image.dynamic[i] = (Elf64_Dyn) { .d_tag = c->entry[i].tag,
						 .d_un.d_val = (uint64_t)c->entry[i].value };
	write_path(&image, sizeof(image));
	int status = elf_needs_init(&needs, path, &error);
	ck_assert_msg(status == (c->message ? -1 : 0), "%s: %s", c->name, error.message);
	if (c->message) {
		ck_assert_str_eq(error.message, c->message);
		ck_assert_int_eq(error.code, ERROR_ELF_BOUNDS);
		ck_assert(!needs.needed_count && !needs.needed && !needs.interpreter);
		return;
	}
	ck_assert(needs.is_elf && needs.machine == EM_X86_64 && needs.elf_class == ELFCLASS64);
	ck_assert_str_eq(text_of(needs.interpreter), "/ld.so.");
	while (count < 2 && c->needed[count])
		count++;
	ck_assert_msg(needs.needed_count == count, "%s: %zu", c->name, needs.needed_count);
	for (size_t i = 0; i < count; i++)
		ck_assert_str_eq(needs.needed[i], c->needed[i]);
	ck_assert_str_eq(text_of(needs.rpath), text_of(c->rpath));
	ck_assert_str_eq(text_of(needs.runpath), text_of(c->runpath));
	elf_needs_deinit(&needs);
}
END_TEST

/* What is not linked asks for nothing, and is an ELF file. */
START_TEST(object_files_need_nothing)
{
	static const uint16_t types[] = { ET_NONE, ET_REL, ET_CORE };
	struct elf_needs needs;
	struct error error = { 0 };

	for (int i = 0; i < COUNT(types); i++) {
		make_image(types[i]);
		image.dynamic[0] = (Elf64_Dyn) { .d_tag = DT_NEEDED, .d_un.d_val = ONE };
		image.header.e_machine = EM_AARCH64;
		write_path(&image, sizeof(image));
		ck_assert_msg(!elf_needs_init(&needs, path, &error), "%s", error.message);
		ck_assert(needs.is_elf && needs.machine == EM_AARCH64);
		ck_assert(!needs.interpreter && !needs.needed_count);
		elf_needs_deinit(&needs);
	}
}
END_TEST

#define REST (sizeof(struct image) - offsetof(struct image, interpreter))

static const struct {
	uint64_t offset, size;
	const char *interpreter; /* NULL: it lies outside */
} interpreters[] = {
	{ offsetof(struct image, interpreter), 7, "/ld.so." },
	{ offsetof(struct image, interpreter), 3, "/ld" },
	{ offsetof(struct image, interpreter), REST, "/ld.so." },
	{ offsetof(struct image, interpreter), REST + 1, NULL },
	{ sizeof(struct image), 0, "" },
	{ sizeof(struct image), 1, NULL },
	{ sizeof(struct image) + 1, 0, NULL },
	{ UINT64_MAX, 2, NULL },
	{ 8, UINT64_MAX, NULL },
};

START_TEST(interpreters_lie_in_the_file)
{
	struct elf_needs needs;
	struct error error = { 0 };

	make_image(ET_DYN);
	image.program[1].p_offset = interpreters[_i].offset;
	image.program[1].p_filesz = interpreters[_i].size;
	write_path(&image, sizeof(image));
	int status = elf_needs_init(&needs, path, &error);
	ck_assert_int_eq(status, interpreters[_i].interpreter ? 0 : -1);
	if (status) {
		ck_assert_str_eq(error.message, "the interpreter's name lies outside of the file");
		ck_assert_uint_eq(error.offset, interpreters[_i].offset);
		return;
	}
	ck_assert_str_eq(text_of(needs.interpreter), interpreters[_i].interpreter);
	elf_needs_deinit(&needs);
}
END_TEST

/* Headers that lie outside of the file: each says so, in libelf's words. */
START_TEST(cut_short)
{
	struct elf_needs needs;
	struct error error = { 0 };

	make_image(ET_DYN);
	for (size_t size = sizeof(image.header); size >= EI_NIDENT; size--) {
		error = (struct error) { 0 };
		write_path(&image, size);
		if (elf_needs_init(&needs, path, &error))
			ck_assert_msg(error.message[0] && error.code, "%zu bytes", size);
		else
			ck_assert_msg(!needs.is_elf, "%zu bytes", size);
	}
	error = (struct error) { 0 };
	image.section[3].sh_offset = sizeof(image) + 1;
	write_path(&image, sizeof(image));
	ck_assert_int_eq(elf_needs_init(&needs, path, &error), -1);
	ck_assert_int_eq(error.code, ERROR_ELF_BOUNDS);
	ck_assert_str_eq(error.section, ".dynamic");
	ck_assert(error.message[0]);
}
END_TEST

SUITE(elf_needs, FIXTURE(set_up, tear_down), LOOP(scripts_name_their_interpreter, scripts),
      LOOP(env_is_to_find_a_program, of_env), TEST(no_file), TEST(unusual_files),
      LOOP(dynamic_entries_are_read, dynamics), TEST(object_files_need_nothing),
      LOOP(interpreters_lie_in_the_file, interpreters), TEST(cut_short))
