/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_source.c - who compiled an address, and of which line
 *
 * Two functions of two compilers, if both are here, are linked; the same file split by objcopy, and
 * without debug information, must say as much as is left. Their object files say it before, in every
 * form of debug information, of functions in sections of their own.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "image/image.h"
#include "base/images/code_source.h"
#include "base/images/debug_link.h"

static char folder[] = "/tmp/stackproof-code-source-XXXXXX";

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

#define TWO    "printf 'int h(int x)\\n{\\n\\treturn x - 1;\\n}\\n' >h.c && cat g.c h.c >two.c && "
#define OBJECT " -O1 -ffunction-sections -fdebug-prefix-map=$PWD=/src -c two.c -o "

static bool make_objects(void)
{
	return run("cd %s && " TWO "gcc-12 -g" OBJECT "gcc5.o && gcc-12 -gdwarf-4" OBJECT
		   "gcc4.o && "
		   "gcc-12 -g -gz" OBJECT "gccz.o && clang-14 -g" OBJECT "clang5.o && "
		   "clang-14 -gdwarf-4" OBJECT "clang4.o && clang-14 -g -gz" OBJECT "clangz.o && "
		   "gcc-12 -g0" OBJECT "bare.o && head -c 700 gcc5.o >cut.o",
		   folder);
}

static bool make_files(void)
{
	return run("cd %s && printf 'int g(int x)\\n{\\n\\treturn x + 1;\\n}\\n' >g.c && "
		   "printf 'int g(int);\\nint f(int x)\\n{\\n\\treturn g(x);\\n}\\n' >f.c && "
		   "clang-14 -g -O1 -fdebug-prefix-map=$PWD=/src -c g.c && "
		   "gcc-12 -g -O1 -fdebug-prefix-map=$PWD=/src -c f.c && "
		   "gcc-12 -shared -nostdlib -Wl,--build-id f.o g.o -o whole && "
		   "objcopy --only-keep-debug whole whole.debug && "
		   "objcopy --strip-debug --add-gnu-debuglink=whole.debug whole linked && "
		   "objcopy --strip-debug whole bare && objcopy -R .comment bare mute",
		   folder);
}

static void say_source(const struct code_source *source, const char *comment, char *ret,
		       size_t size)
{
	snprintf(ret, size, "%s:%d %.*s;%s%s", source->file, source->line,
		 (int)strcspn(source->producer, " "), source->producer,
		 strstr(comment, "GCC: (") ? " GCC" : "",
		 strstr(comment, "clang ") ? " clang" : "");
}

/* What is found of a function's first instruction: "file:line producer's first word; comment's". */
static void say(const char *name, const char *function, char *ret, size_t size)
{
	struct code_source source;
	struct code_sources *sources;
	struct image *image;
	struct error error;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	FREED char *debug = debug_link_find(image);
	sources = code_sources_open(path, debug);
	ck_assert_ptr_nonnull(sources);
	code_sources_find(sources, *function ? image_symbol_address(image, function) : 1, &source);
	say_source(&source, code_sources_comment(sources), ret, size);
	code_sources_close(sources);
	image_destroy(image);
}

static const struct source_case {
	const char *rule, *file, *function, *expected;
} sources[] = {
	{ "gcc_has_debug_aranges", "whole", "f", "/src/f.c:3 GNU; GCC clang" },
	{ "clang_has_none", "whole", "g", "/src/g.c:3 Debian; GCC clang" },
	{ "the_debug_file_says_it_too", "linked", "g", "/src/g.c:3 Debian; GCC clang" },
	{ "no_code_has_no_line", "whole", "", ":0 ; GCC clang" },
	{ "comment_is_left", "bare", "f", ":0 ; GCC clang" },
	{ "nothing_is_known", "mute", "f", ":0 ;" },
};

START_TEST(what_is_known_is_said)
{
	const struct source_case *test = &sources[_i];
	char said[PATH_MAX];

	say(test->file, test->function, said, sizeof(said));
	ck_assert_msg(!strcmp(said, test->expected), "%s: %s", test->rule, said);
}
END_TEST

/* Of a section's first byte; section: its name. */
static const struct source_case objects[] = {
	{ "dwarf_5_of_gcc", "gcc5.o", ".text.g", "/src/two.c:3 GNU; GCC" },
	{ "another_section_begins_at_0_too", "gcc5.o", ".text.h", "/src/two.c:7 GNU; GCC" },
	{ "dwarf_4_of_gcc", "gcc4.o", ".text.h", "/src/two.c:7 GNU; GCC" },
	{ "compressed_by_gcc", "gccz.o", ".text.h", "/src/two.c:7 GNU; GCC" },
	{ "dwarf_5_of_clang", "clang5.o", ".text.h", "/src/two.c:7 Debian; clang" },
	{ "dwarf_4_of_clang", "clang4.o", ".text.g", "/src/two.c:3 Debian; clang" },
	{ "compressed_by_clang", "clangz.o", ".text.h", "/src/two.c:7 Debian; clang" },
	{ "without_debug_info", "bare.o", ".text.h", ":0 ; GCC" },
	{ "no_such_section", "gcc5.o", "", ":0 ; GCC" },
};

/* 0: there is none. */
static size_t section_number(const char *path, const char *name)
{
	char command[PATH_MAX + 128], line[32] = "";
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "readelf -SW %s | sed -n 's/^ *\\[ *\\([0-9]*\\)\\] %s .*/\\1/p'", path, name);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	if (!fgets(line, sizeof(line), pipe))
		line[0] = '\0';
	pclose(pipe);
	return strtoul(line, NULL, 10);
}

START_TEST(object_files_know_it_before_they_are_linked)
{
	const struct source_case *test = &objects[_i];
	struct code_sources *read;
	struct code_source source;
	char path[PATH_MAX], said[PATH_MAX];
	uint64_t address;

	snprintf(path, sizeof(path), "%s/%s", folder, test->file);
	read = code_sources_open_object(path);
	ck_assert_ptr_nonnull(read);
	address = code_sources_address(
		read, *test->function ? section_number(path, test->function) : 10000, 0);
	code_sources_find(read, address, &source);
	say_source(&source, code_sources_comment(read), said, sizeof(said));
	ck_assert_msg(!strcmp(said, test->expected), "%s: %s", test->rule, said);
	code_sources_close(read);
}
END_TEST

START_TEST(what_is_no_object_file_knows_nothing)
{
	static const char *const files[] = { "/no/such", "/etc/passwd", "cut.o" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct code_source source;
		struct code_sources *none;
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s%s%s", files[i][0] == '/' ? "" : folder,
			 files[i][0] == '/' ? "" : "/", files[i]);
		none = code_sources_open_object(path);
		ck_assert_ptr_nonnull(none);
		ck_assert_uint_eq(code_sources_address(none, 1, 0), 0);
		code_sources_find(none, 0, &source);
		ck_assert_str_eq(source.file, "");
		ck_assert_str_eq(code_sources_comment(none), "");
		code_sources_close(none);
	}
}
END_TEST

/* libdw opens by itself what .gnu_debugaltlink names (dwz -m), once debug info leads there: of a FIFO it would wait. */
static const struct {
	const char *name, *link;
	bool is_read;
} alternatives[] = {
	{ "a_fifo", "fifo", false },
	{ "a_fifo_by_its_folder", "./fifo", false },
	{ "a_device", "/dev/null", false },
	{ "a_folder", "/tmp", false },
	{ "a_file", "whole", true },
	{ "nothing", "nosuch", true },
	{ "nothing_at_the_root", "/nosuch", true },
};

START_TEST(nobody_waits_for_an_alternative_file)
{
	char object[PATH_MAX], said[PATH_MAX];
	struct code_sources *read;
	struct code_source source;

	ck_assert(run("cd %s && { test -p fifo || mkfifo fifo; } && printf "
		      "'%s\\00012345678901234567890' >link && "
		      "objcopy --add-section .gnu_debugaltlink=link whole alternative && "
		      "objcopy --add-section .gnu_debugaltlink=link f.o alternative.o",
		      folder, alternatives[_i].link));
	say("alternative", "f", said, sizeof(said));
	ck_assert_msg(!strncmp(said, "/src/f.c:", 9) == alternatives[_i].is_read, "%s: %s",
		      alternatives[_i].name, said);
	snprintf(object, sizeof(object), "%s/alternative.o", folder);
	read = code_sources_open_object(object);
	code_sources_find(read, code_sources_address(read, section_number(object, ".text"), 0),
			  &source);
	ck_assert_msg((source.line > 0) == alternatives[_i].is_read, "%s", alternatives[_i].name);
	code_sources_close(read);
	/* By another name it is the same file, and what it names is beside it. */
	ck_assert(run("cd %s && mkdir -p other && ln -sf ../alternative other/link", folder));
	say("other/link", "f", said, sizeof(said));
	ck_assert_msg(!strncmp(said, "/src/f.c:", 9) == alternatives[_i].is_read, "%s: %s",
		      alternatives[_i].name, said);
}
END_TEST

START_TEST(what_cant_be_read_knows_nothing)
{
	struct code_source source;
	struct code_sources *none = code_sources_open("/no/such", "/etc/passwd");

	ck_assert_ptr_nonnull(none);
	code_sources_find(none, 0, &source);
	ck_assert_str_eq(source.producer, "");
	ck_assert_str_eq(source.file, "");
	ck_assert_int_eq(source.line, 0);
	ck_assert_str_eq(code_sources_comment(none), "");
	code_sources_close(none);
	code_sources_close(NULL);
}
END_TEST

SUITE_MAIN(code_source)
{
	Suite *suite = suite_create("code_source");
	TCase *known = tcase_create("known");
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	if (make_files()) {
		tcase_add_loop_test(known, what_is_known_is_said, 0, COUNT(sources));
		tcase_add_loop_test(known, nobody_waits_for_an_alternative_file, 0,
				    COUNT(alternatives));
	} else {
		puts("skipped: no gcc-12, clang-14 or objcopy");
	}
	if (make_objects()) {
		tcase_add_loop_test(known, object_files_know_it_before_they_are_linked, 0,
				    COUNT(objects));
		tcase_add_test(known, what_is_no_object_file_knows_nothing);
	}
	tcase_add_test(known, what_cant_be_read_knows_nothing);
	suite_add_tcase(suite, known);
	failed = suite_run(suite);
	run("rm -r %s", folder);
	return failed;
}
