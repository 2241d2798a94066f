/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_profiler.c - a profiler, by its command
 *
 * The command is /bin/sh's. {out} is the file that it is to write, {rate} its samples in a second, {seconds} more than it
 * will be needed for, {stackproof} this program. It is ended by SIGINT to its process group; one that only knows how to run
 * for {seconds} is waited for. Whatever it left behind is killed.
 */
#include <fts.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/cli/own_folder.h"
#include "clock.h"
#include "costs.h"

#define POLL_MS	   20
#define LEFT_MS	   5000 /* for what a command leaves behind, after its own end */
#define END_MS	   300000
#define LINE_BYTES 120

const struct costs_profiler costs_profilers[] = {
	{ "stackproof", "{stackproof} profile --all --rate {rate} --output {out}" },
	{ "perf-fp", "perf record -q -a -e cpu-clock -F {rate} -g -o {out}" },
	{ "perf-dwarf", "perf record -q -a -e cpu-clock -F {rate} --call-graph dwarf -o {out}" },
	{ "bpftrace", "bpftrace -q -e 'profile:hz:{rate} { @[ustack, comm] = count(); }' >{out}" },
	{ NULL, NULL },
};

/* ---- the command ---------------------------------------------------------------------------- */

bool costs_command_is_whole(const char *command)
{
	return strstr(command, "{out}") && strstr(command, "{rate}");
}

char *costs_command_text(const char *command, const char *folder, unsigned int rate,
			 unsigned int seconds, const char *self, struct error *error)
{
	char rate_text[16], seconds_text[16], *ret = NULL;
	FREED char *out = NULL;
	size_t size;
	FILE *file = asprintf(&out, "%s/profile", folder) < 0 ? NULL : open_memstream(&ret, &size);

	snprintf(rate_text, sizeof(rate_text), "%u", rate);
	snprintf(seconds_text, sizeof(seconds_text), "%u", seconds);
	const struct {
		const char *word, *text;
	} words[] = { { "{out}", out },
		      { "{rate}", rate_text },
		      { "{seconds}", seconds_text },
		      { "{stackproof}", self } };

	/* What it says does not fill a pipe that nobody reads. */
	if (file)
		fprintf(file, "exec >'%s/said' 2>&1\n", folder);
	while (file && *command) {
		size_t i = 0;

		while (i < sizeof(words) / sizeof(words[0]) &&
		       strncmp(command, words[i].word, strlen(words[i].word)) != 0)
			i++;
		if (i < sizeof(words) / sizeof(words[0])) {
			fputs(words[i].text, file);
			command += strlen(words[i].word);
		} else {
			fputc(*command++, file);
		}
	}
	if (file && !fclose(file))
		return ret;
	free(ret);
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a command");
	return NULL;
}

/* ---- its end -------------------------------------------------------------------------------- */

void costs_profile_path(const struct costs_running *running, char ret[4200])
{
	snprintf(ret, 4200, "%s/profile", running->folder);
}

/* The last line that the command printed, in brackets; or "". */
static void last_said(const struct costs_running *running, char ret[LINE_BYTES])
{
	char path[4200], line[LINE_BYTES - 8], last[LINE_BYTES - 8] = "";

	snprintf(path, sizeof(path), "%s/said", running->folder);
	FILE_CLOSED FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[strspn(line, " ")])
			memcpy(last, line, sizeof(last));
	}
	snprintf(ret, LINE_BYTES, last[0] ? " (%s)" : "%s", last);
}

/* A status of waitpid(2) of one that wrote nothing, or ended too soon. */
static int failed(const struct costs_running *running, int status, const char *what,
		  struct error *error)
{
	char said[LINE_BYTES];

	last_said(running, said);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT)
		return error_set(error, ERROR_PROTOCOL, "", 0, "%s: it died of SIG%s%s", what,
				 sigabbrev_np(WTERMSIG(status)), said);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_NOT_RUN)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "its command was not found%s",
				 said);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "it can't run here%s", said);
	return error_set(error, ERROR_PROTOCOL, "", 0, "%s: status %d%s", what,
			 WIFEXITED(status) ? WEXITSTATUS(status) : 0, said);
}

int costs_profiler_check(const struct costs_running *running, struct error *error)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, running->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return 0;
	return failed(running,
		      info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status,
		      "it ended before the work did", error);
}

/* Of a file, or of all files in a folder. */
static uint64_t bytes_of(char *path)
{
	char *const roots[] = { path, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	uint64_t sum = 0;
	FTSENT *entry;

	while (tree && (entry = fts_read(tree)))
		sum += entry->fts_info == FTS_F ? entry->fts_statp->st_size : 0;
	if (tree)
		fts_close(tree);
	return sum;
}

/* Takes the ends of those that have ended. True: the command's own, too. */
static bool reap(struct costs_running *running, int *ret_status)
{
	bool ended = false;

	for (size_t i = 0; i < running->tree.count; i++) {
		struct rusage used;
		pid_t pid = running->tree.process[i].pid;
		int status;

		if (wait4(pid, &status, WNOHANG, &used) != pid)
			continue;
		running->cpu_s += used.ru_utime.tv_sec + used.ru_stime.tv_sec +
				  (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
		if (running->peak_bytes < used.ru_maxrss * 1024ull)
			running->peak_bytes = used.ru_maxrss * 1024ull;
		if (pid == running->pid) {
			*ret_status = status;
			ended = true;
		}
	}
	return ended;
}

static void kill_tree(const struct costs_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		kill(tree->process[i].pid, SIGKILL);
}

int costs_profiler_end(struct costs_running *running, const struct costs_work *work,
		       const struct ending_signals *signals, uint64_t *ret_bytes,
		       struct error *error)
{
	int64_t deadline_ms = monotonic_ms() + END_MS;
	bool ended = false, late = false;
	char path[4200];
	int status = 0;

	kill(-running->pid, SIGINT);
	for (;;) {
		if (costs_tree_read(&running->tree, work, error))
			return -1;
		uint64_t peak = costs_tree_peak_bytes(&running->tree);

		if (running->peak_bytes < peak)
			running->peak_bytes = peak;
		if (!running->tree.count && ended)
			break;
		if (reap(running, &status)) {
			ended = true;
			deadline_ms = monotonic_ms() + LEFT_MS;
		}
		if (monotonic_ms() >= deadline_ms) {
			late |= !ended;
			kill_tree(&running->tree);
		}
		if (costs_sleep(signals, POLL_MS, error))
			return -1;
	}
	running->pid = 0;
	if (late)
		return error_set(error, ERROR_TIMEOUT, "", 0, "it did not end %d s after SIGINT",
				 END_MS / 1000);
	costs_profile_path(running, path);
	*ret_bytes = bytes_of(path);
	if (!*ret_bytes || (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT))
		return failed(running, status, "it wrote no profile", error);
	return 0;
}

/* ---- its life ------------------------------------------------------------------------------- */

int costs_profiler_start(struct costs_running *ret, const struct costs_profiler *profiler,
			 unsigned int rate, unsigned int seconds, struct error *error)
{
	char self[4096];
	FREED char *text = NULL;

	*ret = (struct costs_running) { .folder = own_folder_create("costs", error) };
	if (!ret->folder || child_self(self, sizeof(self), error))
		return -1;
	text = costs_command_text(profiler->command, ret->folder, rate, seconds, self, error);
	if (!text)
		return -1;
	const char *const argv[] = { "/bin/sh", "-c", text, NULL };
	const struct child_command command = { .argv = argv, .takes_interrupts = true };

	ret->pid = child_start(&command, NULL, error);
	if (ret->pid > 0)
		return 0;
	ret->pid = 0;
	return -1;
}

void costs_profiler_deinit(struct costs_running *running, const struct costs_work *work)
{
	struct error ignored;
	int status;

	/* Those that a killed one has just started are killed in the next round. */
	while (running->pid && !costs_tree_read(&running->tree, work, &ignored) &&
	       running->tree.count) {
		kill_tree(&running->tree);
		poll(NULL, 0, POLL_MS);
		reap(running, &status);
	}
	own_folder_remove(running->folder);
	costs_tree_deinit(&running->tree);
	*running = (struct costs_running) { 0 };
}
