/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * hostile.c - broken ELF files, each to the end, by every command that takes a file
 *
 *	hostile FOLDER SEED FIRST END STEP ORIGINAL...
 *	hostile --write FOLDER SEED FIRST END STEP ORIGINAL...
 *
 * Makes files number FIRST, FIRST+STEP, ... below END of SEED's series (mutate.h), each from one of
 * the ORIGINALs, and gives it to `table` in each format, `stat`, `prove` and `diff`, in a process
 * of its own. What must not happen:
 *
 *	a sanitizer's report; death by a signal
 *	a status that is neither 0, nor 3 (bad input), nor 77 (nothing was there to be checked): 1 of stat
 *	and prove says that a process died, or that a table says something else than its CFI (what
 *	it says of the search table in .eh_frame_hdr is true: that may have been changed)
 *	more memory (resident, at the peak) or processor time than limit_of() says
 *
 * A file that did one of these stays in FOLDER, with what was said. The last line counts:
 *
 *	N files: N read, N found
 *
 * --write: the files are only written, as FOLDER/NUMBER; a line each: its path, a tab, its original's.
 *
 * A file counts as read if `table` printed rows of it. Were there too few, nothing would have been
 * tested.
 *
 * Status: 0; 1 something was found, or too little was read; 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "freed.h"
#include "base/cli/exit_status.h"
#include "commands/commands.h"
#include "mutate.h"

#define READ_SHARE  4 /* one of so many at least */
#define LEAKS_EVERY 8 /* looking for lost memory takes as long as all the rest */

#if defined(__has_feature) /* clang's way to say it */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* For files below 4 MiB. What the sanitizers add is theirs: they are given more. */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY_MB 640
#define SECONDS	  30
void __lsan_do_leak_check(void);
#else
#define MEMORY_MB 96
#define SECONDS	  5
#endif

struct original {
	const char *path;
	uint8_t *data;
	size_t size;
};

static bool read_original(const char *path, struct original *ret)
{
	struct stat status;
	FD_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC);

	*ret = (struct original) { .path = path };
	if (fd < 0 || fstat(fd, &status) || !(ret->data = malloc((size_t)status.st_size + 1)) ||
	    read(fd, ret->data, (size_t)status.st_size) != status.st_size) {
		perror(path);
		return false;
	}
	ret->size = (size_t)status.st_size;
	return true;
}

/* ---- in the file's process --------------------------------------------------------------- */

enum { STDOUT_MAX = 256 << 20 };

/* Two files that are to differ. */
static bool any(const char *printed)
{
	return true;
}

/* What was changed may be the search table. Nothing else may be wrong. */
static bool search_table_alone(const char *printed)
{
	return strstr(printed, ": search: ") && !strstr(printed, ": table: ") &&
	       !strstr(printed, ": failed: ");
}

static const struct command_line {
	int (*run)(int argc, char **argv);
	const char *argument[6];
	/* When status 1 is no finding, by what was printed; NULL: it always is one. */
	bool (*may_find)(const char *printed);
} lines[] = {
	{ command_table, { "table", "--format=text", "FILE" }, NULL },
	{ command_table, { "table", "--format=readelf", "FILE" }, NULL },
	{ command_table, { "table", "--format=compact", "FILE" }, NULL },
	{ command_table, { "table", "--format=json", "FILE" }, NULL },
	{ command_stat, { "stat", "FILE" }, NULL },
	{ command_prove, { "prove", "--jobs=1", "FILE" }, search_table_alone },
	{ command_diff, { "diff", "--summary", "FILE", "FILE" }, NULL },
	{ command_diff, { "diff", "ORIGINAL", "FILE" }, any },
};
#define LINE_COUNT (sizeof(lines) / sizeof(lines[0]))

/* Reads what is in a file that is being written, from an offset on. */
static char *contents(int fd, off_t from, size_t *ret_size)
{
	struct stat status;
	char *text;

	if (fstat(fd, &status) || !(text = malloc((size_t)(status.st_size - from) + 1)))
		abort();
	ssize_t n = pread(fd, text, (size_t)(status.st_size - from), from);
	*ret_size = n > 0 ? (size_t)n : 0;
	text[*ret_size] = '\0';
	return text;
}

static bool may_be(const struct command_line *line, int status, const char *printed)
{
	return status == EXIT_OK || status == EXIT_BAD_INPUT || status == EXIT_SKIPPED ||
	       (status == EXIT_FINDINGS && line->may_find && line->may_find(printed));
}

/* Returns its exit status: 0, or 1 with a line about it on stderr. */
static int run_all(const char *original, const char *path)
{
	int bad = 0;

	for (size_t i = 0; i < LINE_COUNT; i++) {
		char *argument[8] = { NULL };
		FREED char *printed = NULL;
		off_t begin = lseek(STDOUT_FILENO, 0, SEEK_CUR);
		int count = 0, status;
		size_t size;

		for (; lines[i].argument[count]; count++) {
			const char *word = lines[i].argument[count];

			word = !strcmp(word, "FILE")	   ? path
			       : !strcmp(word, "ORIGINAL") ? original
							   : word;
			argument[count] = (char *)word;
		}
		status = lines[i].run(count, argument);
		fflush(stdout);
		printed = contents(STDOUT_FILENO, begin, &size);
		if (may_be(&lines[i], status, printed))
			continue;
		fprintf(stderr, "hostile: %s %s: status %d\n", lines[i].argument[0],
			lines[i].argument[1], status);
		bad = 1;
	}
	return bad;
}

static void child(const char *original, const char *path, int out, int err, bool leaks)
{
	const struct rlimit no_core = { 0, 0 };
	const struct rlimit written = { STDOUT_MAX, STDOUT_MAX };

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_FSIZE, &written);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	int bad = run_all(original, path);
#ifdef __SANITIZE_ADDRESS__
	if (!bad && leaks)
		__lsan_do_leak_check();
#endif
	fflush(NULL);
	_exit(bad);
}

/* ---- one file ---------------------------------------------------------------------------- */

struct trial {
	const char *folder;
	uint64_t seed;
	uint64_t files, read, found;
	uint64_t most_kb;
	double longest;
};

static volatile sig_atomic_t late;

static void on_alarm(int number)
{
	late = 1;
}

/* What is wrong with the way in which it ended; NULL: nothing. */
static const char *verdict(int status, const struct rusage *usage, const char *said)
{
	double seconds = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
			 (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;

	if (strstr(said, "Sanitizer") || strstr(said, "runtime error:"))
		return "sanitizer";
	if (late || seconds > SECONDS)
		return "time";
	if (WIFSIGNALED(status))
		return "signal";
	if (WEXITSTATUS(status))
		return "status";
	return usage->ru_maxrss > MEMORY_MB * 1024 ? "memory" : NULL;
}

static void keep(const struct trial *trial, uint64_t number, const char *path, const char *why,
		 const char *what, const char *original, const char *said)
{
	char kept[4096];
	FILE_CLOSED FILE *file = NULL;

	snprintf(kept, sizeof(kept), "%s/%s-%" PRIu64, trial->folder, why, number);
	if (link(path, kept) && errno != EEXIST)
		perror(kept);
	printf("%s: seed %" PRIu64 ", of %s:%s\n%.2000s\n", kept, trial->seed, original, what,
	       said);
	strncat(kept, ".log", sizeof(kept) - strlen(kept) - 1);
	file = fopen(kept, "w");
	if (!file)
		return;
	fprintf(file, "of %s:%s\n%s", original, what, said);
}

/* Waits for it, not longer than its processor time allows several times over. */
static int wait_for(pid_t pid, struct rusage *ret_usage)
{
	int status = W_EXITCODE(0, SIGKILL); /* what is not known is no success */

	late = 0;
	alarm(4 * SECONDS);
	while (wait4(pid, &status, 0, ret_usage) < 0 && errno == EINTR)
		if (late)
			kill(-pid, SIGKILL);
	alarm(0);
	return status;
}

/* *ret: victim_deinit(). */
static void write_file(const char *path, const struct original *original, uint64_t seed,
		       uint64_t number, struct victim *ret)
{
	FD_CLOSED int fd = -1;

	mutate_file(original->data, original->size, seed, number, ret);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, ret->data, ret->size) != (ssize_t)ret->size) {
		perror(path);
		exit(EXIT_FAILURE);
	}
}

static void try_file(struct trial *trial, uint64_t number, const struct original *original)
{
	char path[4096];
	struct victim victim;
	struct rusage usage;
	size_t printed, size;
	FD_CLOSED int out = memfd_create("stdout", MFD_CLOEXEC),
		      err = memfd_create("stderr", MFD_CLOEXEC);
	int status;
	pid_t pid;

	if (out < 0 || err < 0) {
		perror("memfd_create");
		exit(EXIT_FAILURE);
	}
	snprintf(path, sizeof(path), "%s/%d", trial->folder, getpid());
	write_file(path, original, trial->seed, number, &victim);
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(original->path, path, out, err, number % LEAKS_EVERY == 0);
	status = wait_for(pid, &usage);

	FREED char *rows = contents(out, 0, &printed), *said = contents(err, 0, &size);
	const char *why = verdict(status, &usage, said);
	trial->files++;
	trial->read += strstr(rows, "cfa=") != NULL;
	if ((uint64_t)usage.ru_maxrss > trial->most_kb)
		trial->most_kb = (uint64_t)usage.ru_maxrss;
	double seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	if (seconds > trial->longest)
		trial->longest = seconds;
	if (why) {
		trial->found++;
		keep(trial, number, path, why, victim.what, original->path, said);
	}
	unlink(path);
	victim_deinit(&victim);
}

/* The file stays, and is given to nobody. */
static void leave_file(const struct trial *trial, uint64_t number, const struct original *original)
{
	char path[4096];
	struct victim victim;

	snprintf(path, sizeof(path), "%s/%" PRIu64, trial->folder, number);
	write_file(path, original, trial->seed, number, &victim);
	victim_deinit(&victim);
	printf("%s\t%s\n", path, original->path);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	bool only_write = argc > 1 && !strcmp(argv[1], "--write");

	argc -= only_write;
	argv += only_write;
	if (argc < 7) {
		fprintf(stderr,
			"usage: hostile [--write] FOLDER SEED FIRST END STEP ORIGINAL...\n");
		return EXIT_USAGE;
	}
	struct trial trial = { .folder = argv[1], .seed = strtoull(argv[2], NULL, 10) };
	uint64_t first = strtoull(argv[3], NULL, 10), end = strtoull(argv[4], NULL, 10);
	uint64_t step = strtoull(argv[5], NULL, 10);
	size_t originals = (size_t)argc - 6;
	struct original *original = calloc(originals, sizeof(*original));

	sigaction(SIGALRM, &action, NULL);
	for (size_t i = 0; i < originals; i++)
		if (!original || !read_original(argv[6 + i], &original[i]))
			return EXIT_USAGE;
	for (uint64_t i = first; i < end; i += step ? step : 1)
		if (only_write)
			leave_file(&trial, i, &original[i % originals]);
		else
			try_file(&trial, i, &original[i % originals]);
	if (only_write)
		return EXIT_OK;
	printf("%" PRIu64 " files: %" PRIu64 " read, %" PRIu64 " found; at most %" PRIu64
	       " MiB and %.1f s for one\n",
	       trial.files, trial.read, trial.found, trial.most_kb >> 10, trial.longest);
	for (size_t i = 0; i < originals; i++)
		free(original[i].data);
	free(original);
	return trial.found || trial.read * READ_SHARE < trial.files ? EXIT_FINDINGS : EXIT_OK;
}
