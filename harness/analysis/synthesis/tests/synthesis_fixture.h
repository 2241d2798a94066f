/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_fixture.h - code in assembly, and the rows that are made for it
 */
#ifndef STACKPROOF_SYNTHESIS_FIXTURE_H
#define STACKPROOF_SYNTHESIS_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/lint/tests/assembly_fixture.h"
#include "analysis/synthesis/synthesis.h"

/* A shared object, whose file may be changed before it is opened again. */
struct world {
	char directory[64], path[128];
	struct image *image;
	struct cfi *cfi;
	struct synthesis synthesis;
	uint64_t begin; /* of f */
};

static inline void open_image(struct world *world)
{
	struct error error;

	ck_assert_int_eq(image_create(world->path, &world->image, &error), 0);
	if (cfi_create(world->image, &world->cfi, &error))
		ck_assert_int_eq(error.code, ERROR_NO_CFI);
}

static inline void world_init(struct world *world, const char *assembly)
{
	struct error error;

	memset(world, 0, sizeof(*world));
	strcpy(world->directory, "/tmp/test_synthesis.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(world->directory));
	assemble(world->directory, assembly);
	snprintf(world->path, sizeof(world->path), "%s/f.so", world->directory);
	open_image(world);
	world->begin = image_symbol_address(world->image, "f");
	ck_assert_msg(!synthesis_of(world->cfi, NULL, &world->synthesis, &error), "%s",
		      error.message);
}

static inline void world_deinit(struct world *world)
{
	char command[160];

	synthesis_deinit(&world->synthesis);
	cfi_destroy(world->cfi);
	image_destroy(world->image);
	snprintf(command, sizeof(command), "rm -r %s", world->directory);
	ck_assert_int_eq(system(command), 0);
}

/* NULL: no function begins at pc. */
static inline const struct synthesis_function *function_at(const struct world *world, uint64_t pc)
{
	for (size_t i = 0; i < world->synthesis.function_count; i++)
		if (world->synthesis.function[i].begin == pc)
			return &world->synthesis.function[i];
	return NULL;
}

/* The lines of the function at pc, without its name's. The caller's. */
static inline char *directives_at(const struct world *world, uint64_t pc)
{
	const struct synthesis_function *function = function_at(world, pc);
	struct synthesis alone = world->synthesis;
	char *text = NULL, *line;
	struct error error;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(function);
	alone.function = (struct synthesis_function *)function;
	alone.function_count = 1;
	ck_assert_int_eq(synthesis_directives(&alone, world->cfi, NULL, file, &error), 0);
	fclose(file);
	line = strchr(text, '\n');
	ck_assert_ptr_nonnull(line);
	line = strdup(line + 1);
	free(text);
	return line;
}

#endif
