/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * engine_list.c - the engines that a command line names
 *
 *	cfi,bpf,mine=./mine.so,other=python3 other.py --deep,third=bpf:third.bpf.o
 *
 * A word without '=' is an engine that is built in; "all" is all of them. With one it is an engine of the user's: a name,
 * and what is to be started or loaded. There a comma is written "\,"; every other character stands for itself.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "engine.h"
#include "engines/driven/driven.h"
#include "engines/external/external.h"

static int refuse(struct error *error, const char *what, const char *word)
{
	return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "%s '%s'", what, word);
}

static int add_engine(struct engine_list *list, const struct engine *engine, struct error *error)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->engine[i]->name, engine->name))
			return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "'%s' is named twice",
					 engine->name);
	if (list->count == ENGINES_MAX)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "more than %d values",
				 ENGINES_MAX);
	list->engine[list->count++] = engine;
	return 0;
}

static bool is_name(const char *name, size_t size)
{
	return !ARRAY_ANY(size, i, !isalnum((unsigned char)name[i]) && !strchr("_.-", name[i])) &&
	       size && size <= ENGINE_NAME_MAX;
}

char *engine_name_take(const char *word, const char **ret_text, struct error *error)
{
	size_t size = strcspn(word, "=");
	char *name;

	if (!is_name(word, size)) {
		error_set(error, ERROR_TEXT_SYNTAX, "", 0,
			  "an engine's name has at most %u letters, digits and _.-: '%s'",
			  ENGINE_NAME_MAX, word);
		return NULL;
	}
	if (!word[size] || !word[size + 1]) {
		error_set(error, ERROR_TEXT_SYNTAX, "", 0, "engine %.*s: nothing to start",
			  (int)size, word);
		return NULL;
	}
	*ret_text = word + size + 1;
	name = strndup(word, size);
	if (!name)
		error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine");
	return name;
}

/* What is behind the name begins with DRIVEN_PREFIX: a BPF object. Else it is to be started. */
static struct engine *create_own(const char *word, struct error *error)
{
	const char *text = strchr(word, '=') + 1;

	return strncmp(text, DRIVEN_PREFIX, strlen(DRIVEN_PREFIX))
		       ? engine_external_create(word, error)
		       : engine_driven_create(word, error);
}

static void destroy_own(struct engine *engine)
{
	if (engine->driven)
		engine_driven_destroy(engine);
	else
		engine_external_destroy(engine);
}

int engine_list_add_built_in(struct engine_list *list, bool all, struct error *error)
{
	for (size_t i = 0; engine_at(i); i++)
		if ((all || !engine_at(i)->on_request) && add_engine(list, engine_at(i), error))
			return -1;
	return 0;
}

static int add_word(struct engine_list *list, const char *word, struct error *error)
{
	const struct engine *engine;

	if (!*word)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "a value of the list is empty");
	if (!strcmp(word, "all"))
		return engine_list_add_built_in(list, true, error);
	if (list->count == ENGINES_MAX)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "more than %d values",
				 ENGINES_MAX);
	if (strchr(word, '=')) {
		struct engine *own = create_own(word, error);

		if (!own)
			return -1;
		list->own[list->own_count++] = own;
		if (engine_find(own->name))
			return refuse(error, "there is an engine called", own->name);
		engine = own;
	} else {
		engine = engine_find(word);
		if (!engine)
			return refuse(error, "no engine is called", word);
	}
	return add_engine(list, engine, error);
}

/* Copies the first word, without the backslashes of its commas. Returns what is behind it; NULL:
 * nothing. */
static const char *cut_word(const char *text, char *ret)
{
	for (; *text && *text != ','; text++) {
		if (text[0] == '\\' && text[1] == ',')
			text++;
		*ret++ = *text;
	}
	*ret = '\0';
	return *text ? text + 1 : NULL;
}

int engine_list_add(struct engine_list *list, const char *text, struct error *error)
{
	FREED char *word = malloc(strlen(text) + 1);
	int status = 0;

	if (!word)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a list of engines");
	while (text && !status) {
		text = cut_word(text, word);
		status = add_word(list, word, error);
	}
	return status;
}

/* What is to be started or loaded, with its commas as they are written in a list. */
static void write_own(FILE *file, const struct engine *engine)
{
	const struct external_options *external = engine->external;
	const char *part[] = { external ? external->command : engine->driven->text,
			       external ? external->argument : NULL };

	for (size_t i = 0; i < 2 && part[i] && (!i || *part[i]); i++) {
		fputs(i ? " " : "=", file);
		for (const char *at = part[i]; *at; at++)
			fprintf(file, "%s%c", *at == ',' ? "\\" : "", *at);
	}
}

char *engine_list_text(const struct engine_list *list, enum engine_list_part part)
{
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		const struct engine *engine = list->engine[i];
		/* An external one with a program of ours is built in. */
		bool own = engine->driven || (engine->external && !engine->external->program);

		if (part != ENGINE_LIST_NAMES && own != (part == ENGINE_LIST_OWN))
			continue;
		fprintf(file, "%s%s", separator, engine->name);
		if (part == ENGINE_LIST_OWN)
			write_own(file, engine);
		separator = ",";
	}
	fclose(file);
	return text;
}

void engine_list_limit(const struct engine_list *list, unsigned int answer_ms, unsigned int run_ms)
{
	size_t external = 0;

	for (size_t i = 0; i < list->own_count; i++)
		external += list->own[i]->external != NULL;
	for (size_t i = 0; i < list->own_count; i++)
		if (list->own[i]->external)
			engine_external_limit(list->own[i], answer_ms, run_ms / 2 / external);
}

void engine_list_deinit(struct engine_list *list)
{
	for (size_t i = 0; i < list->own_count; i++)
		destroy_own(list->own[i]);
	*list = (struct engine_list) { 0 };
}
