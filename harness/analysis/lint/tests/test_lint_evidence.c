/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_evidence.c - what stands beside a finding in its JSON object
 *
 * Functions in assembly, as in test_lint.c. Of the first finding is said: its place, the instructions
 * around it ('>' the one), the jumps that lead there, and the source line. Addresses count from the
 * function's begin. All of it is the same in what is linked, in the object file, and in an archive.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "image/image.h"
#include "base/cli/json_counts.h"
#include "analysis/lint/lint.h"

static char folder[] = "/tmp/stackproof-lint-evidence-XXXXXX";

/* f's frame is 16 bytes, and so is that of its rows for what it calls, which is at 8. */
#define INSIDE                                                                                     \
	"	push rbx\n	.cfi_def_cfa_offset 16\n	.cfi_offset rbx, -16\n	call 1f\n"                    \
	"	.cfi_remember_state\n	pop rbx\n	.cfi_def_cfa_offset 8\n	.cfi_restore "                   \
	"rbx\n	ret\n"                                                                              \
	"	.cfi_restore_state\n1:"
/* So far its row is right. */
#define JUMPS(count)                                                                               \
	"	.cfi_remember_state\n	.cfi_def_cfa_offset 8\n	.cfi_restore rbx\n	"                       \
	".rept " #count "\n	jmp 3f\n	ret\n3:\n	.endr\n	.cfi_restore_state\n"

static const struct evidence_case {
	const char *rule, *assembly, *expected;
} cases[] = {
	{ "straight_from_the_entry", "	push rbx\n	nop\n	nop\n	pop rbx\n	ret\n",
	  "f+1 0:push rbx >1:nop 2:nop 3:pop rbx | path | f.s:7" },
	{ "at_the_functions_begin", "	.cfi_def_cfa_offset 16\n	nop\n	ret\n",
	  "f+0 >0:nop 1:ret | path | f.s:7" },
	{ "three_before_and_two_behind",
	  "	xor eax, eax\n	xor ecx, ecx\n	xor edx, edx\n	push rbx\n"
	  "	nop\n	nop\n	nop\n	pop rbx\n	ret\n",
	  "f+7 2:xor ecx, ecx 4:xor edx, edx 6:push rbx >7:nop 8:nop 9:nop | path | f.s:10" },
	{ "not_beyond_the_function",
	  "	push rbx\n	pop rbx\n	.cfi_endproc\n"
	  "h:	.cfi_startproc\n	ret\n",
	  "f+1 0:push rbx >1:pop rbx | path | f.s:7" },
	{ "a_taken_jump_is_named_and_another_is_not",
	  "	test edi, edi\n	jz 2f\n	test esi, esi\n	jz 1f\n	ret\n"
	  "1:	push rbx\n	pop rbx\n	ret\n2:	ret\n",
	  "f+a 6:jz @9 8:ret 9:push rbx >a:pop rbx b:ret c:ret | path 6:jz @9 | f.s:12" },
	{ "a_way_that_alone_is_wrong",
	  "	test edi, edi\n	jz 1f\n	push rax\n	.cfi_def_cfa_offset 16\n"
	  "	jmp 1f\n	.cfi_def_cfa_offset 8\n1:	nop\n	ret\n",
	  "f+7 2:jz @7 4:push rax 5:jmp @7 >7:nop 8:ret | from 5 | path 5:jmp @7 | f.s:12" },
	{ "of_a_long_way_the_last_jumps",
	  "	.rept 9\n	jmp 1f\n	ret\n1:\n	.endr\n	push rbx\n	pop "
	  "rbx\n	ret\n",
	  "f+1c 18:jmp @1b 1a:ret 1b:push rbx >1c:pop rbx 1d:ret | path ... 3:jmp @6 6:jmp @9 "
	  "9:jmp @c c:jmp @f f:jmp @12 12:jmp @15 15:jmp @18 18:jmp @1b | f.s:12" },
	{ "what_is_called_inside_is_reached_by_the_call", INSIDE "	nop\n	ret\n",
	  "f+8 1:call @8 6:pop rbx 7:ret >8:nop 9:ret | path 1:call @8 | f.s:16" },
	{ "its_way_begins_with_the_call",
	  INSIDE
	  "	test edi, edi\n	jz 2f\n	ret\n2:	push rcx\n	nop\n	pop rcx\n	ret\n",
	  "f+8 1:call @8 6:pop rbx 7:ret >8:test edi, edi a:jz @d c:ret | path 1:call @8 | "
	  "f.s:16" },
	{ "of_seven_jumps_the_call_is_the_first", INSIDE JUMPS(7) "	nop\n	ret\n",
	  "f+1d 19:ret 1a:jmp @1d 1c:ret >1d:nop 1e:ret | path 1:call @8 8:jmp @b b:jmp @e e:jmp "
	  "@11 11:jmp @14 14:jmp @17 17:jmp @1a 1a:jmp @1d | f.s:25" },
	{ "of_eight_it_is_no_more_shown", INSIDE JUMPS(8) "	nop\n	ret\n",
	  "f+20 1c:ret 1d:jmp @20 1f:ret >20:nop 21:ret | path ... 8:jmp @b b:jmp @e e:jmp @11 "
	  "11:jmp @14 14:jmp @17 17:jmp @1a 1a:jmp @1d 1d:jmp @20 | f.s:25" },
	{ "of_more_neither", INSIDE JUMPS(9) "	nop\n	ret\n",
	  "f+23 1f:ret 20:jmp @23 22:ret >23:nop 24:ret | path ... b:jmp @e e:jmp @11 11:jmp @14 "
	  "14:jmp @17 17:jmp @1a 1a:jmp @1d 1d:jmp @20 20:jmp @23 | f.s:25" },
	{ "what_is_no_instruction_is_shown_as_that",
	  "	jmp 1f\n	.byte 0x06\n1:	push rbx\n	pop rbx\n	ret\n",
	  "f+4 0:jmp @3 2:(bad) 3:push rbx >4:pop rbx 5:ret | path 0:jmp @3 | f.s:9" },
	{ "far_behind_the_functions_begin",
	  "	.nops 1048575, 8\n	push rbx\n	pop rbx\n	ret\n",
	  "f+100000 ffff5:nop [rax+rax*1], eax ffffd:nop fffff:push rbx >100000:pop rbx "
	  "100001:ret | path 0:jmp @fffff | f.s:8" },
	{ "farther_nothing_is_shown_before",
	  "	.nops 1048576, 8\n	push rbx\n	pop rbx\n	ret\n",
	  "f+100001 >100001:pop rbx 100002:ret | path 0:jmp @100000 | f.s:8" },
	{ "where_no_instruction_ends_there_nothing_is_shown_before",
	  "	jmp 1f\n	.byte 0x48, 0xb8\n1:	push rbx\n	pop rbx\n	ret\n	"
	  ".fill 8, 1, 0x90\n",
	  "f+5 >5:pop rbx 6:ret 7:nop | path 0:jmp @4 | f.s:9" },
};

static void make(const char *assembly)
{
	char path[300], command[700];
	FILE *file;

	snprintf(path, sizeof(path), "%s/f.s", folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"	.intel_syntax noprefix\n	.text\n	.globl f\n	.type f, "
		"@function\n"
		"f:	.cfi_startproc\n%s	.cfi_endproc\n",
		assembly);
	ck_assert_int_eq(fclose(file), 0);
	snprintf(command, sizeof(command),
		 "cd %s && gcc-12 -g -Wa,--debug-prefix-map=%s=. -shared -nostdlib "
		 "-Wl,-z,noseparate-code -o f.so f.s && "
		 "gcc-12 -g -Wa,--debug-prefix-map=%s=. -c -o f.o f.s && ar rc libf.a f.o",
		 folder, folder, folder);
	ck_assert_int_eq(system(command), 0);
}

/* An instruction's text, a jump's or a call's target counted from begin. */
static void say_line(FILE *file, const json_t *line, uint64_t begin, const char *mark)
{
	const char *text = json_text(line, "instruction");
	bool leads = text[0] == 'j' || strstr(text, "call") == text;
	const char *target = leads ? strstr(text, "0x") : NULL;
	uint64_t pc = strtoull(json_text(line, "pc"), NULL, 16);

	fprintf(file, " %s%" PRIx64 ":", mark, pc - begin);
	if (target)
		fprintf(file, "%.*s@%" PRIx64, (int)(target - text), text,
			(uint64_t)strtoull(target, NULL, 16) - begin);
	else
		fputs(text, file);
}

static void say_finding(FILE *file, const json_t *finding)
{
	uint64_t begin = strtoull(json_text(finding, "pc"), NULL, 16) -
			 json_number(finding, "offset");
	size_t i;
	json_t *line;

	fprintf(file, "%s+%" PRIx64, json_text(finding, "function"),
		json_number(finding, "offset"));
	json_array_foreach(json_object_get(finding, "disassembly"), i, line)
		say_line(file, line, begin,
			 strcmp(json_text(line, "pc"), json_text(finding, "pc")) ? "" : ">");
	if (json_object_get(finding, "from"))
		fprintf(file, " | from %" PRIx64,
			(uint64_t)strtoull(json_text(finding, "from"), NULL, 16) - begin);
	fputs(json_object_get(finding, "path") ? " | path" : " |", file);
	fputs(json_object_get(finding, "path_cut") ? " ..." : "", file);
	json_array_foreach(json_object_get(finding, "path"), i, line)
		say_line(file, line, begin, "");
	const char *source = strrchr(json_text(finding, "source_file"), '/');
	fprintf(file, " | %s:%" PRIu64, source ? source + 1 : "",
		json_number(finding, "source_line"));
}

/* The first finding of a file, or of the first image in it. */
static json_t *read_first(const char *name)
{
	const struct lint_options options = { .only = UINT32_MAX };
	char path[300], *lines = NULL;
	struct image_list list = { .count = 0 };
	struct error error;
	size_t size;
	FILE *file;
	json_t *finding;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_int_eq(image_list_add(&list, path, &error), 0);
	ck_assert_uint_eq(list.count, 1);
	file = open_memstream(&lines, &size);
	lint_file(&options, &list.image[0], file);
	fclose(file);
	image_list_deinit(&list);
	finding = json_loads(lines, JSON_DISABLE_EOF_CHECK, NULL);
	ck_assert_msg(finding && !strcmp(json_text(finding, "type"), "lint_finding"), "%s", lines);
	free(lines);
	return finding;
}

/* What is said of it; to be freed. */
static char *first_finding(const char *name)
{
	json_t *finding = read_first(name);
	char *said = NULL;
	size_t size;
	FILE *file = open_memstream(&said, &size);

	say_finding(file, finding);
	fclose(file);
	json_decref(finding);
	return said;
}

START_TEST(evidence_is_said)
{
	static const char *const files[] = { "f.so", "f.o", "libf.a" };
	const struct evidence_case *test = &cases[_i];

	make(test->assembly);
	for (int i = 0; i < COUNT(files); i++) {
		char *said = first_finding(files[i]);

		ck_assert_msg(!strcmp(said, test->expected), "%s: %s:\n%s", test->rule, files[i],
			      said);
		free(said);
	}
}
END_TEST

/* Who wrote it is taken from debug info, whose text is replaced by another of the same length. */
static const struct {
	const char *rule, *replace;
	bool mends;
} assembler_cases[] = {
	{ "GNU's has the directives", "", true },
	{ "NASM has none", "sed -i 's/GNU AS 2/NASM 2.1/' f.so f.o && ", false },
	{ "Go's has none", "sed -i 's/GNU AS 2/Go cmd\\/x/' f.so f.o && ", false },
};

START_TEST(a_directive_is_said_where_the_assembler_has_it)
{
	static const char *const files[] = { "f.so", "f.o" };
	char command[256];

	make("	push rbx\n	nop\n	pop rbx\n	ret\n");
	snprintf(command, sizeof(command), "cd %s && %s:", folder, assembler_cases[_i].replace);
	ck_assert_int_eq(system(command), 0);
	for (int i = 0; i < COUNT(files); i++) {
		json_t *finding = read_first(files[i]);

		ck_assert_msg(!!json_object_get(finding, "mend") == assembler_cases[_i].mends,
			      "%s: %s", assembler_cases[_i].rule, files[i]);
		ck_assert_ptr_null(json_object_get(finding, "made_by"));
		json_decref(finding);
	}
}
END_TEST

/* A stub that no FDE covers is the linker's. */
START_TEST(a_stub_is_the_linkers)
{
	char command[400];
	json_t *finding;

	snprintf(command, sizeof(command),
		 "cd %s && printf '.globl f\\nf: .cfi_startproc\\ncall "
		 "g@plt\\nret\\n.cfi_endproc\\n' >s.s && "
		 "gcc-12 -shared -nostdlib -Wl,--no-ld-generated-unwind-info -o f.so s.s",
		 folder);
	ck_assert_int_eq(system(command), 0);
	finding = read_first("f.so");
	ck_assert_str_eq(json_text(finding, "id"), "SP006");
	ck_assert_str_eq(json_text(finding, "made_by"), "linker");
	ck_assert_ptr_null(json_object_get(finding, "mend"));
	json_decref(finding);
}
END_TEST

SUITE_MAIN(lint_evidence)
{
	Suite *suite = suite_create("lint_evidence");
	TCase *beside = tcase_create("beside");
	char command[64];
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	tcase_set_timeout(beside, 60);
	tcase_add_loop_test(beside, evidence_is_said, 0, COUNT(cases));
	tcase_add_loop_test(beside, a_directive_is_said_where_the_assembler_has_it, 0,
			    COUNT(assembler_cases));
	tcase_add_test(beside, a_stub_is_the_linkers);
	suite_add_tcase(suite, beside);
	failed = suite_run(suite);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
