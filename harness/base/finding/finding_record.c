/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * finding_record.c - findings of JSON as records: finding_record.h
 *
 * One table says of which kind each field is and where the record has it. A field that is of another kind in the
 * object, which any file may have, is as good as none.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "finding_record.h"

enum kind { TEXT, EVIDENCE, REASON, NUMBER, FLAG, ARRAY }; /* REASON: a text, or NULL */

#define FIELD(kind, member, name)                                                                  \
	{                                                                                          \
		name, offsetof(struct finding_record, member), kind                                \
	}
#define TEXT_FIELD(name)     FIELD(TEXT, name, #name)
#define EVIDENCE_FIELD(name) FIELD(EVIDENCE, name, #name)
#define NUMBER_FIELD(name)   FIELD(NUMBER, name, #name)
#define FLAG_FIELD(name)     FIELD(FLAG, name, #name)
#define ARRAY_FIELD(name)    FIELD(ARRAY, name, #name)

static const struct {
	const char *name;
	size_t offset;
	enum kind kind;
} fields[] = {
	FINDING_TEXTS(TEXT_FIELD),	   FINDING_EVIDENCE(EVIDENCE_FIELD),
	FINDING_NUMBERS(NUMBER_FIELD),	   FINDING_FLAGS(FLAG_FIELD),
	FINDING_ARRAYS(ARRAY_FIELD),	   FIELD(TEXT, reg, "register"),
	FIELD(REASON, ignored, "ignored"),
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static void *member(struct finding_record *finding, size_t field)
{
	return (char *)finding + fields[field].offset;
}

static bool is_text(size_t field)
{
	return fields[field].kind == TEXT || fields[field].kind == REASON;
}

struct finding_record finding_record_read(const json_t *object)
{
	struct finding_record finding = { .object = (json_t *)object };

	for (size_t i = 0; i < FIELDS; i++) {
		const json_t *value = json_object_get(object, fields[i].name);
		const char *text = json_string_value(value);

		switch (fields[i].kind) {
		case TEXT:
		case EVIDENCE: *(const char **)member(&finding, i) = text ? text : ""; break;
		case REASON:
			*(const char **)member(&finding, i) = value && !text ? "" : text;
			break;
		case NUMBER:
			*(uint64_t *)member(&finding, i) = json_number(object, fields[i].name);
			break;
		case FLAG: *(bool *)member(&finding, i) = json_is_true(value); break;
		case ARRAY: *(const json_t **)member(&finding, i) = value; break;
		}
	}
	if (!finding.table[0])
		finding.table = "cfi";
	return finding;
}

struct finding_record finding_record_copy(const struct finding_record *finding, char **ret_texts)
{
	struct finding_record copy = *finding;
	size_t size = 1;
	char *at;

	for (size_t i = 0; i < FIELDS; i++) {
		const char **text = member(&copy, i);

		if (fields[i].kind == EVIDENCE)
			*text = "";
		else if (is_text(i) && *text)
			size += strlen(*text) + 1;
	}
	at = *ret_texts = malloc(size);
	if (!at)
		no_memory();
	for (size_t i = 0; i < FIELDS; i++) {
		const char **text = member(&copy, i), *begin = at;

		if (!is_text(i) || !*text)
			continue;
		at = stpcpy(at, *text) + 1;
		*text = begin;
	}
	copy.object = NULL;
	copy.disassembly = copy.path = NULL;
	return copy;
}

uint64_t finding_points(const struct finding_record *finding)
{
	return finding->count ? finding->count : 1;
}

bool finding_is_excused(const struct finding_record *finding)
{
	return finding->known || finding->ignored;
}
