/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_lines.c - each line of a guest has its kernel, and is otherwise as it was printed
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/vm/guest_lines.h"

#define TEXT(text) text, sizeof(text) - 1

static const struct {
	const char *text;
	size_t size;
	const char *expected; /* of kernel k */
} lines[] = {
	{ TEXT(""), "" },
	{ TEXT("a\n"), "k: a\n" },
	{ TEXT("a\nb"), "k: a\nk: b\n" },
	{ TEXT("\n\na\n"), "k: \nk: \nk: a\n" },
	/* Objects: what they have is not touched, and each line is by itself. */
	{ TEXT("{}\n{ }\n{\t }\n"), "{\"kernel_name\":\"k\"}\n{\"kernel_name\":\"k\" }\n"
				    "{\"kernel_name\":\"k\"\t }\n" },
	{ TEXT("{\"a\":1.50}"), "{\"kernel_name\":\"k\",\"a\":1.50}\n" },
	{ TEXT("{ \"a\": 1e3 }\n"), "{\"kernel_name\":\"k\", \"a\": 1e3 }\n" },
	{ TEXT("{\"a\":1}\nx\n{\"a\":2}\n"),
	  "{\"kernel_name\":\"k\",\"a\":1}\nk: x\n{\"kernel_name\":\"k\",\"a\":2}\n" },
	{ TEXT("{\"kernel_name\":null}\n{\"kernel_name\":\"5.10\",\"a\":1}\n{\"kernel\":1}\n"),
	  "{\"kernel_name\":null}\n{\"kernel_name\":\"5.10\",\"a\":1}\n"
	  "{\"kernel_name\":\"k\",\"kernel\":1}\n" },
	/* What is none is text. */
	{ TEXT(" {}\n[]\n{\n{\"a\":1\n}\n"), "k:  {}\nk: []\nk: {\nk: {\"a\":1\nk: }\n" },
	{ TEXT("{} {}\n1\n\"x\"\n"), "k: {} {}\nk: 1\nk: \"x\"\n" },
};

START_TEST(each_line_has_its_kernel)
{
	char *said = NULL, *text = malloc(lines[_i].size + 2);
	size_t size;
	FILE *file = open_memstream(&said, &size);

	/* Nothing behind the text is its. */
	memcpy(text, lines[_i].text, lines[_i].size);
	strcpy(text + lines[_i].size, "}");
	guest_lines_print(file, "k", text, lines[_i].size);
	fclose(file);
	ck_assert_str_eq(said, lines[_i].expected);
	free(said);
	free(text);
}
END_TEST

/* A kernel is a path, too: in JSON as JSON has it, else plain. */
START_TEST(kernel_is_anything)
{
	FREED char *said = NULL;
	size_t size;
	FILE *file = open_memstream(&said, &size);

	guest_lines_print(file, "/a\"b\n\xff", "x\0y\n{\"a\":1}\n", 12);
	fclose(file);
	static const char expected[] =
		"/a\"b??: x\0y\n{\"kernel_name\":\"/a\\\"b\\n\\\\xff\",\"a\":1}\n";
	ck_assert_uint_eq(size, sizeof(expected) - 1);
	ck_assert_mem_eq(said, expected, size);
}
END_TEST

SUITE(guest_lines, LOOP(each_line_has_its_kernel, lines), TEST(kernel_is_anything))
