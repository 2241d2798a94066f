/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile_again.c - `stackproof cc`: what the compiler is told when something is made once more
 *
 * The compiler here is a script. It keeps its words, and writes the same program whatever it is told: so what is
 * "linked" is the same again. X stands for what a temporary file's name has.
 */
#include <sys/stat.h>
#include "tests/suite.h"
#include "corpus/compile/compile_line.h"
#include "compile_fixture.h"

#define MAP   " -Wl,-Map=t/X.map -o t/X.o\n"
#define LINES " -g -o t/X.o\n"

static void enter_with_compiler(void)
{
	folder_enter();
	file_write_text("gcc", "#!/bin/sh\necho \"$*\" | sed 's/stackproof-[^.]*/X/g' >>again\n"
			       "for last; do :; done\nexec cp /bin/true \"$last\"\n");
	file_write_text("ccache", "#!/bin/sh\nexec \"$@\"\n");
	file_write_text("nomap",
			"#!/bin/sh\ncase $* in *-Map*) exit 1;; esac\nexec ./gcc \"$@\"\n");
	file_write_text("another",
			"#!/bin/sh\n./gcc \"$@\"\nfor last; do :; done\ncp /bin/sh \"$last\"\n");
	file_write_text("words", "-c f.s -MD -MF d -o x");
	file_write_text("linker", "-Map m -z now");
	file_write_text("nested", "f.o -Wl,@linker -o p");
	ck_assert_int_eq(system("chmod +x gcc ccache nomap another && cp gcc ld && cp gcc rustc && "
				"cp ccache nice && "
				"cp /bin/true p && mkdir t"),
			 0);
	ck_assert_int_eq(setenv("TMPDIR", "t", 1), 0);
}

/* All that it was told, for each output in turn; to be freed. *ret_lines, *ret_map: how many there were. */
static char *told_again(const char *words, int *ret_lines, int *ret_map)
{
	char *argv[ARGUMENTS_MAX], *line = split(words, argv), *text = calloc(1, 4096);
	struct compile_outputs outputs;
	struct compile_again again;
	struct error error;
	FILE *file;

	*ret_lines = *ret_map = 0;
	ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
	for (size_t i = 0; i < outputs.count; i++) {
		compile_again(argv, &outputs, i, &again);
		*ret_lines += again.lines && !access(again.lines, F_OK);
		*ret_map += again.map && !access(again.map, F_OK);
		compile_again_end(&again);
		ck_assert(!again.lines && !again.map);
	}
	ck_assert_int_eq(rmdir("t"), 0); /* nothing is left of it */
	ck_assert_int_eq(mkdir("t", 0700), 0);
	file = fopen("again", "r");
	if (file) {
		ck_assert_uint_lt(fread(text, 1, 4095, file), 4095);
		fclose(file);
		unlink("again");
	}
	compile_outputs_deinit(&outputs);
	free(line);
	return text;
}

static const struct {
	const char *rule, *line, *again;
} again_cases[] = {
	{ "assembly once more, with lines", "./gcc -c f.s", "-c f.s" LINES },
	{ "its name is a file of its own", "./gcc -c f.s -o f.o", "-c f.s" LINES },
	{ "what else it was told stays", "./gcc -O2 -DX -c d/f.S -I inc -x none",
	  "-O2 -DX -c d/f.S -I inc -x none" LINES },
	{ "of C nothing is to be had", "./gcc -c f.c", "" },
	{ "of what is linked a map, and no lines of C", "./gcc f.c f.o -o p", "f.c f.o" MAP },
	{ "lines are wanted of assembly, and then no map", "./gcc f.c f.s -o p",
	  "f.c f.s" MAP "f.c f.s" LINES },
	{ "in whatever order", "./gcc f.s f.c -o p", "f.s f.c" MAP "f.s f.c" LINES },
	{ "of objects a map alone", "./gcc f.o -o p", "f.o" MAP },
	{ "of the linker itself", "./ld f.o -o p", "f.o -Map=t/X.map -o t/X.o\n" },
	{ "behind who launches it", "./ccache ./gcc -c f.s", "-c f.s" LINES },
	{ "behind several, one of them twice", "./ccache ./nice ./ccache ./gcc -c f.s",
	  "-c f.s" LINES },
	{ "of what is linked, too", "./nice ./ccache ./gcc f.s f.o -o p",
	  "f.s f.o" MAP "f.s f.o" LINES },
	{ "and the linker behind two", "./nice ./ccache ./ld f.o -o p",
	  "f.o -Map=t/X.map -o t/X.o\n" },
	{ "and the linker", "./ccache ./ld f.o -o p", "f.o -Map=t/X.map -o t/X.o\n" },
	{ "each source that becomes an object by itself", "./gcc -c f.s g.c -O h.S",
	  "-c f.s -O" LINES "-c -O h.S" LINES },
	{ "which are all there where they are linked", "./gcc f.s g.s h.c -o p",
	  "f.s g.s h.c" MAP "f.s g.s h.c" LINES },
	{ "words of a file", "./gcc @words", "-c f.s" LINES },
	{ "the linker's words of a file", "./gcc f.o -Wl,@linker,-O1 -o p",
	  "f.o -Xlinker -z -Xlinker now -Xlinker -O1" MAP },
	{ "of a file in a file", "./gcc @nested", "f.o -Xlinker -z -Xlinker now" MAP },
	{ "its argument may be in the next of them", "./gcc f.o -Wl,-Map -Wl,m,-z,now -o p",
	  "f.o -Xlinker -z -Xlinker now" MAP },
	{ "however it is written", "./gcc f.o -Xlinker -Map -lm -Xlinker m -Wl,-O1 -o p",
	  "f.o -lm -Xlinker -O1" MAP },
	{ "an argument that looks like an option", "./gcc f.o -Wl,-Map,-Map,-z,now -o p",
	  "f.o -Xlinker -z -Xlinker now" MAP },
	{ "twice", "./gcc f.o -Wl,-Map,a,-Map,b,-z,now -o p", "f.o -Xlinker -z -Xlinker now" MAP },
	{ "a language, of what is linked", "./gcc -x c f.txt -o p", "-x c f.txt" MAP },
	{ "not of an object: it would go on", "./gcc -x assembler -c f.s", "" },
	{ "nor beside an object", "./gcc -c f.s g.o", "" },
	{ "coverage of objects", "./gcc f.o --coverage -o p", "f.o --coverage" MAP },
	{ "rustc takes no such words", "./rustc f.rs -o p", "" },
	{ "what only begins so stays", "./gcc -c f.s -m64 -Wa,-g -Wp,-D,X -gdwarf -save",
	  "-c f.s -m64 -Wa,-g -Wp,-D,X -gdwarf -save" LINES },
	{ "of the linker's, too", "./gcc f.o -Wl,-M,-Maps,-dependency,--out,x,--reproducer -o p",
	  "f.o -Xlinker -M -Xlinker -Maps -Xlinker -dependency -Xlinker --out -Xlinker x "
	  "-Xlinker --reproducer" MAP },
};

START_TEST(what_it_is_told_again)
{
	int lines, map;
	FREED char *text = told_again(again_cases[_i].line, &lines, &map);

	ck_assert_msg(!strcmp(text, again_cases[_i].again), "%s: \"%s\"", again_cases[_i].rule,
		      text);
	/* What was made is there, and of each kind what was asked for. */
	ck_assert_msg(!lines == !strstr(text, " -g -o"), "%s", again_cases[_i].rule);
	ck_assert_msg(!map == !strstr(text, "-Map="), "%s", again_cases[_i].rule);
}
END_TEST

/* What is said of one is so of each: what lies in place of %s is gone, or nothing is made. */
static const struct {
	const char *rule, *line, *words, *again; /* words: with "|" between */
} left_out[] = {
	{ "what is written beside an object", "./gcc -O2 -c %s f.s",
	  "-o x|-ox|-MF d|-MFd|-MT t|-MTt|-MQ t|-MQt|-MJ j|-MD|-MMD|-MP|-MG|-save-temps|"
	  "-save-temps=obj|-Wp,-MD,d|-Wp,-MMD,d|-gsplit-dwarf|-gsplit-dwarf=single|-Wa,-al=l|-Wa,-"
	  "a|"
	  "-Wa,-MD,d|--output x|--output=x",
	  "-O2 -c f.s" LINES },
	{ "what the linker writes beside", "./gcc f.o -Wl,-z,now,%s,-O1 -o p",
	  "-Map=m|-Map,m|--Map=m|--Map,m|-dependency-file=d|-dependency-file,d|--dependency-file=d|"
	  "--dependency-file,d|--out-implib=i|--out-implib,i|"
	  "-reproduce=r|-reproduce,r|--reproduce=r|--reproduce,r|-op|-o,p|--output=p|--output,p",
	  "f.o -Xlinker -z -Xlinker now -Xlinker -O1" MAP },
	{ "if it is called itself", "./ld -z now %s f.o -o p",
	  "-Map=m|-Map m|--Map=m|--Map m|-dependency-file=d|-dependency-file d|--dependency-file=d|"
	  "--dependency-file d|--out-implib=i|--out-implib i|"
	  "-reproduce=r|-reproduce r|--reproduce=r|--reproduce r",
	  "-z now f.o -Map=t/X.map -o t/X.o\n" },
	{ "what is always written", "./gcc -c %s f.s",
	  "-fstack-usage|-fcallgraph-info|-fcallgraph-info=su|-fdump-tree-all|-fdump-rtl-expand|"
	  "--coverage|-ftest-coverage|-fprofile-arcs",
	  "" },
	{ "of objects, too", "./gcc %s f.o -o p",
	  "-fstack-usage|-fcallgraph-info|-fdump-tree-all|-Wl,--save-temps|-Wl,-plugin-opt=save-"
	  "temps|"
	  "-Wl,-z,now,-save-temps|-Xlinker -save-temps",
	  "" },
};

START_TEST(what_would_be_written_beside_is_left_out)
{
	FREED char *list = strdup(left_out[_i].words);
	char *rest = list, *word, line[256];
	int lines, map;

	while ((word = strsep(&rest, "|"))) {
		FREED char *text = NULL;

		snprintf(line, sizeof(line), left_out[_i].line, word);
		text = told_again(line, &lines, &map);
		ck_assert_msg(!strcmp(text, left_out[_i].again), "%s: %s: \"%s\"",
			      left_out[_i].rule, line, text);
		ck_assert_msg(lines + map == !!*text, "%s: %s", left_out[_i].rule, line);
	}
}
END_TEST

/* A map of another program says nothing of this one; the lines are there without a map, too. */
START_TEST(a_map_is_of_the_same_program)
{
	int lines, map;

	free(told_again("./another f.s -o p", &lines, &map));
	ck_assert_int_eq(map, 0);
	ck_assert_int_eq(lines, 1);
	free(told_again("./nomap f.s -o p", &lines, &map));
	ck_assert_int_eq(map, 0);
	ck_assert_int_eq(lines, 1);
	free(told_again("./nomap f.o -o p", &lines, &map));
	ck_assert_int_eq(map + lines, 0);
	free(told_again("./none f.s -o p", &lines, &map));
	ck_assert_int_eq(map + lines, 0);
}
END_TEST

SUITE(compile_again, FIXTURE(enter_with_compiler, folder_remove),
      LOOP(what_it_is_told_again, again_cases),
      LOOP(what_would_be_written_beside_is_left_out, left_out), TEST(a_map_is_of_the_same_program))
