/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile.c - `stackproof cc`: which files a compiler will write, and what comes of them
 *
 * Command lines first, with the outputs that they mean. Then the command itself, with a compiler: its
 * output letter by letter, and its exit status.
 */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command_output.h"
#include "compile/compile_line.h"
#include "harness.h"

static char folder[] = "/tmp/test_compile.XXXXXX";

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	write_file("args", "-c 'a b.c'\n\"c\\\"d.c\" e\\ f.c @more");
	write_file("more", "-I inc g.c");
	write_file("quote", "-c 'a\\'b.c'");
	write_file("self", "-c @self");
	write_file("deep", "d.c @deep");
	write_file("back", "-c h.c\\");
	write_file("linker", "-z now -o q");
	write_file("both", "f.c -Wl,@linker");
	write_file("output", "-o g.o");
	write_file("rust", "--crate-name\na b\nf.rs\n");
}

static void leave(void)
{
	char command[64];

	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* ---- command lines ------------------------------------------------------------------------ */

#define ARGUMENTS_MAX 20

static const struct line_case {
	const char *rule, *line; /* words with blanks between */
	const char *
		expected; /* outputs, with blanks between; "link: " before what is linked, "assembly: " before
			     what may be assembled again, "unchecked: " before all; "none" */
} line_cases[] = {
	{ "an object has its source's name, and lies here", "gcc -c src/f.c", "f.o" },
	{ "of several sources each", "gcc -c a.c b.cc c.S -O2", "assembly: a.o b.o c.o" },
	{ "-o names it", "gcc -c f.c -o out/g.o", "out/g.o" },
	{ "-o in one word", "gcc -oout/g.o -c f.c", "out/g.o" },
	{ "--output=", "clang --output=g.o -c f.c", "g.o" },
	{ "without -c it is linked", "gcc f.c g.o -lm", "link: a.out" },
	{ "objects alone are linked", "gcc f.o -o prog", "link: prog" },
	{ "a shared object", "gcc -shared -fPIC f.c -o libf.so", "link: libf.so" },
	{ "-r is a link", "gcc -r a.o b.o -o c.o", "link: c.o" },
	{ "-S writes assembly", "gcc -S f.c -o f.s", "none" },
	{ "-E preprocesses", "gcc -E f.c", "none" },
	{ "-E ends sooner than -c", "gcc -c -E f.c", "none" },
	{ "-M and -MM say dependencies", "gcc -MM f.c", "none" },
	{ "-MD does so beside", "gcc -MD -MF f.d -MT f.o -c f.c", "f.o" },
	{ "standard output", "gcc -c f.c -o -", "none" },
	{ "standard input has a language", "gcc -x c -c - -o f.o", "f.o" },
	{ "without a name", "gcc -xc -c -", "-.o" },
	{ "a language makes a source of any name", "gcc -c -x c f.txt", "f.o" },
	{ "until it is none", "gcc -c -x c f.txt -x none g.txt h.c", "f.o h.o" },
	{ "an option's argument is no source", "gcc -include pre.c -I a.c -D X.c -c f.c", "f.o" },
	{ "the linker's words are not the compiler's", "gcc -Xlinker a.c -z now f.o -o p",
	  "link: p" },
	{ "nothing but words", "gcc --version", "none" },
	{ "nothing at all", "gcc", "none" },
	{ "-v says how it is made", "gcc -v", "none" },
	{ "a name that begins with a dot", "gcc -c .c", ".c.o" },
	{ "a dot in a folder is none of the name", "gcc -x c -c a.b/f", "f.o" },
	{ "-save-temps changes nothing", "gcc -save-temps -c f.c", "f.o" },
	{ "LLVM's code is no machine's", "clang -emit-llvm -c f.c", "none" },
	{ "a launcher stands before the compiler", "ccache gcc -c f.c", "f.o" },
	{ "a launcher of any folder, twice", "/usr/bin/nice ccache /usr/bin/gcc -c f.c", "f.o" },
	{ "arguments of a file", "gcc @args", "a b.o c\"d.o e f.o g.o" },
	{ "a backslash keeps a quote in quotes of either kind", "gcc @quote", "a'b.o" },
	{ "a file that isn't there is an argument", "gcc -c f.c @none", "f.o" },
	{ "a file that names itself ends", "gcc @self f.c", "f.o" },
	{ "sixteen times", "gcc -c @deep",
	  "d.o d.o d.o d.o d.o d.o d.o d.o d.o d.o d.o d.o d.o d.o d.o d.o" },
	{ "a backslash at a file's end stands for itself", "gcc @back", "" },
	{ "a device is no file of arguments", "gcc @/dev/null -o p", "link: p" },
	{ "what is asked for says no output", "gcc -print-file-name=libc.a f.c", "none" },
	{ "with two dashes, too", "clang --print-search-dirs f.c", "none" },
	{ "another word asks for nothing", "gcc -c -printer f.c", "f.o" },
	{ "with two dashes neither", "gcc -c --printer f.c", "f.o" },
	{ "-o in one word, of one letter", "gcc -og -c f.c", "g" },
	{ "another option than --output=", "gcc -c --outputs f.c", "f.o" },
	{ "a name that is empty", "gcc -c f.c --output=", "" },
	{ "other options name no language", "gcc -c -O2 f.txt h.c", "h.o" },
	{ "a language in one word, until it is none", "gcc -c -xc f.txt -xnone g.txt h.c",
	  "f.o h.o" },
	{ "libraries alone are linked", "gcc -lf -o p", "link: p" },
	{ "the linker's -o has the last word", "gcc f.c -Wl,-z,now,-o,q -o p", "link: q" },
	{ "in one word", "gcc f.c -Wl,-oq", "link: q" },
	{ "the linker's --output=", "gcc f.c -Wl,--output=q", "link: q" },
	{ "the linker's --output", "gcc f.c -Wl,--output,q -Wl,-O1", "link: q" },
	{ "each word by itself", "gcc f.c -Xlinker -o -Xlinker q", "link: q" },
	{ "the last of several", "gcc f.c -Wl,-o,q -Wl,-o,r", "link: r" },
	{ "in a file of the linker's arguments", "gcc f.c -Wl,@linker", "link: q" },
	{ "in a file of both", "gcc @both", "link: q" },
	{ "not where nothing is linked", "gcc -c f.c -Wl,-o,q", "f.o" },
	{ "an -o of the linker without a name", "gcc f.c -Wl,-o", "link: a.out" },
	{ "other words of the linker", "gcc f.c -Wl,--outputs,q -Wl,-Map=-o", "link: a.out" },
	{ "a file may have the compiler's -o", "gcc -c f.c @output", "g.o" },
	{ "a launcher and a compiler alone", "ccache gcc", "none" },
	{ "two launchers and a compiler alone", "ccache distcc gcc", "none" },
	{ "assembly", "gcc -c f.s", "assembly: f.o" },
	{ "its object has a name", "gcc -c d/f.S -o g.o", "assembly: g.o" },
	{ "what is linked is none", "gcc f.s", "link: a.out" },
	{ "nor beside what the linker would get", "gcc -c f.s g.o", "f.o" },
	{ "several sources, each", "gcc -c f.s g.s", "assembly: assembly: f.o g.o" },
	{ "nor what is said to be C", "gcc -x c -c f.s", "f.o" },
	{ "another machine's code", "gcc -m32 -c f.c", "unchecked: f.o" },
	{ "until it is this one's again", "gcc -m32 -m64 -c f.c", "f.o" },
	{ "and the other's once more", "gcc -m64 -mx32 -c f.c", "unchecked: f.o" },
	{ "the linker makes the code", "gcc -flto=auto -c f.c", "unchecked: f.o" },
	{ "but where it is linked", "gcc -flto f.c -o p", "link: p" },
	{ "or is made twice", "gcc -flto -ffat-lto-objects -c f.c", "f.o" },
	{ "or not at all", "gcc -flto -fno-lto -c f.c", "f.o" },
	{ "no tables are wanted", "gcc -fno-asynchronous-unwind-tables -c f.c", "unchecked: f.o" },
	{ "after all they are", "gcc -fno-unwind-tables -funwind-tables -c f.c", "f.o" },
	{ "a header is kept as it was read", "gcc -c f.h", "none" },
	{ "by its language, too", "g++ -x c++-header -c f.cxx -o f.gch", "none" },
	{ "though another follows", "g++ -x c++-header f.hh -x c++ -c f.cxx", "none" },
	{ "a language alone is no header", "g++ -x header -c f.cxx", "f.o" },
	{ "rustc makes a program", "rustc f-g.rs", "link: f_g" },
	{ "a library", "rustc --crate-type=lib f.rs", "libf.rlib" },
	{ "twice the same", "rustc --crate-type lib,rlib src/f.rs", "libf.rlib" },
	{ "as cargo asks for it",
	  "ccache rustc --crate-name a b/lib.rs --crate-type cdylib --emit=dep-info,link -C "
	  "extra-filename=-1 --out-dir t/d -L x",
	  "link: t/d/liba-1.so" },
	{ "each type, some for others' languages",
	  "rustc --crate-type bin --crate-type dylib --crate-type staticlib f.rs",
	  "link: f libf.so libf.a" },
	{ "not all of them with others' code", "rustc --crate-type proc-macro,rlib f.rs",
	  "libf.rlib libf.so" },
	{ "tests are a program", "rustc --test --crate-type lib f.rs", "link: f" },
	{ "rustc's -o", "rustc -O f.rs -og", "link: g" },
	{ "its object", "rustc --emit obj -Cextra-filename=x f.rs", "fx.o" },
	{ "where it is told", "rustc --emit=obj=a/b.o,asm f.rs", "a/b.o" },
	{ "its program, too", "rustc --emit=link=a/b f.rs", "a/b" },
	{ "a program and its object, which has no other's code", "rustc --emit=link,obj f.rs",
	  "f f.o" },
	{ "the first source is the crate's", "rustc f.rs g.rs", "link: f" },
	{ "a question stays one", "rustc --version --target x86_64-unknown-linux-gnu f.rs",
	  "none" },
	{ "whatever is said beside", "rustc --version --print link-args f.rs", "none" },
	{ "from standard input", "rustc -", "link: rust_out" },
	{ "a check has no code", "rustc --emit=dep-info,metadata f.rs", "none" },
	{ "nor has a question", "rustc - --crate-name _ --print=file-names --crate-type bin",
	  "none" },
	{ "nor the version", "rustc -vV", "none" },
	{ "what is said beside the work is no question", "rustc --print link-args f.rs",
	  "link: f" },
	{ "another system's file is none that is looked at",
	  "rustc --target x86_64-pc-windows-gnu f.rs", "none" },
	{ "a file of arguments has a line for each", "rustc @rust", "link: a b" },
};

START_TEST(outputs_of_a_command_line)
{
	const struct line_case *test = &line_cases[_i];
	char *line = strdup(test->line), *rest = line, *argv[ARGUMENTS_MAX] = { NULL }, *text;
	struct compile_outputs outputs;
	struct error error;
	size_t count = 0, size;
	FILE *file = open_memstream(&text, &size);

	while ((argv[count] = strsep(&rest, " ")))
		ck_assert_uint_lt(++count, ARGUMENTS_MAX);
	ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
	if (outputs.none)
		fputs("none", file);
	if (compile_is_rustc(*compile_find(argv)))
		ck_assert_msg(outputs.not_again, "%s", test->line); /* it takes no linker's words */
	if (outputs.unchecked)
		fputs("unchecked: ", file);
	if (outputs.linked)
		fputs("link: ", file);
	for (size_t i = 0; !outputs.linked && !outputs.not_again && i < outputs.source.count; i++)
		if (compile_is_assembly(outputs.source.path[i]))
			fputs("assembly: ", file);
	for (size_t i = 0; i < outputs.count; i++)
		fprintf(file, "%s%s", i ? " " : "", outputs.path[i]);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s: %s: \"%s\"", test->rule, test->line,
		      text);
	compile_outputs_deinit(&outputs);
	free(text);
	free(line);
}
END_TEST

/* The last word of a command line with a file that has this many words, and this many bytes. */
static const struct size_case {
	const char *rule;
	size_t words, bytes;
	const char *expected;
} size_cases[] = {
	{ "as many bytes as can be", 2, COMPILE_FILE_BYTES_MAX, "h.o f.o" },
	{ "one more, and it is no file of arguments", 2, COMPILE_FILE_BYTES_MAX + 1, "f.o" },
	{ "as many arguments as can be", COMPILE_ARGUMENTS_MAX - 2, 0, "h.o f.o" },
	{ "one more is left out", COMPILE_ARGUMENTS_MAX - 1, 0, "h.o" },
};

START_TEST(large_files_of_arguments)
{
	const struct size_case *test = &size_cases[_i];
	char *argv[] = { "gcc", "-c", "@large", "f.c", NULL }, text[64] = "";
	struct compile_outputs outputs;
	struct error error;
	FILE *file = fopen("large", "w");

	ck_assert_ptr_nonnull(file);
	fputs("h.c", file);
	for (size_t i = 1; i < test->words; i++)
		fputs(" x", file);
	ck_assert_int_eq(fclose(file), 0);
	if (test->bytes)
		ck_assert_int_eq(truncate("large", (off_t)test->bytes), 0);
	ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
	for (size_t i = 0; i < outputs.count; i++)
		sprintf(text + strlen(text), "%s%s", i ? " " : "", outputs.path[i]);
	ck_assert_msg(!strcmp(text, test->expected), "%s: \"%s\"", test->rule, text);
	compile_outputs_deinit(&outputs);
}
END_TEST

/* ---- a run -------------------------------------------------------------------------------- */

START_TEST(what_can_not_be_started_is_an_error)
{
	char *argv[] = { "args/none", "f.c", NULL };
	struct error error;
	int status;

	ck_assert_int_eq(compile_run(argv, &status, &error), -1);
	ck_assert_str_eq(error.message, "args/none: Not a directory");
}
END_TEST

static void ignore(int number)
{
}

/* It comes while we wait, unless the machine is very busy. */
START_TEST(a_signal_of_ours_ends_no_run)
{
	char *argv[] = { "sh", "-c", "sleep 0.2; kill -USR1 $PPID; sleep 0.2; exit 3", NULL };
	struct sigaction action = { .sa_handler = ignore };
	struct error error;
	int status = 0;

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(compile_run(argv, &status, &error), 0);
	ck_assert_int_eq(status, 3);
}
END_TEST

/* Who ignores SIGCHLD has no child to wait for. */
START_TEST(a_child_that_is_lost_is_an_error)
{
	char *argv[] = { "true", NULL };
	struct error error;
	int status;

	signal(SIGCHLD, SIG_IGN);
	ck_assert_int_eq(compile_run(argv, &status, &error), -1);
	signal(SIGCHLD, SIG_DFL);
	ck_assert_str_eq(error.message, "waitpid: No child processes");
}
END_TEST

/* ---- what was written ---------------------------------------------------------------------- */

static const struct code_case {
	const char *rule, *bytes;
	size_t size;
	enum compile_code code;
} code_cases[] = {
	{ "LLVM's bitcode", "BC\xc0\xde", 4, COMPILE_CODE_LATER },
	{ "with more behind it",
	  "BC\xc0\xde"
	  "5",
	  5, COMPILE_CODE_LATER },
	{ "with a header around it", "\xde\xc0\x17\x0b", 4, COMPILE_CODE_LATER },
	{ "another fourth byte", "BC\xc0\xdf", 4, COMPILE_CODE },
	{ "in the header, too", "\xde\xc0\x17\x0c", 4, COMPILE_CODE },
	{ "cut off", "BC\xc0", 3, COMPILE_CODE },
	{ "text", "hello", 5, COMPILE_CODE },
	{ "nothing", "", 0, COMPILE_CODE },
	{ "an ELF file that is cut off", "\177ELF\2\1\1", 7, COMPILE_CODE },
};

/* Nobody will write into it. */
START_TEST(a_fifo_is_not_waited_for)
{
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(compile_code("fifo"), COMPILE_CODE);
}
END_TEST

START_TEST(code_of_a_file)
{
	const struct code_case *test = &code_cases[_i];
	FILE *file = fopen("code", "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(test->bytes, 1, test->size, file), test->size);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_msg(compile_code("code") == test->code, "%s", test->rule);
	ck_assert_int_eq(compile_code("no such file"), COMPILE_CODE);
}
END_TEST

/* Any difference says that it was written. */
START_TEST(a_file_is_as_it_was_before)
{
	char *paths[] = { "args", "none such", "/dev/null", "empty", "more" };
	struct compile_outputs outputs = { .path = paths, .count = 5 };
	struct stat *before;
	struct error error;

	write_file("empty", "");
	ck_assert_int_eq(compile_outputs_note(&outputs, &error), 0);
	before = &outputs.before[0];
	ck_assert_str_eq(compile_output_missing(&outputs, 0),
			 "was not written: it is as it was before");
	ck_assert_str_eq(compile_output_missing(&outputs, 1), "was not written");
	ck_assert_str_eq(compile_output_missing(&outputs, 2), "is no regular file");
	ck_assert_str_eq(compile_output_missing(&outputs, 3), "is empty");
	ck_assert_str_eq(compile_output_missing(&outputs, 4),
			 "was not written: it is as it was before");
	ck_assert_uint_eq(outputs.before[1].st_ino, 0);
	for (int i = 0; i < 5; i++) {
		struct stat kept = *before;

		before->st_dev += i == 0;
		before->st_ino += i == 1;
		before->st_size += i == 2;
		before->st_ctim.tv_sec += i == 3;
		before->st_ctim.tv_nsec += i == 4;
		ck_assert_msg(!compile_output_missing(&outputs, 0), "%d", i);
		*before = kept;
	}
	ck_assert_ptr_nonnull(compile_output_missing(&outputs, 0));
	free(outputs.before);
}
END_TEST

/* An object with lines lies in TMPDIR, if that says where. */
START_TEST(what_is_assembled_again_is_a_temporary_file)
{
	static const char *const folders[] = { NULL, "", "/nowhere", folder };
	char *argv[] = { "true", NULL }, *source[] = { "f.s" }, wanted[100];
	const struct compile_outputs outputs = { .source = { source, 1 } };
	struct compile_again again;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (folders[i])
			setenv("TMPDIR", folders[i], 1);
		else
			unsetenv("TMPDIR");
		compile_again(argv, &outputs, 0, &again);
		ck_assert_int_eq(again.lines == NULL, i == 2);
		if (!again.lines)
			continue;
		snprintf(wanted, sizeof(wanted), "%s/stackproof-", i == 3 ? folder : "/tmp");
		ck_assert_msg(!strncmp(again.lines, wanted, strlen(wanted)), "%s", again.lines);
		compile_again_end(&again);
	}
	/* One that fails leaves nothing: the folder goes when it is empty. */
	argv[0] = "false";
	compile_again(argv, &outputs, 0, &again);
	ck_assert_ptr_null(again.lines);
	ck_assert_int_eq(system("! ls stackproof-*"), 0);
}
END_TEST

/* ---- the command -------------------------------------------------------------------------- */

#define WRONG                                                                                      \
	"f:	.cfi_startproc\n	push %rax\n	ret\n	.cfi_endproc\n"                                     \
	"	.section .note.GNU-stack,\"\",@progbits\n"
#define RIGHT                                                                                      \
	"g:	.cfi_startproc\n	ret\n	.cfi_endproc\n"                                                 \
	"	.section .note.GNU-stack,\"\",@progbits\n"
#define FINDING(place, of)                                                                         \
	place ": warning: the CFA is elsewhere: f+0x1 (.text+0x1)" of " [SP001]\n"                 \
	      "        0x0  push rax\n     -> 0x1  ret\n    up to       0x2\n"                     \
	      "    declared    cfa=rsp+8\n    actual      cfa=rsp+16\n" place                      \
	      ": note: \".cfi_adjust_cfa_offset 8\" before this instruction would mend it\n"
#define FINDING_LINE FINDING("wrong.s:3:2", " of wrong.o")
#define IGNORED                                                                                    \
	"wrong.s:3:2: note: the CFA is elsewhere: f+0x1 (.text+0x1) of wrong.o [SP001], ignored: " \
	"upstream knows\n"

/* What lint --json says of it. */
#define KNOWN(image)                                                                               \
	"{\"type\":\"lint_finding\",\"image\":\"" image "\",\"id\":\"SP001\",\"table\":\"cfi\","   \
	"\"pc\":\"0x1\",\"section\":\".text\",\"pc_end\":\"0x2\",\"function\":\"f\",\"offset\":1," \
	"\"declared\":\"cfa=rsp+8\",\"actual\":\"cfa=rsp+16\"}\n"                                  \
	"{\"type\":\"lint\",\"image\":\"" image                                                    \
	"\",\"status\":\"linted\",\"wanted_findings\":1}\n"                                        \
	"{\"type\":\"lint_total\",\"images\":1}\n"
#define NOTHING(why) "stackproof cc: nothing was checked, because " why "\n"

#define BARE(name)                                                                                 \
	"	.globl " name "\n	.type " name ", @function\n" name                          \
	":	push %rbx\n	pop %rbx\n	ret\n"
#define TYPED                                                                                      \
	"typed.s:3:4: warning: code that is reached, and no FDE covers it: f (.text+0x0) of "      \
	"typed.o [SP006]\n"                                                                        \
	"     -> 0x0  push rbx\n        0x1  pop rbx\n        0x2  ret\n"                          \
	"    up to       0x3\n    declared    no FDE covers it\n"                                  \
	"    actual      it is a function, or something leads there\n"                             \
	"typed.s:3:4: note: \".cfi_startproc\" before this instruction, and \".cfi_endproc\" "     \
	"behind "                                                                                  \
	"its code, would mend it\n"
#define KNOWN_TYPED                                                                                \
	"{\"type\":\"lint_finding\",\"image\":\"typed.o\",\"id\":\"SP006\",\"function\":\"f\","    \
	"\"offset\":0,\"declared\":\"no FDE covers it\",\"actual\":\"it is a function, or "        \
	"something "                                                                               \
	"leads there\"}\n"                                                                         \
	"{\"type\":\"lint\",\"image\":\"typed.o\",\"status\":\"no_cfi\",\"wanted_findings\":1}\n"  \
	"{\"type\":\"lint_total\",\"images\":1}\n"

static const struct command_case {
	const char *rule, *line;
	int status;
	const char *
		expected; /* what ends with a blank goes on; NULL: it is another's on each machine */
	const char *written; /* a file that is there afterwards, or NULL */
} command_cases[] = {
	{ "a finding is printed, and is status 1", "cc gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "--warn leaves the status", "cc --warn gcc-12 -c wrong.s", 0, FINDING_LINE, "wrong.o" },
	{ "--only wants others", "cc --only SP004 gcc-12 -c wrong.s", 0, "", "wrong.o" },
	{ "--only again", "cc --only SP001 --only SP004 gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "a probe has the compiler's status", "cc gcc-12 -c conftest.s", 0, "", "conftest.o" },
	{ "with --strict, too", "cc --strict gcc-12 -c conftest.s", 0, "", "conftest.o" },
	{ "a baseline has it", "cc --baseline known gcc-12 -c wrong.s", 0, "", "wrong.o" },
	{ "one of another image has not", "cc --baseline other gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "a baseline that isn't there", "cc --baseline none gcc-12 -c wrong.s", 3, NULL, NULL },
	{ "but for a probe", "cc --baseline none gcc-12 -c conftest.s", 0, "", "conftest.o" },
	{ "what is ignored is a note", "cc --ignore ignored gcc-12 -c wrong.s", 0, IGNORED,
	  "wrong.o" },
	{ "not what has another id", "cc --ignore ignored-other gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "nor what has expired", "cc --ignore expired gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "a list that can't be read", "cc --ignore wrong.s gcc-12 -c wrong.s", 3, NULL, NULL },
	{ "without -g no line of -MD goes elsewhere", "cc gcc-12 -c -MD -MF dep wrong.s", 1,
	  FINDING_LINE, NULL },
	{ "what mends it is right", "cc gcc-12 -c mended.s", 0, "", "mended.o" },
	{ "a word that is no file leaves no line", "cc gcc-12 -c wrong.s -Wa,--no-such", 1, NULL,
	  NULL },
	{ "what is right is silent", "cc gcc-12 -c right.s -o out.o", 0, "", "out.o" },
	{ "several sources", "cc gcc-12 -c right.s wrong.s", 1, FINDING_LINE, "right.o" },
	{ "each of them with its lines", "cc gcc-12 -c wrong.s other.s", 1,
	  FINDING("other.s:3:2", " of other.o") FINDING_LINE, "other.o" },
	{ "by a file of arguments", "cc gcc-12 @options", 1, FINDING_LINE, "wrong.o" },
	{ "the compiler's options are not ours", "cc gcc-12 --warn -c right.s", 1, NULL, NULL },
	{ "the compiler's status", "cc gcc-12 -c none.s", 1, NULL, NULL },
	{ "a status of its own", "cc sh -c exit${IFS}7", 7, "", NULL },
	{ "a signal that ends it", "cc sh -c kill${IFS}-TERM${IFS}$$", 143, "", NULL },
	{ "no such compiler", "cc ./none -c f.c", 127,
	  "stackproof cc: ./none: No such file or directory\n", NULL },
	{ "one that is no program", "cc ./right.s -c f.c", 127,
	  "stackproof cc: ./right.s: Permission denied\n", NULL },
	{ "standard output", "cc gcc-12 -E -P empty.c", 0, NULL, NULL },
	{ "nothing to check", "cc --strict gcc-12 -S empty.c", 0, "", "empty.s" },
	{ "what is written to a device is thrown away",
	  "cc --strict gcc-12 -c wrong.s -o /dev/null", 0, "", NULL },
	{ "without code it is silent", "cc --strict gcc-12 -E -P empty.c -o /dev/null", 0, "",
	  NULL },
	{ "no ELF file is nothing to check", "cc --strict cp wrong.s copy.s -o copy.s", 1, NULL,
	  NULL },
	{ "what is linked is checked", "cc gcc-12 -shared -nostdlib wrong.s -o l.so", 1, NULL,
	  "l.so" },
	{ "--no-link leaves that out", "cc --no-link gcc-12 -shared -nostdlib wrong.s -o l.so", 0,
	  "", "l.so" },
	{ "what is damaged breaks no build", "cc sh cut.sh f.c -c -o damaged.o", 0,
	  "stackproof cc: damaged.o: not checked: ", "damaged.o" },
	{ "but for --strict", "cc --strict sh cut.sh f.c -c -o damaged.o", 3, NULL, "damaged.o" },
	{ "what the linker was told is checked", "cc gcc-12 -shared -nostdlib wrong.s -Wl,-o,l.so",
	  1, NULL, "l.so" },
	{ "what only the linker knows is checked", "cc gcc-12 -shared -nostdlib wrong.s -Wl,@to", 1,
	  NULL, "l.so" },
	{ "in another folder nothing is found", "cc sh elsewhere.sh -c right.s -o out.o", 0,
	  NOTHING("out.o was not written"), "sub/out.o" },
	{ "that fails with --strict", "cc --strict sh elsewhere.sh -c right.s -o out.o", 77,
	  NOTHING("out.o was not written"), "sub/out.o" },
	{ "an older file is not what was written",
	  "cc --strict sh elsewhere.sh -c right.s -o old.o", 77,
	  NOTHING("old.o was not written: it is as it was before"), "sub/old.o" },
	{ "a file with nothing in it", "cc --strict sh none.sh -c right.s -o out.o", 77,
	  NOTHING("out.o is empty"), "out.o" },
	{ "a command line that is not understood", "cc --strict sh -c true", 77,
	  NOTHING("the command line names no source"), NULL },
	{ "code that is made later", "cc --strict gcc-12 -flto -fno-fat-lto-objects -c code.c", 77,
	  NOTHING("code.o has no code yet: it is made when it is linked (LTO)"), "code.o" },
	{ "which was wanted", "cc gcc-12 -flto -c code.c", 0, "", "code.o" },
	{ "as another machine's was", "cc gcc-12 -m32 -c right.s", 0, "", "right.o" },
	{ "or none with CFI", "cc gcc-12 -fno-asynchronous-unwind-tables -c code.c", 0, "",
	  "code.o" },
	{ "but not again", "cc --strict gcc-12 -m32 -m64 -c right.s", 0, "", "right.o" },
	{ "is code where it is made", "cc --strict gcc-12 -flto -shared -nostdlib code.c -o l.so",
	  0, "", "l.so" },
	{ "or made twice", "cc --strict gcc-12 -flto -ffat-lto-objects -c code.c", 0, "",
	  "code.o" },
	{ "LLVM's bitcode", "cc --strict sh bitcode.sh -c code.c", 77,
	  NOTHING("code.o has no code yet: it is made when it is linked (LTO)"), "code.o" },
	{ "code without CFI", "cc --strict gcc-12 -c bare.s", 77,
	  NOTHING("bare.o has no call frame information"), "bare.o" },
	{ "a function without CFI", "cc gcc-12 -c typed.s", 1, TYPED, "typed.o" },
	{ "strictly, too", "cc --strict gcc-12 -c typed.s", 1, TYPED, "typed.o" },
	{ "warned of", "cc --warn gcc-12 -c typed.s", 0, TYPED, "typed.o" },
	{ "others are asked for", "cc --only SP001 gcc-12 -c typed.s", 0,
	  NOTHING("typed.o has no call frame information"), "typed.o" },
	{ "a function without CFI, ignored", "cc --ignore ignored-typed gcc-12 -c typed.s", 0,
	  "typed.s:3:4: note: code that is reached, and no FDE covers it: f (.text+0x0) of typed.o "
	  "[SP006], ignored: by hand\n",
	  "typed.o" },
	{ "known", "cc --strict --baseline known-typed gcc-12 -c typed.s", 0, "", "typed.o" },
	{ "on purpose", "cc gcc-12 -fno-asynchronous-unwind-tables -c code.c", 0, "", "code.o" },
	{ "on purpose is not checked",
	  "cc --strict gcc-12 -fno-asynchronous-unwind-tables -c code.c", 77,
	  NOTHING("code.o is to have no call frame information, by an option"), "code.o" },
	{ "what does nothing to assembly", "cc gcc-12 -fno-asynchronous-unwind-tables -c typed.s",
	  1, TYPED, "typed.o" },
	{ "by its language, too", "cc --strict gcc-12 -fno-unwind-tables -x assembler -c typed.s",
	  1, NULL, "typed.o" },
	{ "but of a kernel's", "cc gcc-12 -fno-unwind-tables -D__KERNEL__ -c typed.s", 0, "",
	  "typed.o" },
	{ "and linked with what is compiled",
	  "cc gcc-12 -fno-asynchronous-unwind-tables -shared -nostdlib data.c typed.s -o l.so", 0,
	  "", "l.so" },
	{ "the last word counts",
	  "cc gcc-12 -fno-asynchronous-unwind-tables -fasynchronous-unwind-tables -c typed.s", 1,
	  TYPED, "typed.o" },
	{ "another machine's", "cc --strict gcc-12 -m32 -c right.s", 77,
	  NOTHING("right.o is for another machine"), "right.o" },
	{ "what is no ELF file", "cc --strict sh text.sh -c right.s", 77,
	  NOTHING("right.o is no ELF file"), "right.o" },
	{ "data can't be wrong", "cc --strict gcc-12 -c data.c", 0, "", "data.o" },
	{ "beside what is checked", "cc --strict gcc-12 -c right.s bare.s", 0, "", "bare.o" },
	{ "a compiler's word on itself", "cc --strict gcc-12 -dumpmachine", 0, NULL, NULL },
	{ "what is left out is not asked for",
	  "cc --strict --no-link gcc-12 -shared -nostdlib bare.s -o l.so", 0, "", "l.so" },
	{ "no compiler", "cc --warn", 2, NULL, NULL },
};

/* Of a file with many functions without CFI not each is shown. */
START_TEST(functions_without_cfi_are_counted)
{
	char *argv[] = { "cc", "gcc-12", "-c", "many.s", NULL }, *text;
	FILE *file = fopen("many.s", "w");
	int status, warnings = 0;

	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < 25; i++)
		fprintf(file,
			".globl f%d\n.type f%d, @function\nf%d:	push %%rax\n	pop %%rax\n	"
			"ret\n",
			i, i, i);
	fclose(file);
	text = command_output(command_cc, argv, &status);
	ck_assert_int_eq(status, 1);
	for (const char *at = text; (at = strstr(at, ": warning: ")); at++)
		warnings++;
	ck_assert_int_eq(warnings, 21);
	ck_assert_ptr_nonnull(strstr(
		text, "many.s:98:6: warning: code that is reached, and no FDE covers it: f19 "));
	ck_assert_msg(
		strstr(text,
		       "\nmany.o: warning: no CFI: no FDE covers 5 functions more (stackproof lint "
		       "--verbose names each) [SP006]\n") != NULL,
		"%s", text);
	free(text);
}
END_TEST

START_TEST(a_compiler_is_run_and_its_outputs_linted)
{
	const struct command_case *test = &command_cases[_i];
	char *line = strdup(test->line), *rest = line, *argv[ARGUMENTS_MAX] = { NULL }, *text;
	struct stat file;
	size_t count = 0;
	int status;

	write_file("wrong.s", WRONG);
	write_file("right.s", RIGHT);
	write_file("conftest.s", WRONG);
	write_file("other.s", WRONG);
	write_file("mended.s", "f:	.cfi_startproc\n	push %rax\n"
			       "	.cfi_adjust_cfa_offset 8\n	ret\n	.cfi_endproc\n"
			       "	.section .note.GNU-stack,\"\",@progbits\n");
	write_file("known", KNOWN("wrong.o"));
	write_file("other", KNOWN("other.o"));
	write_file("ignored", "wrong.o\tf\tSP001\t-\tupstream knows\n");
	write_file("ignored-other", "wrong.o\tf\tSP004\t-\tupstream knows\n");
	write_file("expired", "wrong.o\tf\tSP001\t2020-01-01\tupstream knows\n");
	write_file("empty.c", "");
	write_file("options", "-c wrong.s");
	write_file("to", "-o l.so");
	write_file("code.c", "int f(int x) { return x + 1; }\n");
	write_file("data.c", "int d[4] = { 1 };\n");
	write_file("bare.s", "f:	ret\n	.section .note.GNU-stack,\"\",@progbits\n");
	write_file("typed.s", BARE("f") "	.section .note.GNU-stack,\"\",@progbits\n");
	write_file("known-typed", KNOWN_TYPED);
	write_file("ignored-typed", "typed.o\t*\tSP006\t-\tby hand\n");
	write_file("old.o", "old");
	write_file("elsewhere.sh", "mkdir sub && cp *.s sub && cd sub && exec gcc-12 \"$@\"\n");
	write_file("text.sh", "echo text >right.o\n");
	write_file("none.sh", ": >out.o\n");
	write_file("bitcode.sh", "printf 'BC\\300\\3365\\024' >code.o\n");
	write_file("cut.sh", "as right.s -o whole.o && head -c 100 whole.o >damaged.o\n");
	while ((argv[count] = strsep(&rest, " ")))
		ck_assert_uint_lt(++count, ARGUMENTS_MAX);
	text = command_output(command_cc, argv, &status);
	ck_assert_msg(status == test->status, "%s: status %d: %s", test->rule, status, text);
	if (test->expected) {
		size_t length = strlen(test->expected);
		bool open = length && test->expected[length - 1] == ' ';

		ck_assert_msg(!strncmp(text, test->expected, length) && (open || !text[length]),
			      "%s: \"%s\"", test->rule, text);
	}
	if (test->written)
		ck_assert_msg(!stat(test->written, &file), "%s: no %s", test->rule, test->written);
	free(text);
	free(line);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compile");
	TCase *lines = tcase_create("lines"), *commands = tcase_create("commands");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(commands, 120);
	tcase_add_checked_fixture(lines, enter, leave);
	tcase_add_checked_fixture(commands, enter, leave);
	tcase_add_loop_test(lines, outputs_of_a_command_line, 0,
			    (int)(sizeof(line_cases) / sizeof(line_cases[0])));
	tcase_add_loop_test(lines, large_files_of_arguments, 0,
			    (int)(sizeof(size_cases) / sizeof(size_cases[0])));
	tcase_add_test(lines, a_fifo_is_not_waited_for);
	tcase_add_loop_test(lines, code_of_a_file, 0,
			    (int)(sizeof(code_cases) / sizeof(code_cases[0])));
	tcase_add_test(lines, a_file_is_as_it_was_before);
	tcase_set_timeout(lines, 60);
	tcase_add_test(commands, what_is_assembled_again_is_a_temporary_file);
	tcase_add_test(commands, what_can_not_be_started_is_an_error);
	tcase_add_test(commands, a_child_that_is_lost_is_an_error);
	tcase_add_test(commands, a_signal_of_ours_ends_no_run);
	tcase_add_test(commands, functions_without_cfi_are_counted);
	tcase_add_loop_test(commands, a_compiler_is_run_and_its_outputs_linted, 0,
			    (int)(sizeof(command_cases) / sizeof(command_cases[0])));
	suite_add_tcase(suite, lines);
	suite_add_tcase(suite, commands);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
