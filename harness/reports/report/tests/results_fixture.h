/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_fixture.h - a small matrix with one of everything, for the tests of the reports
 *
 * Two programs on three kernels: all is exact on the host; 5.10 has a failure and a skip; the guest
 * of 7.2 panicked while its first binary ran.
 */
#ifndef STACKPROOF_RESULTS_FIXTURE_H
#define STACKPROOF_RESULTS_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include "freed.h"
#include "reports/report/results.h"

static inline struct cell *fixture_cell(struct results *results, const char *kernel,
					const char *program, const char *toolchain,
					const char *variant, const char *language)
{
	char binary[128];

	results->cell = realloc(results->cell, (results->cell_count + 1) * sizeof(struct cell));
	struct cell *cell = &results->cell[results->cell_count++];
	snprintf(binary, sizeof(binary), "%s.%s.%s", program, toolchain, variant);
	cell_init(cell, binary, program, toolchain, variant, language, kernel);
	cell->seconds = 0.5;
	return cell;
}

static inline void fixture_object(struct cell *cell, const char *json)
{
	json_t *object = json_loads(json, 0, NULL);

	if (!object)
		abort();
	cell_add_object(cell, object);
}

static inline void fixture_kernel(struct results *results, const char *name, const char *version,
				  const char *package, const char *accelerator, const char *outcome,
				  const char *sentence, unsigned boot_ms, unsigned total_ms)
{
	results->kernel = realloc(results->kernel,
				  (results->kernel_count + 1) * sizeof(*results->kernel));
	struct results_kernel *kernel = &results->kernel[results->kernel_count++];
	*kernel = (struct results_kernel) { .boot_ms = boot_ms, .total_ms = total_ms };
	snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	snprintf(kernel->version, sizeof(kernel->version), "%s", version);
	snprintf(kernel->package, sizeof(kernel->package), "%s", package);
	snprintf(kernel->accelerator, sizeof(kernel->accelerator), "%s", accelerator);
	snprintf(kernel->outcome, sizeof(kernel->outcome), "%s", outcome);
	snprintf(kernel->sentence, sizeof(kernel->sentence), "%s", sentence);
}

static inline void fixture_passed(struct cell *cell, const char *fp_exact)
{
	char json[256];

	cell_set(cell, CELL_PASSED, "%s", "");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":1000,"
			     "\"exact\":1000,\"digest\":\"ab\"}");
	snprintf(json, sizeof(json),
		 "{\"type\":\"score\",\"engine\":\"fp\",\"points\":1100,\"exact\":1,"
		 "\"points_sound\":1000,\"exact_sound\":%s}",
		 fp_exact);
	fixture_object(cell, json);
	fixture_object(cell, "{\"type\":\"verdicts\",\"points\":1000,\"exact\":1000,"
			     "\"table_fault\":0}");
}

static inline void fixture_results(struct results *results)
{
	results_init(results);
	json_object_set_new(results->header, "time", json_string("2026-01-02T03:04:05Z"));
	fixture_kernel(results, "host", "6.18.1", "", "native", "ok", "", 0, 3000);
	fixture_kernel(results, "5.10", "5.10.0-39", "linux-image-5.10 5.10.262-1", "tcg", "ok", "",
		       2100, 9000);
	fixture_kernel(results, "7.2", "7.2.12", "linux-binary-7.2 7.2.12-1", "tcg", "panic",
		       "the kernel panicked: not syncing", 2400, 5000);

	fixture_passed(fixture_cell(results, "host", "chain", "gcc-12.2.0", "O2-fp", "c"), "991");
	fixture_passed(fixture_cell(results, "host", "chain", "gcc-12.2.0", "O2-nofp", "c"), "4");
	fixture_passed(fixture_cell(results, "host", "panic", "rustc-1.63.0", "O2-nofp", "rust"),
		       "0");

	fixture_passed(fixture_cell(results, "5.10", "chain", "gcc-12.2.0", "O2-fp", "c"), "1000");
	struct cell *failed = fixture_cell(results, "5.10", "chain", "gcc-12.2.0", "O2-nofp", "c");
	cell_set(failed, CELL_FAILED, "walk_fault 3 <#1>");
	fixture_object(failed, "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":1000,"
			       "\"exact\":999}");
	fixture_object(failed, "{\"type\":\"verdicts\",\"points\":1000,\"exact\":995,"
			       "\"table_fault\":2,\"uncovered\":2,\"walk_fault\":3}");
	fixture_object(failed, "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"function\":"
			       "\"_init\",\"image\":\"/x/chain\",\"count\":2}");
	cell_set(fixture_cell(results, "5.10", "panic", "rustc-1.63.0", "O2-nofp", "rust"),
		 CELL_SKIPPED, "no_compiler");

	static const char *const program[] = { "chain", "chain", "panic" };
	static const char *const variant[] = { "O2-fp", "O2-nofp", "O2-nofp" };
	for (size_t i = 0; i < 3; i++) {
		struct cell *cell = fixture_cell(results, "7.2", program[i],
						 i < 2 ? "gcc-12.2.0" : "rustc-1.63.0", variant[i],
						 i < 2 ? "c" : "rust");
		cell_set(cell, CELL_ERROR, "%s: the guest's outcome is panic",
			 i ? "not run" : "while this ran");
		cell->environment = true;
	}
	results->compared = 1;
	results->not_comparable = 1;
	results->seconds = 17;
	results->finished = true;
}

/* What a printer writes, as a string that the caller frees. */
#define FIXTURE_CAPTURE(text, call)                                                                \
	do {                                                                                       \
		size_t capture_size;                                                               \
		FILE *capture = open_memstream(&(text), &capture_size);                            \
		call;                                                                              \
		fclose(capture);                                                                   \
	} while (0)

#endif
