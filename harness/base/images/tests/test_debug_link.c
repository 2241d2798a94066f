/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_debug_link.c - .debug_frame in a separate file is read as if it were in the image
 *
 * A program is compiled without .eh_frame for its own functions, split with objcopy as
 * distributions do it, and its tables are held against those of the whole file: by debuglink, by
 * build-id, and not at all if the debug file is of another build. `diff` finds it, too, and
 * `compare` steps the program: what has CFI there has it for the engines and the verdict. Compiler
 * and objcopy are those that build this project; where they are missing, nothing is compared and
 * that is said.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "base/images/debug_link.h"
#include "base/cli/exit_status.h"
#include "table/saved_table.h"

static char folder[] = "/tmp/stackproof-debug-link-XXXXXX";

static bool run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool run(const char *format, ...)
{
	char command[4096];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	return !system(command);
}

/* whole, whole.debug (also by build-id), linked (debuglink), plain (nothing but its build-id), bare
 * (linked without any .eh_frame), split (whole without it), zlib and gnu (whole, compressed) */
static bool make_files(void)
{
	static const char source[] = "__attribute__((noinline)) int f(int x) { volatile char "
				     "b[100]; b[x] = 1; return b[0]; }"
				     "int main(void) { return f(3); }";
	return run("cd %s && echo '%s' > a.c && gcc-12 -g -O1 -fno-asynchronous-unwind-tables "
		   "-Wl,--build-id=0x1234567890abcdef a.c -o whole 2>/dev/null",
		   folder, source) &&
	       run("cd %s && objcopy --only-keep-debug whole whole.debug && "
		   "objcopy --strip-debug --add-gnu-debuglink=whole.debug whole linked && "
		   "objcopy --strip-all whole plain && mkdir -p .build-id/12 && "
		   "cp whole.debug .build-id/12/34567890abcdef.debug && "
		   "objcopy -R .eh_frame -R .eh_frame_hdr linked bare && "
		   "objcopy -R .eh_frame -R .eh_frame_hdr whole split && "
		   "objcopy --compress-debug-sections=zlib whole zlib && "
		   "objcopy --compress-debug-sections=zlib-gnu whole gnu",
		   folder);
}

/* The golden text of .debug_frame. To be freed; NULL: there is none. */
static char *text_of(const char *name)
{
	char path[PATH_MAX];
	char *text = NULL;
	size_t size;
	struct image *image;
	struct cfi *cfi;
	struct error error;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_msg(!debug_link_open(path, ".debug_frame", &image, &error), "%s: %s", name,
		      error.message);
	if (!cfi_create_section(image, ".debug_frame", &cfi, &error)) {
		FILE *file = open_memstream(&text, &size);
		ck_assert_int_eq(table_text_write(file, cfi, &error), 0);
		fclose(file);
	}
	cfi_destroy(cfi);
	image_destroy(image);
	return text;
}

/* What a command says of a file in the folder; to be freed. */
static char *say(int (*command)(int, char **), const char *option, const char *file,
		 int *ret_status)
{
	char *arguments[] = { "stackproof", (char *)file, (char *)option, NULL };
	return command_output(command, arguments, ret_status);
}

/* strip takes .debug_frame away, and .eh_frame has nothing of f. */
START_TEST(functions_do_not_vanish_with_strip)
{
	static const char *const files[] = { "whole", "linked", "./linked", "sub/linked", "plain" };
	int status;
	if (!make_files())
		return;
	ck_assert(run("cd %s && mkdir -p sub && cp linked whole.debug sub", folder));
	ck_assert_int_eq(chdir(folder), 0);
	FREED char *whole = say(command_table, NULL, "whole", &status);
	ck_assert_msg(strstr(whole, "function f\n"), "%s", whole);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *output = say(command_table, NULL, files[i], &status);
		ck_assert_msg(!strcmp(whole, output), "%s: %s", files[i], output);
		free(output);
		output = say(command_stat, NULL, files[i], &status);
		ck_assert_msg(strstr(output, "        5         6 "), "%s: %s", files[i], output);
		free(output);
		output = say(command_prove, "--all", files[i], &status);
		ck_assert_msg(!status && strstr(output,
						"8 of 8 rows equal, 0 silent; libdw 8 agreed, 0 "),
			      "%s: %s", files[i], output);
		free(output);
	}
}
END_TEST

/* readelf would show what it finds of other files, too. */
START_TEST(other_files_are_no_findings_of_a_proof)
{
	static const char *const files[] = { "withalt", "./withalt", "whole.debug", "headless" };
	int status;
	if (!make_files())
		return;
	ck_assert(run(
		"cd %s && cp whole alt.debug && printf 'alt.debug\\000"
		"\\252\\273\\314\\335\\356\\377\\000\\021\\042\\063"
		"\\104\\125\\146\\167\\210\\231\\252\\273\\314\\335' >alt && "
		"objcopy --add-section .gnu_debugaltlink=alt whole withalt && cp plain headless && "
		"printf '\\0\\0\\0\\0\\0\\0\\0\\0' | dd of=headless bs=1 seek=40 "
		"conv=notrunc 2>/dev/null && printf '\\0\\0\\0\\0' | dd of=headless bs=1 "
		"seek=60 conv=notrunc 2>/dev/null",
		folder));
	ck_assert_int_eq(chdir(folder), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FREED char *output = say(command_prove, "--all", files[i], &status);
		ck_assert_msg(!status && strstr(output, " 0 not read, 0 failed, 0 with findings"),
			      "%s: %d %s", files[i], status, output);
		bool compared = !strstr(output, "1 images with readelf");
		ck_assert_msg(compared == !!strcmp(files[i], "headless"), "%s: %s", files[i],
			      output);
	}
}
END_TEST

/* Two programs, and what dwz finds in both in a third file; the same of split debug files. */
START_TEST(supplementary_files_are_no_findings_of_a_proof)
{
	static const char *const files[] = { "whole",	    "other",	  "stripped", "split",
					     "split.debug", "supplement", "separate", "missing" };
	int status;
	if (system("command -v dwz >/dev/null")) {
		printf("SKIP: dwz: not installed\n");
		return;
	}
	if (!make_files())
		return;
	ck_assert(run("cd %s && sed 's/f(/g(/g' a.c >b.c && for n in a b; do "
		      "printf '#include <stdio.h>\\n#include <stdlib.h>\\n' | cat - $n.c >dw$n.c; "
		      "done && "
		      "gcc-12 -g -O1 -fno-asynchronous-unwind-tables dwa.c -o whole && "
		      "gcc-12 -g -O1 -fno-asynchronous-unwind-tables dwb.c -o other && "
		      "for n in whole other; do objcopy --only-keep-debug $n $n.dw; done && "
		      "cp whole missing && cp other missing.2",
		      folder));
	ck_assert(run("cd %s && dwz -m supplement whole other && dwz -m gone missing missing.2 && "
		      "rm gone && dwz -m separate whole.dw other.dw && mv whole.dw split.debug && "
		      "objcopy --strip-debug --add-gnu-debuglink=split.debug whole split && "
		      "objcopy --strip-debug whole stripped && "
		      "for n in whole missing split.debug; do readelf -SW $n | "
		      "grep -q gnu_debugaltlink || exit 1; done",
		      folder));
	ck_assert_int_eq(chdir(folder), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FREED char *output = say(command_prove, "--all", files[i], &status);
		bool nothing = !strcmp(files[i], "supplement") || !strcmp(files[i], "separate");
		ck_assert_msg(status == (nothing ? EXIT_SKIPPED : EXIT_OK) &&
				      strstr(output, " 0 not read, 0 failed, 0 with findings"),
			      "%s: %d %s", files[i], status, output);
		ck_assert_msg(nothing == !!strstr(output, "not checked: 1 images without CFI"),
			      "%s: %s", files[i], output);
	}
}
END_TEST

START_TEST(debug_file_is_found_and_read)
{
	if (!make_files()) {
		fprintf(stderr, "no gcc-12 or objcopy: nothing to compare\n");
		return;
	}
	ck_assert_int_eq(chdir(folder), 0); /* binutils looks for .build-id/ where it is */
	FREED char *whole = text_of("whole");
	ck_assert_msg(whole && strstr(whole, "function f\n"), "no table of f");
	static const char *const others[] = { "linked", "plain", "zlib", "gnu" };
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		FREED char *other = text_of(others[i]);
		ck_assert_msg(other && !strcmp(other, whole), "%s: %s", others[i], other);
	}

	/* Without .eh_frame it is what a table is made of, whoever asks. */
	char *arguments[] = { "diff", "split", "bare", NULL };
	int status;
	FREED char *output = command_output(command_diff, arguments, &status);
	ck_assert_msg(!status &&
			      strstr(output, "2 functions equal, 0 changed, 0 added, 0 removed") ==
				      output,
		      "%d: %s", status, output);

	/* Another build under the same name: its checksum is not the one that was asked for. */
	ck_assert(run("cd %s && echo >> whole.debug && rm -r .build-id", folder));
	ck_assert_ptr_null(text_of("linked"));
	ck_assert_ptr_null(text_of("plain"));
}
END_TEST

/* ---- a process's images ----------------------------------------------------------------- */

static unsigned int count_of(const char *text, const char *what)
{
	unsigned int count = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		count++;
	return count;
}

/* From f to the program's end; to be freed. NULL: there is no ptrace. */
static char *compared(const char *file)
{
	char *arguments[] = { "compare",  "--json",	     "--from",	   "f",
			      "--engine", "cfi,table,libdw", (char *)file, NULL };
	int status;
	char *output = command_output(command_compare, arguments, &status);

	if (status != EXIT_SKIPPED)
		return output;
	printf("SKIP: %s\n", output);
	free(output);
	return NULL;
}

static unsigned int exact_of(const char *output, const char *engine)
{
	unsigned int points, exact = 0;
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), "\"engine\":\"%s\"", engine);
	at = strstr(output, wanted);
	ck_assert_msg(at, "%s: %s", engine, output);
	sscanf(at + strlen(wanted), ",\"points\":%u,\"exact\":%u", &points, &exact);
	return exact;
}

/* linked has its names, plain has lost them, too: both are in the debug file. What is without CFI there as
 * well is start-up code, which only its names can tell. */
START_TEST(compare_reads_it_as_table_does)
{
	static const char *const files[] = { "./whole", "./linked", "./plain" };
	unsigned int exact = 0;

	if (!make_files())
		return;
	ck_assert_int_eq(chdir(folder), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FREED char *output = compared(files[i]);
		unsigned int missing;

		if (!output)
			return;
		missing = count_of(output, "no FDE covers it");
		ck_assert_msg(missing && missing == count_of(output, "\"start_file\":\""), "%s: %s",
			      files[i], output);
		if (!i)
			exact = exact_of(output, "libdw");
		ck_assert_msg(exact && exact_of(output, "libdw") == exact, "%s: %s", files[i],
			      output);
		ck_assert_msg(count_of(output, "\"reader_fault\":0"), "%s: %s", files[i], output);
	}
}
END_TEST

/* The debug file is that of the image's bytes, not of what has its name by now. */
START_TEST(a_replaced_file_leads_nowhere_else)
{
	struct image *image;
	struct error error;
	char path[PATH_MAX], *found;

	if (!make_files())
		return;
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(path, sizeof(path), "%s/linked", folder);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert(run("cd %s && cp linked away && cp plain linked.new && mv linked.new linked",
		      folder));
	found = debug_link_find(image);
	ck_assert_msg(found && strstr(found, "/whole.debug"), "%s", found);
	free(found);
	image_destroy(image);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_ptr_null(debug_link_find(image));
	image_destroy(image);
}
END_TEST

/* ---- one that is refused ------------------------------------------------------------------------ */

/* Of each file that has its name what is said, by each command, and how often. */
static const struct refused_case {
	const char *name, *make, *said; /* NULL: nothing */
} refused[] = {
	{ "none", "rm refused/whole.debug", NULL },
	{ "the_right_one", "true", NULL },
	{ "another_checksum", "echo >> refused/whole.debug",
	  "/refused/whole.debug: its CRC-32 is not that of .gnu_debuglink" },
	{ "another_build_id",
	  "cd refused && gcc-12 -g -Wl,--build-id=0x77 a.c -o whole.debug && "
	  "objcopy --remove-section=.gnu_debuglink --add-gnu-debuglink=whole.debug linked",
	  "/refused/whole.debug: it has another build-id" },
	{ "no_elf_file",
	  "cd refused && echo >whole.debug && "
	  "objcopy --remove-section=.gnu_debuglink --add-gnu-debuglink=whole.debug linked",
	  "/refused/whole.debug: " },
	{ "another_is_taken",
	  "echo >> refused/whole.debug && mkdir -p refused/.debug && cp whole.debug refused/.debug",
	  NULL },
	{ "the_image_itself",
	  "cd refused && objcopy --remove-section=.gnu_debuglink linked && cp whole.debug "
	  "linked.debug && "
	  "objcopy --add-gnu-debuglink=linked.debug linked && rm linked.debug && mv linked "
	  "linked.debug && "
	  "ln -s linked.debug linked",
	  NULL },
};

static const struct {
	int (*command)(int, char **);
	const char *option;
	bool is_json; /* it has debug_refused */
	bool steps;
} tellers[] = {
	{ command_stat, "--json", true, false },
	{ command_lint, "--json", true, false },
	{ command_stat, "--jobs=2", false, false },
	{ command_table, "--format=text", false, false },
	{ command_compare, "--from=f", false, true },
};

START_TEST(a_refused_debug_file_is_mentioned)
{
	const struct refused_case *test = &refused[_i];
	char path[PATH_MAX];
	int status;

	if (!make_files() || !run("cd %s && rm -rf refused .build-id && mkdir refused && cp a.c "
				  "linked whole.debug refused",
				  folder))
		return;
	ck_assert(run("cd %s && (%s) 2>/dev/null", folder, test->make));
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(path, sizeof(path), "%s/refused/linked", folder);
	for (size_t i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++) {
		if (tellers[i].steps && !test->said) /* that takes its time */
			continue;

		char *output = say(tellers[i].command, tellers[i].option, path, &status);

		if (status == EXIT_SKIPPED && tellers[i].steps) {
			free(output);
			continue;
		}
		ck_assert_msg(count_of(output, "its debug file is not read: ") == !!test->said,
			      "%s %zu: %s", test->name, i, output);
		ck_assert_msg(count_of(output, "\"debug_refused\":\"") ==
				      (test->said && tellers[i].is_json),
			      "%s %zu: %s", test->name, i, output);
		if (test->said)
			ck_assert_msg(strstr(output, test->said), "%s %zu: %s", test->name, i,
				      output);
		free(output);
	}
}
END_TEST

/* Where all tables are in .eh_frame, the debug file still has the names. */
START_TEST(names_come_without_debug_frame)
{
	static const char source[] = "static __attribute__((noinline)) int hidden(int x) { "
				     "volatile char b[100]; b[x] = 1; return b[0]; }"
				     "int main(void) { return hidden(3); }";
	struct image *image;
	struct error error;
	char path[PATH_MAX];

	if (!run("cd %s && echo '%s' > n.c && gcc-12 -g -O1 n.c -o named 2>/dev/null && "
		 "objcopy --only-keep-debug named named.debug && "
		 "objcopy --strip-all --add-gnu-debuglink=named.debug named nameless",
		 folder, source))
		return;
	snprintf(path, sizeof(path), "%s/nameless", folder);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_uint_eq(image_symbol_address(image, "hidden"), 0);
	debug_link_adopt(image);
	ck_assert_uint_ne(image_symbol_address(image, "hidden"), 0);
	ck_assert_ptr_null(image->debug_frame.data);
	image_destroy(image);
}
END_TEST

SUITE_MAIN(debug_link)
{
	if (!mkdtemp(folder)) {
		perror(folder);
		return EXIT_FAILURE;
	}
	Suite *suite = suite_create("debug_link");
	TCase *tcase = tcase_create("debug_link");
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, functions_do_not_vanish_with_strip);
	tcase_add_test(tcase, other_files_are_no_findings_of_a_proof);
	tcase_add_test(tcase, supplementary_files_are_no_findings_of_a_proof);
	tcase_add_test(tcase, debug_file_is_found_and_read);
	tcase_add_loop_test(tcase, a_refused_debug_file_is_mentioned, 0,
			    sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, names_come_without_debug_frame);
	tcase_add_test(tcase, compare_reads_it_as_table_does);
	tcase_add_test(tcase, a_replaced_file_leads_nowhere_else);
	suite_add_tcase(suite, tcase);
	int failed = suite_run(suite);
	run("rm -rf %s", folder);
	return failed;
}
