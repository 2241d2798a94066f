/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_provenance.c - where a packed binary came from: the file, and what the build left
 *
 * Each case has a folder of its own. What the machine would be asked (dpkg-query, git) is a script
 * there.
 */
#include "tests/suite.h"
#include "golden_fixture.h"

#define SUM    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BEHIND "\toriginal\tcompiler\tpackage\tcommit\tcommand"
#define LINE(path, program, toolchain, bytes, sum)                                                 \
	path "\t" program "\t" toolchain "\tO2\tc\t-\t-\t" bytes "\t" sum BEHIND

/* ---- the file ------------------------------------------------------------------------------ */

static const struct line_case {
	const char *name, *line;
	size_t bytes; /* 0: refused */
} lines[] = {
	{ "as_pack_writes_it", LINE("a.O2", "a", "gcc-12", "17", SUM), 17 },
	{ "a_library", LINE("lib.so", "-", "gcc-12", "17", SUM), 17 },
	{ "nine_digits", LINE("a.O2", "a", "gcc-12", "123456789", SUM), 123456789 },
	{ "ten_digits", LINE("a.O2", "a", "gcc-12", "1234567890", SUM), 0 },
	{ "no_digits", LINE("a.O2", "a", "gcc-12", "", SUM), 0 },
	{ "a_letter", LINE("a.O2", "a", "gcc-12", "17k", SUM), 0 },
	{ "a_path_that_leaves", LINE("../a", "a", "gcc-12", "17", SUM), 0 },
	{ "a_toolchain_that_leaves", LINE("a.O2", "a", "..", "17", SUM), 0 },
	{ "no_program", LINE("a.O2", "", "gcc-12", "17", SUM), 0 },
	{ "a_sum_too_short", LINE("a.O2", "a", "gcc-12", "17", "0123"), 0 },
	{ "a_sum_too_long", LINE("a.O2", "a", "gcc-12", "17", SUM "0"), 0 },
	{ "a_sum_of_other_letters",
	  LINE("a.O2", "a", "gcc-12", "17",
	       "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeF"),
	  0 },
	{ "a_column_missing", "a.O2\ta\tgcc-12\tO2\tc\t-\t-\t17\t" SUM "\to\tc\tp\tc", 0 },
	{ "one_column", "a.O2", 0 },
};

START_TEST(a_line)
{
	const struct line_case *test = &lines[_i];
	struct golden_provenance provenance;
	struct error error = { 0 };
	char text[1024];

	snprintf(text, sizeof(text), "# a heading\n\n%s\n# the end\n", test->line);
	write_text("p.tsv", text);
	int status = golden_provenance_read(&provenance, "p.tsv", &error);

	ck_assert_msg(status == (test->bytes ? 0 : -1), "%s: %d", test->name, status);
	ck_assert_uint_eq(provenance.count, test->bytes ? 1 : 0);
	if (status) {
		ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
		ck_assert_uint_eq(error.offset, 3);
		ck_assert_str_eq(error.message, "p.tsv: line 3 is not a packed file's");
		return;
	}
	ck_assert_uint_eq(provenance.packed[0].bytes, test->bytes);
	ck_assert_str_eq(provenance.packed[0].column[GOLDEN_SHA256], SUM);
	ck_assert_str_eq(provenance.packed[0].column[GOLDEN_COMMAND], "command");
	golden_provenance_deinit(&provenance);
	ck_assert_ptr_null(provenance.packed);
	ck_assert_uint_eq(provenance.count, 0);
}
END_TEST

START_TEST(what_is_not_there)
{
	struct golden_provenance provenance;
	struct error error = { 0 };

	ck_assert_int_eq(golden_provenance_read(&provenance, "absent.tsv", &error), -1);
	ck_assert_str_eq(error.message, "absent.tsv is not there");
	ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
	ck_assert_int_eq(golden_provenance_read(&provenance, "corpus", &error), -1);
	ck_assert_str_ne(error.message, "absent.tsv is not there");
}
END_TEST

/* Lines are written as they were added, and read again. */
START_TEST(written_and_read)
{
	static const char *const column[2][GOLDEN_COLUMN_COUNT] = {
		{ "a.O2", "a", "gcc-12", "O2", "c", NULL, "", "1700", SUM, "orig", "GCC\t1\n2",
		  "p 1", "c0ffee", "cc -o \x01 a" },
		{ "lib.so", NULL, "gcc-12", "O2", "c", "x", "y", "9", SUM, "o", "c", "p", "c",
		  "C" },
	};
	struct golden_provenance written = { 0 }, read;
	struct error error = { 0 };
	char *text, *at;

	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(golden_provenance_add(&written, column[i], &error), 0);
	ck_assert_uint_eq(written.packed[0].bytes, 1700);
	ck_assert_int_eq(golden_provenance_write("new/p.tsv", &written, &error), 0);
	text = read_text("new/p.tsv");
	ck_assert_msg(!strncmp(text, "# SPDX-License-Identifier: ", 27), "%s", text);
	at = strstr(text, "\na.O2");
	ck_assert_ptr_nonnull(at);
	ck_assert_str_eq(at, "\na.O2\ta\tgcc-12\tO2\tc\t-\t-\t1700\t" SUM
			     "\torig\tGCC 1 2\tp 1\tc0ffee\tcc -o   a\n"
			     "lib.so\t-\tgcc-12\tO2\tc\tx\ty\t9\t" SUM "\to\tc\tp\tc\tC\n");
	ck_assert_int_eq(golden_provenance_read(&read, "new/p.tsv", &error), 0);
	ck_assert_uint_eq(read.count, 2);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < GOLDEN_COLUMN_COUNT; j++)
			ck_assert_str_eq(read.packed[i].column[j], written.packed[i].column[j]);
	ck_assert_uint_eq(read.packed[1].bytes, 9);
	golden_provenance_deinit(&read);
	golden_provenance_deinit(&written);
}
END_TEST

START_TEST(where_nothing_can_be_written)
{
	struct golden_provenance none = { 0 };
	struct error error = { 0 };

	write_text("file", "");
	ck_assert_int_eq(golden_provenance_write("file/p.tsv", &none, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

/* ---- what the compiler wrote --------------------------------------------------------------- */

/* An ELF file with sections only: texts of so many bytes as its .comment. */
static void write_elf(const char *path, const char *comment, size_t size)
{
	static const char names[] = "\0.comment\0.other\0.names";
	uint8_t bytes[2048] = { 0 };
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
					   EV_CURRENT },
			      .e_type = ET_REL,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_shoff = 64,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = 4,
			      .e_shstrndx = 3 };
	Elf64_Shdr section[4] = {
		{ 0 },
		{ .sh_name = 10, .sh_type = SHT_PROGBITS, .sh_offset = 320, .sh_size = 6 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = 400, .sh_size = size },
		{ .sh_name = 17,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = 340,
		  .sh_size = sizeof(names) },
	};

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + 64, section, sizeof(section));
	memcpy(bytes + 320, "wrong", 6);
	memcpy(bytes + 340, names, sizeof(names));
	ck_assert_uint_le(400 + size, sizeof(bytes));
	memcpy(bytes + 400, comment, size);
	write_bytes(path, bytes, 400 + size);
}

#define TEN	   "0123456789"
#define A_HUNDRED  TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define TEXT(text) text, sizeof(text)

static const struct comment_case {
	const char *name, *comment;
	size_t size;
	const char *compiler;
} comments[] = {
	{ "one", TEXT("GCC: (Debian) 12"), "GCC: (Debian) 12" },
	{ "two", TEXT("GCC: 12\0clang 14"), "GCC: 12; clang 14" },
	{ "three", TEXT("GCC: 12\0clang 14\0rustc"), "GCC: 12; clang 14; rustc" },
	{ "one_twice", TEXT("GCC: 12\0GCC: 12"), "GCC: 12" },
	{ "the_second_twice", TEXT("GCC: 12\0clang 14\0clang 14"), "GCC: 12; clang 14" },
	{ "empty_ones", TEXT("\0\0GCC: 12\0\0\0clang 14\0"), "GCC: 12; clang 14" },
	{ "no_nul_at_the_end", "GCC: 12\0clang 14", 16, "GCC: 12; clang 14" },
	{ "nothing", "", 0, "" },
	{ "as_long_as_it_may_be", TEXT(A_HUNDRED A_HUNDRED A_HUNDRED A_HUNDRED),
	  A_HUNDRED A_HUNDRED A_HUNDRED A_HUNDRED },
	{ "too_long", TEXT(A_HUNDRED A_HUNDRED A_HUNDRED A_HUNDRED "x"), "..." },
	{ "too_long_together", TEXT(A_HUNDRED A_HUNDRED A_HUNDRED A_HUNDRED "\0x\0y"),
	  A_HUNDRED A_HUNDRED A_HUNDRED A_HUNDRED "; ..." },
};

static void check_collected(const char *file, const char *path, json_t *known,
			    const char *const expected[4])
{
	static const char *const names[] = { "compiler", "package", "commit", "command" };
	char *column[GOLDEN_COLUMN_COUNT] = { 0 };
	struct error error = { 0 };

	ck_assert_msg(!golden_provenance_collect("corpus", file, path, known, column, &error), "%s",
		      error.message);
	for (int i = 0; i < 4; i++) {
		FREED char *said = column[GOLDEN_COMPILER + i];

		ck_assert_msg(said && expected[i] ? !strcmp(said, expected[i])
						  : said == expected[i],
			      "%s is %s, not %s", names[i], said, expected[i]);
	}
}

START_TEST(what_a_file_says_of_its_compiler)
{
	const struct comment_case *test = &comments[_i];
	json_t *known = json_pack("{s:s}", "commit", "c0ffee");

	write_elf("elf", test->comment, test->size);
	check_collected("no-rule", "elf", known,
			(const char *const[]) { test->compiler, NULL, "c0ffee", NULL });
	json_decref(known);
}
END_TEST

START_TEST(what_is_no_elf_file_says_nothing)
{
	json_t *known = json_pack("{s:s}", "commit", "");

	write_text("text", "GCC: 12");
	check_collected("no-rule", "text", known, (const char *const[]) { "", NULL, "", NULL });
	check_collected("no-rule", "absent", known, (const char *const[]) { "", NULL, "", NULL });
	json_decref(known);
}
END_TEST

/* ---- what the machine says ----------------------------------------------------------------- */

/* bin/dpkg-query and bin/git come first. */
static void put_scripts(void)
{
	char path[8192];

	write_text("bin/dpkg-query",
		   "#!/bin/sh\nprintf '%s\\n' \"$*\" >> asked\n"
		   "case $1 in -S) echo 'cc-12:amd64: /usr/bin/cc'; echo 'more: x' ;;\n"
		   "-W) echo 'cc-12 1.2-3' ;; esac\n");
	write_text("bin/git", "#!/bin/sh\ncase $1 in rev-parse) printf 'c0ffee\\nx\\n' ;;\n"
			      "diff) [ ! -e dirty ] ;; esac\n");
	snprintf(path, sizeof(path), "bin:%s", getenv("PATH"));
	setenv("PATH", path, 1);
}

static const struct command_case {
	const char *name, *home, *rule;
	const char *compiler; /* as it is known by; NULL: there is none */
	const char *command;  /* as it is kept */
} commands[] = {
	{ "a_path", "/home/me", "/bin/sh -O2 -o a a.c\nmore\n", " /bin/sh",
	  "/bin/sh -O2 -o a a.c" },
	{ "behind_words", "/home/me", "env A=b /bin/sh -c", " /bin/sh", "env A=b /bin/sh -c" },
	{ "no_path", "/home/me", "cc -o a", NULL, "cc -o a" },
	{ "in_a_root", "/home/me", "scripts/in-root --bind /x/y --bind /z trixie /usr/bin/cc -o a",
	  "scripts/in-root --bind /x/y --bind /z trixie /usr/bin/cc",
	  "scripts/in-root trixie /usr/bin/cc -o a" },
	{ "a_bind_at_the_end", "/home/me", "cc --bind /x", " /x", "cc " },
	{ "below_home", "/home/me", "cc /home/me2/x --in=/home/me/y -I/home/me/z/home/me/",
	  " /home/me2/x", "cc /home/me2/x --in=~/y -I~/z~/" },
	{ "home_itself", "/home/me", "cc -I/home/me", NULL, "cc -I/home/me" },
	{ "no_home", NULL, "cc -I/home/me/x", NULL, "cc -I/home/me/x" },
	{ "home_is_the_root", "/", "cc -I//x/", NULL, "cc -I//x/" },
	{ "a_short_home", "/r", "cc -I/r/x", NULL, "cc -I~/x" },
};

START_TEST(a_command)
{
	const struct command_case *test = &commands[_i];
	json_t *known = json_pack("{s:s}", "commit", "c");
	/* Of what is in no root, and whose folder there is. */
	const char *package = !test->compiler				    ? NULL
			      : strlen(test->compiler) > strlen(" /bin/sh") ? ""
									    : "cc-12 1.2-3";
	const char *line;
	char first[256];

	put_scripts();
	if (test->home)
		setenv("HOME", test->home, 1);
	else
		unsetenv("HOME");
	write_text("corpus/rules/a.O2", test->rule);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(test->rule, "\n"), test->rule);
	check_collected("a.O2", "absent", known,
			(const char *const[]) { "", package, "c", test->command });
	line = json_string_value(json_object_get(known, first));
	ck_assert_msg(line && !strcmp(line, test->compiler ? test->compiler : ""), "%s: %s",
		      test->name, line);
	json_decref(known);
}
END_TEST

/* Each question is asked once; answers that are known are believed. */
START_TEST(what_is_known_is_not_asked)
{
	static const char *const answers[] = { "", "a package", "a commit", "/bin/sh -c" };
	json_t *known = json_pack("{s:s, s:s, s:s}", "/bin/sh -c", "that one", "that one",
				  "a package", "commit", "a commit");

	put_scripts();
	write_text("corpus/rules/a.O2", "/bin/sh -c");
	check_collected("a.O2", "absent", known, answers);
	ck_assert(!is_there("asked"));
	json_decref(known);
	known = json_object();
	for (int i = 0; i < 2; i++)
		check_collected(
			"a.O2", "absent", known,
			(const char *const[]) { "", "cc-12 1.2-3", "c0ffee", "/bin/sh -c" });
	ck_assert_msg(
		!strncmp(read_text("asked"), "-S /", 4) &&
			strstr(read_text("asked"), "\n-W -f ${Package} ${Version}\\n cc-12\n"),
		"%s", read_text("asked"));
	ck_assert_ptr_null(strstr(read_text("asked") + 1, "-S "));
	json_decref(known);
}
END_TEST

START_TEST(a_tree_that_differs_from_its_commit)
{
	json_t *known = json_object();

	put_scripts();
	write_text("dirty", "");
	check_collected("no-rule", "absent", known,
			(const char *const[]) { "", NULL, "c0ffee", NULL });
	json_decref(known);
	known = json_object();
	write_text("bin/git", "#!/bin/sh\ncase $1 in rev-parse) echo c0ffee ;; *) false ;; esac\n");
	check_collected("no-rule", "absent", known,
			(const char *const[]) { "", NULL, "c0ffee-dirty", NULL });
	json_decref(known);
	known = json_object();
	write_text("bin/git", "#!/bin/sh\nexit 128\n");
	check_collected("no-rule", "absent", known, (const char *const[]) { "", NULL, "", NULL });
	json_decref(known);
}
END_TEST

START_TEST(a_rule_that_can_not_be_read)
{
	char *column[GOLDEN_COLUMN_COUNT] = { 0 };
	struct error error = { 0 };
	json_t *known = json_object();

	ck_assert_int_eq(mkdir("corpus/rules", 0777), 0);
	ck_assert_int_eq(mkdir("corpus/rules/a.O2", 0777), 0);
	ck_assert_int_eq(
		golden_provenance_collect("corpus", "a.O2", "absent", known, column, &error), -1);
	json_decref(known);
}
END_TEST

SUITE(golden_provenance, TIMEOUT(300), FIXTURE(set_up, folder_remove), LOOP(a_line, lines),
      TEST(what_is_not_there), TEST(written_and_read), TEST(where_nothing_can_be_written),
      LOOP(what_a_file_says_of_its_compiler, comments), TEST(what_is_no_elf_file_says_nothing),
      LOOP(a_command, commands), TEST(what_is_known_is_not_asked),
      TEST(a_tree_that_differs_from_its_commit), TEST(a_rule_that_can_not_be_read))
