/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_results.c - rows that were wrong, by what `compare --json` has written, or `run`
 *
 * A finding there is of a function, with the address of its first point. So this knows less than a
 * program that is stepped now: one address for each function and kind, not which register was
 * wrong, and nothing of what was right.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/input_file.h"
#include "base/cli/json_counts.h"
#include "executed.h"
#include "hex_text.h"

#define STACK_REGISTERS (1u << REGISTER_RSP | 1u << REGISTER_RIP)

static enum fault_kind kind_of(const char *name)
{
	for (int i = FAULT_NONE + 1; i < FAULT_KIND_COUNT; i++)
		if (!strcmp(fault_kind_name((enum fault_kind)i), name))
			return (enum fault_kind)i;
	return FAULT_NONE;
}

/* "0x1f". False: it is none. */
static bool read_address(const char *text, uint64_t *ret)
{
	char *end;

	if (strncmp(text, "0x", 2) != 0 || !text[2])
		return false;
	*ret = strtoull(text + 2, &end, 16);
	return !*end;
}

/* Which build of the image it was; results of before had neither. */
static void read_build(const json_t *object, struct truth_image *image, uint8_t room[BUILD_ID_MAX])
{
	image->build_id = room;
	image->build_id_size = hex_bytes(json_text(object, "image_build_id"), room, BUILD_ID_MAX);
	if (!code_digest_scan(json_text(object, "image_digest"), &image->digest))
		image->digest = (struct code_digest) { 0 };
}

static int add_finding(struct executed *executed, const json_t *object, struct error *error)
{
	struct truth_image image = { .kind = TRUTH_IMAGE_FILE, .path = json_text(object, "image") };
	uint8_t build_id[BUILD_ID_MAX];
	struct executed_fault fault = { .kind = kind_of(json_text(object, "kind")),
					.registers = STACK_REGISTERS };
	uint32_t number;

	/* Of executed: another table's. */
	if (json_object_get(object, "table") && strcmp(json_text(object, "table"), "cfi"))
		return 0;
	if (!fault.kind || !read_address(json_text(object, "address"), &fault.pc))
		return error_set(error, ERROR_TEXT_SYNTAX, NULL, 0, "a finding without a place");
	if (image.path[0] != '/')
		return 0; /* code of no file */
	read_build(object, &image, build_id);
	if (fault.kind == FAULT_REGISTER)
		fault.registers = 0; /* which is not said */
	if (context_tree_image(&executed->images, &image, &fault.image, error))
		return -1;
	number = executed_fault(executed, &fault);
	if (!number)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for what ran");
	executed->fault[number - 1].count += json_number(object, "count");
	return 0;
}

/* *ret_runs: programs whose results are whole. */
static int add_line(struct executed *executed, const char *line, size_t size, uint64_t *ret_runs,
		    struct error *error)
{
	json_error_t syntax;
	JSON_FREED json_t *object = json_loadb(line, size, 0, &syntax);
	const char *type = json_text(object, "type");
	int result = 0;

	if (!json_is_object(object))
		result = error_set(error, ERROR_TEXT_SYNTAX, NULL, 0, "no JSON object");
	else if (!strcmp(type, "finding") && !strcmp(json_text(object, "verdict"), "table_fault"))
		result = add_finding(executed, object, error);
	else if (!strcmp(type, "executed_total")) {
		++*ret_runs;
		executed->points += json_number(object, "runs");
		executed->partial |= json_is_true(json_object_get(object, "partial"));
	} else if (!strcmp(type, "verdicts")) {
		++*ret_runs;
		executed->points += json_number(object, "points");
		executed->doubted += json_number(object, "unproven");
		executed->partial |= json_object_get(object, "partial") != NULL;
	}
	return result;
}

int executed_read_results(const char *path, struct executed *ret, struct error *error)
{
	FILE_CLOSED FILE *file = input_file_open(path, error);
	FREED char *line = NULL;
	size_t room = 0;
	uint64_t number = 0, runs = 0;
	ssize_t size;
	int result;

	*ret = (struct executed) { .place = NULL };
	if (!file)
		return -1;
	result = executed_init(ret, error);
	ret->stepped = ret->recorded = true;
	while (!result && (size = getline(&line, &room, file)) >= 0) {
		number++;
		if (size && line[size - 1] == '\n')
			size--;
		if (size)
			result = add_line(ret, line, (size_t)size, &runs, error);
		if (result && error->code == ERROR_TEXT_SYNTAX)
			error->offset = number;
	}
	if (!result && ferror(file))
		result = error_set_errno(error, "cannot read %s", path);
	if (!result && !runs)
		result = error_set(error, ERROR_TEXT_SYNTAX, NULL, 0,
				   "no run's verdicts are in it: cut off, or not compare's");
	executed_sort(ret);
	return result;
}
