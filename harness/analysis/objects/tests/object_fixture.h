/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * object_fixture.h - text in assembly as an object file in memory, and what is found in it
 */
#ifndef STACKPROOF_OBJECT_FIXTURE_H
#define STACKPROOF_OBJECT_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/child/child.h"
#include "analysis/objects/object.h"

static char folder[] = "/tmp/test_objects.XXXXXX";
static uint8_t *bytes; /* of the object file */
static size_t size;

static inline void run(const char *const *argv)
{
	struct child_command child = { .argv = argv };
	struct error error;
	pid_t pid = child_start(&child, NULL, &error);

	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(child_end(pid, false), 0);
}

static inline void assemble_text(const char *text)
{
	static const char *const compile[] = { "gcc-12", "-c", "f.s", NULL };
	const char *const remove[] = { "rm", "-r", folder, NULL };
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	file = fopen("f.s", "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
	run(compile);
	file = fopen("f.o", "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
	size = (size_t)ftell(file);
	ck_assert_uint_gt(size, 300);
	rewind(file);
	bytes = malloc(2 * size + 16); /* cases add as much again */
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(fread(bytes, 1, size, file), size);
	fclose(file);
	ck_assert_int_eq(chdir("/"), 0);
	run(remove);
}

static inline void forget(void)
{
	free(bytes);
}

static inline struct image *open_bytes(void)
{
	struct image *image;
	struct error error;

	ck_assert_msg(!image_create_memory(bytes, size, "f.o", &image, &error), "%s",
		      error.message);
	return image;
}

static inline const struct object_section *section_named(const struct object *object,
							 const char *name)
{
	for (size_t i = 0; i < object->section_count; i++)
		if (!strcmp(object->section[i].name, name))
			return &object->section[i];
	ck_abort_msg("no section %s", name);
	return NULL;
}

#endif
