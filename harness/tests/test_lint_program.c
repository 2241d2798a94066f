/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_program.c - what an image's symbols say of a function: who may call it, where another one
 * begins, and whose convention it has
 *
 * Each case is linked into a program, in which hidden symbols are still global ones (a shared object has them as
 * local ones), and tables may be in .debug_frame alone, as Go's are. Expected are the findings, as
 * "SPnnn function+begin", and then what the FDEs came to.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "code_name.h"
#include "lint/lint.h"

/* Nobody calls it, and its first row is not that of a function that was called. */
#define RESOLVER(symbol)                                                                           \
	symbol "	.type resolve, @function\nresolve:	.cfi_startproc\n"                              \
	       "	.cfi_def_cfa_offset 24\n	xor eax, eax\n	jmp rax\n	"                               \
	       ".cfi_endproc\n"
/* A function of Go: an argument that came in rbx is kept, overwritten and brought back. */
#define SPILLS                                                                                     \
	"	.cfi_sections .debug_frame\n	.globl f\n	.type f, @function\nf:	"                         \
	".cfi_startproc\n"                                                                         \
	"	mov [rsp+16], rbx\n	mov rbx, rdi\n	mov rbx, [rsp+16]\n	ret\n	"                           \
	".cfi_endproc\n"

/* What Go's linker writes of a function: its rows count in words of 4 bytes. */
#define GO_ROWS(code)                                                                              \
	"	.globl f\n	.type f, @function\nf:\n" code                                     \
	"9:	.section .debug_frame\n1:	.long 3f-2f\n2:	.long -1\n	.byte 3, 0, 1, "                  \
	"0x7c\n"                                                                                   \
	"	.byte 16, 0x0c, 7, 8, 0x90, 2\n	.p2align 3\n3:	.long 5f-4f\n4:	.long 1b\n"               \
	"	.quad f, 9b-f\n	.p2align 3\n5:\n"
#define GO(code) "	.type \"runtime.text\", @function\n\"runtime.text\":\n" GO_ROWS(code)

/* Behind a function that an FDE begins with another one, of which it says rows. */
#define COVERED(symbol, rows)                                                                      \
	"	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	ret\n" rows symbol \
	"g:	sub rsp, 8\n	.cfi_def_cfa_offset 16\n	add rsp, 8\n"                                    \
	"	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
#define COVERED_WRONGLY                                                                            \
	"	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	ret\n	.type g, "                      \
	"@function\n"                                                                              \
	"g:	sub rsp, 8\n	add rsp, 8\n	ret\n	.cfi_endproc\n"

/* Push rcx, pop rcx are in the middle of what is at 1. */
#define TABLE(entry)                                                                               \
	"	.globl f\n	.type f, @function\nf:	.cfi_startproc\n	and edi, 1\n"                         \
	"	jmp 9f[rdi*8]\n1:	.byte 0xb8, 0x51, 0x59, 0xc3, 0x90\n	ret\n	"                           \
	".cfi_endproc\n"                                                                           \
	"	.globl g\n	.type g, @function\ng:	.cfi_startproc\n	ret\n	"                               \
	".cfi_endproc\n"                                                                           \
	"	.section .rodata\n9:	.quad 1b, " entry "\n	.text\n"

static const struct lint_program {
	const char *rule, *assembly, *expected;
} programs[] = {
	{ "a global function may be called by others", RESOLVER("	.globl resolve\n"),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven" },
	{ "a weak one, too", RESOLVER("	.weak resolve\n"),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven" },
	{ "a protected one, too", RESOLVER("	.globl resolve\n	.protected resolve\n"),
	  "SP005 resolve+0\nSP001 resolve+2\n1 wrong, 0 proven" },
	{ "a hidden one may not", RESOLVER("	.globl resolve\n	.hidden resolve\n"),
	  "0 wrong, 0 proven, 1 no_entry" },
	{ "an internal one may not", RESOLVER("	.globl resolve\n	.internal resolve\n"),
	  "0 wrong, 0 proven, 1 no_entry" },
	{ "a local one may not", RESOLVER(""), "0 wrong, 0 proven, 1 no_entry" },
	{ "an FDE may cover another function, too", COVERED("	.type g, @function\n", ""),
	  "0 wrong, 1 proven" },
	{ "what it says of that one is held against its code", COVERED_WRONGLY,
	  "SP001 g+4\n1 wrong, 0 proven" },
	{ "without a symbol nobody knows that it is one", COVERED("", ""),
	  "0 wrong, 0 proven, 1 not_reached" },
	{ "nor if it is a label's", COVERED("	.globl g\n", ""),
	  "0 wrong, 0 proven, 1 not_reached" },
	{ "nor if its row is not that of a function that was called",
	  COVERED("	.type g, @function\n", "	.cfi_def_cfa_offset 24\n"),
	  "0 wrong, 0 proven, 1 not_reached" },
	{ "a table of addresses leads to instructions", TABLE("1b"), "0 wrong, 2 proven" },
	{ "or into the middle of one", TABLE("1b+1"), "0 wrong, 1 proven, 1 jump_unknown" },
	{ "what has no rule is unchanged", SPILLS, "SP004 f+8\n1 wrong, 0 proven" },
	{ "in Go nothing is claimed of it", GO("	mov rbx, rdi\n	xor eax, eax\n	ret\n"),
	  "0 wrong, 1 proven" },
	{ "where the caller is, is", GO("	push rbx\n	pop rcx\n	ret\n"),
	  "SP001 f+1\n1 wrong, 0 proven" },
	{ "the same rows of another program's claim something",
	  GO_ROWS("	mov rbx, rdi\n	xor eax, eax\n	ret\n"), "0 wrong, 0 proven, 1 not_kept" },
	{ "beside Go's, what C's rows do not say is nobody's",
	  "	.type \"runtime.text\", @function\n\"runtime.text\":\n" SPILLS,
	  "0 wrong, 0 proven, 1 not_kept" },
};

struct said {
	FILE *file;
	const struct cfi *cfi;
};

static void say(void *context, const struct lint_finding *finding)
{
	struct said *said = context;
	struct code_name name;

	code_name_find(said->cfi->image, said->cfi, finding->pc, &name);
	fprintf(said->file, "%s %s+%" PRIu64 "\n", lint_id_name(finding->id),
		name.name ? name.name : "", finding->pc - name.start);
}

static void say_counts(FILE *file, const struct lint_counts *counts)
{
	fprintf(file, "%" PRIu64 " wrong, %" PRIu64 " proven", counts->mismatch, counts->proven);
	for (int i = 0; i < FLOW_REASON_COUNT; i++)
		if (counts->unproven[i])
			fprintf(file, ", %" PRIu64 " %s", counts->unproven[i],
				lint_reason_name((enum flow_reason)i));
}

static void link_program(const char *path, const char *assembly)
{
	char command[200];
	FILE *file;

	snprintf(command, sizeof(command),
		 "gcc-12 -static -nostdlib -Wl,-e0 -masm=intel -x assembler -o %s -", path);
	file = popen(command, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "	.intel_syntax noprefix\n	.text\n%s", assembly);
	ck_assert_int_eq(pclose(file), 0);
}

START_TEST(a_program_is_judged)
{
	const struct lint_program *test = &programs[_i];
	char path[] = "/tmp/test_lint_program.XXXXXX", *text = NULL;
	struct said said = { NULL };
	const struct lint_watch watch = { .finding = say, .context = &said };
	struct lint_counts counts;
	struct image *image;
	struct cfi *cfi;
	struct error error;
	size_t size;
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	close(file);
	link_program(path, test->assembly);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_int_eq(cfi_create(image, &cfi, &error), 0);
	said = (struct said) { open_memstream(&text, &size), cfi };
	ck_assert_int_eq(lint_image(cfi, &watch, &counts, &error), 0);
	say_counts(said.file, &counts);
	fclose(said.file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	cfi_destroy(cfi);
	image_destroy(image);
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lint_program");
	TCase *cases = tcase_create("programs");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, a_program_is_judged, 0,
			    (int)(sizeof(programs) / sizeof(programs[0])));
	suite_add_tcase(suite, cases);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
