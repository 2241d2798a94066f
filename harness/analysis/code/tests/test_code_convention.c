/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_convention.c - registers that an image's functions do not keep are found in its code
 *
 * Images are assembled of functions that overwrite rbx, and of some that save it first. What is found decides
 * what `lint` and `compare --registers` hold a row without a rule for.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "analysis/code/code.h"
#include "cfi/cfi.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"

#define RBX (1u << REGISTER_RBX)
#define R15 (1u << REGISTER_R15)

/* rbx is 1 for a while, and what the caller had there when it returns: by chance, for all that is known. */
#define OVERWRITES "mov $1, %ebx; nop; mov %rdi, %rbx; ret"
/* The same of r15. */
#define OTHERS "mov $1, %r15d; nop; mov %rdi, %r15; ret"
#define SAVES                                                                                      \
	"push %rbx; .cfi_def_cfa_offset 16; .cfi_offset 3, -16; mov $1, %ebx; pop %rbx; "          \
	".cfi_def_cfa_offset 8; .cfi_restore 3; ret"

static const struct {
	const char *name;
	int overwrite; /* functions */
	int save;
	const char *code; /* of those that overwrite */
	uint32_t unkept, certain;
	int others; /* functions that overwrite r15 */
} cases[] = {
	{ "eight_functions_are_a_convention", 8, 0, OVERWRITES, RBX, 0, 0 },
	{ "seven_are_too_few", 7, 0, OVERWRITES, 0, 0, 0 },
	{ "of_sixty_four_it_is_certain", 64, 0, OVERWRITES, RBX, RBX, 0 },
	{ "not_of_one_less", 63, 0, OVERWRITES, RBX, 0, 0 },
	{ "each_register_has_its_own_certainty", 64, 0, OVERWRITES, RBX | R15, RBX, 8 },
	{ "whichever_it_is", 8, 0, OVERWRITES, RBX | R15, R15, 64 },
	{ "a_quarter_of_those_that_use_it", 8, 24, OVERWRITES, RBX, 0, 0 },
	{ "less_than_a_quarter", 8, 25, OVERWRITES, 0, 0, 0 },
	{ "who_saves_it_keeps_it", 0, 20, OVERWRITES, 0, 0, 0 },
	{ "who_never_returns_needs_nothing", 20, 0, "mov $1, %ebx; ud2", 0, 0, 0 },
	{ "stored_before", 20, 0, "mov %rbx, -8(%rsp); mov $1, %ebx; mov -8(%rsp), %rbx; ret", 0, 0,
	  0 },
	{ "kept_in_another_register", 20, 0, "mov %rbx, %rcx; mov $1, %ebx; mov %rcx, %rbx; ret", 0,
	  0, 0 },
	{ "exchanged", 20, 0, "xchg %rbx, %rcx; mov $1, %ebx; xchg %rbx, %rcx; ret", 0, 0, 0 },
	{ "read_only", 20, 0, "lea 1(%rbx), %rax; ret", 0, 0, 0 },
	{ "another_register", 20, 20, "xor %r13d, %r13d; mov %rdi, %r13; ret", 1u << REGISTER_R13,
	  0, 0 },
	{ "rbp_is_a_frames", 20, 0, "mov $1, %ebp; mov %rdi, %rbp; ret", 0, 0, 0 },
};

static char folder[] = "/tmp/stackproof-convention-XXXXXX";

static void put_functions(FILE *file, const char *name, int count, const char *code)
{
	for (int i = 0; i < count; i++)
		fprintf(file,
			".globl %s%d\n.type %s%d, @function\n%s%d:\n.cfi_startproc\n%s\n"
			".cfi_endproc\n.size %s%d, . - %s%d\n",
			name, i, name, i, name, i, code, name, i, name, i);
}

/* main calls all that overwrite, with what it has in rbx itself. */
static void put_main(FILE *file, int count)
{
	fputs(".globl main\n.type main, @function\nmain:\n.cfi_startproc\npush %rbx\n"
	      ".cfi_def_cfa_offset 16\n.cfi_offset 3, -16\nmov $7, %ebx\n",
	      file);
	for (int i = 0; i < count; i++)
		fprintf(file, "mov %%rbx, %%rdi\ncall overwrite%d\n", i);
	fputs("xor %eax, %eax\npop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
	      ".size main, . - main\n",
	      file);
}

static const char *more = ""; /* functions beside them */
static int others;	      /* so many of OTHERS */

/* False: there is no compiler. */
static bool build(int overwrite, int save, const char *code, bool program)
{
	char path[PATH_MAX], command[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/a.s", folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(".text\n", file);
	put_functions(file, "overwrite", overwrite, code);
	put_functions(file, "save", save, SAVES);
	put_functions(file, "other", others, OTHERS);
	fputs(more, file);
	if (program)
		put_main(file, overwrite);
	fputs(".section .note.GNU-stack,\"\",@progbits\n", file);
	fclose(file);
	snprintf(command, sizeof(command), "cd %s && gcc-12 %s a.s -o image", folder,
		 program ? "" : "-shared -nostdlib");
	return system(command) == 0;
}

START_TEST(what_is_not_kept_is_found)
{
	struct code_decoder *decoder = code_decoder_create();
	struct image *image;
	struct error error;
	char path[PATH_MAX];
	struct cfi *cfi;
	uint32_t unkept, certain;

	others = cases[_i].others;
	if (!build(cases[_i].overwrite, cases[_i].save, cases[_i].code, false)) {
		printf("SKIP: no gcc-12\n");
		return;
	}
	snprintf(path, sizeof(path), "%s/image", folder);
	ck_assert_msg(!image_create(path, &image, &error), "%s", error.message);
	ck_assert_msg(!cfi_create(image, &cfi, &error), "%s", error.message);
	unkept = code_convention_unkept(cfi, decoder, &certain);
	ck_assert_msg(unkept == cases[_i].unkept && certain == cases[_i].certain, "%s: 0x%x, 0x%x",
		      cases[_i].name, unkept, certain);
	cfi_destroy(cfi);
	image_destroy(image);
	code_decoder_destroy(decoder);
}
END_TEST

#define ACCUSED "\"verdict\":\"table_fault\",\"kind\":\"register\""

/* overwritten: so many functions. The words that compare's output must have, and must not. */
static const struct {
	const char *name;
	int overwritten;
	const char *has, *has_not;
} compared[] = {
	{ "nobody_is_accused_by_another_convention", 10, "\"convention\":", ACCUSED },
	{ "one_of_the_psabi_is", 2, ACCUSED, "\"convention\":" },
};

START_TEST(a_register_that_is_not_kept_accuses_nobody)
{
	char program[PATH_MAX];
	char *arguments[] = { "compare",  "--json", "--registers", "--from", "main",
			      "--engine", "cfi",    program,	   NULL };
	int status;
	char *output;

	if (!build(compared[_i].overwritten, 0, OVERWRITES, true)) {
		printf("SKIP: no gcc-12\n");
		return;
	}
	snprintf(program, sizeof(program), "%s/image", folder);
	output = command_output(command_compare, arguments, &status);
	if (status == EXIT_SKIPPED)
		printf("SKIP: %s\n", output);
	else
		ck_assert_msg(strstr(output, compared[_i].has) &&
				      !(strstr(output, compared[_i].has_not)),
			      "%s: %.3000s", compared[_i].name, output);
	free(output);
}
END_TEST

/* A rule is missing for what is pushed. */
#define FORGETS(reg)                                                                               \
	".globl forgets\n.type forgets, @function\nforgets:\n.cfi_startproc\npush %" reg           \
	"\n.cfi_adjust_cfa_offset 8\nmov %rdi, %" reg "\nmov %" reg ", %rax\npop %" reg            \
	"\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size forgets, . - forgets\n"

/* lint of functions that overwrite rbx, and one that forgets a rule. */
static const struct {
	const char *name;
	int overwrite, others;
	const char *forgets, *has, *has_not;
} linted[] = {
	{ "a_mistake_of_some_proves_nothing", 63, 0, "", "0 of 63 FDEs proven", "SP0" },
	{ "and_accuses_nobody", 63, 0, FORGETS("rbx"), "0 of 64 FDEs proven", "SP0" },
	{ "a_convention_claims_nothing", 64, 0, "", "64 of 64 FDEs proven", "SP0" },
	{ "others_are_held_against_their_rows", 8, 0, FORGETS("r15"), "SP004", "1 of 9" },
	{ "rbp_is_held_against_its_rows", 8, 0, FORGETS("rbp"), "SP004", "1 of 9" },
	{ "others_than_the_convention_s", 64, 0, FORGETS("r15"), "SP004", "65 of 65" },
	{ "rbp_beside_a_convention", 64, 0, FORGETS("rbp"), "SP004", "65 of 65" },
	{ "of_a_register_that_is_not_certain_nothing_is_proven", 64, 8, "", "64 of 72 FDEs proven",
	  "SP0" },
	{ "whichever_is_certain", 8, 64, "", "64 of 72 FDEs proven", "SP0" },
	{ "nor_is_anybody_accused_of_it", 64, 8, FORGETS("r15"), "64 of 73 FDEs proven", "SP0" },
	{ "nor_of_what_is_certain", 64, 8, FORGETS("rbx"), "65 of 73 FDEs proven", "SP0" },
	{ "both_are_certain", 64, 64, "", "128 of 128 FDEs proven", "SP0" },
	{ "others_than_both_are_held_against_their_rows", 64, 8, FORGETS("r14"), "SP004",
	  "65 of 73" },
};

START_TEST(lint_proves_what_is_certain)
{
	char program[PATH_MAX];
	char *arguments[] = { "lint", program, NULL };
	int status;
	char *output;

	more = linted[_i].forgets;
	others = linted[_i].others;
	if (!build(linted[_i].overwrite, 0, OVERWRITES, false)) {
		printf("SKIP: no gcc-12\n");
		return;
	}
	snprintf(program, sizeof(program), "%s/image", folder);
	output = command_output(command_lint, arguments, &status);
	ck_assert_msg(strstr(output, linted[_i].has) && !strstr(output, linted[_i].has_not),
		      "%s: %s", linted[_i].name, output);
	free(output);
}
END_TEST

SUITE_MAIN(code_convention)
{
	if (!mkdtemp(folder)) {
		perror(folder);
		return EXIT_FAILURE;
	}
	Suite *suite = suite_create("code_convention");
	TCase *tcase = tcase_create("code_convention");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, what_is_not_kept_is_found, 0, COUNT(cases));
	tcase_add_loop_test(tcase, a_register_that_is_not_kept_accuses_nobody, 0, COUNT(compared));
	tcase_add_loop_test(tcase, lint_proves_what_is_certain, 0, COUNT(linted));
	suite_add_tcase(suite, tcase);
	int failed = suite_run(suite);
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (system(command))
		perror(folder);
	return failed;
}
