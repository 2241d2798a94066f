/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fault_history.c - since when and until when a table fault is there, in words
 *
 * Versions of one family in order; those that were not tried say nothing, so "fixed in 13.1.0"
 * means that 13.1.0 is the first one tried that does not have it. Another linker is named if it
 * makes a difference.
 */
#include <stdarg.h>
#include <string.h>
#include "toolchain_model.h"

static const struct kind_text {
	const char *kind;
	const char *text;
} kind_texts[] = {
	{ "missing", "no FDE" },
	{ "wrong", "another caller" },
	{ "register", "a wrong register" },
	{ "signal_flag", "signal frame not marked" },
	{ "malformed", "malformed" },
	{ "overwritten", "return address overwritten" },
	{ "no_end", "goes on below the bottom" },
	{ "early_end", "ends too early" },
};

const char *fault_kind_text(const char *kind)
{
	for (size_t i = 0; i < sizeof(kind_texts) / sizeof(kind_texts[0]); i++)
		if (!strcmp(kind, kind_texts[i].kind))
			return kind_texts[i].text;
	return kind;
}

/* A growing text in a buffer of the caller's, cut where it is full. */
struct line {
	char *text;
	size_t size;
	size_t used;
};

static void put(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct line *line, const char *format, ...)
{
	va_list arguments;

	if (line->used >= line->size)
		return;
	va_start(arguments, format);
	line->used += vsnprintf(line->text + line->used, line->size - line->used, format,
				arguments);
	va_end(arguments);
}

/* The name without its family: "12.2.0". */
static const char *version(const struct toolchain *toolchain)
{
	size_t size = strlen(toolchain->id.family);

	return !strncmp(toolchain->name, toolchain->id.family, size) && toolchain->name[size] == '-'
		       ? toolchain->name + size + 1
		       : toolchain->name;
}

/* Toolchains first .. end are of one family with the usual linker. */
static void put_family(struct line *line, const struct toolchains *model,
		       const struct toolchain_fault *fault, size_t first, size_t end)
{
	const struct toolchain *last = NULL;
	enum fault_state before = FAULT_UNTRIED;
	size_t tried = 0, present = 0;
	const char *separator = "";

	for (size_t i = first; i < end; i++) {
		tried += fault->state[i] != FAULT_UNTRIED;
		present += fault->state[i] == FAULT_PRESENT;
	}
	if (!tried)
		return;
	put(line, "%s%s: ", line->used ? "; " : "", model->toolchain[first].id.family);
	if (present == tried && tried > 1) {
		put(line, "in all %zu versions", tried);
		return;
	}
	for (size_t i = first; i < end; i++) {
		enum fault_state state = fault->state[i];
		const char *word = state == FAULT_PRESENT ? (before ? "new in" : "in") : "fixed in";

		if (state == FAULT_UNTRIED)
			continue;
		last = &model->toolchain[i];
		if (state != before && (state == FAULT_PRESENT || before)) {
			put(line, "%s%s %s", separator, word, version(last));
			separator = ", ";
			if (state == FAULT_PRESENT)
				last = NULL;
		}
		before = state;
	}
	if (!present)
		put(line, tried > 1 ? "in none of %zu versions" : "not there", tried);
	else if (before == FAULT_PRESENT && last)
		put(line, ", still in %s", version(last));
}

/* What the compiler has with the usual linker, of a toolchain with another. */
static enum fault_state usual_state(const struct toolchains *model,
				    const struct toolchain_fault *fault, size_t toolchain)
{
	struct toolchain_id usual = model->toolchain[toolchain].id;

	usual.linker[0] = '\0';
	for (size_t i = 0; i < model->count; i++)
		if (!toolchain_id_compare(&model->toolchain[i].id, &usual))
			return fault->state[i];
	return FAULT_UNTRIED;
}

/* Toolchains with another linker, if that makes a difference. */
static void put_linkers(struct line *line, const struct toolchains *model,
			const struct toolchain_fault *fault, enum fault_state state,
			const char *word)
{
	const char *separator = line->used ? "; " : "";

	for (size_t i = 0; i < model->count; i++) {
		if (!model->toolchain[i].id.linker[0] || fault->state[i] != state ||
		    usual_state(model, fault, i) == state ||
		    (state == FAULT_ABSENT && usual_state(model, fault, i) == FAULT_UNTRIED))
			continue;
		put(line, "%s%s%s", separator, *separator == ',' ? "" : word,
		    model->toolchain[i].name);
		separator = ", ";
	}
}

void fault_history_print(const struct toolchains *model, const struct toolchain_fault *fault,
			 char *ret, size_t size)
{
	struct line line = { ret, size, 0 };

	ret[0] = '\0';
	for (size_t first = 0, end; first < model->count; first = end) {
		const struct toolchain_id *id = &model->toolchain[first].id;
		for (end = first + 1; end < model->count; end++) {
			const struct toolchain_id *other = &model->toolchain[end].id;
			if (strcmp(other->family, id->family) != 0 ||
			    !other->linker[0] != !id->linker[0])
				break;
		}
		if (!id->linker[0])
			put_family(&line, model, fault, first, end);
	}
	put_linkers(&line, model, fault, FAULT_PRESENT, "in ");
	put_linkers(&line, model, fault, FAULT_ABSENT, "not in ");
}

void fault_place_print(const struct finding_record *finding, char *ret, size_t size)
{
	const char *place = finding->place, *section = finding->section;

	if (section[0])
		snprintf(ret, size, "[%s], %s", section, finding->address);
	else
		snprintf(ret, size, "%.*s", (int)strcspn(place, " "), place);
}
