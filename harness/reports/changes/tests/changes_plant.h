/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes_plant.h - two results, the text that says what changed, and the exit status
 */
#ifndef STACKPROOF_CHANGES_PLANT_H
#define STACKPROOF_CHANGES_PLANT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "reports/changes/changes.h"
#include "changes_fixture.h"

#define NOTHING	    "old -> new: 1 cells compared; 0 changed: 0 worse, 0 better, 0 neither\n"
#define ONE_WORSE   "old -> new: 1 cells compared; 1 changed: 1 worse, 0 better, 0 neither\n"
#define ONE_BETTER  "old -> new: 1 cells compared; 1 changed: 0 worse, 1 better, 0 neither\n"
#define ONE_OTHER   "old -> new: 1 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n"
#define ONLY(word)  "checked: 1 cells; not checked: 1 in the " word " only\n"
#define PASSED_HOST "p.gcc on host: still passed\n"
#define BPF_GONE    "    bpf       100 points -> gone: the engine has no score any more\n"
#define ONE_SCORE   "Only in the first: 1 scores of engines that the other has not\n"
#define CELLS_OF(count)                                                                            \
	"{\"type\":\"header\",\"version\":1,\"engines\":[\"bpf\"],\"kernels\":[{\"name\":"         \
	"\"host\"}],\"cells\":" count "}\n"
#define TWO_PASSED RESULT("p.gcc", "host", "passed", "") RESULT("q.gcc", "host", "passed", "")
#define VERDICTS_OF(binary, ignored)                                                               \
	"{\"type\":\"verdicts\"," TAG(binary, "host") ",\"points\":100,\"ignored\":" ignored "}\n"
#define OTHER "OTHER: neither better nor worse\n"

struct plant {
	const char *name, *before, *after, *text;
	int status;
};

static inline char *pair_text(struct pair *pair)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct changes_report report = {
		.file = file, .before = "old", .after = "new", .gate = &pair->gate
	};

	changes_print_text(&report, &pair->changes);
	fclose(file);
	return text;
}

static inline void check_plant(const struct plant *plant)
{
	struct pair pair;

	pair_init(&pair, plant->before, plant->after);
	char *text = pair_text(&pair);
	ck_assert_msg(!strcmp(text, plant->text), "%s:\n%s\nis not\n%s", plant->name, text,
		      plant->text);
	ck_assert_msg((int)gate_status(&pair.gate) == plant->status, "%s: status %d", plant->name,
		      gate_status(&pair.gate));
	free(text);
	pair_deinit(&pair);
}

#endif
