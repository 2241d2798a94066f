/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_matrix.c - a run that is ended by a signal, and its folder: what is made, kept and
 * removed there
 *
 * The world is replaced: compare says of each binary that all is well; of one whose name begins
 * with s it says something on both streams, with e that it failed, and with i that somebody ended
 * the run meanwhile. One with w takes its time, and at one with r the folder has what was before.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/folder_lock.h"
#include "clock.h"
#include "host_lane.h"

static struct interrupt interrupt;
static const char *folder_now; /* of the run that is going on */

/* The file that grows has the outcomes of so far, and is no whole run's. */
static void read_meanwhile(void)
{
	struct results read DEINIT(results_deinit);
	struct error error = { 0 };

	ck_assert(!results_read(&read, folder_now, &error));
	ck_assert(!read.finished);
	ck_assert_uint_ge(read.cell_count, 1);
	ck_assert_str_eq(read.cell[0].binary, "a");
	ck_assert_int_eq(read.cell[0].status, CELL_PASSED);
}

static void say(const struct child_options *options, enum run_stream stream, const char *text)
{
	options->on_output(options->context, stream, text, strlen(text));
}

static int fake_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	char *const *binary = options->argv;

	*ret_exit = 0;
	while (strcmp(*binary, "--") != 0)
		binary++;
	while (*++binary) {
		char letter = strrchr(*binary, '/')[1], text[512];

		if (letter == 'i') {
			atomic_store(&interrupt.signal, SIGTERM);
			*ret_exit = 143;
			return 0;
		}
		if (letter == 'r')
			read_meanwhile();
		for (int stream = 0; stream < RUN_STREAM_COUNT; stream++) {
			snprintf(text, sizeof(text), "{\"type\":\"begin\",\"program\":\"%s\"}\n",
				 *binary);
			say(options, stream, text);
			if (letter == 'w')
				usleep(20000);
			if (stream == RUN_STDOUT)
				say(options, stream,
				    letter == 'e' ? "no JSON\n"
						  : "{\"type\":\"verdicts\",\"points\":5}\n");
			else if (letter == 's' || letter == 'e')
				say(options, stream, "a message\n");
			snprintf(text, sizeof(text),
				 "{\"type\":\"end\",\"program\":\"%s\",\"status\":0}\n", *binary);
			say(options, stream, text);
		}
	}
	return 0;
}

static int no_kernel(const char *name, struct kernel *ret, struct error *error)
{
	*ret = (struct kernel) { 0 };
	return error_set(error, ERROR_UNAVAILABLE, "", 0, "no network");
}

static bool can_boot(void)
{
	return true;
}

static const struct run_backend backend = { .compare = fake_compare,
					    .kernel = no_kernel,
					    .can_boot = can_boot };
static char *lanes[] = { (char *)"host", (char *)"5.10" };

struct world {
	char corpus[32], results[64];
	struct run_options options;
};

static void world_init(struct world *world, const char *binaries)
{
	*world = (struct world) { .corpus = "/tmp/test_run_matrix.XXXXXX" };
	make_corpus(world->corpus, binaries);
	snprintf(world->results, sizeof(world->results), "%s/results", world->corpus);
	world->options = (struct run_options) { .corpus = world->corpus,
						.results = world->results,
						.kernel = lanes,
						.kernel_count = 1,
						.engines = "cfi",
						.require = "",
						.jobs = 1,
						.timeout_ms = LANE_TIMEOUT_MS };
}

/* ---- ended ------------------------------------------------------------------------------ */

START_TEST(test_a_run_that_is_ended)
{
	static const char why[] = "the run was ended by SIGTERM before this was judged";
	struct world world;
	struct results results, read;
	struct error error = { 0 };
	char got[LANE_BINARIES_MAX + 1];

	world_init(&world, "a i b");
	/* Stepped or played, guests come afterwards. */
	world.options.kernel_count = 2;
	world.options.play = world.options.record = true;
	world.options.interrupt = &interrupt;
	interrupt.stop_fd = -1;
	ck_assert_msg(!run_matrix(&results, &world.options, &backend, &error), "%s", error.message);
	letters(&results, got);
	ck_assert_str_eq(got, "PEEEEE");
	for (size_t i = 1; i < results.cell_count; i++) {
		ck_assert_str_eq(results.cell[i].reason, why);
		ck_assert(results.cell[i].environment);
	}
	ck_assert_str_eq(results.partial, "interrupted");
	ck_assert_str_eq(results.partial_message, "the run was ended by SIGTERM");
	results_deinit(&results);
	ck_assert(!results_read(&read, world.results, &error));
	ck_assert_str_eq(read.partial, "interrupted");
	letters(&read, got);
	ck_assert_str_eq(got, "PEEEEE");
	results_deinit(&read);
	remove_tree(world.corpus);
}
END_TEST

/* ---- the folder ------------------------------------------------------------------------- */

static bool is_there(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !access(path, F_OK);
}

/* What an earlier run left goes, and what is no run's stays. */
static const struct {
	const char *name;
	bool stays, of_recordings;
} left[] = {
	{ "log/x@host.stderr", false, false },	 { "log/x@host.stdout", false, false },
	{ "kernels/5.4.console", false, false }, { "recordings/x.recording", false, true },
	{ "log/note.txt", true, false },	 { "log/stderr", true, false },
	{ "kernels/config", true, false },
};

static void leave_files(const char *folder)
{
	static const char *const folders[] = { "", "/log", "/kernels", "/recordings" };
	char path[256];

	for (int i = 0; i < COUNT(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", folder, folders[i]);
		ck_assert_int_eq(mkdir(path, 0777), 0);
	}
	for (int i = 0; i < COUNT(left); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, left[i].name);
		fclose(fopen(path, "we"));
	}
}

START_TEST(test_what_an_earlier_run_left)
{
	struct world world;
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	world_init(&world, "a s e");
	world.options.record = _i;
	leave_files(world.results);
	ck_assert_msg(!run_matrix(&results, &world.options, &backend, &error), "%s", error.message);
	for (int i = 0; i < COUNT(left); i++)
		ck_assert_msg(is_there(world.results, left[i].name) ==
				      (left[i].stays || (left[i].of_recordings && !_i)),
			      "%s", left[i].name);
	/* Messages are kept, and what it printed if it could not be judged. */
	ck_assert(!is_there(world.results, "log/a@host.stderr"));
	ck_assert(!is_there(world.results, "log/a@host.stdout"));
	ck_assert(is_there(world.results, "log/s@host.stderr"));
	ck_assert(!is_there(world.results, "log/s@host.stdout"));
	ck_assert(is_there(world.results, "log/e@host.stderr"));
	ck_assert(is_there(world.results, "log/e@host.stdout"));
	check_message("messages", "s", world.results, "a message|");
	struct stat log;
	char path[128];
	snprintf(path, sizeof(path), "%s/log/s@host.stderr", world.results);
	ck_assert(!stat(path, &log) && log.st_size == 10);
	remove_tree(world.corpus);
}
END_TEST

/* While it goes on, and what it took. */
START_TEST(test_as_it_goes)
{
	struct world world;
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };
	FREED char *shown = NULL;
	size_t size;

	world_init(&world, "a w r");
	folder_now = world.results;
	world.options.progress = open_memstream(&shown, &size);
	world.options.live = _i;
	ck_assert_msg(!run_matrix(&results, &world.options, &backend, &error), "%s", error.message);
	fclose(world.options.progress);
	if (_i)
		ck_assert_msg(!strncmp(shown, "\r0:0", 4) && strstr(shown, "  host 1/3\033[K"),
			      "%s", shown);
	else
		ck_assert_msg(!strncmp(shown, "host = ", 7) &&
				      strstr(shown, ": 3 passed, 0 failed, 0 errors, 0 skipped, "),
			      "%s", shown);
	ck_assert_double_ge(cell_of(&results, "w")->seconds, 0.02);
	ck_assert_uint_ge(results.kernel[0].total_ms, 20);
	/* Milliseconds, of a run that is over. */
	ck_assert_double_le(results.kernel[0].total_ms, results.seconds * 1000 + 1);
	remove_tree(world.corpus);
}
END_TEST

static void a_file(struct world *world)
{
	fclose(fopen(world->results, "we"));
}

static void a_file_above(struct world *world)
{
	fclose(fopen(world->results, "we"));
	strcat(world->results, "/deeper");
}

static void a_file_within(struct world *world)
{
	char path[128];

	ck_assert_int_eq(mkdir(world->results, 0777), 0);
	snprintf(path, sizeof(path), "%s/log", world->results);
	fclose(fopen(path, "we"));
}

static void a_folder_for_the_file(struct world *world)
{
	char path[128];

	ck_assert_int_eq(mkdir(world->results, 0777), 0);
	snprintf(path, sizeof(path), "%s/" RESULTS_FILE, world->results);
	ck_assert_int_eq(mkdir(path, 0777), 0);
}

static void too_long(struct world *world)
{
	static char path[5000];

	memset(path, '/', sizeof(path) - 1);
	memcpy(path, world->corpus, strlen(world->corpus));
	path[4096] = '\0';
	world->options.results = path;
}

static void no_match(struct world *world)
{
	world->options.filter = "z*";
}

static void no_corpus(struct world *world)
{
	world->options.corpus = "/nowhere";
}

static int lock_of_another = -1;

static void anothers(struct world *world)
{
	struct error error;

	ck_assert_int_eq(mkdir(world->results, 0777), 0);
	lock_of_another = folder_lock(world->results, &error);
	ck_assert_int_ge(lock_of_another, 0);
}

static void anothers_resumed(struct world *world)
{
	anothers(world);
	world->options.resume = true;
}

static void nothing_to_resume(struct world *world)
{
	world->options.resume = true;
}

static const struct refusal {
	const char *name;
	void (*change)(struct world *world);
	const char *message; /* "@": the results folder */
	bool unwritten;
} refusals[] = {
	{ "a_file", a_file, "results: Not a directory", true },
	{ "a_file_above_it", a_file_above, "can't make the folder @/deeper: Not a directory",
	  true },
	{ "a_file_in_it", a_file_within, "can't read @/log: Not a directory", true },
	{ "a_folder_for_the_file", a_folder_for_the_file,
	  "can't write @/" RESULTS_FILE ": Is a directory", true },
	{ "too_long", too_long, "the folder's path is too long", true },
	{ "anothers", anothers, "", true },
	{ "anothers_resumed", anothers_resumed, "", true },
	{ "nothing_to_resume", nothing_to_resume, "@", false },
	{ "no_match", no_match, "no binary of the corpus matches \"z*\"", false },
	{ "no_corpus", no_corpus, "can't read /nowhere/manifest.tsv: No such file", false },
};

START_TEST(test_refused)
{
	const struct refusal *c = &refusals[_i];
	struct world world;
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	world_init(&world, "a");
	char message[256];
	const char *at = strchr(c->message, '@');

	if (at)
		snprintf(message, sizeof(message), "%.*s%s%s", (int)(at - c->message), c->message,
			 world.results, at + 1);
	else
		strcpy(message, c->message);
	c->change(&world);
	ck_assert_msg(run_matrix(&results, &world.options, &backend, &error) == -1, "%s", c->name);
	ck_assert_msg(strstr(error.message, message) != NULL, "%s: %s", c->name, error.message);
	ck_assert_msg(results.unwritten == c->unwritten, "%s", c->name);
	ck_assert(!results.finished);
	if (lock_of_another >= 0)
		close(lock_of_another);
	lock_of_another = -1;
	remove_tree(world.corpus);
}
END_TEST

/* ---- the host's CPUs ------------------------------------------------------------------------ */

static pthread_barrier_t both;
static pthread_mutex_t cpus_lock = PTHREAD_MUTEX_INITIALIZER;
static int cpus[8];
static size_t cpu_count;

/* Each of as many workers as there are to be takes a batch before any goes on. */
static int compare_on_cpu(const struct child_options *options, int *ret_exit, struct error *error)
{
	bool first;

	pthread_mutex_lock(&cpus_lock);
	ck_assert_uint_lt(cpu_count, 8);
	first = cpu_count < 2;
	cpus[cpu_count++] = options->cpu;
	pthread_mutex_unlock(&cpus_lock);
	if (first)
		pthread_barrier_wait(&both);
	return fake_compare(options, ret_exit, error);
}

static int nth_of(const cpu_set_t *set, int number)
{
	number %= CPU_COUNT(set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && !number--)
			return cpu;
	return -1;
}

/* One worker has the first CPU that may be had, of two the other has the next; or both the only one. */
START_TEST(test_workers_have_their_cpus)
{
	const struct run_backend on_cpu = { .compare = compare_on_cpu, .can_boot = can_boot };
	cpu_set_t all, set;
	struct world world;
	struct results results;
	struct error error = { 0 };

	ck_assert(!sched_getaffinity(0, sizeof(all), &all));
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		for (int only = 0; only < 2; only++) {
			set = all;
			if (only) {
				CPU_ZERO(&set);
				CPU_SET(nth_of(&all, CPU_COUNT(&all) - 1), &set);
			}
			ck_assert(!sched_setaffinity(0, sizeof(set), &set));
			world_init(&world, "a b c d e f g h");
			world.options.jobs = jobs;
			cpu_count = 0;
			pthread_barrier_init(&both, NULL, jobs);
			ck_assert(!run_matrix(&results, &world.options, &on_cpu, &error));
			pthread_barrier_destroy(&both);
			ck_assert_uint_ge(cpu_count, jobs);
			for (size_t i = 0; i < cpu_count; i++)
				ck_assert(cpus[i] == nth_of(&set, 0) ||
					  (jobs == 2 && cpus[i] == nth_of(&set, 1)));
			ck_assert(jobs < 2 || only || CPU_COUNT(&set) < 2 || cpus[0] != cpus[1]);
			results_deinit(&results);
			remove_tree(world.corpus);
		}
	}
	sched_setaffinity(0, sizeof(all), &all);
}
END_TEST

/* What is known of each lane before anything ran in it, and how long all took, with what was before. */
START_TEST(test_lanes_are_described)
{
	struct world world;
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };
	struct utsname host;
	struct stat made;
	char path[128];

	umask(022);
	double begin = monotonic_seconds();

	uname(&host);
	world_init(&world, "a !b");
	world.options.kernel_count = 2;
	world.options.play = world.options.record = _i;
	strcat(world.results, "/deeper/still");
	ck_assert_msg(!run_matrix(&results, &world.options, &backend, &error), "%s", error.message);
	ck_assert_uint_eq(results.kernel_count, 2);
	ck_assert_str_eq(results.kernel[0].name, "host");
	ck_assert_str_eq(results.kernel[0].how, RESULTS_STEPPED);
	ck_assert_str_eq(results.kernel[0].version, host.release);
	ck_assert_str_eq(results.kernel[0].accelerator, "native");
	ck_assert_str_eq(results.kernel[0].outcome, "ok");
	ck_assert_str_eq(results.kernel[1].name, "5.10");
	ck_assert_str_eq(results.kernel[1].how, _i ? RESULTS_PLAYED : RESULTS_STEPPED);
	ck_assert_str_ne(results.kernel[1].accelerator, "native");
	ck_assert_uint_eq(results.cell_count, 4);
	ck_assert(results.finished && !results.unwritten && results.seconds >= 0 &&
		  results.seconds <= monotonic_seconds() - begin);
	/* What is not there was not run anywhere. */
	for (int lane = 0; lane < 2; lane++) {
		const struct cell *cell = &results.cell[2 * lane + 1];

		ck_assert_str_eq(cell->binary, "b");
		ck_assert_str_eq(cell->kernel, lane ? "5.10" : "host");
		ck_assert(cell->status == CELL_ERROR && cell->environment && cell->reason[0]);
	}
	ck_assert(!stat(world.results, &made) && made.st_mode == (S_IFDIR | 0755));
	snprintf(path, sizeof(path), "%s/" RECORDINGS, world.results);
	ck_assert_int_eq(access(path, F_OK), _i ? 0 : -1);
	snprintf(path, sizeof(path), "%s/kernels", world.results);
	ck_assert(!access(path, F_OK));
	remove_tree(world.corpus);
}
END_TEST

SUITE(run_matrix, TEST(test_a_run_that_is_ended), TIMES(test_what_an_earlier_run_left, 2),
      TIMES(test_as_it_goes, 2), LOOP(test_refused, refusals), TEST(test_workers_have_their_cpus),
      TIMES(test_lanes_are_described, 2))
