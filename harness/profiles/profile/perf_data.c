/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * perf_data.c - perf.data, by what `perf script` says of it
 *
 * perf.data is perf's own: its records depend on the version, and with --call-graph dwarf it holds
 * copies of stacks, which perf unwinds when it prints them. That unwinding is what is to be judged,
 * so perf does it. Mappings and forks are asked for, too: perf_script.c turns addresses of the
 * process into offsets by them. Which builds the files were its table of build-ids says, or the mappings do.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "clock.h"
#include "freed.h"
#include "perf_line.h"
#include "profile.h"

/* perf reads what there is of a file that is cut off, and says so to nobody. Its header: a magic of 8
 * bytes, two sizes, and where the attributes and the data are. One from a pipe says no size. */
static int check_whole(const struct profile_reading *reading, struct error *error)
{
	enum { HEADER_SIZE = 1, DATA_OFFSET = 5, DATA_SIZE, WORDS };
	const uint64_t pipe_header = 16;
	uint64_t word[WORDS];
	struct stat about;
	const char *data;
	size_t size;

	if (profile_lines_peek(reading->lines, &data, &size, error))
		return -1;
	if (size < sizeof(word) || stat(reading->path, &about) || !S_ISREG(about.st_mode))
		return 0;
	memcpy(word, data, sizeof(word));
	if (memcmp(data, "PERFILE2", 8) != 0 || word[HEADER_SIZE] <= pipe_header)
		return 0;
	if (!word[DATA_SIZE] || word[DATA_OFFSET] > (uint64_t)about.st_size ||
	    word[DATA_SIZE] > about.st_size - word[DATA_OFFSET])
		profile_lose(reading->profile, PROFILE_CUT_OFF, 0,
			     "perf.data ends before its samples do");
	return 0;
}

/* perf_script_read() said what it could. A perf that dies, or fails, does so of the file. */
static int check_end(int end, struct error *error)
{
	if (WIFSIGNALED(end))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "`perf script' can't read it: it died of SIG%s",
				 sigabbrev_np(WTERMSIG(end)));
	if (child_check("perf", end, error))
		return -1;
	if (WEXITSTATUS(end))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "`perf script' can't read it: status %d", WEXITSTATUS(end));
	return 0;
}

static int64_t nanoseconds(struct timespec time)
{
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Some file systems tell no generation of an inode: nothing is known then. perf's clock is the monotonic one, more or
 * less. */
static void look_at(const char *path, struct profile_build *build)
{
	struct stat about;
	struct timespec now;
	unsigned long generation = 0;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	int64_t since;

	if (file < 0)
		return;
	if (!fstat(file, &about) && !ioctl(file, FS_IOC_GETVERSION, &generation)) {
		clock_gettime(CLOCK_REALTIME, &now);
		since = nanoseconds(about.st_ctim) - nanoseconds(now) + (int64_t)monotonic_ns();
		build->device = about.st_dev;
		build->inode = about.st_ino;
		build->generation = (uint32_t)generation;
		build->since_ns = since > 0 ? since : 0;
	}
	close(file);
}

/* "5c9a... /usr/bin/bash" */
static int add_build(struct profile *profile, struct span line, struct error *error)
{
	struct profile_build build = { 0 };
	struct span id = span_word(&line);
	FREED char *path = NULL;

	if (!id.size || !line.size)
		return 0;
	build.build_id = profile_text_add(profile, id.at, id.size, error);
	build.image = profile_text_add(profile, line.at, line.size, error);
	if (build.build_id == UINT32_MAX || build.image == UINT32_MAX)
		return -1;
	if (asprintf(&path, "%s%.*s", profile->root ? profile->root : "", (int)line.size, line.at) <
	    0)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for perf's build-ids");
	look_at(path, &build);
	return ARRAY_ADD(profile->build, profile->builds, build)
		       ? 0
		       : error_set(error, ERROR_MEMORY, "", 0, "no memory for perf's build-ids");
}

/* The table may be missing: then nothing is said. */
static int read_builds(const struct profile_reading *reading, struct error *error)
{
	const char *const argv[] = { "perf", "buildid-list", "--force", "-i", reading->path, NULL };
	const struct child_command command = { .argv = argv };
	struct profile_lines *lines;
	struct profile_line line;
	int output, status = -1;
	pid_t pid = child_start(&command, &output, error);

	if (pid < 0)
		return -1;
	if (!profile_lines_open(output, &lines, error)) {
		while ((status = profile_lines_next(lines, &line, error)) > 0)
			if (line.text && add_build(reading->profile,
						   (struct span) { line.text, line.size }, error)) {
				status = -1;
				break;
			}
		profile_lines_close(lines);
	}
	child_end(pid, status != 0);
	return status;
}

int perf_data_read(const struct profile_reading *reading, struct error *error)
{
	const char *const argv[] = { "perf",
				     "script",
				     "--force", /* of another user */
				     "--no-inline",
				     "--ns",
				     "--show-mmap-events",
				     "--show-task-events",
				     "--show-lost-events",
				     "-F",
				     "comm,pid,tid,time,event,ip,sym,symoff,dso",
				     "-i",
				     reading->path,
				     reading->profile->root ? "--symfs" : NULL,
				     reading->profile->root,
				     NULL };
	const struct child_command command = { .argv = argv };
	struct profile_reading text = *reading;
	int output, status = -1, end;
	pid_t pid;

	if (read_builds(reading, error))
		return -1;
	pid = child_start(&command, &output, error);
	if (pid < 0)
		return -1;
	if (!profile_lines_open(output, &text.lines, error)) {
		status = perf_script_read(&text, error);
		profile_lines_close(text.lines);
	}
	end = child_end(pid, status != 0);
	return status || check_end(end, error) || check_whole(reading, error) ? -1 : 0;
}
