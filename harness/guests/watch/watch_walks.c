/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch_walks.c - programs in a guest, which the plugin interrupts for BPF's walk
 */
#include <stdio.h>
#include "base/cli/exit_status.h"
#include "base/cli/json_counts.h"
#include "clock.h"
#include "truth/emulator/guest_walks.h"
#include "watch.h"

int watch_walks_run(char *const *programs, unsigned int timeout_ms)
{
	struct guest_walks *walks;
	struct error error = { 0 };
	int status = EXIT_OK;

	if (guest_walks_open(&walks, &error)) {
		bool want = error.code == ERROR_UNAVAILABLE;

		json_line(stdout,
			  JSON_NEW("type", want ? "skip" : "error", "reason",
				   want ? "no_bpf" : "environment", "message", error.message));
		return want ? EXIT_SKIPPED : EXIT_ENVIRONMENT;
	}
	for (char *const *program = programs; *program; program++) {
		char *const argv[] = { *program, NULL };
		double start = monotonic_seconds();
		int ended = 0;
		int failed = guest_walks_run(walks, argv, timeout_ms, &ended, &error);
		json_t *line = JSON_NEW("type", "watch_walked", "program", *program, "status",
					ended, "seconds", monotonic_seconds() - start);

		if (failed)
			json_object_set_new(line, "error", json_string(error.message));
		json_line(stdout, line);
		fflush(stdout);
		status = failed ? EXIT_ENVIRONMENT : status;
	}
	guest_walks_close(walks);
	return status;
}
