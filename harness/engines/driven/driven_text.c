/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * driven_text.c - the words of the command line that describe a BPF program and its records
 *
 *	walk.bpf.o					records as stackproof_engine.bpf.h sends them
 *	walk.bpf.o:on_event map=events tid=4 count=8:2 pcs=16
 *	agent.bpf.o map=events tid=4 stack=8 stacks=traces size.rows=65536 pin=/sys/fs/bpf/agent fill=./fill
 *
 * An offset is in bytes, with the number's size behind it, 4 unless said. fill takes the rest of the text.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "driven.h"
#include "stackproof_engine.bpf.h"

static int refuse(const struct driven_options *options, struct error *error, const char *what,
		  const char *word)
{
	return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "engine %s: %s: '%s'", options->name,
			 what, word);
}

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine");
}

/* A number up to most, all of the text. */
static bool is_number(const char *text, unsigned long most, uint32_t *ret)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*ret = (uint32_t)value;
	return *text >= '0' && *text <= '9' && !*end && value <= most;
}

/* "8", "8:2" */
static bool is_field(char *text, struct driven_field *ret)
{
	char *colon = strchr(text, ':');
	uint32_t bytes = 4;
	bool good;

	if (colon)
		*colon = '\0';
	good = is_number(text, UINT16_MAX, &ret->offset) &&
	       (!colon || is_number(colon + 1, 8, &bytes));
	if (colon) /* for who says what is wrong */
		*colon = ':';
	if (!good)
		return false;
	ret->bytes = (uint8_t)bytes;
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static int take_size(struct driven_options *options, const char *map, const char *value,
		     struct error *error)
{
	if (options->sizes == DRIVEN_SIZES_MAX)
		return refuse(options, error, "more sizes than there is room for", map);
	if (!*map || !is_number(value, UINT32_MAX, &options->size[options->sizes].entries))
		return refuse(options, error, "not a map's number of entries", value);
	options->size[options->sizes].map = strdup(map);
	return options->size[options->sizes++].map ? 0 : no_memory(error);
}

static int take_pair(struct driven_options *options, char *word, struct error *error)
{
	const struct {
		const char *key;
		char **text;
		struct driven_field *field;
	} keys[] = {
		{ "map", &options->map, NULL },
		{ "stacks", &options->stacks, NULL },
		{ "pin", &options->pin, NULL },
		{ "fill", &options->fill, NULL },
		{ "tid", NULL, &options->layout.tid },
		{ "count", NULL, &options->layout.count },
		{ "bytes", NULL, &options->layout.bytes },
		{ "pcs", NULL, &options->layout.pcs },
		{ "stack", NULL, &options->layout.stack },
		{ "complete", NULL, &options->layout.complete },
	};
	char *value = strchr(word, '=');

	if (!value)
		return refuse(options, error, "not KEY=VALUE", word);
	*value++ = '\0';
	if (!strncmp(word, "size.", 5))
		return take_size(options, word + 5, value, error);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].key, word) != 0)
			continue;
		if (keys[i].field ? keys[i].field->bytes != 0 : *keys[i].text != NULL)
			return refuse(options, error, "said twice", word);
		if (!*value)
			return refuse(options, error, "nothing is said", word);
		if (keys[i].field)
			return is_field(value, keys[i].field)
				       ? 0
				       : refuse(options, error,
						"not an offset, or OFFSET:BYTES of 1, 2, 4 or 8",
						value);
		*keys[i].text = strdup(value);
		return *keys[i].text ? 0 : no_memory(error);
	}
	return refuse(options, error, "no key has this name", word);
}

/* What a record of stackproof_engine.bpf.h has. */
static const struct driven_layout own_layout = {
	.tid = { offsetof(struct stackproof_stack, tid), 4 },
	.count = { offsetof(struct stackproof_stack, count), 4 },
	.pcs = { offsetof(struct stackproof_stack, pc), 8 },
	.complete = { offsetof(struct stackproof_stack, complete), 4 },
};

static int check_layout(struct driven_options *options, struct error *error)
{
	struct driven_layout *layout = &options->layout;
	bool inside = layout->pcs.bytes && !layout->count.bytes == !!layout->bytes.bytes;

	if (!layout->tid.bytes && !layout->count.bytes && !layout->bytes.bytes &&
	    !layout->pcs.bytes && !layout->stack.bytes && !layout->complete.bytes) {
		*layout = own_layout;
		return 0;
	}
	if (!layout->tid.bytes)
		return refuse(options, error, "a record's thread is not described", "tid");
	if (layout->stack.bytes ? layout->pcs.bytes || layout->count.bytes || layout->bytes.bytes
				: !inside)
		return refuse(options, error,
			      "a record's frames are pcs with count or bytes, or stack",
			      layout->stack.bytes ? "stack" : "pcs");
	return 0;
}

/* "walk.bpf.o:on_event" */
static int take_object(struct driven_options *options, char *word, struct error *error)
{
	char *colon = strrchr(word, ':');

	if (colon && !strchr(colon, '/')) {
		*colon = '\0';
		if (!colon[1])
			return refuse(options, error, "no program's name behind the colon", word);
		options->program = strdup(colon + 1);
		if (!options->program)
			return no_memory(error);
	}
	if (!*word)
		return refuse(options, error, "no object", word);
	if (access(word, R_OK))
		return error_set_errno(error, "engine %s: %s", options->name, word);
	options->object = strdup(word);
	return options->object ? 0 : no_memory(error);
}

int driven_options_read(const char *text, struct driven_options *ret, struct error *error)
{
	char *copy = strdup(text), *rest = copy, *word;
	int status = copy ? 0 : no_memory(error);

	while (!status && rest) {
		rest += strspn(rest, " ");
		if (!*rest && ret->object)
			break;
		word = !strncmp(rest, "fill=", 5) && ret->object ? strsep(&rest, "")
								 : strsep(&rest, " ");
		status = ret->object ? take_pair(ret, word, error) : take_object(ret, word, error);
	}
	free(copy);
	if (!status && ret->pin && strchr(ret->pin, '.'))
		status = refuse(ret, error, "a BPF file system has no periods in paths", ret->pin);
	return status ? status : check_layout(ret, error);
}

void driven_options_deinit(struct driven_options *options)
{
	free(options->name);
	free(options->text);
	free(options->object);
	free(options->program);
	free(options->map);
	free(options->stacks);
	free(options->pin);
	free(options->fill);
	for (size_t i = 0; i < options->sizes; i++)
		free(options->size[i].map);
	*options = (struct driven_options) { .name = NULL };
}
