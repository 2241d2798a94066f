/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile.c - `stackproof cc`: a compiler that is run, and what comes of what it wrote
 *
 * How it is run and what a file holds first. Then the command itself, with a compiler: its output letter by letter,
 * and its exit status.
 */
#include <signal.h>
#include <sys/stat.h>
#include "tests/suite.h"
#include "corpus/compile/compile_line.h"
#include "compile_fixture.h"

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
#define KNOWN_FINDING(image, function, pc, end)                                                    \
	"{\"type\":\"lint_finding\",\"image\":\"" image "\",\"id\":\"SP001\",\"table\":\"cfi\","   \
	"\"pc\":\"" pc "\",\"section\":\".text\",\"pc_end\":\"" end "\",\"function\":\"" function  \
	"\",\"offset\":1,\"declared\":\"cfa=rsp+8\",\"actual\":\"cfa=rsp+16\"}\n"
#define KNOWN_IMAGE(image, count)                                                                  \
	"{\"type\":\"lint\",\"image\":\"" image                                                    \
	"\",\"status\":\"linted\",\"wanted_findings\":" count "}\n"                                \
	"{\"type\":\"lint_total\",\"images\":1}\n"
#define KNOWN(image) KNOWN_FINDING(image, "f", "0x1", "0x2") KNOWN_IMAGE(image, "1")
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

static void enter_with_sources(void)
{
	folder_enter();
	file_write_text("wrong.s", WRONG);
	file_write_text("right.s", RIGHT);
	file_write_text("conftest.s", WRONG);
	file_write_text("other.s", WRONG);
	file_write_text("mended.s", "f:	.cfi_startproc\n	push %rax\n"
				    "	.cfi_adjust_cfa_offset 8\n	ret\n	.cfi_endproc\n"
				    "	.section .note.GNU-stack,\"\",@progbits\n");
	file_write_text("known", KNOWN("wrong.o"));
	file_write_text("other", KNOWN("other.o"));
	file_write_text("known-elsewhere", KNOWN("/build/wrong.o"));
	file_write_text("two.s",
			WRONG "	.text\ng:	.cfi_startproc\n	push %rax\n	"
			      "ret\n	.cfi_endproc\n");
	file_write_text("known-two", KNOWN_FINDING("two.o", "f", "0x1", "0x2") KNOWN_FINDING(
					     "two.o", "g", "0x3", "0x4") KNOWN_IMAGE("two.o", "2"));
	file_write_text("known-first",
			KNOWN_FINDING("two.o", "f", "0x1", "0x2") KNOWN_IMAGE("two.o", "1"));
	file_write_text("known-mended", KNOWN("mended.o"));
	file_write_text("llvm.s", "	.section .llvm.lto,\"\",@progbits\n	.byte 1\n");
	file_write_text("both.s", "	.section .llvm.lto,\"\",@progbits\n	.byte 1\n"
				  "	.section .own,\"ax\",@progbits\n	ret\n");
	file_write_text("limit.sh", "sh -c 'kill -XFSZ $$'; [ $? = 153 ] && exit 7\n");
	file_write_text("ignored", "wrong.o\tf\tSP001\t-\tupstream knows\n");
	file_write_text("ignored-other", "wrong.o\tf\tSP004\t-\tupstream knows\n");
	file_write_text("expired", "wrong.o\tf\tSP001\t2020-01-01\tupstream knows\n");
	file_write_text("empty.c", "");
	file_write_text("options", "-c wrong.s");
	file_write_text("to", "-o l.so");
	file_write_text("code.c", "int f(int x) { return x + 1; }\n");
	file_write_text("data.c", "int d[4] = { 1 };\n");
	file_write_text("bare.s", "f:	ret\n	.section .note.GNU-stack,\"\",@progbits\n");
	file_write_text("typed.s", BARE("f") "	.section .note.GNU-stack,\"\",@progbits\n");
	file_write_text("known-typed", KNOWN_TYPED);
	file_write_text("ignored-typed", "typed.o\t*\tSP006\t-\tby hand\n");
	file_write_text("odd.s",
			"f:	.cfi_startproc\n	.byte 6\n	ret\n	.cfi_endproc\n"
			"	.section .note.GNU-stack,\"\",@progbits\n");
	file_write_text(
		"half.s",
		"f:	.cfi_startproc\n	.byte 6\n	ret\n	.cfi_endproc\n" RIGHT);
	file_write_text("ignored-two", "two.o\tg\tSP001\t-\tnot mine\n");
	file_write_text("fails.sh", "gcc-12 -c wrong.s; exit 5\n");
	file_write_text("two.sh", ": >one.o\n");
	file_write_text("old.o", "old");
	file_write_text("elsewhere.sh",
			"mkdir sub && cp *.s sub && cd sub && exec gcc-12 \"$@\"\n");
	file_write_text("text.sh", "echo text >right.o\n");
	file_write_text("none.sh", ": >out.o\n");
	file_write_text("bitcode.sh", "printf 'BC\\300\\3365\\024' >code.o\n");
	file_write_text("cut.sh", "as right.s -o whole.o && head -c 100 whole.o >damaged.o\n");
	file_write_text("both.sh", "sh cut.sh && as right.s -o right.o\n");
	file_write_text("wrong.sh", "sh cut.sh && as wrong.s -o wrong.o\n");
}

/* ---- a run -------------------------------------------------------------------------------- */

START_TEST(what_can_not_be_started_is_an_error)
{
	char *argv[] = { "wrong.s/none", "f.c", NULL };
	struct error error;
	int status;

	ck_assert_int_eq(compile_run(argv, &status, &error), -1);
	ck_assert_str_eq(error.message, "wrong.s/none: Not a directory");
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

/* We have a full file for an error; the compiler has it as our parent had it. */
START_TEST(signals_are_as_we_found_them)
{
	static const char *const lines[] = { "cc sh limit.sh -E f.c", "cc sh limit.sh -c f.c" };
	int status;

	for (int i = 0; i < COUNT(lines); i++) {
		signal(SIGXFSZ, SIG_IGN);
		free(cc_output(lines[i], &status));
		ck_assert_msg(status == 7, "%s: %d", lines[i], status);
	}
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
	char *paths[] = { "right.s", "none such", "/dev/null", "empty", "wrong.s", "link" };
	struct compile_outputs outputs = { .path = paths, .count = 6 };
	struct stat *before;
	struct error error;

	file_write_text("empty", "");
	ck_assert_int_eq(symlink("right.s", "link"), 0);
	ck_assert_int_eq(compile_outputs_note(&outputs, &error), 0);
	before = &outputs.before[0];
	ck_assert_str_eq(compile_output_missing(&outputs, 0),
			 "was not written: it is as it was before");
	ck_assert_str_eq(compile_output_missing(&outputs, 1), "was not written");
	ck_assert_str_eq(compile_output_missing(&outputs, 2), "is no regular file");
	ck_assert_str_eq(compile_output_missing(&outputs, 3), "is empty");
	ck_assert_str_eq(compile_output_missing(&outputs, 4),
			 "was not written: it is as it was before");
	ck_assert_str_eq(compile_output_missing(&outputs, 5),
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
	{ "of a build in another folder", "cc --baseline known-elsewhere gcc-12 -c wrong.s", 0, "",
	  "wrong.o" },
	{ "one of another image has not", "cc --baseline other gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "a baseline that isn't there", "cc --baseline none gcc-12 -c wrong.s", 3, NULL, NULL },
	{ "but for a probe", "cc --baseline none gcc-12 -c conftest.s", 0, "", "conftest.o" },
	{ "what is gone is not told", "cc --baseline known-mended gcc-12 -c mended.s", 0, "",
	  "mended.o" },
	{ "a baseline has each of several", "cc --baseline known-two gcc-12 -c two.s", 0, "",
	  "two.o" },
	{ "a baseline of one of two", "cc --baseline known gcc-12 -c wrong.s other.s", 1,
	  FINDING("other.s:3:2", " of other.o"), "other.o" },
	{ "what is ignored is a note", "cc --ignore ignored gcc-12 -c wrong.s", 0, IGNORED,
	  "wrong.o" },
	{ "not what has another id", "cc --ignore ignored-other gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "nor what has expired", "cc --ignore expired gcc-12 -c wrong.s", 1,
	  FINDING_LINE "expired, line 1: expired on 2020-01-01, and ignores nothing any more\n",
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
	{ "which says nothing of what was written before", "cc gcc-12 -c wrong.s none.s", 1, NULL,
	  NULL },
	{ "the compiler's status", "cc gcc-12 -c none.s", 1, NULL, NULL },
	{ "a status of its own", "cc sh -c exit${IFS}7", 7, "", NULL },
	{ "a signal that ends it", "cc sh -c kill${IFS}-TERM${IFS}$$", 143, "", NULL },
	{ "no such compiler", "cc ./none -c f.c", 127,
	  "stackproof cc: ./none: No such file or directory\n", NULL },
	{ "nor one where nothing is to be checked", "cc ./none -E f.c", 127,
	  "stackproof cc: ./none: No such file or directory\n", NULL },
	{ "what can't be started is no missing compiler", "cc wrong.s/none -E f.c", 99,
	  "stackproof cc: wrong.s/none: Not a directory\n", NULL },
	{ "a compiler hears its name as it was called", "cc sh -c echo${IFS}$0", 0,
	  "sh\n" NOTHING("the command line names no source"), NULL },
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
	{ "beside LLVM's form of it", "cc --strict gcc-12 -c llvm.s", 77,
	  NOTHING("llvm.o has no code yet: it is made when it is linked (LTO)"), "llvm.o" },
	{ "beside code that is made already", "cc --strict gcc-12 -c both.s", 77,
	  NOTHING("both.o has no call frame information"), "both.o" },
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
	{ "whatever else is made later", "cc gcc-12 -flto -c typed.s", 1, TYPED, "typed.o" },
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
	{ "--no-link leaves no object out", "cc --no-link gcc-12 -c wrong.s", 1, FINDING_LINE,
	  "wrong.o" },
	{ "code that can't be followed is not checked", "cc --strict gcc-12 -c odd.s", 77,
	  NOTHING("odd.o has no function whose code could be followed"), "odd.o" },
	{ "which breaks no build", "cc gcc-12 -c odd.s", 0,
	  NOTHING("odd.o has no function whose code could be followed"), "odd.o" },
	{ "beside code that can be, it is", "cc --strict gcc-12 -c half.s", 0, "", "half.o" },
	{ "in another file, too", "cc --strict gcc-12 -c odd.s right.s", 0, "", "odd.o" },
	{ "of several reasons the first is said", "cc --strict sh two.sh -c one.c two.c", 77,
	  NOTHING("one.o is empty"), "one.o" },
	{ "whatever their order", "cc --strict sh two.sh -c two.c one.c", 77,
	  NOTHING("two.o was not written"), "one.o" },
	{ "what can't be read is worse than what was not written",
	  "cc --strict sh cut.sh -c damaged.c none.c", 3,
	  "stackproof cc: damaged.o: not checked: ", "damaged.o" },
	{ "and than what is right", "cc --strict sh both.sh -c damaged.c right.s", 3,
	  "stackproof cc: damaged.o: not checked: ", "damaged.o" },
	{ "but a finding is worse", "cc --strict sh wrong.sh -c damaged.c wrong.s", 1,
	  "stackproof cc: damaged.o: not checked: ", "damaged.o" },
	{ "warned of, it is not", "cc --strict --warn sh wrong.sh -c damaged.c wrong.s", 0,
	  "stackproof cc: damaged.o: not checked: ", "damaged.o" },
	{ "--warn is of findings", "cc --strict --warn sh cut.sh -c damaged.c", 3, NULL,
	  "damaged.o" },
	{ "and of nothing else", "cc --strict --warn gcc-12 -c bare.s", 77,
	  NOTHING("bare.o has no call frame information"), "bare.o" },
	{ "who fails has the word, whatever was written", "cc --strict sh fails.sh -c wrong.s", 5,
	  "", "wrong.o" },
	{ "a finding that is known leaves what is new", "cc --baseline known-first gcc-12 -c two.s",
	  1, "two.s:9:2: warning: the CFA is elsewhere: g+0x1 ", "two.o" },
	{ "so does one that is ignored", "cc --ignore ignored-two gcc-12 -c two.s", 1, NULL,
	  "two.o" },
	{ "both may be", "cc --ignore ignored-two --baseline known-first gcc-12 -c two.s", 0,
	  "two.s:9:2: note: the CFA is elsewhere: g+0x1 (.text+0x3) of two.o [SP001], ignored: not "
	  "mine\n",
	  "two.o" },
	{ "no compiler", "cc --warn", 2, NULL, NULL },
};

/* Of a file with many functions without CFI not each is shown. */
START_TEST(functions_without_cfi_are_counted)
{
	FILE *file = fopen("many.s", "w");
	FREED char *text = NULL;
	int status, warnings = 0;

	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < 25; i++)
		fprintf(file,
			".globl f%d\n.type f%d, @function\nf%d:	push %%rax\n	pop %%rax\n	"
			"ret\n",
			i, i, i);
	fclose(file);
	text = cc_output("cc gcc-12 -c many.s", &status);
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
}
END_TEST

/* Of a link to this program that is first in PATH the next of its name is meant, which has neither. */
START_TEST(a_link_in_path_is_not_the_compiler)
{
	static const struct {
		const char *path, *line, *said;
		int status;
	} links[] = {
		{ "links:others:/usr/bin:/bin", "cc gcc -c wrong.s", "others:/usr/bin:/bin", 1 },
		{ "others:links:/usr/bin:/bin", "cc gcc -c wrong.s", "others:links:/usr/bin:/bin",
		  1 },
		{ "links:others:/usr/bin:/bin", "cc gcc -E wrong.s", "others:/usr/bin:/bin", 0 },
		{ "links:/usr/bin:/bin", "cc others/gcc -c wrong.s", "links:/usr/bin:/bin", 1 },
	};

	ck_assert_int_eq(
		system("mkdir links others && ln -s /proc/$PPID/exe links/gcc && "
		       "printf '#!/bin/sh\necho $PATH >>said\nexec gcc-12 \"$@\"\n' >others/gcc && "
		       "chmod +x others/gcc"),
		0);
	for (int i = 0; i < COUNT(links); i++) {
		char said[256] = "", *text;
		int status;
		FILE *file;

		ck_assert_int_eq(setenv("PATH", links[i].path, 1), 0);
		text = cc_output(links[i].line, &status);
		ck_assert_msg(status == links[i].status, "%d: %d: %s", i, status, text);
		ck_assert_int_eq(!strncmp(text, FINDING_LINE, 20), status);
		free(text);
		file = fopen("said", "r");
		ck_assert_ptr_nonnull(file);
		/* Also where it is made again. */
		for (int run = 0; run < 1 + status; run++) {
			ck_assert_ptr_nonnull(fgets(said, sizeof(said), file));
			ck_assert_msg(!strncmp(said, links[i].said, strlen(links[i].said)),
				      "%d: %s", i, said);
		}
		fclose(file);
		unlink("said");
	}
}
END_TEST

START_TEST(a_compiler_is_run_and_its_outputs_linted)
{
	const struct command_case *test = &command_cases[_i];
	struct stat file;
	FREED char *text = NULL;
	int status;

	text = cc_output(test->line, &status);
	ck_assert_msg(status == test->status, "%s: status %d: %s", test->rule, status, text);
	if (test->expected) {
		size_t length = strlen(test->expected);
		bool open = length && test->expected[length - 1] == ' ';

		ck_assert_msg(!strncmp(text, test->expected, length) && (open || !text[length]),
			      "%s: \"%s\"", test->rule, text);
	}
	if (test->written)
		ck_assert_msg(!stat(test->written, &file), "%s: no %s", test->rule, test->written);
}
END_TEST

SUITE(compile, GROUP(lines), FIXTURE(enter_with_sources, folder_remove),
      TEST(a_fifo_is_not_waited_for), LOOP(code_of_a_file, code_cases),
      TEST(a_file_is_as_it_was_before), GROUP(commands), FIXTURE(enter_with_sources, folder_remove),
      TEST(what_is_assembled_again_is_a_temporary_file), TEST(what_can_not_be_started_is_an_error),
      TEST(a_child_that_is_lost_is_an_error), TEST(signals_are_as_we_found_them),
      TEST(a_signal_of_ours_ends_no_run), TEST(functions_without_cfi_are_counted),
      TEST(a_link_in_path_is_not_the_compiler),
      LOOP(a_compiler_is_run_and_its_outputs_linted, command_cases))
