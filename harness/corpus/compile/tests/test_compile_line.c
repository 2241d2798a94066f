/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compile_line.c - `stackproof cc`: which files a compiler will write, by its command line
 */
#include "tests/suite.h"
#include "corpus/compile/compile_line.h"
#include "compile_fixture.h"

static void enter_with_files(void)
{
	folder_enter();
	file_write_text("args", "-c 'a b.c'\n\"c\\\"d.c\" e\\ f.c @more");
	file_write_text("more", "-I inc g.c");
	file_write_text("quote", "-c 'a\\'b.c'");
	file_write_text("self", "-c @self");
	file_write_text("deep", "d.c @deep");
	file_write_text("back", "-c h.c\\");
	file_write_text("linker", "-z now -o q");
	file_write_text("both", "f.c -Wl,@linker");
	file_write_text("output", "-o g.o");
	file_write_text("within", "-c \"a'b.c\" 'c\"d.c'");
	file_write_text("blanks", " \t-c\ra.c\vb.c\fc.c\n\n d.c ''\t");
	file_write_text("ended", "--crate-name\r\nb\r\nf.rs\r\n");
	file_write_text("rust", "--crate-name\na b\nf.rs\n");
}

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
	{ "--output", "gcc -c f.c --output g.o", "g.o" },
	{ "without a name it names nothing", "gcc -c f.c -o", "f.o" },
	{ "the last of two", "gcc -c f.c -o g.o -o h.o", "h.o" },
	{ "--compile", "gcc --compile f.c", "f.o" },
	{ "sources of many languages", "gcc -c a.c b.i c.cxx d.cpp e.C f.m g.F90 h.adb i.ll",
	  "a.o b.o c.o d.o e.o f.o g.o h.o i.o" },
	{ "without -c it is linked", "gcc f.c g.o -lm", "link: a.out" },
	{ "objects alone are linked", "gcc f.o -o prog", "link: prog" },
	{ "a shared object", "gcc -shared -fPIC f.c -o libf.so", "link: libf.so" },
	{ "-r is a link", "gcc -r a.o b.o -o c.o", "link: c.o" },
	{ "-S writes assembly", "gcc -S f.c -o f.s", "none" },
	{ "-E preprocesses", "gcc -E f.c", "none" },
	{ "in a word", "gcc --preprocess f.c", "none" },
	{ "--assemble", "gcc --assemble f.c", "none" },
	{ "-fsyntax-only", "gcc -fsyntax-only -c f.c", "none" },
	{ "-M", "gcc -M -c f.c", "none" },
	{ "clang's analysis", "clang --analyze f.c", "none" },
	{ "clang's modules", "clang++ --precompile f.cppm -o f.pcm", "none" },
	{ "what would be run", "gcc -### -c f.c", "none" },
	{ "-E ends sooner than -c", "gcc -c -E f.c", "none" },
	{ "-M and -MM say dependencies", "gcc -MM f.c", "none" },
	{ "-MD does so beside", "gcc -MD -MF f.d -MT f.o -c f.c", "f.o" },
	{ "standard output", "gcc -c f.c -o -", "none" },
	{ "a name that only begins so", "gcc -c f.c -o -f.o", "-f.o" },
	{ "standard input has a language", "gcc -x c -c - -o f.o", "f.o" },
	{ "without a name", "gcc -xc -c -", "-.o" },
	{ "a language makes a source of any name", "gcc -c -x c f.txt", "f.o" },
	{ "until it is none", "gcc -c -x c f.txt -x none g.txt h.c", "f.o h.o" },
	{ "an option's argument is no source", "gcc -include pre.c -I a.c -D X.c -c f.c", "f.o" },
	{ "of whatever kind",
	  "gcc -c f.c -MQ a.c -imacros a.c -isystem a.c -iquote a.c -idirafter a.c -L a.c -U a.c "
	  "-T a.c "
	  "-Xassembler a.c -Xclang a.c --param a.c -wrapper a.c -dumpbase a.c",
	  "f.o" },
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
	{ "and a quote the other one", "gcc @within", "a'b.o c\"d.o" },
	{ "whatever lies between them", "gcc @blanks", "a.o b.o c.o d.o" },
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
	{ "by itself", "gcc f.c -Xlinker @linker", "link: q" },
	{ "a name that looks like an option", "gcc f.c -Wl,-o,-og", "link: -og" },
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
	{ "a third's", "gcc -m16 -c f.c", "unchecked: f.o" },
	{ "until it is this one's again", "gcc -m32 -m64 -c f.c", "f.o" },
	{ "and the other's once more", "gcc -m64 -mx32 -c f.c", "unchecked: f.o" },
	{ "the linker makes the code", "gcc -flto=auto -c f.c", "unchecked: f.o" },
	{ "but where it is linked", "gcc -flto f.c -o p", "link: p" },
	{ "or is made twice", "gcc -flto -ffat-lto-objects -c f.c", "f.o" },
	{ "or not at all", "gcc -flto -fno-lto -c f.c", "f.o" },
	{ "no tables are wanted", "gcc -fno-asynchronous-unwind-tables -c f.c", "unchecked: f.o" },
	{ "nor of what is linked", "gcc -fno-unwind-tables f.o -o p", "unchecked: link: p" },
	{ "which assembly does not mind", "gcc -fno-unwind-tables f.s -o p", "link: p" },
	{ "nor where it is said to be that", "gcc -fno-unwind-tables -c -x assembler f.c -o f.o",
	  "f.o" },
	{ "but where C is, too", "gcc -fno-unwind-tables f.s g.c -o p", "unchecked: link: p" },
	{ "in whatever order", "gcc -fno-unwind-tables g.c f.s -o p", "unchecked: link: p" },
	{ "a kernel's has none", "gcc -D__KERNEL__ -c f.s", "unchecked: assembly: f.o" },
	{ "unless they are wanted", "gcc -D__KERNEL__ -funwind-tables -c f.s", "assembly: f.o" },
	{ "after all they are", "gcc -fno-unwind-tables -funwind-tables -c f.c", "f.o" },
	{ "the last word on tables counts", "gcc -funwind-tables -fno-unwind-tables -c f.c",
	  "unchecked: f.o" },
	{ "of a kernel, too", "gcc -funwind-tables -D__KERNEL__ -c f.s",
	  "unchecked: assembly: f.o" },
	{ "what is said to be C does mind", "gcc -fno-unwind-tables -x c -c f.s",
	  "unchecked: f.o" },
	{ "assembly for the preprocessor does not",
	  "gcc -fno-unwind-tables -x assembler-with-cpp -c f.c", "f.o" },
	{ "each source has a language of its own",
	  "gcc -fno-unwind-tables -x assembler f.c -x none g.c -o p", "unchecked: link: p" },
	{ "until it is none", "gcc -fno-unwind-tables -x assembler f.c -x none g.s -o p",
	  "link: p" },
	{ "a language without a name is none", "gcc -c f.c -x", "f.o" },
	{ "an option's argument is no option", "gcc -c -D -E -MF -S -I -M -include -m32 f.c",
	  "f.o" },
	{ "nor a word of the linker's", "gcc f.c -Xlinker -E -Xlinker -m32 -o p", "link: p" },
	{ "an object is nothing to compile", "gcc -c f.o", "" },
	{ "a library is none either", "gcc -c -lf", "" },
	{ "a header beside a source", "gcc -c f.h g.c", "none" },
	{ "but one that is said to be C", "gcc -x c -c f.h", "f.o" },
	{ "a header is kept as it was read", "gcc -c f.h", "none" },
	{ "by its language, too", "g++ -x c++-header -c f.cxx -o f.gch", "none" },
	{ "though another follows", "g++ -x c++-header f.hh -x c++ -c f.cxx", "none" },
	{ "a language alone is no header", "g++ -x header -c f.cxx", "f.o" },
	{ "rustc makes a program", "rustc f-g.rs", "link: f_g" },
	{ "a library", "rustc --crate-type=lib f.rs", "libf.rlib" },
	{ "one by its name", "rustc --crate-type=rlib f.rs", "libf.rlib" },
	{ "one that is loaded", "rustc --crate-type=dylib f.rs", "link: libf.so" },
	{ "one for C", "rustc --crate-type=cdylib f.rs", "link: libf.so" },
	{ "an archive for C", "rustc --crate-type=staticlib f.rs", "link: libf.a" },
	{ "what the compiler loads", "rustc --crate-type=proc-macro f.rs", "link: libf.so" },
	{ "a program by its name", "rustc --crate-type=bin f.rs", "link: f" },
	{ "a crate's name is as it is said, but for dashes", "rustc --crate-name a-b.c f.rs",
	  "link: a_b.c" },
	{ "the last name counts", "rustc --crate-name a --crate-name=b f.rs", "link: b" },
	{ "an option that is not known has an argument",
	  "rustc --edition 2021 --cap-lints=warn f.rs", "link: f" },
	{ "so has one of a letter", "rustc -L x.rs -Ly.rs -A z.rs f.rs", "link: f" },
	{ "an object beside a program that -o names", "rustc -o g --emit=obj,link f.rs", "g" },
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
	{ "rustc in another name", "clippy-driver f.rs", "link: f" },
	{ "rustc's standard output", "rustc f.rs -o -", "none" },
	{ "what a kind of output names, -o does not", "rustc -o g --emit=link=a/b f.rs", "a/b" },
	{ "nor where an object is named", "rustc -o g --emit=obj=a/b.o f.rs", "a/b.o" },
	{ "an object that -o names", "rustc --emit obj -o g.o f.rs", "g.o" },
	{ "an object in a folder", "rustc --emit obj --out-dir d f.rs", "d/f.o" },
	{ "both have names", "rustc --emit=obj=a.o,link=b f.rs", "b a.o" },
	{ "the program has none", "rustc --emit obj=a.o --emit link f.rs", "f a.o" },
	{ "code generation in a long word", "rustc --codegen extra-filename=-1 --emit obj f.rs",
	  "f-1.o" },
	{ "and what it says else", "rustc -C opt-level=3 -Cdebuginfo=1 f.rs", "link: f" },
	{ "an explanation", "rustc --explain E0001 f.rs", "none" },
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
	{ "a kind that is not known has none", "rustc --emit=links,objects f.rs", "none" },
	{ "a check has no code", "rustc --emit=dep-info,metadata f.rs", "none" },
	{ "nor has a question", "rustc - --crate-name _ --print=file-names --crate-type bin",
	  "none" },
	{ "nor the version", "rustc -vV", "none" },
	{ "what is said beside the work is no question", "rustc --print link-args f.rs",
	  "link: f" },
	{ "nor where it goes", "rustc --print native-static-libs=n f.rs", "link: f" },
	{ "another system's file is none that is looked at",
	  "rustc --target x86_64-pc-windows-gnu f.rs", "none" },
	{ "nor a third's", "rustc --target=wasm32-wasip1 f.rs", "none" },
	{ "a file's lines may end as another system's do", "rustc @ended", "link: b" },
	{ "a file of arguments has a line for each", "rustc @rust", "link: a b" },
};

/* To be freed. */
static char *outputs_of(const char *words)
{
	char *argv[ARGUMENTS_MAX], *line = split(words, argv), *text;
	struct compile_outputs outputs;
	struct error error;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(compile_outputs_find(argv, &outputs, &error), 0);
	if (outputs.none)
		fputs("none", file);
	if (compile_is_rustc(*compile_find(argv)))
		ck_assert_msg(outputs.not_again, "%s", words); /* it takes no linker's words */
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
	compile_outputs_deinit(&outputs);
	free(line);
	return text;
}

START_TEST(outputs_of_a_command_line)
{
	const struct line_case *test = &line_cases[_i];
	FREED char *text = outputs_of(test->line);

	ck_assert_msg(!strcmp(text, test->expected), "%s: %s: \"%s\"", test->rule, test->line,
		      text);
}
END_TEST

/* What is said of one is so of each. */
static const struct list_case {
	const char *rule, *line; /* with one of the words for %s */
	const char *words;	 /* with blanks between */
	const char *expected;
} list_cases[] = {
	{ "an option that has an argument", "gcc -c %s a.c f.c",
	  "-A -B -D -F -G -I -L -MF -MJ -MQ -MT -T -Tbss -Tdata -Ttext -U -Xanalyzer -Xassembler "
	  "-Xclang "
	  "-Xpreprocessor -arch -aux-info -dumpbase -dumpbase-ext -dumpdir -e -framework -h "
	  "-idirafter -imacros -imultilib -include -include-pch -iprefix -iquote -isysroot "
	  "-isystem "
	  "-iwithprefix -iwithprefixbefore -l -mllvm -soname -target -u -wrapper -z --param "
	  "--sysroot -rpath -specs",
	  "f.o" },
	{ "one that has none", "gcc -c %s a.c f.c", "-O -g -Wall -pipe -fPIC -MD -MP -Ib -DX -lm",
	  "a.o f.o" },
	{ "what writes no code", "gcc -c f.c %s",
	  "-### --help --version -dumpversion -dumpfullversion -dumpmachine -dumpspecs -M -MM -E "
	  "--preprocess -S --assemble -fsyntax-only -emit-llvm --precompile --analyze",
	  "none" },
	{ "a source", "gcc -c d/f.%s",
	  "c i ii m mi mm M mii cc cp cxx cpp CPP c++ C f for ftn F FOR fpp FPP f90 f95 f03 f08 "
	  "F90 "
	  "F95 F03 F08 adb ads d go mod cu ll bc",
	  "f.o" },
	{ "assembly", "gcc -c d/f.%s", "s S sx", "assembly: f.o" },
	{ "a header", "gcc -c d/f.%s", "h H hh hp hxx hpp h++ tcc", "none" },
	{ "what is for the linker", "gcc f.%s -o p", "o a so x cs hs", "link: p" },
	{ "another machine's", "gcc %s -c f.c", "-m32 -mx32 -m16", "unchecked: f.o" },
	{ "this machine's", "gcc -m32 %s -c f.c", "-m64", "f.o" },
	{ "code that is to have no tables", "gcc %s -c f.c",
	  "-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-dwarf2-cfi-asm "
	  "-mcmodel=kernel -D__KERNEL__",
	  "unchecked: f.o" },
	{ "a kernel's assembly", "gcc %s -c f.s", "-mcmodel=kernel -D__KERNEL__",
	  "unchecked: assembly: f.o" },
	{ "tables after all", "gcc -fno-unwind-tables -mcmodel=kernel %s -c f.c",
	  "-fasynchronous-unwind-tables -funwind-tables", "f.o" },
	{ "who launches a compiler", "%s rustc f.rs",
	  "ccache sccache distcc icecc nice time /usr/bin/time", "link: f" },
	{ "who does not", "%s rustc f.rs", "gcc ccaches env mycc/x", "link: a.out" },
	{ "rustc's words", "rustc %s f.rs", "-g -O -v --verbose", "link: f" },
	{ "its questions", "rustc %s f.rs",
	  "-V -vV -Vv --version -h --help --explain=E1 --print=cfg --print=link-arg", "none" },
	{ "another system", "rustc --target=%s f.rs",
	  "x86_64-pc-windows-gnu x86_64-apple-darwin wasm32-wasip1 x86_64-unknown-uefi", "none" },
	{ "this one", "rustc --target=%s f.rs", "x86_64-unknown-linux-gnu x86_64-linux-musl",
	  "link: f" },
	{ "what is no code of rustc's", "rustc --emit=%s f.rs",
	  "asm dep-info llvm-bc llvm-ir metadata mir asm,mir links linker=link", "none" },
};

START_TEST(each_of_a_list_counts)
{
	const struct list_case *test = &list_cases[_i];
	FREED char *words = strdup(test->words);
	char *rest = words, *word;

	while ((word = strsep(&rest, " "))) {
		char line[128], *text;

		snprintf(line, sizeof(line), test->line, word);
		text = outputs_of(line);
		ck_assert_msg(!strcmp(text, test->expected), "%s: %s: \"%s\"", test->rule, line,
			      text);
		free(text);
	}
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

SUITE(compile_line, FIXTURE(enter_with_files, folder_remove),
      LOOP(outputs_of_a_command_line, line_cases), LOOP(each_of_a_list_counts, list_cases),
      LOOP(large_files_of_arguments, size_cases))
