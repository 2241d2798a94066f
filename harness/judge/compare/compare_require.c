/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_require.c - requirements of engines: read, judged, said again
 *
 * What can't be judged is not met, and is not called missed either: the engine was skipped or said
 * nothing, its cost is not known, or the run was cut short. The message says which. An external
 * engine that never answered has points all the same, stacks of no frames: they are no answers.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "array.h"
#include "base/cli/nearest_word.h"
#include "compare.h"
#include "compare_fraction.h"
#include "compare_require.h"

static const char *const relations[] = {
	[REQUIREMENT_AT_LEAST] = ">=", [REQUIREMENT_AT_MOST] = "<=", [REQUIREMENT_MORE] = ">",
	[REQUIREMENT_LESS] = "<",      [REQUIREMENT_EQUAL] = "==",
};
#define RELATION_COUNT (sizeof(relations) / sizeof(relations[0]))

/* A field is a fraction of two counts of an engine. */
static const struct field {
	const char *name;
	enum requirement_unit unit;
	size_t part, whole;
} fields[] = {
#define FIELD(name, unit, part, whole)                                                             \
	{                                                                                          \
		name, REQUIREMENT_##unit, offsetof(struct compare_engine, part),                   \
			offsetof(struct compare_engine, whole)                                     \
	}
#define POINTS(name, unit, part) FIELD(name, unit, score.part, score.points)
	POINTS("exact", SHARE, match[MATCH_EXACT]),
	POINTS("truncated", SHARE, match[MATCH_TRUNCATED]),
	POINTS("wrong", SHARE, match[MATCH_WRONG]),
	POINTS("extra", SHARE, match[MATCH_EXTRA]),
	POINTS("false_complete", SHARE, false_complete),
	POINTS("exact_points", POINTS, match[MATCH_EXACT]),
	POINTS("truncated_points", POINTS, match[MATCH_TRUNCATED]),
	POINTS("wrong_points", POINTS, match[MATCH_WRONG]),
	POINTS("extra_points", POINTS, match[MATCH_EXTRA]),
	POINTS("false_complete_points", POINTS, false_complete),
	POINTS("points", POINTS, points),
	FIELD("ns", COST, cost.walk_ns, cost.walks),
	FIELD("bytes", COST, cost.bytes, cost.sized),
};
#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

static const struct field *find_field(const char *name)
{
	return ARRAY_FIRST(fields, FIELD_COUNT, field, !strcmp(field->name, name));
}

static struct fraction fraction_of(const struct compare_engine *engine, const struct field *field)
{
	return (struct fraction) { *(const uint64_t *)((const char *)engine + field->part),
				   *(const uint64_t *)((const char *)engine + field->whole) };
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Copies a word without the blanks around it. False: it is empty, too long, or has blanks in it. */
static bool take_word(const char *begin, const char *end, char *ret, size_t size)
{
	while (begin < end && isblank((unsigned char)*begin))
		begin++;
	while (end > begin && isblank((unsigned char)end[-1]))
		end--;
	if (begin == end || (size_t)(end - begin) >= size)
		return false;
	memcpy(ret, begin, (size_t)(end - begin));
	ret[end - begin] = '\0';
	return !strpbrk(ret, " \t");
}

/* DIGITS or DIGITS.DIGITS, and nothing else. */
static bool take_number(const char *text, struct requirement *ret)
{
	const char *point = strchr(text, '.');
	size_t digits = strspn(text, "0123456789");
	size_t decimals = point ? strspn(point + 1, "0123456789") : 0;

	if (!digits || text[digits] != (point ? '.' : '\0') ||
	    (point && (point[1 + decimals] || !decimals)) || decimals > REQUIREMENT_DECIMALS_MAX ||
	    digits + decimals > REQUIREMENT_DIGITS_MAX)
		return false;
	ret->number = 0;
	ret->scale = 1;
	for (const char *at = text; *at; at++) {
		if (*at == '.')
			continue;
		ret->number = ret->number * 10 + (uint64_t)(*at - '0');
		if (point && at > point)
			ret->scale *= 10;
	}
	return true;
}

static int no_field(const char *name, struct error *error)
{
	struct nearest_word nearest = { 0 };

	for (size_t i = 0; i < FIELD_COUNT; i++)
		nearest_word_add(&nearest, name, fields[i].name);
	if (nearest.word)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "an engine has no field '%s'; did you mean '%s'?", name,
				 nearest.word);
	return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "an engine has no field '%s'", name);
}

static bool take_relation(const char *text, enum requirement_relation *ret)
{
	for (size_t i = 0; i < RELATION_COUNT; i++) {
		if (strncmp(text, relations[i], strlen(relations[i])) != 0)
			continue;
		*ret = (enum requirement_relation)i;
		return true; /* those of two letters are tried first */
	}
	return false;
}

int requirement_parse(const char *text, struct requirement *ret, struct error *error)
{
	const char *relation = text + strcspn(text, "<>="), *dot = NULL;
	const struct field *field;

	*ret = (struct requirement) { 0 };
	for (const char *at = text; at < relation; at++)
		if (*at == '.')
			dot = at;
	if (!dot || !take_relation(relation, &ret->relation) ||
	    !take_word(text, dot, ret->engine, sizeof(ret->engine)) ||
	    !take_word(dot + 1, relation, ret->field, sizeof(ret->field)))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "'%s' is no requirement: ENGINE.FIELD >= NUMBER, or with "
				 "<= > < ==",
				 text);
	field = find_field(ret->field);
	if (!field)
		return no_field(ret->field, error);
	ret->unit = field->unit;
	relation += strlen(relations[ret->relation]);
	if (!take_word(relation, relation + strlen(relation), ret->wanted, sizeof(ret->wanted)) ||
	    !take_number(ret->wanted, ret))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "'%s': behind the operator stands a number such as 99.99, with at "
				 "most %d decimals",
				 text, REQUIREMENT_DECIMALS_MAX);
	if (ret->unit == REQUIREMENT_SHARE && ret->number > 100 * ret->scale)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "'%s': a share is between 0 and 100 percent", text);
	return 0;
}

/* ---- judging ---------------------------------------------------------------------------- */

static const struct compare_engine *engine_of(const struct comparison *comparison, const char *name)
{
	return ARRAY_FIRST(comparison->engine, comparison->engine_count, engine,
			   !strcmp(engine->engine->name, name));
}

static bool holds(enum requirement_relation relation, int order)
{
	switch (relation) {
	case REQUIREMENT_AT_LEAST: return order >= 0;
	case REQUIREMENT_AT_MOST: return order <= 0;
	case REQUIREMENT_MORE: return order > 0;
	case REQUIREMENT_LESS: return order < 0;
	case REQUIREMENT_EQUAL: return order == 0;
	}
	return false;
}

/* Of a program of its own: not one of its points is what it said. */
static bool never_answered(const struct compare_engine *engine)
{
	return engine->engine->external && !engine->external.outcome[EXTERNAL_STACK];
}

/* Why nobody can say whether it is met; NULL: it can be said. */
static const char *obstacle(const struct comparison *comparison,
			    const struct compare_engine *engine, struct fraction value)
{
	if (!engine)
		return "the engine was not asked";
	if (engine->skipped)
		return "the engine was skipped";
	if (run_cut_word(&comparison->cut))
		return "the run was cut short";
	if (!engine->score.points)
		return "the engine has no points";
	if (never_answered(engine))
		return "the engine answered at no point";
	return value.whole ? NULL : "the cost is not known";
}

/* Rounded towards 0: what is short of a number is never shown as it. */
static void print_value(enum requirement_unit unit, struct fraction value,
			struct requirement_verdict *ret)
{
	uint64_t millionths;

	switch (unit) {
	case REQUIREMENT_SHARE:
		millionths = (unsigned __int128)value.part * 100000000 / value.whole;
		snprintf(ret->message, sizeof(ret->message),
			 "it is %" PRIu64 ".%06" PRIu64 " %% (%" PRIu64 " of %" PRIu64 " points)",
			 millionths / 1000000, millionths % 1000000, value.part, value.whole);
		ret->value = 100.0 * (double)value.part / (double)value.whole;
		break;
	case REQUIREMENT_POINTS:
		snprintf(ret->message, sizeof(ret->message), "it is %" PRIu64, value.part);
		ret->value = (double)value.part;
		break;
	case REQUIREMENT_COST:
		millionths = (unsigned __int128)value.part * 1000 / value.whole;
		snprintf(ret->message, sizeof(ret->message),
			 "it is %" PRIu64 ".%03" PRIu64 " (mean of %" PRIu64 " stacks)",
			 millionths / 1000, millionths % 1000, value.whole);
		ret->value = (double)value.part / (double)value.whole;
		break;
	}
}

void requirement_judge(const struct requirement *requirement, const struct comparison *comparison,
		       struct requirement_verdict *ret)
{
	const struct compare_engine *engine = engine_of(comparison, requirement->engine);
	struct fraction value = { 0, 0 }, wanted = { requirement->number, requirement->scale };
	const char *why;
	bool met;

	*ret = (struct requirement_verdict) { .result = REQUIREMENT_NOT_JUDGED };
	if (engine)
		value = fraction_of(engine, find_field(requirement->field));
	why = obstacle(comparison, engine, value);
	if (why) {
		snprintf(ret->message, sizeof(ret->message), "%s", why);
		return;
	}
	print_value(requirement->unit, value, ret);
	if (requirement->unit == REQUIREMENT_SHARE)
		value.part *= 100;
	else if (requirement->unit == REQUIREMENT_POINTS)
		value.whole = 1;
	met = holds(requirement->relation, fraction_compare(value, wanted));
	ret->result = met ? REQUIREMENT_MET : REQUIREMENT_NOT_MET;
}

/* ---- saying ----------------------------------------------------------------------------- */

void requirement_text(const struct requirement *requirement, char *text, size_t size)
{
	snprintf(text, size, "%s.%s %s %s", requirement->engine, requirement->field,
		 relations[requirement->relation], requirement->wanted);
}

const char *requirement_relation_name(enum requirement_relation relation)
{
	return relations[relation];
}

const char *requirement_result_name(enum requirement_result result)
{
	switch (result) {
	case REQUIREMENT_MET: return "met";
	case REQUIREMENT_NOT_MET: return "not_met";
	case REQUIREMENT_NOT_JUDGED: break;
	}
	return "not_judged";
}
