/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_overwrite.c - a command that is to write over what it reads does nothing, and says so
 *
 * Each output of each command that has one, and each kind of input. "b" is an ELF file, "d/b" the same
 * one, "link" a link to it, "old" what a lint printed, "m" a folder of results, "t" what looks as the source tree. Afterwards all are as they were.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"
#include "corpus/plant/tests/plant_image.h"

#define READ(path)                                                                                 \
	"stackproof: " path                                                                        \
	" is a file that is read: it is not written over, and nothing was done\n"
#define TWICE(path)    "stackproof: " path " is to be written twice, and nothing was done\n"
#define ARGUMENTS_MOST 8

static const struct refused_case {
	int (*command)(int, char **);
	char *argument[ARGUMENTS_MOST];
	const char *said;
} cases[] = {
	{ command_synthesize, { "synthesize", "-o", "b", "b" }, READ("b") },
	{ command_synthesize, { "synthesize", "--elf", "b", "b" }, READ("b") },
	{ command_synthesize, { "synthesize", "--elf", "link", "b" }, READ("link") },
	{ command_synthesize, { "synthesize", "-o", "d/b", "b" }, READ("d/b") },
	{ command_synthesize, { "synthesize", "-o", "b", "d" }, READ("b") },
	{ command_lint, { "lint", "--sarif", "b", "b" }, READ("b") },
	{ command_lint, { "lint", "--page", "b", "b" }, READ("b") },
	{ command_lint, { "lint", "--page", "b", "d" }, READ("b") },
	{ command_lint, { "lint", "--junit", "b", "link" }, READ("b") },
	{ command_lint, { "lint", "--tap", "b", "b" }, READ("b") },
	{ command_lint, { "lint", "--sarif", "b", "--every=9", "d", "e" }, READ("b") },
	{ command_lint, { "lint", "--baseline=old", "--sarif", "old", "b" }, READ("old") },
	{ command_lint, { "lint", "--table=old", "--page", "old", "b" }, READ("old") },
	{ command_lint, { "lint", "--executed=old", "--page", "old", "b" }, READ("old") },
	{ command_executed, { "executed", "--junit", "old", "old", "b" }, READ("old") },
	{ command_executed, { "executed", "--tap", "b", "--table=b", "old" }, READ("b") },
	{ command_executed, { "executed", "--tap", "b", "--ignore=b", "old" }, READ("b") },
	{ command_prove, { "prove", "--junit", "b", "b" }, READ("b") },
	{ command_prove, { "prove", "--tap", "d/b", "b" }, READ("d/b") },
	{ command_diff, { "diff", "--junit", "b", "b", "e/a" }, READ("b") },
	{ command_diff, { "diff", "--tap", "e/a", "b", "e/a" }, READ("e/a") },
	{ command_plant,
	  { "plant", "--kind=cfa-offset-low", "--func=f", "-o", "b", "link" },
	  READ("b") },
	{ command_score, { "score", "--truth=old", "--junit", "old", "e/a" }, READ("old") },
	{ command_score, { "score", "--truth=old", "--tap", "e/a", "e/a" }, READ("e/a") },
	{ command_load, { "load", "--junit", "b", "b" }, READ("b") },
	{ command_replay, { "replay", "--junit", "old", "old" }, READ("old") },
	{ command_report,
	  { "report", "--html", "m/results.ndjson", "m" },
	  READ("m/results.ndjson") },
	{ command_report, { "report", "--ignore=none", "--html", "none", "m" }, READ("none") },
	{ command_truth, { "truth", "-o", "b", "./b" }, READ("b") },
	{ command_truth, { "truth", "--page", "old", "old" }, READ("old") },
	{ command_sample, { "sample", "--profile", "b", "./b" }, READ("b") },
	{ command_sample, { "sample", "--junit", "b", "./b" }, READ("b") },
	{ command_witness, { "witness", "--tap", "b", "./b" }, READ("b") },
	{ command_compare, { "compare", "--stacks", "b", "./b" }, READ("b") },
	{ command_compare, { "compare", "--case", "b", "--at=1", "./b" }, READ("b") },
	{ command_compare, { "compare", "--junit", "b", "--engine=fp", "./b" }, READ("b") },
	{ command_compare, { "compare", "--ignore=none", "--tap", "none", "./b" }, READ("none") },
	{ command_truth, { "truth", "-o", "d/b", "b" }, READ("d/b") }, /* as PATH has it */
	{ command_compare, { "compare", "--stacks", "d/b", "b" }, READ("d/b") },
	{ command_compare, { "compare", "--tap", "d/b", "--each", "sh", "b" }, READ("d/b") },
	{ command_witness, { "witness", "--tap", "d/b", "b" }, READ("d/b") },
	{ command_sample, { "sample", "--profile", "link", "b" }, READ("link") },
	{ command_vm, { "vm", "-k", "5.10", "--junit", "link", "b" }, READ("link") },
	{ command_vm, { "vm", "-k", "./old", "--tap", "old", "b" }, READ("old") },
	{ command_vm, { "vm", "-k", "5.10", "-f", "old", "--tap", "./old", "b" }, READ("./old") },
	{ command_golden, { "golden", "check", "--verdicts=old", "--junit", "old" }, READ("old") },
	{ command_golden,
	  { "golden", "check", "--corpus=m", "--tap", "m/manifest.tsv" },
	  READ("m/manifest.tsv") },
	{ command_golden,
	  { "golden", "check", "--golden=m", "--tap", "waivers" },
	  READ("waivers") },
	{ command_run,
	  { "run", "--corpus=m", "--results=m", "--ignore=m/results.ndjson" },
	  READ("m/results.ndjson") },
	{ command_corpus,
	  { "corpus", "--cc=cc", "--tree=t", "-o", "t/testprogs" },
	  READ("t/testprogs/toolchains.tsv") "corpus: nothing is made in t/testprogs\n" },
	{ command_synthesize, { "synthesize", "-o", "new", "--elf", "new", "b" }, TWICE("new") },
	{ command_synthesize,
	  { "synthesize", "-o", "new", "--elf", "d/../new", "b" },
	  TWICE("d/../new") },
	{ command_synthesize,
	  { "synthesize", "-o", "old", "--elf", "./old", "b" },
	  TWICE("./old") },
	{ command_lint, { "lint", "--sarif", "new", "--tap", "./new", "b" }, TWICE("new") },
	{ command_prove, { "prove", "--junit", "old", "--tap", "old", "b" }, TWICE("old") },
	{ command_score,
	  { "score", "--truth=old", "--junit=e/n", "--tap=./e/n", "e/a" },
	  TWICE("./e/n") },
};

static void run(const char *command)
{
	ck_assert_int_eq(system(command), 0);
}

static void make_files(void)
{
	folder_enter();
	static struct plant_file plant;

	plant_file_make(&plant);
	FILE *file = fopen("b", "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(plant.bytes, 1, plant.size, file), plant.size);
	fclose(file);
	char path[128];

	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", folder);
	setenv("PATH", path, 1);
	run("chmod +x b && mkdir d e m t t/testprogs t/scripts && ln b d/b && ln -s b link && cp b "
	    "e/a && echo text >old && : >none && : >t/Makefile && : >t/scripts/corpus-rules &&"
	    "echo gcc >t/testprogs/toolchains.tsv && : >t/testprogs/corpus.tsv && : "
	    ">m/manifest.tsv &&"
	    ": >m/waivers.tsv && ln -s m/waivers.tsv waivers &&"
	    "echo '{\"type\":\"header\",\"version\":1,\"cells\":0,\"kernels\":[]}' "
	    ">m/results.ndjson");
	run("cat b e/a old none m/*.* t/testprogs/* | cksum >before");
}

START_TEST(nothing_is_written)
{
	const struct refused_case *c = &cases[_i];
	char *arguments[ARGUMENTS_MOST + 1] = { NULL };
	int status;

	memcpy(arguments, c->argument, sizeof(c->argument));
	FREED char *said = command_output(c->command, arguments, &status);
	ck_assert_str_eq(said, c->said);
	ck_assert_int_eq(status, EXIT_USAGE);
	run("cat b e/a old none m/*.* t/testprogs/* | cksum | cmp - before");
	run("test -L link && test \"$(echo *)\" = 'b before d e link m none old t waivers'");
}
END_TEST

/* What no input is, is written as ever. */
START_TEST(others_are_written)
{
	char *arguments[] = { "lint", "--sarif", "new", "--junit", "/dev/null", "b", NULL };
	int status;

	free(command_output(command_lint, arguments, &status));
	ck_assert_int_ne(status, EXIT_USAGE);
	run("grep -q sarif new");
}
END_TEST

SUITE(overwrite, FIXTURE(make_files, folder_remove), LOOP(nothing_is_written, cases),
      TEST(others_are_written))
