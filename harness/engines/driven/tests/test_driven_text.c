/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_driven_text.c - how the command line describes a BPF program and its records
 */
#include <stdio.h>
#include <string.h>
#include "tests/suite.h"
#include "engines/driven/driven.h"

/* "-": there is none. Of a field offset:bytes. */
static void print(char *ret, size_t size, const struct driven_options *options)
{
	const struct driven_layout *layout = &options->layout;
	const struct driven_field *field[] = { &layout->tid, &layout->count, &layout->bytes,
					       &layout->pcs, &layout->stack, &layout->complete };
	const char *text[] = { options->program, options->map, options->stacks, options->pin,
			       options->fill };
	FILE *file = fmemopen(ret, size, "w");

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		fprintf(file, "%s ", text[i] ?: "-");
	fputc('|', file);
	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		if (field[i]->bytes)
			fprintf(file, " %u:%u", field[i]->offset, field[i]->bytes);
		else
			fputs(" -", file);
	for (size_t i = 0; i < options->sizes; i++)
		fprintf(file, " %s %u", options->size[i].map, options->size[i].entries);
	fclose(file);
}

#define OWN "- - - - - | 0:4 4:4 - 16:8 - 8:4"

static const struct {
	const char *text, *expected; /* or the error's message behind "engine e: " */
	bool good;
} cases[] = {
	{ "/dev/null", OWN, true },
	{ "  /dev/null  ", OWN, true },
	{ "/dev/null:walk", "walk - - - - | 0:4 4:4 - 16:8 - 8:4", true },
	{ "/dev/null map=out", "- out - - - | 0:4 4:4 - 16:8 - 8:4", true },
	{ "/dev/null tid=4 count=8:2 pcs=16", "- - - - - | 4:4 8:2 - 16:4 - -", true },
	{ "/dev/null tid=4:8 bytes=8 pcs=16 complete=12:1", "- - - - - | 4:8 - 8:4 16:4 - 12:1",
	  true },
	{ "/dev/null:w tid=0 stack=8:8 stacks=s map=m", "w m s - - | 0:4 - - - 8:8 -", true },
	{ "/dev/null size.a=1 size.b=4294967295 pin=/p fill=a b=c  d",
	  "- - - /p a b=c  d | 0:4 4:4 - 16:8 - 8:4 a 1 b 4294967295", true },
	{ "", "no object: ''", false },
	{ ":walk", "no object: ''", false },
	{ "/dev/null:", "no program's name behind the colon: '/dev/null'", false },
	{ "/nowhere/a.o", "/nowhere/a.o: No such file or directory", false },
	{ "/dev/null walk", "not KEY=VALUE: 'walk'", false },
	{ "/dev/null walk=1", "no key has this name: 'walk'", false },
	{ "/dev/null pin=/a.b", "a BPF file system has no periods in paths: '/a.b'", false },
	{ "/dev/null map=", "nothing is said: 'map'", false },
	{ "/dev/null map=a map=b", "said twice: 'map'", false },
	{ "/dev/null tid=0 tid=4", "said twice: 'tid'", false },
	{ "/dev/null tid=x", "not an offset, or OFFSET:BYTES of 1, 2, 4 or 8: 'x'", false },
	{ "/dev/null tid=-1", "not an offset, or OFFSET:BYTES of 1, 2, 4 or 8: '-1'", false },
	{ "/dev/null tid=65536", "not an offset, or OFFSET:BYTES of 1, 2, 4 or 8: '65536'", false },
	{ "/dev/null tid=4:3", "not an offset, or OFFSET:BYTES of 1, 2, 4 or 8: '4:3'", false },
	{ "/dev/null count=4 pcs=8", "a record's thread is not described: 'tid'", false },
	{ "/dev/null tid=0", "a record's frames are pcs with count or bytes, or stack: 'pcs'",
	  false },
	{ "/dev/null tid=0 count=4",
	  "a record's frames are pcs with count or bytes, or stack: 'pcs'", false },
	{ "/dev/null tid=0 count=4 bytes=4 pcs=8",
	  "a record's frames are pcs with count or bytes, or stack: 'pcs'", false },
	{ "/dev/null tid=0 stack=4 pcs=8",
	  "a record's frames are pcs with count or bytes, or stack: 'stack'", false },
	{ "/dev/null size.a=x", "not a map's number of entries: 'x'", false },
	{ "/dev/null size.a=4294967296", "not a map's number of entries: '4294967296'", false },
	{ "/dev/null size.=1", "not a map's number of entries: '1'", false },
	{ "/dev/null size.a=1 size.a=1 size.a=1 size.a=1 size.a=1 size.a=1 size.a=1 size.a=1 "
	  "size.a=1 "
	  "size.a=1 size.a=1 size.a=1 size.a=1 size.a=1 size.a=1 size.a=1 size.b=1",
	  "more sizes than there is room for: 'b'", false },
};

START_TEST(a_description)
{
	struct driven_options options = { .name = strdup("e") };
	struct error error = { 0 };
	char text[300];
	int status = driven_options_read(cases[_i].text, &options, &error);

	ck_assert_msg(!status == cases[_i].good, "%s: %s", cases[_i].text, error.message);
	if (status)
		snprintf(text, sizeof(text), "%s", error.message + strlen("engine e: "));
	else
		print(text, sizeof(text), &options);
	ck_assert_msg(!strcmp(text, cases[_i].expected), "%s: %s", cases[_i].text, text);
	driven_options_deinit(&options);
}
END_TEST

SUITE(driven_text, LOOP(a_description, cases))
