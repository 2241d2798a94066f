/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile_linked.c - `stackproof cc`: whose code was linked, by the linker's map, and what is told of it
 */
#include <sys/stat.h>
#include "tests/suite.h"
#include "corpus/compile/compile_line.h"
#include "compile_fixture.h"

/* ---- the map ------------------------------------------------------------------------------ */

#define INSTALLED "/usr/lib/x86_64-linux-gnu/libc.a"

static const struct {
	const char *rule, *map; /* of code at 0x1000 */
	bool others;
} map_cases[] = {
	{ "what is installed", " .text          0x1000  0x10 " INSTALLED "(x.o)\n", true },
	{ "in two lines", " .text.with.a.long.name\n                0x1000  0x10 " INSTALLED "\n",
	  true },
	{ "as LLVM's linker says it", "   1000   1000   10   16   " INSTALLED "(x.o):(.text)\n",
	  true },
	{ "an object of this folder", " .text  0x1000  0x10 made.o\n", false },
	{ "an archive, however it was found", " .text  0x1000  0x10 sub/made.a(x.o)\n", false },
	{ "one of another linker", " 1000 1000 10 16 sub/made.a(x.o):(.text)\n", false },
	{ "one by another way", " .text  0x1000  0x10 sub/../sub/made.a(x.o)\n", false },
	{ "a link to what is installed", " .text  0x1000  0x10 sub/linked\n", true },
	{ "the compiler's own library", " .text  0x1000  0x10 tools/lib/gcc/x86_64/libgcc.a(x.o)\n",
	  true },
	{ "its machine's", " .text  0x1000  0x10 tools/x86_64/lib64/libc.a(x.o)\n", true },
	{ "and of its root", " .text  0x1000  0x10 tools/x86_64/sysroot/usr/lib/crt1.o\n", true },
	{ "a machine whose name begins like that of sources",
	  " .text  0x1000  0x10 tools/src-elf/lib/libc.a(x.o)\n", true },
	{ "not what is built there", " .text  0x1000  0x10 tools/src/lib/libx.a(x.o)\n", false },
	{ "nor elsewhere there", " .text  0x1000  0x10 tools/x86_64/own/lib/libx.a(x.o)\n", false },
	{ "nor in a folder with more of a name", " .text  0x1000  0x10 toolset/lib/libx.a(x.o)\n",
	  false },
	{ "what is installed in a root", " .text  0x1000  0x10 root/usr/lib/crt1.o\n", true },
	{ "what lies in it", " .text  0x1000  0x10 root/home/crt1.o\n", false },
	{ "one that is gone was made meanwhile", " .text  0x1000  0x10 /tmp/ccX.o\n", false },
	{ "code before it", " .text  0xff0  0x10 " INSTALLED "\n", false },
	{ "code behind it", " .text  0x1001  0x10 " INSTALLED "\n", false },
	{ "code that ends behind it", " .text  0xff0  0x11 " INSTALLED "\n", true },
	{ "the second of two", " .text  0xff0  0x10 given.o\n .text  0x1000  0x10 " INSTALLED "\n",
	  true },
	{ "what is not in the program", " .debug_info  0x800  0x1000 " INSTALLED "\n", false },
	{ "in two lines, too",
	  " .debug_info.with.a.name\n                0x800  0x1000 " INSTALLED "\n", false },
	{ "of LLVM's linker", " 800 800 1000 1 " INSTALLED ":(.debug_info)\n", false },
	{ "a section's name is not that of the one before",
	  " .debug_info  0x800  0x10 given.o\n .text  0x1000  0x10 " INSTALLED "\n", true },
	{ "of two that have it the first",
	  " .text  0x1000  0x10 given.o\n .text  0x1000  0x10 " INSTALLED "\n", false },
	{ "an address that is not the program's", " 9000 1000 10 16 " INSTALLED ":(.text)\n",
	  false },
	{ "nothing of it", " .text  0x1000  0x0 " INSTALLED "\n .text  0x2000  0x1 given.o\n",
	  false },
	{ "what was discarded", " .text  0x0  0x2000 " INSTALLED "\n", false },
	{ "an output section", ".text  0x1000  0x10\n .text  0x2000  0x10 given.o\n", false },
	{ "a symbol", " .text  0x2000  0x10 given.o\n                0x1000    f\n", false },
	{ "by LLVM's linker", " 0 0 2000 16 " INSTALLED "(x.o):(.text)\n", false },
	{ "code where nothing is beside a name",
	  " .text.long\n .text.other  0x1000  0x10 " INSTALLED "\n", true },
	{ "nothing", "", false },
};

START_TEST(whose_code_it_is)
{
	struct compile_outputs outputs = { .linked = true };
	struct compile_origin *origin;

	ck_assert_int_eq(
		system("mkdir -p tools/lib/gcc/x86_64 tools/x86_64/lib64 sub root/home "
		       "tools/x86_64/sysroot/usr/lib tools/src/lib tools/src-elf/lib toolset/lib "
		       "tools/x86_64/own/lib root/usr/lib && cd tools && "
		       "touch lib/gcc/x86_64/libgcc.a x86_64/lib64/libc.a src/lib/libx.a "
		       "x86_64/sysroot/usr/lib/crt1.o x86_64/own/lib/libx.a "
		       "src-elf/lib/libc.a ../toolset/lib/libx.a ../root/usr/lib/crt1.o "
		       "../root/home/crt1.o "
		       "../sub/made.a ../made.o && ln -s /usr/share/doc ../sub/linked"),
		0);
	outputs.prefix = realpath("tools", NULL);
	outputs.sysroot = realpath("root", NULL);
	file_write_text("map", map_cases[_i].map);
	origin = compile_origin_read("map");
	ck_assert_msg(compile_origin_is_others(origin, &outputs, 0x1000) == map_cases[_i].others,
		      "%s", map_cases[_i].rule);
	compile_origin_free(origin);
	compile_outputs_deinit(&outputs);
}
END_TEST

/* Paths that are not there, as a map names them; the toolchain is in /opt/t, the root is /opt/r. */
static const struct {
	const char *rule, *paths; /* with blanks between */
	bool others;
} owner_cases[] = {
	{ "what is installed",
	  "/lib/x.o /lib32/x.o /lib64/x.o /usr/lib/x.o /usr/lib32/x.o /usr/lib64/x.o "
	  "/usr/share/x.o "
	  "/usr/include/x.o /usr/local/lib/x.o /usr/local/lib64/x.o /usr/local/share/x.o "
	  "/usr/local/include/x.o /usr/local/go/x.o /nix/store/x.o /gnu/store/x.o "
	  "/usr/lib/a/b/x.a(y.o)",
	  true },
	{ "what is not",
	  "x.o /x.o /libx/x.o /lib /usr/x.o /usr/libx/x.o /usr/src/x.o /usr/local/x.o "
	  "/usr/local/src/x.o /usr/local/libx/x.o /nix/x.o /gnu/x.o /home/usr/lib/x.o usr/lib/x.o "
	  "/opt/usr/lib/x.o /usr/bin/x.o",
	  false },
	{ "the toolchain's",
	  "/opt/t/lib/x.o /opt/t/lib32/x.o /opt/t/lib64/x.o /opt/t/libx32/x.o /opt/t/libexec/x.o "
	  "/opt/t/m/lib/x.o /opt/t/m/lib64/a/x.o /opt/t/m/usr/lib/x.o /opt/t/m/sysroot/lib/x.o "
	  "/opt/t/sysroot/lib64/x.o /opt/t/m/sysroot/usr/lib32/x.o /opt/t/sysroot/usr/lib/x.o "
	  "/opt/t/m/libc/lib/x.o /opt/t/lib/gcc/m/12/libgcc.a(x.o)",
	  true },
	{ "what is only near it",
	  "/opt/t/x.o /opt/t/bin/x.o /opt/t/libs/x.o /opt/t/m/n/lib/x.o /opt/t/src/lib/x.o "
	  "/opt/t/src/m/lib/x.o /opt/t/usr/x.o /opt/tt/lib/x.o /opt/lib/x.o /opt/t/m/own/lib/x.o "
	  "/opt/t/m/libd/lib/x.o /opt/t",
	  false },
	{ "what is installed in the root",
	  "/opt/r/lib/x.o /opt/r/usr/lib/x.o /opt/r/usr/local/lib/x.o /opt/r/usr/include/x.o",
	  true },
	{ "what only lies in it",
	  "/opt/r/x.o /opt/r/home/x.o /opt/r/usr/src/x.o /opt/rr/lib/x.o /opt/r/m/lib/x.o /opt/r",
	  false },
};

START_TEST(whose_file_it_is)
{
	static char prefix[] = "/opt/t", root[] = "/opt/r";
	const struct compile_outputs outputs = { .prefix = prefix, .sysroot = root },
				     neither = { 0 };
	FREED char *list = strdup(owner_cases[_i].paths);
	char *rest = list, *path, map[128];

	while ((path = strsep(&rest, " "))) {
		bool installed = !strncmp(owner_cases[_i].paths, "/lib/", 5);
		struct compile_origin *origin;

		snprintf(map, sizeof(map), " .text  0x1000  0x10 %s\n", path);
		file_write_text("map", map);
		origin = compile_origin_read("map");
		ck_assert_msg(compile_origin_is_others(origin, &outputs, 0x1000) ==
				      owner_cases[_i].others,
			      "%s: %s", owner_cases[_i].rule, path);
		/* Without a toolchain and a root nothing of them is others'. */
		ck_assert_msg(compile_origin_is_others(origin, &neither, 0x1000) == installed,
			      "%s: %s", owner_cases[_i].rule, path);
		compile_origin_free(origin);
	}
}
END_TEST

/* Nor is it in the program, whatever is behind the name. */
START_TEST(sections_that_are_not_in_the_program)
{
	static const struct {
		const char *name;
		bool in;
	} sections[] = {
		{ ".debug_line", false }, { ".comment", false },     { ".note.x", false },
		{ ".stab", false },	  { ".stabstr", false },     { ".gnu.build.x", false },
		{ ".symtab", false },	  { ".strtab", false },	     { ".shstrtab", false },
		{ ".text", true },	  { ".text.debug", true },   { ".init", true },
		{ ".notes", false },	  { ".symver", true },	     { "COMMON", true },
		{ ".rodata", true },	  { ".text.comment", true }, { "own", true },
	};
	static const char *const forms[] = {
		" %s  0x1000  0x10 " INSTALLED "\n",
		" %s\n                0x1000  0x10 " INSTALLED "(x.o)\n",
		"   1000   1000   10   16   " INSTALLED "(x.o):(%s)\n",
	};
	const struct compile_outputs outputs = { .linked = true };
	char map[256];

	for (int i = 0; i < COUNT(sections); i++)
		for (int form = 0; form < COUNT(forms); form++) {
			struct compile_origin *origin;

			snprintf(map, sizeof(map), forms[form], sections[i].name);
			file_write_text("map", map);
			origin = compile_origin_read("map");
			ck_assert_msg(compile_origin_is_others(origin, &outputs, 0x100f) ==
					      sections[i].in,
				      "%s", map);
			ck_assert(!compile_origin_is_others(origin, &outputs, 0x1010));
			compile_origin_free(origin);
		}
}
END_TEST

/* So it is not said that all is this build's. */
START_TEST(a_map_that_says_nothing_is_none)
{
	file_write_text("empty", "");
	file_write_text("other", "Memory Configuration\n\n.text  0x1000  0x10\n");
	file_write_text("bare", " .text  0x1000  0x0 " INSTALLED "\n 1000 1000 0 16 x.o:(.text)\n");
	ck_assert_ptr_null(compile_origin_read("bare"));
	ck_assert_ptr_null(compile_origin_read("empty"));
	ck_assert_ptr_null(compile_origin_read("other"));
	ck_assert_ptr_null(compile_origin_read("no such map"));
}
END_TEST

static const struct {
	const char *rule;
	char *source[2];
	bool others;
} source_cases[] = {
	{ "an installed source", { "/usr/share/x/f.c" }, true },
	{ "two of them", { "/usr/share/x/f.c", "/usr/lib/y/g.s" }, true },
	{ "one of two", { "/usr/share/x/f.c", "f.c" }, false },
	{ "the second of two", { "f.c", "/usr/share/x/f.c" }, false },
	{ "one where packages put what is to be built", { "/usr/src/x/f.c" }, false },
	{ "one of this folder", { "f.c" }, false },
	{ "none", { NULL }, false },
};

START_TEST(whose_source_it_is)
{
	struct compile_outputs outputs = { .source = { (char **)source_cases[_i].source, 0 } };

	while (outputs.source.count < 2 && outputs.source.path[outputs.source.count])
		outputs.source.count++;
	ck_assert_msg(compile_is_others(&outputs) == source_cases[_i].others, "%s",
		      source_cases[_i].rule);
}
END_TEST

/* A name that is not absolute is one of this folder. */
START_TEST(a_source_of_an_installed_folder)
{
	char *source[] = { "f.c", "/home/x/f.c" };
	struct compile_outputs outputs = { .source = { source, 1 } };

	ck_assert_int_eq(chdir("/usr/share/doc"), 0);
	ck_assert(compile_is_others(&outputs));
	outputs.source.count = 2;
	ck_assert(!compile_is_others(&outputs));
	ck_assert_int_eq(chdir(folder), 0);
}
END_TEST

/* Debug info may name what is not there, and what was installed. */
START_TEST(a_source_that_is_own)
{
	file_write_text("own.c", "");
	ck_assert(compile_source_is_own("own.c"));
	ck_assert(!compile_source_is_own("gone.c"));
	ck_assert(!compile_source_is_own("/usr/include/stdio.h"));
	ck_assert(!compile_source_is_own(""));
}
END_TEST

static const struct {
	const char *rule, *line; /* makes p of main.c */
	bool alone;
} static_cases[] = {
	{ "a program that loads libraries", "gcc-12 main.c -o p", false },
	{ "at an address of its own", "gcc-12 -no-pie main.c -o p", false },
	{ "a static one", "gcc-12 -static -nostdlib main.c -o p", true },
	{ "that is position-independent", "gcc-12 -static-pie -nostdlib -fPIE main.c -o p", true },
	{ "that has symbols for libraries",
	  "gcc-12 -shared -nostdlib -xc /dev/null -o l.so && gcc-12 -no-pie -nostdlib "
	  "-Wl,--no-dynamic-linker,--no-as-needed main.c ./l.so -o p",
	  true },
	{ "a shared object", "gcc-12 -shared -nostdlib -fPIC main.c -o p", false },
	{ "with flags", "gcc-12 -shared -nostdlib -fPIC -Wl,-z,now main.c -o p", false },
	{ "an object", "gcc-12 -c main.c -o p", false },
	{ "what is none", "cp main.c p", false },
	{ "nothing", "true", false },
};

START_TEST(a_program_that_needs_nobody_else)
{
	file_write_text("main.c", "int main(void) { return 0; }\nvoid _start(void) { }\n");
	if (strstr(static_cases[_i].line, "-nostdlib") == NULL)
		file_write_text("main.c", "int main(void) { return 0; }\n");
	ck_assert_int_eq(system(static_cases[_i].line), 0);
	ck_assert_msg(compile_is_static("p") == static_cases[_i].alone, "%s",
		      static_cases[_i].rule);
}
END_TEST

static const struct {
	const char *rule, *options; /* of q, beside p's */
	bool same;
} same_cases[] = {
	{ "the same once more", "", true },
	{ "with debug info", "-g", true },
	{ "elsewhere", "-Wl,-Ttext-segment=0x800000", false },
	{ "with more code", "-DMORE", false },
	{ "with more data that is all 0", "-DDATA", false },
	{ "with data that is all 0 no more", "-DFILLED", false },
	{ "code that may be written", "-Wl,-N", false },
	{ "what has no segments", "-r", false },
};

/* What is not the same has other code at an address, perhaps. */
START_TEST(what_is_made_again_is_the_same)
{
	char command[256];

	file_write_text("f.c",
			"void _start(void) { }\n"
			"#ifdef MORE\nint more(int x) { return x; }\n#endif\n"
			"char data[128] = { 1 };\n"
			"#ifdef FILLED\nchar none[128] = { 1 };\n#else\nchar none[128];\n#endif\n"
			"#ifdef DATA\nchar zeros[100];\n#endif\n");
	snprintf(command, sizeof(command),
		 "gcc-12 -static -nostdlib f.c -o p && gcc-12 -static -nostdlib %s f.c -o q",
		 same_cases[_i].options);
	ck_assert_int_eq(system(command), 0);
	ck_assert_msg(compile_is_same_image("p", "q") == same_cases[_i].same, "%s",
		      same_cases[_i].rule);
	ck_assert(!compile_is_same_image("p", "f.c"));
	ck_assert(!compile_is_same_image("none", "p"));
	if (!strcmp(same_cases[_i].options, "-r"))
		ck_assert(!compile_is_same_image("q", "q"));
}
END_TEST

/* One has a segment more behind those of the other. */
START_TEST(what_has_more_segments_is_another)
{
	FILE *file;
	int count;

	ck_assert_int_eq(system("cp /bin/true p && cp p q"), 0);
	ck_assert(compile_is_same_image("p", "q"));
	file = fopen("q", "r+");
	ck_assert_int_eq(fseek(file, 56, SEEK_SET), 0); /* e_phnum */
	count = fgetc(file);
	ck_assert_int_eq(fseek(file, 56, SEEK_SET), 0);
	fputc(count - 1, file);
	fclose(file);
	ck_assert(compile_is_same_image("q", "q"));
	ck_assert(!compile_is_same_image("p", "q"));
	ck_assert(!compile_is_same_image("q", "p"));
}
END_TEST

/* ---- the command -------------------------------------------------------------------------- */

#define WRONG                                                                                      \
	"	.globl f\nf:	.cfi_startproc\n	push %rax\n	ret\n	.cfi_endproc\n"                          \
	"	.section .note.GNU-stack,\"\",@progbits\n"

/* No FDE covers the stubs by which calls.c calls. */
#define STUBS "-Wl,-z,lazy,--no-ld-generated-unwind-info -o s"

static const struct {
	const char *rule, *line;
	int status;
	const char *told; /* each first line; NULL: there are some */
	const char *written;
} command_cases[] = {
	{ "nothing of libc", "cc gcc-12 -static main.c -o s", 0, "", "s" },
	{ "but with --others", "cc --others gcc-12 -static main.c -o s", 1, NULL, "s" },
	{ "what was made of a source", "cc gcc-12 -static main.c wrong.s -o s", 1,
	  "wrong.s:4:2: warning: the CFA is elsewhere: f+0x1 of s [SP001]\n", "s" },
	{ "what was made of two", "cc gcc-12 -shared -nostdlib wrong.s other.s -o s", 1,
	  "wrong.s:4:2: warning: the CFA is elsewhere: f+0x1 of s [SP001]\n"
	  "other.s:4:2: warning: the CFA is elsewhere: g+0x1 of s [SP001]\n",
	  "s" },
	{ "an object", "cc gcc-12 -static -nostdlib start.o made.o -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "an object of an archive", "cc gcc-12 -static -nostdlib start.o libmade.a -Wl,-uf -o s",
	  1, "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "by -l", "cc gcc-12 -static -nostdlib start.o -L. -lmade -Wl,-uf -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "where another option says that libraries are",
	  "cc gcc-12 -static -nostdlib start.o --library-directory=. -lmade -Wl,-uf -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "where the linker is told so",
	  "cc gcc-12 -static -nostdlib start.o -Wl,-L,. -lmade -Wl,-uf -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "where files are looked for",
	  "cc gcc-12 -static -nostdlib start.o -B. -lmade -Wl,-uf -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "by a linker script", "cc gcc-12 -static -nostdlib start.o script -Wl,-uf -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "by the linker's words", "cc gcc-12 -static -nostdlib start.o -Wl,-uf,libmade.a -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "by a file of arguments", "cc gcc-12 -static @objects -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "a map that was asked for stays",
	  "cc gcc-12 -static -nostdlib start.o -Wl,-Map=asked -o s", 0, "", "asked" },
	{ "one beside other words, too",
	  "cc gcc-12 -static -nostdlib start.o -Wl,-z,now,-Map=asked -o s", 0, "", "asked" },
	{ "or in words of their own",
	  "cc gcc-12 -static -nostdlib start.o wrong.s -Xlinker -Map -Xlinker asked -o s", 1,
	  "wrong.s:4:2: warning: the CFA is elsewhere: f+0x1 of s [SP001]\n", "asked" },
	{ "where the linker names it", "cc gcc-12 -static -nostdlib start.o -Wl,-z,now,-o,s", 0, "",
	  "s" },
	{ "and what was made of a source", "cc gcc-12 -static -nostdlib start.o wrong.s -Wl,-o,s",
	  1, "wrong.s:4:2: warning: the CFA is elsewhere: f+0x1 of s [SP001]\n", "s" },
	{ "debug info beside it", "cc gcc-12 -static -g -gsplit-dwarf main.c wrong.s -o s", 1,
	  "wrong.s:4:2: warning: the CFA is elsewhere: f+0x1 of s [SP001]\n", "s-main.dwo" },
	{ "a language", "cc gcc-12 -static -x c main.c -o s", 0, "", "s" },
	{ "a file of arguments with it", "cc gcc-12 -static @language -o s", 0, "", "s" },
	{ "coverage of objects", "cc gcc-12 -static --coverage main.o made.o -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "s" },
	{ "a position-independent program", "cc gcc-12 -static-pie -fPIE main.c -o s", 0, "", "s" },
	{ "the linker itself", "cc ld -static start.o libmade.a -uf -Map=asked -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "asked" },
	{ "a linker for a machine",
	  "cc x86_64-linux-gnu-ld -static start.o libmade.a -uf -Map=asked -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 [SP001]\n", "asked" },
	{ "whose code it is can't be told", "cc gcc-12 -static --coverage main.c wrong.s -o s", 0,
	  "", "s-main.gcno" },
	{ "strictly, that is a failure",
	  "cc --strict gcc-12 -static --coverage main.c wrong.s -o s", 1, "", "s" },
	{ "where all is told", "cc --others gcc-12 -static --coverage main.c -o s", 1, NULL, "s" },
	{ "but what debug info says", "cc gcc-12 -static --coverage -g main.c lines.o -o s", 1,
	  "wrong.s:4:2: warning: the CFA is elsewhere: f+0x1 of s [SP001]\n", "s" },
	{ "a shared object is this build's",
	  "cc gcc-12 -shared -nostdlib --coverage -fPIC code.c wrong.s -o s", 1, NULL, "s" },
	{ "what is another program when it is made again", "cc ./changes -static main.c -o s", 0,
	  "", "s" },
	{ "what the linker wrote itself", "cc gcc-12 -shared -nostdlib -fPIC calls.c " STUBS, 0, "",
	  "s" },
	{ "beside what is wrong", "cc gcc-12 -shared -nostdlib -fPIC calls.c wrong.s " STUBS, 1,
	  "wrong.s:4:2: warning: the CFA is elsewhere: f+0x1 of s [SP001]\n", "s" },
	{ "but with --others, too", "cc --others gcc-12 -shared -nostdlib -fPIC calls.c " STUBS, 1,
	  "s: warning: code that is reached, and no FDE covers it: other@plt [SP006]\n", "s" },
	{ "what is linked for linking", "cc gcc-12 -r -nostdlib made.o -o s", 1,
	  "s: warning: the CFA is elsewhere: f+0x1 (.text+0x1) [SP001]\n", "s" },
};

/* Its lines that are a finding's first. */
static char *first_lines(char *text)
{
	char *ret = calloc(1, strlen(text) + 1), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		if (strstr(line, ": warning: "))
			strcat(strcat(ret, line), "\n");
	return ret;
}

static const struct {
	const char *path;
	bool others;
} assembly_cases[] = {
	{ "/usr/local/go/src/runtime/asm_amd64.s", true },
	{ "/_/GOROOT/src/runtime/cgo/gcc_amd64.S", true },
	{ "/usr/include/c++/12/vector", false }, /* compiled into what is built */
	{ "/_/GOROOT/src/runtime/cgo/gcc_util.c", false },
	{ "/home/x/usr/lib/a.s", false },
	{ "/usr/share/x/a.sx", true },
	{ "/usr/share/x/a.c", false },
	{ "/usr/share/x/a.s.c", false },
	{ "/usr/src/x/a.s", false },
	{ "/home/_/GOROOT/src/a.s", false },
	{ "/_/GOROOTS/a.s", false },
	{ "a.s", false },
	{ "", false },
};

START_TEST(assembly_that_is_installed_is_others)
{
	ck_assert_msg(compile_source_is_others(assembly_cases[_i].path) ==
			      assembly_cases[_i].others,
		      "%s", assembly_cases[_i].path);
}
END_TEST

/* Once: each test has a copy, and debug info names the folder of that. */
static void make_sources(void)
{
	folder_enter();
	ck_assert_int_eq(mkdir("run", 0700), 0);
	ck_assert_int_eq(chdir("run"), 0);
	file_write_text("main.c", "int main(void) { return 0; }\n");
	file_write_text("wrong.s", WRONG);
	file_write_text("objects", "-nostdlib start.o made.o");
	file_write_text("counts", "#!/bin/sh\necho >>runs\nexec gcc-12 \"$@\"\n");
	file_write_text("links",
			"#!/bin/sh\necho >>runs\nexec gcc-12 -shared -nostdlib made.o -o s\n");
	file_write_text(
		"changes",
		"#!/bin/sh\n[ -e again ] && set -- \"$@\" -Wl,-Ttext-segment=0x800000\n: >again\n"
		"exec gcc-12 \"$@\"\n");
	file_write_text("script", "INPUT(libmade.a)\n");
	file_write_text("language", "-x c\nmain.c");
	file_write_text("start.s",
			"	.globl _start\n_start: .cfi_startproc\n	.cfi_undefined rip\n	"
			"hlt\n	.cfi_endproc\n"
			"	.section .note.GNU-stack,\"\",@progbits\n");
	file_write_text("code.c", "int code(void) { return 0; }\n");
	file_write_text("calls.c", "int other(void);\nint calls(void) { return other() + 1; }\n");
	ck_assert_int_eq(
		system("sed s/f:/g:/ wrong.s >other.s && sed -i 1d other.s && "
		       "sed -i '1i .globl g' other.s && as wrong.s -o made.o && "
		       "ar rc libmade.a made.o && gcc-12 -c main.c && as -g wrong.s -o lines.o && "
		       "as start.s -o start.o && "
		       "chmod +x counts changes links"),
		0);
	ck_assert_int_eq(rename("../run", "../sources"), 0);
}

static void enter_copy(void)
{
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(system("cp -r sources run"), 0);
	ck_assert_int_eq(chdir("run"), 0);
}

static void leave_copy(void)
{
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(system("rm -r run"), 0);
}

/* How often the compiler is run: only who can be told to write elsewhere is run again. */
static const struct {
	const char *line;
	int status;
	off_t runs;
} run_cases[] = {
	{ "cc ./counts -c wrong.s", 1, 2 },
	{ "cc ./counts -c main.c", 0, 1 },
	{ "cc ./counts -c wrong.s made.o", 1, 1 },
	{ "cc ./counts -x assembler -c wrong.s", 1, 1 },
	{ "cc ./counts -shared -nostdlib made.o -o s", 1, 2 },
	{ "cc ./counts -shared -nostdlib wrong.s -o s", 1, 3 },
	{ "cc ./counts -shared -nostdlib made.o -Wl,-o,s", 1, 2 },
	{ "cc ./counts -shared -nostdlib made.o -Wl,-z,now,-Map=asked -o s", 1, 2 },
	{ "cc ./counts -c -fstack-usage wrong.s", 1, 1 },
	{ "cc ./counts -c -fdump-tree-optimized main.c wrong.s", 1, 1 },
	{ "cc ./counts -c -save-temps wrong.s", 1, 2 },
	{ "cc ./counts -shared -nostdlib -save-temps wrong.s -o s", 1, 3 },
	{ "cc ./links made.o -Wl,--save-temps -o s", 1, 1 },
	{ "cc ./links made.o -Wl,-z,now -o s", 1, 2 },
	{ "cc ./counts --coverage -shared -nostdlib wrong.s -o s", 1, 1 },
};

START_TEST(what_can_be_is_made_again)
{
	struct stat runs;
	int status;

	ck_assert_int_eq(mkdir("tmp", 0700), 0);
	ck_assert_int_eq(setenv("TMPDIR", "tmp", 1), 0);
	free(cc_output(run_cases[_i].line, &status));
	ck_assert_int_eq(stat("runs", &runs), 0);
	ck_assert_msg(status == run_cases[_i].status, "%s: status %d", run_cases[_i].line, status);
	ck_assert_msg(runs.st_size == run_cases[_i].runs, "%s: %ld runs", run_cases[_i].line,
		      (long)runs.st_size);
	ck_assert_int_eq(rmdir("tmp"), 0); /* nothing is left of it */
	ck_assert_int_eq(system("! ls stackproof-* 2>/dev/null"), 0);
}
END_TEST

/* A file that was asked for is that of the first run, which names what was wanted. */
START_TEST(what_is_beside_it_stays)
{
	static const char *const lines[] = {
		"cc gcc-12 -shared -nostdlib made.o -Wl,--dependency-file=beside -o s",
		"cc gcc-12 -shared -nostdlib made.o -Wl,-dependency-file,beside -o s",
		"cc gcc-12 -shared -nostdlib -MD -MF beside wrong.s -Wl,--dependency-file,beside "
		"-o s",
	};
	int status;

	for (int i = 0; i < COUNT(lines); i++) {
		free(cc_output(lines[i], &status));
		ck_assert_msg(status == 1, "%s: %d", lines[i], status);
		ck_assert_msg(!system("grep -q '^s:' beside && rm beside"), "%s", lines[i]);
	}
}
END_TEST

START_TEST(others_code_is_not_told)
{
	struct stat file;
	char *text, *told;
	int status;

	text = cc_output(command_cases[_i].line, &status);
	told = first_lines(text);
	ck_assert_msg(status == command_cases[_i].status, "%s: status %d: %s",
		      command_cases[_i].rule, status, told);
	if (command_cases[_i].told)
		ck_assert_msg(!strcmp(told, command_cases[_i].told), "%s: %s",
			      command_cases[_i].rule, told);
	else
		ck_assert_msg(told[0], "%s", command_cases[_i].rule);
	ck_assert_msg(!stat(command_cases[_i].written, &file) && file.st_size, "%s: no %s",
		      command_cases[_i].rule, command_cases[_i].written);
	free(told);
	free(text);
}
END_TEST

SUITE(compile_linked, GROUP(maps), FIXTURE(folder_enter, folder_remove),
      LOOP(whose_code_it_is, map_cases), LOOP(whose_file_it_is, owner_cases),
      TEST(sections_that_are_not_in_the_program), TEST(a_map_that_says_nothing_is_none),
      TEST(a_source_of_an_installed_folder), TEST(a_source_that_is_own),
      LOOP(a_program_that_needs_nobody_else, static_cases),
      LOOP(what_is_made_again_is_the_same, same_cases), TEST(what_has_more_segments_is_another),
      LOOP(whose_source_it_is, source_cases), GROUP(commands),
      FIXTURE_ONCE(make_sources, folder_remove), FIXTURE(enter_copy, leave_copy),
      TEST(what_is_beside_it_stays), LOOP(assembly_that_is_installed_is_others, assembly_cases),
      LOOP(others_code_is_not_told, command_cases), LOOP(what_can_be_is_made_again, run_cases))
