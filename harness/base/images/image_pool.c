/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_pool.c - the same work on many images, a process for each, several at once
 *
 * Over thousands of files there is always one that something chokes on. An image's process that
 * crashes, hangs or eats all memory (the kernel is told to end it first) is this image's failure,
 * and named; the others don't notice. Much that one says is kept in a file without a name, in TMPDIR or /tmp, and in
 * memory only if there can't be one. Each process leads a group of its own, so that what it
 * started itself ends with it, and all end when this one does.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "freed.h"
#include "base/child/child.h"
#include "array.h"
#include "base/cli/cut_file.h"
#include "clock.h"
#include "image_pool.h"

#define SPILL_BYTES (1u << 20) /* what is kept in memory of what an image says */

/* One image at work. */
struct job {
	const struct image_path *image;
	pid_t pid;
	int fd; /* what it says; -1: the job is free */
	char *output;
	size_t used;
	size_t size;
	int spill; /* a file of what it said before; -1: none */
	off_t spilled;
	bool kept; /* it can't be spilled */
	double start;
	bool timed_out;
};

/* Where memory runs out, this process and what it starts go first (proc(5), oom_score_adj). */
static void go_first(void)
{
	FD_CLOSED int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0) {
		/* then the kernel chooses, and it chooses the largest */
	}
}

/* In the child. Does not return. */
static void work(const struct image_pool *pool, const struct image_path *image, int fd)
{
	FILE *output;

	go_first();
	output = fdopen(fd, "w");
	if (!output)
		_exit(EXIT_FAILURE);
	pool->work(pool->context, image, output);
	fclose(output);
	_exit(EXIT_SUCCESS); /* not exit(): stdout's buffer is the parent's */
}

static int job_start(const struct image_pool *pool, const struct image_path *image, struct job *job,
		     struct error *error)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return error_set_errno(error, "a pipe");
	*job = (struct job) {
		.image = image, .fd = fds[0], .spill = -1, .start = monotonic_seconds()
	};
	job->pid = child_fork();
	if (job->pid == 0) {
		close(fds[0]);
		work(pool, image, fds[1]);
	}
	close(fds[1]);
	if (job->pid < 0) {
		close(fds[0]);
		job->fd = -1;
		return error_set_errno(error, "a process for %s", image->path);
	}
	return 0;
}

static int spill_open(void)
{
	const char *directory = getenv("TMPDIR");

	return open(directory && directory[0] ? directory : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC,
		    0600);
}

/* False: there is no room, and it stays where it is. */
static bool spill(struct job *job)
{
	size_t done = 0;

	if (job->spill < 0)
		job->spill = spill_open();
	while (job->spill >= 0 && done < job->used) {
		ssize_t n = pwrite(job->spill, job->output + done, job->used - done,
				   job->spilled + (off_t)done);

		/* errno is what an earlier call left, if nothing was written. */
		if (!n || (n < 0 && errno != EINTR))
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	if (job->spill < 0)
		return false;
	job->spilled += (off_t)done;
	job->used = 0;
	return true;
}

/* All that it said; NULL: there is no room for it, or no memory. */
static FILE *job_output(struct job *job)
{
	FILE *file;

	if (!job->spilled)
		return fmemopen(job->used ? job->output : "", job->used, "r");
	if (!spill(job) || ftruncate(job->spill, job->spilled))
		return NULL;
	file = fdopen(job->spill, "r");
	if (file)
		job->spill = -1; /* it is the file's */
	return file;
}

/* False: it says nothing more. */
static bool job_read(struct job *job)
{
	ssize_t n;

	if (job->used >= SPILL_BYTES && !job->kept)
		job->kept = !spill(job);
	if (!ARRAY_RESERVE(job->output, job->size, job->used + 4096))
		return false;
	n = read(job->fd, job->output + job->used, job->size - job->used - 1);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	job->used += (size_t)n;
	return n > 0;
}

char *image_outcome_line(const struct image_outcome *outcome, struct image_line *line)
{
	ssize_t size = outcome->output && !outcome->is_cut
			       ? getline(&line->text, &line->room, outcome->output)
			       : -1;

	if (size <= 0 || line->text[size - 1] != '\n')
		return NULL;
	line->text[size - 1] = '\0';
	line->size = (size_t)size - 1;
	return line->text;
}

static void job_end(const struct image_pool *pool, struct job *job)
{
	struct image_outcome outcome = { .seconds = monotonic_seconds() - job->start };
	char failure[64];
	int status = child_end(job->pid, job->timed_out);

	outcome.output = job_output(job);
	if (!outcome.output)
		outcome.failure = "said more than there is room for";
	if (job->timed_out) {
		snprintf(failure, sizeof(failure), "ran longer than %g s",
			 pool->timeout_ms / 1000.0);
		outcome.failure = failure;
	} else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) {
		outcome.failure = CUT_FILE_MESSAGE;
		outcome.is_cut = true;
	} else if (WIFSIGNALED(status)) {
		snprintf(failure, sizeof(failure), "died of SIG%s", sigabbrev_np(WTERMSIG(status)));
		outcome.failure = failure;
	} else if (WIFEXITED(status) && WEXITSTATUS(status)) {
		snprintf(failure, sizeof(failure), "ended with status %d", WEXITSTATUS(status));
		outcome.failure = failure;
	}
	pool->done(pool->context, job->image, &outcome);
	close(job->fd);
	if (outcome.output)
		fclose(outcome.output);
	if (job->spill >= 0)
		close(job->spill);
	free(job->output);
	*job = (struct job) { .fd = -1 };
}

/* Waits until one job at least has something to say or has run out of time. */
static void wait_for_jobs(const struct image_pool *pool, struct job *jobs)
{
	struct pollfd poll_fds[IMAGE_POOL_JOBS_MAX];
	double now = monotonic_seconds(), first = now + 3600;

	for (unsigned int i = 0; i < pool->jobs; i++) {
		double end = jobs[i].start + pool->timeout_ms / 1000.0;

		poll_fds[i] = (struct pollfd) { .fd = jobs[i].fd, .events = POLLIN };
		if (jobs[i].fd >= 0 && end < first)
			first = end;
	}
	poll(poll_fds, pool->jobs, first > now ? (int)((first - now) * 1000) + 1 : 0);
	now = monotonic_seconds();
	for (unsigned int i = 0; i < pool->jobs; i++) {
		if (jobs[i].fd < 0)
			continue;
		if (poll_fds[i].revents && !job_read(&jobs[i])) {
			job_end(pool, &jobs[i]);
		} else if (now - jobs[i].start >= pool->timeout_ms / 1000.0) {
			jobs[i].timed_out = true;
			job_end(pool, &jobs[i]);
		}
	}
}

static int larger_first(const void *a, const void *b)
{
	const struct image_path *const *left = a, *const *right = b;

	if ((*left)->bytes != (*right)->bytes)
		return (*left)->bytes > (*right)->bytes ? -1 : 1;
	return strcmp((*left)->path, (*right)->path);
}

static bool any_running(const struct image_pool *pool, const struct job *jobs)
{
	return ARRAY_ANY(pool->jobs, i, jobs[i].fd >= 0);
}

int image_pool_run(const struct image_pool *asked, const struct image_list *list,
		   struct error *error)
{
	FREED const struct image_path **order = calloc(list->count + 1, sizeof(*order));
	struct image_pool pool = *asked;
	struct job jobs[IMAGE_POOL_JOBS_MAX];
	size_t next = 0;
	int result = 0;

	if (!order)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for %zu images",
				 list->count);
	for (size_t i = 0; i < list->count; i++)
		order[i] = &list->image[i];
	qsort(order, list->count, sizeof(*order), larger_first);
	pool.jobs = pool.jobs < 1		      ? 1
		    : pool.jobs > IMAGE_POOL_JOBS_MAX ? IMAGE_POOL_JOBS_MAX
						      : pool.jobs;
	for (unsigned int i = 0; i < pool.jobs; i++)
		jobs[i] = (struct job) { .fd = -1 };
	do {
		for (unsigned int i = 0; i < pool.jobs && next < list->count && !result; i++)
			if (jobs[i].fd < 0)
				result = job_start(&pool, order[next++], &jobs[i], error);
		if (any_running(&pool, jobs))
			wait_for_jobs(&pool, jobs);
	} while ((next < list->count && !result) || any_running(&pool, jobs));
	return result;
}
