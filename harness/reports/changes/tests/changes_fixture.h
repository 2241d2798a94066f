/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes_fixture.h - two results as texts, as `run` writes them, and the changes from one to the
 * other
 */
#ifndef STACKPROOF_CHANGES_FIXTURE_H
#define STACKPROOF_CHANGES_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "reports/changes/changes.h"

#define HEADER                                                                                     \
	"{\"type\":\"header\",\"version\":1,\"engines\":[\"cfi\",\"bpf\"],\"kernels\":[{\"name\":" \
	"\"host\"},{\"name\":\"5.10\"}],\"cells\":0}\n"
#define SUMMARY "{\"type\":\"summary\",\"seconds\":1}\n"
#define TAG(binary, kernel)                                                                        \
	"\"binary\":\"" binary "\",\"program\":\"p\",\"toolchain\":\"gcc\",\"variant\":\"O2\","    \
	"\"language\":\"c\",\"kernel\":\"" kernel "\""
#define RESULT(binary, kernel, status, reason)                                                     \
	"{\"type\":\"result\"," TAG(binary, kernel) ",\"status\":\"" status                        \
						    "\",\"reason\":\"" reason "\"}\n"
#define SCORE_OF(engine, counts)                                                                   \
	"{\"type\":\"score\"," TAG("p.gcc", "host") ",\"engine\":\"" engine "\"," counts "}\n"
#define SCORE(counts) SCORE_OF("bpf", counts)
#define SKIP(engine, message)                                                                      \
	"{\"type\":\"skip\"," TAG(                                                                 \
		"p.gcc", "host") ",\"engine\":\"" engine                                           \
				 "\",\"reason\":\"no_bpf\",\"message\":\"" message "\"}\n"
#define VERDICTS(counts) "{\"type\":\"verdicts\"," TAG("p.gcc", "host") "," counts "}\n"
#define FINDING(verdict, kind, image, function, count)                                             \
	"{\"type\":\"finding\"," TAG("p.gcc", "host") ",\"verdict\":\"" verdict                    \
						      "\",\"kind\":\"" kind                        \
						      "\",\"image\":\"" image                      \
						      "\",\"function\":\"" function                \
						      "\",\"instruction\":\"ret\","                \
						      "\"count\":" count "}\n"
#define CELL(objects) HEADER objects RESULT("p.gcc", "host", "passed", "") SUMMARY

#define SCORE_BEFORE	SCORE("\"points\":100,\"exact\":100,\"wrong\":0,\"truncated\":0")
#define VERDICTS_BEFORE VERDICTS("\"points\":100,\"exact\":100,\"walk_fault\":0")
#define BEFORE		CELL(SCORE_BEFORE VERDICTS_BEFORE)

/* Text as a file that results_open() reads. */
static inline void read_text(struct results *ret, const char *text, size_t size)
{
	char path[] = "/tmp/test_changes.XXXXXX";
	struct error error = { 0 };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
	close(fd);
	if (results_open(ret, path, &error))
		ck_assert_ptr_nonnull(strstr(error.message, "has no header"));
	unlink(path);
}

struct pair {
	struct results before, after;
	struct changes changes;
	struct gate gate;
};

static inline void pair_init(struct pair *pair, const char *before, const char *after)
{
	*pair = (struct pair) { 0 };
	read_text(&pair->before, before, strlen(before));
	read_text(&pair->after, after, strlen(after));
	changes_init(&pair->changes);
	changes_add(&pair->changes, &pair->before, NULL, &pair->after, NULL);
	changes_sort(&pair->changes);
	changes_gate(&pair->changes, &pair->gate);
}

static inline void pair_deinit(struct pair *pair)
{
	changes_deinit(&pair->changes);
	results_deinit(&pair->before);
	results_deinit(&pair->after);
}

#endif
