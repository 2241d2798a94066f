/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_code_source.c - who compiled an address, and of which line
 *
 * Two functions of two compilers, if both are here, are linked; the same file split by objcopy, and
 * without debug information, must say as much as is left.
 */
#include <check.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "image.h"
#include "images/code_source.h"
#include "images/debug_link.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

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
	char *debug = debug_link_find(image);
	sources = code_sources_open(path, debug);
	ck_assert_ptr_nonnull(sources);
	code_sources_find(sources, *function ? image_symbol_address(image, function) : 1, &source);
	const char *comment = code_sources_comment(sources);
	snprintf(ret, size, "%s:%d %.*s;%s%s", source.file, source.line,
		 (int)strcspn(source.producer, " "), source.producer,
		 strstr(comment, "GCC: (") ? " GCC" : "",
		 strstr(comment, "clang ") ? " clang" : "");
	code_sources_close(sources);
	free(debug);
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

int main(void)
{
	Suite *suite = suite_create("code_source");
	TCase *known = tcase_create("known");
	SRunner *runner = srunner_create(suite);
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	if (make_files())
		tcase_add_loop_test(known, what_is_known_is_said, 0, COUNT(sources));
	else
		puts("skipped: no gcc-12, clang-14 or objcopy");
	tcase_add_test(known, what_cant_be_read_knows_nothing);
	suite_add_tcase(suite, known);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	run("rm -r %s", folder);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
