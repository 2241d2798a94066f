/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * finding_record.h - a finding of lint or of compare, as one process reads it from another, or from a file
 *
 * Findings cross the borders of processes and of runs as JSON (docs/JSON.md). Who reads one makes it a record, once, and
 * asks the record then. What two runs found is held against each other in one way, for a baseline, for two results,
 * and for goldens: as sets, whose findings have a key.
 *
 *	finding_record.c	JSON -> the record
 *	finding_set.c		findings before and now: which are known, which new, which gone
 */
#ifndef STACKPROOF_FINDING_RECORD_H
#define STACKPROOF_FINDING_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- finding_record.c --------------------------------------------------------------------- */

/* The fields, by their kind: a new one is a word here, named as in JSON. Evidence are texts that say nothing of which
 * finding it is. */
#define FINDING_TEXTS(FIELD)                                                                       \
	FIELD(type), FIELD(image), FIELD(function), FIELD(section), FIELD(declared),               \
		FIELD(actual), FIELD(instruction), FIELD(id), FIELD(title), FIELD(table),          \
		FIELD(verdict), FIELD(kind), FIELD(program), FIELD(place), FIELD(address),         \
		FIELD(declared_cfa), FIELD(actual_cfa), FIELD(stop), FIELD(start_file),            \
		FIELD(other_kernel)
#define FINDING_EVIDENCE(FIELD)                                                                    \
	FIELD(pc), FIELD(pc_end), FIELD(from), FIELD(from_section), FIELD(source_file),            \
		FIELD(producer), FIELD(compilers), FIELD(mend)
#define FINDING_NUMBERS(FIELD)                                                                     \
	FIELD(offset), FIELD(source_line), FIELD(source_column), FIELD(count), FIELD(frame)
#define FINDING_FLAGS(FIELD)                                                                       \
	FIELD(known), FIELD(path_cut), FIELD(no_cfi), FIELD(named_by_debug), FIELD(stripped),      \
		FIELD(linked_in), FIELD(expected)
#define FINDING_ARRAYS(FIELD) FIELD(disassembly), FIELD(path)

#define FINDING_POINTER(name) *name
#define FINDING_VALUE(name)   name

/* A "lint_finding" or a "finding". What the object lacks is "", 0, false or NULL. */
struct finding_record {
	const char FINDING_TEXTS(FINDING_POINTER), FINDING_EVIDENCE(FINDING_POINTER);
	uint64_t FINDING_NUMBERS(FINDING_VALUE);
	bool FINDING_FLAGS(FINDING_VALUE);
	const json_t FINDING_ARRAYS(FINDING_POINTER);
	const char *reg;     /* "register" */
	const char *ignored; /* why an ignore list has it; NULL: none has */
	json_t *object;	     /* what it was read from; NULL: it is a copy */
};

/* Reads an object, NULL included. Where no table is named it is "cfi". Strings, arrays and the object are borrowed. */
struct finding_record finding_record_read(const json_t *object);
/* The same with texts of its own, and no object nor arrays. free() *ret_texts, which is all of them. */
struct finding_record finding_record_copy(const struct finding_record *finding, char **ret_texts);
/* Its points: at least one, for what was made of a digest has no count. */
uint64_t finding_points(const struct finding_record *finding);
/* True if it fails nothing: it is known, or ignored. */
bool finding_is_excused(const struct finding_record *finding);

/* ---- finding_set.c ------------------------------------------------------------------------ */

/* A finding, or several as one, whose points its count is. */
struct finding_held {
	struct finding_record finding;
	char *key;		   /* what two runs' are known by; the set's */
	char *moved;		   /* the same if all has moved; the set's. NULL: it can't have */
	char *texts;		   /* of a copy; the set's */
	struct finding_held *same; /* in the other set; NULL: it is new, or gone */
};

/* Zero-initialise; finding_set_deinit(). */
struct finding_set {
	struct finding_held *held;
	size_t count;
};

/* Adds a finding, whose texts are borrowed. Takes the key. Valid until the next one is added. */
struct finding_held *finding_set_add(struct finding_set *set, const struct finding_record *finding,
				     char *key);
/* The same with a copy of the finding. */
void finding_set_copy(struct finding_set *set, const struct finding_record *finding, char *key);
/* By key, then offset. */
void finding_set_sort(struct finding_set *set);
/*
 * Pairs findings of the two sets, each with one at most: those that have one key, if possible at the same place, then
 * those that have moved; of several those first that come first. Pairs of before are left as they are.
 */
void finding_sets_match(struct finding_set *before, struct finding_set *now);
void finding_set_deinit(struct finding_set *set);

#endif
