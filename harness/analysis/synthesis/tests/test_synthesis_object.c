/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_object.c - rows for code of object files that were not linked, and of archives' members
 *
 * A case is a file of assembly. It is assembled and not linked, and its directives are compared letter by letter.
 * What programs read of it is compared whole, but for the seconds.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/child/child.h"
#include "base/cli/json_counts.h"
#include "base/images/image_list.h"
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/synthesis/synthesis.h"

#define SECTION(name)  ".section " name ",\"ax\",@progbits; "
#define FUNCTION(name) ".type " name ", @function; " name ": "
#define END(name)      ".size " name ", .-" name "; "
#define BEGIN	       "startproc; "
#define PUSH_RAX       "# +0x0 push rax; cfa 16; "
#define LAST(at)       "# +" at "; endproc; "
#define TWO                                                                                        \
	FUNCTION("f")                                                                              \
	"push rbx; call away@plt; pop rbx; ret; " END("f") SECTION(".text.g")                      \
		FUNCTION("g") "sub rsp, offset size; call f; ret; " END("g")

static const struct object_case {
	const char *rule, *assembly, *expected;
} object_cases[] = {
	{ "each place is a section's",
	  SECTION(".text.f") FUNCTION("f") "ret; " END("f")
		  SECTION(".text.g") "nop; " FUNCTION("g") "push rax; pop rax; ret; " END("g"),
	  "f: # .text.f+0x0, 1 bytes, 1 of 1 instructions; " BEGIN LAST(
		  "0x1") "g: # .text.g+0x1, 3 bytes, 3 of 3 instructions; " BEGIN PUSH_RAX
			 "# +0x1 pop rax; cfa 8; " LAST("0x3") },
	{ "an instruction has its relocation's name",
	  FUNCTION("f") "push rax; nop; push qword ptr [rip+away@GOTPCREL]; pop rax; pop rax; "
			"ret; " END("f"),
	  "f: # .text+0x0, 11 bytes, 6 of 6 instructions; " BEGIN PUSH_RAX
	  "# +0x2 push [0x8] (away); cfa 24; # +0x8 pop rax; cfa 16; # +0x9 pop rax; cfa 8; " LAST(
		  "0xb") },
	{ "behind a number that is not known there is no row",
	  FUNCTION("f") "sub rsp, offset size; nop; add rsp, offset size; ret; " END("f"),
	  "f: # .text+0x0, 16 bytes, 1 of 4 instructions; # no row for 3 (no register leads to the "
	  "CFA); " BEGIN LAST("0x7") },
	{ "what another section calls has no symbol's type",
	  SECTION(".text.f") FUNCTION("f") "call g; ret; " END("f")
		  SECTION(".text.g") "nop; g: push rax; pop rax; ret",
	  "f: # .text.f+0x0, 6 bytes, 2 of 2 instructions; " BEGIN LAST(
		  "0x6") "g: # .text.g+0x1, 3 bytes, 3 of 3 instructions; " BEGIN PUSH_RAX
			 "# +0x1 pop rax; cfa 8; " LAST("0x3") },
	{ "what other files may call has none, and returns", ".globl g; g: push rax; pop rax; ret",
	  "g: # .text+0x0, 3 bytes, 3 of 3 instructions; " BEGIN PUSH_RAX
	  "# +0x1 pop rax; cfa 8; " LAST("0x3") },
	{ "a label that other files know, and that returns elsewhere", ".globl g; g: pop rax; ret",
	  "g: # .text+0x0, 2 bytes, 0 of 2 instructions; # no row for 2 (a way of the function "
	  "returns with another frame)" },
	{ "a function ends with its section",
	  SECTION(".text.f") "call g; " SECTION(".text.g") "g: ret; " SECTION(
		  ".text.h") "push rax; pop rax; ret; " SECTION(".text.k")
		  FUNCTION("k") "call g; ret; " END("k"),
	  "g: # .text.g+0x0, 1 bytes, 1 of 1 instructions; " BEGIN LAST(
		  "0x1") "k: # .text.k+0x0, 6 bytes, 2 of 2 instructions; " BEGIN LAST("0x6") },
	{ "where linkers let a process begin nobody called",
	  ".globl _start; _start: push rax; call away; hlt",
	  "_start: # .text+0x0, 7 bytes, 2 of 2 instructions; " BEGIN
	  "undefined rip; " LAST("0x6") },
	{ "behind a weak function, which another file may have",
	  SECTION(".text.f") "f: push rax; call w; .p2align 4; 1: pause; jmp 1b; " SECTION(
		  ".text.k")
		  FUNCTION("k") "call f; ret; " END("k") ".weak w; " FUNCTION("w") "ret; " END("w"),
	  "f: # .text.f+0x0, 20 bytes, 3 of 5 instructions; # no row for 2 (behind a call that may "
	  "never come back); " BEGIN PUSH_RAX LAST(
		  "0x10") "k: # .text.k+0x0, 6 bytes, 1 of 2 instructions; # no row for 1 (no way "
			  "leads there); " BEGIN LAST("0x5") "w: # .text.k+0x6, 1 bytes, 1 of 1 "
							     "instructions; " BEGIN LAST("0x1") },
	{ "code that has CFI", FUNCTION("f") BEGIN "ret; endproc; " END("f"), "" },
	{ "an FDE whose place another file knows",
	  FUNCTION("f") "ret; " END(
		  "f") ".section .eh_frame,\"a\",@unwind; 1: .long 3f-2f; 2: .long 0; .byte 1; "
		       ".asciz \"zR\"; .byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1; .p2align "
		       "3; 3: .long 5f-4f; 4: .long .-1b, away-., 1; .byte 0; .p2align 3; 5: ",
	  NULL },
};

static char directory[] = "/tmp/test_synthesis.XXXXXX";

static void run(const char *const *argv)
{
	struct child_command child = { .argv = argv, .directory = directory };
	struct error error;
	pid_t pid = child_start(&child, NULL, &error);

	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(child_end(pid, false), 0);
}

/* As f.o in the folder, and in lib.a beside it. */
static void assemble_object(const char *assembly)
{
	static const char *const compile[] = { "gcc-12", "-c", "-masm=intel", "f.s", NULL };
	static const char *const archive[] = { "ar", "rc", "lib.a", "f.o", NULL };
	char path[64], *text = spelled(assembly);
	FILE *file;

	snprintf(path, sizeof(path), "%s/f.s", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, ".intel_syntax noprefix\n.text\n%s", text);
	free(text);
	ck_assert_int_eq(fclose(file), 0);
	run(compile);
	run(archive);
}

static void make_folder(void)
{
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void remove_folder(void)
{
	const char *const remove[] = { "rm", "-r", directory, NULL };

	run(remove);
}

/* Its objects, an array; without what differs from run to run. */
static json_t *said(const struct synthesis_options *options, const char *name)
{
	struct image_list list = { NULL };
	json_t *objects = json_array(), *object;
	char path[64], *text = NULL;
	struct error error;
	size_t size, at = 0;
	FILE *file = open_memstream(&text, &size);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(image_list_add(&list, path, &error), 0);
	ck_assert_uint_eq(list.count, 1);
	synthesis_file(options, &list.image[0], file);
	fclose(file);
	image_list_deinit(&list);
	while ((object = json_loadb(text + at, size - at, JSON_DISABLE_EOF_CHECK, NULL))) {
		ck_assert_int_eq(strncmp(json_text(object, "image"), path, strlen(path)), 0);
		json_object_del(object, "image");
		json_object_del(object, "seconds");
		json_array_append_new(objects, object);
		at = (size_t)(strchr(text + at, '\n') + 1 - text);
	}
	free(text);
	return objects;
}

START_TEST(an_object_file_gets_directives)
{
	const struct object_case *test = &object_cases[_i];
	const struct synthesis_options options = { .directives = true };
	json_t *objects, *last;

	assemble_object(test->assembly);
	objects = said(&options, "f.o");
	last = json_array_get(objects, json_array_size(objects) - 1);
	if (test->expected)
		ck_assert_msg(
			is_spelled(json_text(json_array_get(objects, 0), "text"), test->expected),
			"%s:\n%s", test->rule, json_text(json_array_get(objects, 0), "text"));
	else
		ck_assert_str_eq(json_text(last, "code"), error_code_name(ERROR_RELOCATION));
	json_decref(objects);
}
END_TEST

/* What is said of TWO, whatever it is in. */
static void expect_two(const char *name, const char *member)
{
	const struct synthesis_options options = { .directives = false };
	json_t *objects = said(&options, name), *object = json_array_get(objects, 0);
	char *text;

	ck_assert_uint_eq(json_array_size(objects), 1);
	ck_assert_str_eq(json_text(object, "member"), member);
	json_object_del(object, "member");
	text = json_dumps(object, JSON_COMPACT);
	ck_assert_str_eq(text,
			 "{\"type\":\"synthesis\",\"status\":\"synthesized\",\"functions\":2,"
			 "\"proven\":1,\"partial\":1,\"none\":0,\"instructions\":7,\"instructions_"
			 "written\":5,\"rows\":4,\"unwritten\":{\"cfa_unknown\":2},\"sections\":[{"
			 "\"section\":\".text\",\"functions\":1,\"instructions\":4,\"instructions_"
			 "written\":4,\"rows\":3},{\"section\":\".text.g\",\"functions\":1,"
			 "\"instructions\":3,\"instructions_written\":1,\"rows\":1}]}");
	free(text);
	json_decref(objects);
}

START_TEST(programs_read_sections_and_the_member)
{
	assemble_object(TWO);
	expect_two("f.o", "");
	expect_two("lib.a", "f.o");
	expect_two("lib.a(f.o)", "f.o");
}
END_TEST

START_TEST(a_section_is_for_linked_files)
{
	char section[64], copy[64];
	const struct synthesis_options options[] = { { .output = section }, { .elf = copy } };

	snprintf(section, sizeof(section), "%s/section", directory);
	snprintf(copy, sizeof(copy), "%s/copy", directory);
	assemble_object(TWO);
	for (int i = 0; i < 2; i++) {
		json_t *objects = said(&options[i], "f.o"), *object = json_array_get(objects, 0);

		ck_assert_uint_eq(json_array_size(objects), 1);
		ck_assert_str_eq(json_text(object, "status"), "not_linked");
		ck_assert_ptr_nonnull(strstr(json_text(object, "message"), "--directives"));
		json_decref(objects);
	}
	ck_assert_int_ne(access(section, F_OK), 0);
	ck_assert_int_ne(access(copy, F_OK), 0);
}
END_TEST

SUITE(synthesis_object, FIXTURE(make_folder, remove_folder),
      LOOP(an_object_file_gets_directives, object_cases),
      TEST(programs_read_sections_and_the_member), TEST(a_section_is_for_linked_files))
