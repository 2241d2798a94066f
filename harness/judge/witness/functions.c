/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * functions.c - a program's functions by address, and its hooks
 *
 * A frame belongs to the function in which the PC above it lies. Compilers move a function's seldom
 * blocks elsewhere and call them NAME.cold; they are entered by a jump, so they are the same frame.
 * Other suffixes (NAME.part.0, NAME.constprop.1) are functions of their own, with entries of their
 * own, that report the source's function when they report its name.
 */
#include <stdlib.h>
#include <string.h>
#include "witness.h"
#include "array.h"

static const char cold_suffix[] = ".cold";

/* The function of which the one at index is a part: the nearest of that name, itself if there is
 * none. */
static uint64_t whole_of(const struct witness_functions *functions, size_t index)
{
	const struct witness_function *part = &functions->function[index];
	size_t length = strlen(part->name), suffix = sizeof(cold_suffix) - 1;

	if (length <= suffix || strcmp(part->name + length - suffix, cold_suffix) != 0)
		return part->start;
	for (size_t i = 0; i < functions->count; i++) {
		const char *name = functions->function[i].name;

		if (strlen(name) == length - suffix && !strncmp(name, part->name, length - suffix))
			return functions->function[i].start;
	}
	return part->start;
}

int witness_functions_init(struct witness_functions *functions, const struct image *image,
			   uint64_t bias, struct error *error)
{
	static const char *const names[] = { "__fentry__",   "witness_entry",  "witness_enter",
					     "witness_exit", "witness_resume", "witness_switch" };
	uint64_t address[6], end = 0;
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	*functions = (struct witness_functions) { 0 };
	functions->function = calloc(count + 1, sizeof(*functions->function));
	if (!functions->function)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for functions");
	for (size_t i = 0; i < count; i++) {
		if (!symbol[i].size || symbol[i].pc < end)
			continue;
		end = symbol[i].pc + symbol[i].size;
		functions->function[functions->count++] = (struct witness_function) {
			.start = symbol[i].pc + bias,
			.end = end + bias,
			.name = symbol[i].name,
		};
	}
	for (size_t i = 0; i < functions->count; i++)
		functions->function[i].whole = whole_of(functions, i);
	for (size_t i = 0; i < 6; i++) {
		address[i] = image_symbol_address(image, names[i]);
		address[i] += address[i] ? bias : 0;
	}
	functions->hooks = (struct witness_hooks) {
		.entry_hook = address[0],
		.entry = address[1],
		.enter = address[2],
		.exit = address[3],
		.resume = address[4],
		.change = address[5],
	};
	return 0;
}

void witness_functions_deinit(struct witness_functions *functions)
{
	free(functions->function);
	*functions = (struct witness_functions) { 0 };
}

/* Without regard to parts. */
static struct witness_function *find(const struct witness_functions *functions, uint64_t pc)
{
	size_t low = ARRAY_BEFORE(functions->count, i, functions->function[i].end <= pc);
	if (low == functions->count || pc < functions->function[low].start)
		return NULL;
	return &functions->function[low];
}

struct witness_function *witness_function_at(const struct witness_functions *functions, uint64_t pc)
{
	struct witness_function *function = find(functions, pc);

	return function && function->whole != function->start ? find(functions, function->whole)
							      : function;
}

bool witness_reports(const struct witness_function *function)
{
	return function && function->hooked && !function->mute;
}

bool witness_same_source(const char *name, const char *other)
{
	size_t length = strcspn(name, ".");

	return length == strcspn(other, ".") && !strncmp(name, other, length);
}
