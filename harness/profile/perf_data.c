/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_data.c - perf.data, by what `perf script` says of it
 *
 * perf.data is perf's own: its records depend on the version, and with --call-graph dwarf it holds
 * copies of stacks, which perf unwinds when it prints them. That unwinding is what is to be judged,
 * so perf does it. Mappings and forks are asked for, too: perf_script.c turns addresses of the
 * process into offsets by them.
 */
#include <sys/wait.h>
#include "child/child.h"
#include "profile/profile.h"

int perf_data_read(const struct profile_reading *reading, struct error *error)
{
	const char *const argv[] = { "perf",
				     "script",
				     "--force", /* of another user */
				     "--no-inline",
				     "--show-mmap-events",
				     "--show-task-events",
				     "-F",
				     "comm,pid,tid,time,event,ip,sym,symoff,dso",
				     "-i",
				     reading->path,
				     NULL };
	const struct child_command command = { .argv = argv };
	struct profile_reading text = *reading;
	int output, status = -1, end;
	pid_t pid = child_start(&command, &output, error);

	if (pid < 0)
		return -1;
	if (!profile_lines_open(output, &text.lines, error)) {
		status = perf_script_read(&text, error);
		profile_lines_close(text.lines);
	}
	end = child_end(pid, status != 0);
	if (status || child_check("perf", end, error))
		return -1;
	if (WEXITSTATUS(end))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "`perf script' can't read it: status %d", WEXITSTATUS(end));
	return 0;
}
