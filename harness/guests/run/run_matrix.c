/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_matrix.c - cells, the queue of jobs, and the folder
 *
 * The cells are there from the beginning, all pending: kernel by kernel, binaries in the manifest's
 * order. Whatever a job does, it can only finish cells of its own, and each once; at the end none
 * is pending. That the matrix is whole is then a matter of arithmetic: binaries x kernels.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/cli/json_counts.h"
#include "base/cli/folder_lock.h"
#include "clock.h"
#include "base/cli/no_memory.h"
#include "array.h"
#include "run.h"

struct cell *run_cell(struct run *run, size_t lane, size_t binary)
{
	return &run->results->cell[lane * run->manifest.count + binary];
}

static bool is_host(const struct run *run, size_t lane)
{
	return !strcmp(run->options->kernel[lane], HOST_LANE);
}

/* What ended in an error while the run was being ended did so for that. */
static void excuse_interrupted(const struct run *run, struct cell *cell)
{
	int number = interrupt_signal(run->options->interrupt);

	if (!number || cell->status != CELL_ERROR)
		return;
	cell_set(cell, CELL_ERROR, "the run was ended by SIG%s before this was judged",
		 sigabbrev_np(number));
	cell->environment = true;
}

/* A cell got its outcome: written and shown. With the lock held. */
static void finish(struct run *run, size_t lane, struct cell *cell)
{
	excuse_interrupted(run, cell);
	cell_require(cell, run->options->require);
	cell_write(cell, run->stream);
	fflush(run->stream);
	progress_cell(run);
	if (!is_host(run, lane))
		return;
	struct results_kernel *kernel = &run->results->kernel[lane];
	size_t count[CELL_STATUS_COUNT];
	results_count(run->results, kernel->name, count);
	if (!count[CELL_PENDING]) {
		if (run->host_start)
			kernel->total_ms = (monotonic_seconds() - run->host_start) * 1000;
		progress_lane_done(run, lane);
	}
}

void run_cell_finish(struct run *run, size_t lane, size_t binary, enum cell_status status,
		     bool environment, const char *reason)
{
	struct cell *cell = run_cell(run, lane, binary);

	pthread_mutex_lock(&run->lock);
	assert(cell->status == CELL_PENDING && status != CELL_PENDING);
	cell_set(cell, status, "%s", reason);
	cell->environment = environment;
	finish(run, lane, cell);
	pthread_mutex_unlock(&run->lock);
}

static void keep_log(const struct run *run, const struct cell *cell, const char *suffix,
		     const struct output *output)
{
	char name[2048], path[4096];

	snprintf(name, sizeof(name), "%s@%s", cell->binary, cell->kernel);
	results_path(path, sizeof(path), run->options->results, "log", name, suffix);
	if (!output->size) {
		unlink(path); /* of a run that is resumed */
		return;
	}
	FILE_CLOSED FILE *file = fopen(path, "we");
	if (!file)
		return;
	fwrite(output->data, 1, output->size, file);
}

void run_cell_judge(struct run *run, size_t lane, size_t binary, int exit_code,
		    const struct output *out, const struct output *err, double seconds)
{
	struct cell *cell = run_cell(run, lane, binary);

	pthread_mutex_lock(&run->lock);
	assert(cell->status == CELL_PENDING);
	const struct judge_options judge = { run->options->engines, run->options->ignore };
	cell_judge(cell, &judge, run->manifest.binary[binary].expected, exit_code, out, err);
	assert(cell->status != CELL_PENDING);
	cell->seconds = seconds;
	keep_log(run, cell, "stderr", err);
	if (cell->status == CELL_ERROR)
		keep_log(run, cell, "stdout", out);
	finish(run, lane, cell);
	pthread_mutex_unlock(&run->lock);
}

static void judge_played(struct cell *cell, const json_t *objects)
{
	const json_t *replay = json_array_get(objects, json_array_size(objects) - 1);
	json_int_t points = json_integer_value(json_object_get(replay, "points"));
	json_int_t same = json_integer_value(json_object_get(replay, "same"));

	if (!points)
		cell_set(cell, CELL_ERROR, "no point was played");
	else if (same == points)
		cell_set(cell, CELL_PASSED, "%s", "");
	else
		cell_set(cell, CELL_FAILED, "played: %lld of %lld points are not as recorded",
			 (long long)(points - same), (long long)points);
}

void run_cell_judge_played(struct run *run, size_t lane, size_t binary, const json_t *objects)
{
	struct cell *cell = run_cell(run, lane, binary);
	size_t index;
	json_t *object;

	pthread_mutex_lock(&run->lock);
	assert(cell->status == CELL_PENDING);
	json_array_foreach(objects, index, object)
	{
		cell->seconds += json_number_value(json_object_get(object, "seconds"));
		cell_add_object(cell, json_incref(object));
	}
	judge_played(cell, objects);
	finish(run, lane, cell);
	pthread_mutex_unlock(&run->lock);
}

/* The numbers of walks, and how the program ended, as one object. */
static json_t *walks_object(const json_t *process, const json_t *walked)
{
	const json_t *walks = json_object_get(process, "walks");
	json_t *ret = JSON_NEW("type", "walks", "program", json_text(walked, "program"), "points",
			       json_number(walks, "walked"), "status",
			       json_number(walked, "status"));

	json_object_update_missing(ret, (json_t *)walks);
	json_object_del(ret, "walked");
	return ret;
}

void run_cell_judge_watched(struct run *run, size_t lane, size_t binary, const json_t *process,
			    const json_t *walked, json_t *wrong)
{
	struct cell *cell = run_cell(run, lane, binary);
	json_t *walks = walks_object(process, walked), *object;
	size_t index;

	pthread_mutex_lock(&run->lock);
	assert(cell->status == CELL_PENDING);
	json_array_foreach(wrong, index, object) cell_add_object(cell, json_incref(object));
	cell->seconds = json_number_value(json_object_get(walked, "seconds"));
	cell_judge_watched(cell, walks, run->manifest.binary[binary].expected);
	cell_add_object(cell, walks);
	finish(run, lane, cell);
	pthread_mutex_unlock(&run->lock);
}

/* One piece of work for a worker. */
struct job {
	bool in_guest;
	bool plays;	    /* the lane's guest, the host's points */
	size_t lane, shard; /* of a guest */
	struct batch batch; /* on the host */
};

/* The number-th guest: each lane's first shard, then each lane's second, ... The last lane
 * first: kernels are named from the oldest on, and a step takes newer ones longer, which had
 * better not be left over at the end. */
static bool guest_at(const struct run *run, size_t number, struct job *ret)
{
	if (run->options->play)
		return false;
	for (size_t shard = 0; shard < (run->watches ? 1 : run_guest_shards(run)); shard++) {
		for (size_t lane = run->results->kernel_count; lane--;) {
			if (is_host(run, lane) || number--)
				continue;
			ret->lane = lane;
			ret->shard = shard;
			return true;
		}
	}
	return false;
}

/* The next lane to be played, when all is recorded. The last one first, as above. */
static bool take_play(struct run *run, struct job *ret)
{
	while (run->playing && run->next_play < run->results->kernel_count) {
		ret->lane = run->results->kernel_count - ++run->next_play;
		ret->plays = !is_host(run, ret->lane);
		if (ret->plays)
			return true;
	}
	ret->plays = false;
	return false;
}

/* The next binaries of the host. */
static bool take_batch(struct run *run, struct batch *ret)
{
	size_t left = run->host_count - run->next_host;

	if (!left)
		return false;
	if (!run->host_start)
		run->host_start = monotonic_seconds();
	run->next_host += batch_init(ret, run, run->host_lane, false, run->host + run->next_host,
				     batch_share(left, run->options->jobs));
	return true;
}

/* The queue. Guests first: each takes long, and the host's batches fill what is left at the end. */
static bool take_job(struct run *run, struct job *ret)
{
	if (interrupt_signal(run->options->interrupt))
		return false;
	pthread_mutex_lock(&run->lock);
	ret->in_guest = guest_at(run, run->next_guest, ret);
	run->next_guest += ret->in_guest;
	bool more = take_play(run, ret) || ret->in_guest ||
		    (!run->playing && take_batch(run, &ret->batch));
	pthread_mutex_unlock(&run->lock);
	return more;
}

/* The number-th CPU that this process may use, or -1. */
static int allowed_cpu(size_t number)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) || !CPU_COUNT(&set))
		return -1;
	number %= CPU_COUNT(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set) && !number--)
			return cpu;
	}
	return -1;
}

static void *work(void *context)
{
	struct run *run = context;
	struct job job;

	pthread_mutex_lock(&run->lock);
	int cpu = allowed_cpu(run->next_worker++);
	pthread_mutex_unlock(&run->lock);
	while (take_job(run, &job)) {
		if (job.plays) {
			run_play_lane(run, job.lane);
			continue;
		}
		if (job.in_guest && run->watches) {
			run_watch_lane(run, job.lane);
			continue;
		}
		if (job.in_guest) {
			run_guest_lane(run, job.lane, job.shard);
			continue;
		}
		run_host_batch(&job.batch, cpu);
		batch_deinit(&job.batch);
	}
	return NULL;
}

static void work_all(struct run *run)
{
	unsigned jobs = run->options->jobs, started = 0;
	pthread_t *thread = need_memory(calloc(jobs, sizeof(*thread)));

	/* This thread is a worker too: with none other, all is still done. */
	while (started + 1 < jobs && !pthread_create(&thread[started], NULL, work, run))
		started++;
	work(run);
	while (started)
		pthread_join(thread[--started], NULL);
	free(thread);
}

/* While the host steps, the guests' kernels are fetched: who has none waits for the network.
 * What fails is said when the kernel is wanted. */
static void *fetch_kernels(void *context)
{
	struct run *run = context;

	for (size_t lane = 0; lane < run->results->kernel_count; lane++) {
		struct kernel kernel;
		struct error ignored;

		if (is_host(run, lane) || interrupt_signal(run->options->interrupt))
			continue;
		pthread_mutex_lock(&run->fetch_lock);
		run->backend->kernel(run->options->kernel[lane], &kernel, &ignored);
		pthread_mutex_unlock(&run->fetch_lock);
	}
	return NULL;
}

/* The host's binaries are stepped and recorded; then the guests play them, one for each kernel. */
static void record_and_play(struct run *run)
{
	pthread_t fetcher;
	bool fetches = run->backend->can_boot() &&
		       !pthread_create(&fetcher, NULL, fetch_kernels, run);

	work_all(run);
	if (fetches)
		pthread_join(fetcher, NULL);
	run->playing = true;
	work_all(run);
}

/* Cells that need no job: binaries that were not built, or are not there. */
static void finish_unbuilt(struct run *run)
{
	for (size_t lane = 0; lane < run->results->kernel_count; lane++) {
		for (size_t i = 0; i < run->manifest.count; i++) {
			const struct corpus_binary *binary = &run->manifest.binary[i];
			if (run_cell(run, lane, i)->status != CELL_PENDING)
				continue;
			if (binary->skip)
				run_cell_finish(run, lane, i, CELL_SKIPPED, false, binary->skip);
			else if (binary->missing)
				run_cell_finish(run, lane, i, CELL_ERROR, true, binary->missing);
		}
	}
}

/* Cells that no job got to, since the run was ended. */
static void finish_interrupted(struct run *run)
{
	int number = interrupt_signal(run->options->interrupt);

	if (!number)
		return;
	for (size_t lane = 0; lane < run->results->kernel_count; lane++)
		for (size_t i = 0; i < run->manifest.count; i++)
			if (run_cell(run, lane, i)->status == CELL_PENDING)
				run_cell_finish(run, lane, i, CELL_ERROR, true, "");
	snprintf(run->results->partial, sizeof(run->results->partial), "interrupted");
	snprintf(run->results->partial_message, sizeof(run->results->partial_message),
		 "the run was ended by SIG%s", sigabbrev_np(number));
}

static void list_host(struct run *run)
{
	run->host = need_memory(calloc(run->manifest.count, sizeof(*run->host)));
	for (size_t lane = 0; lane < run->results->kernel_count; lane++) {
		if (!is_host(run, lane))
			continue;
		run->host_lane = lane;
		run->host_count = batch_list(run, lane, 0, 1, run->host);
	}
}

/* Emulators are looked for only if one is wanted: it may have to be fetched. */
static bool chooses_emulator(const struct run *run)
{
	const struct run_options *options = run->options;
	char path[4096];
	struct emulator emulator;
	struct error ignored;
	bool guests = ARRAY_ANY(options->kernel_count, i, !is_host(run, i));

	if (options->truth != RUN_TRUTH_ANY || options->play || options->asked || !guests ||
	    !run->backend->emulator)
		return !options->play && options->truth == RUN_TRUTH_EMULATOR;
	return run->backend->emulator(RUN_PLUGIN, &emulator, path, sizeof(path), &ignored) > 0;
}

static void create_cells(struct run *run)
{
	const struct run_options *options = run->options;
	struct results *results = run->results;
	struct utsname host;

	uname(&host);
	results->kernel = need_memory(calloc(options->kernel_count, sizeof(*results->kernel)));
	results->cell = need_memory(
		calloc(options->kernel_count * run->manifest.count, sizeof(*results->cell)));
	for (size_t lane = 0; lane < options->kernel_count; lane++) {
		struct results_kernel *kernel = &results->kernel[results->kernel_count++];
		snprintf(kernel->name, sizeof(kernel->name), "%s", options->kernel[lane]);
		strcpy(kernel->how, is_host(run, lane) ? RESULTS_STEPPED
				    : options->play    ? RESULTS_PLAYED
				    : run->watches     ? RESULTS_WATCHED
						       : RESULTS_STEPPED);
		if (is_host(run, lane)) {
			snprintf(kernel->version, sizeof(kernel->version), "%s", host.release);
			strcpy(kernel->accelerator, "native");
			strcpy(kernel->outcome, "ok");
		}
		for (size_t i = 0; i < run->manifest.count; i++) {
			const struct corpus_binary *binary = &run->manifest.binary[i];
			struct cell *cell = &results->cell[results->cell_count++];
			cell_init(cell, binary->name, binary->program, binary->toolchain,
				  binary->variant, binary->language, kernel->name);
			cell_expect(cell, binary->expected);
		}
	}
}

/* mkdir -p. */
static int create_folder(const char *path, struct error *error)
{
	char partial[4096];
	size_t size = strlen(path);

	if (size >= sizeof(partial))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "the folder's path is too long");
	for (size_t i = 1; i <= size; i++) {
		if (path[i] != '/' && path[i])
			continue;
		snprintf(partial, sizeof(partial), "%.*s", (int)i, path);
		if (mkdir(partial, 0777) && errno != EEXIST)
			return error_set_errno(error, "can't make the folder %s", partial);
	}
	return 0;
}

/* Makes a subfolder, without what an earlier run left there under the names used here, unless that
 * is resumed. */
static int create_subfolder(const struct run_options *options, const char *name,
			    struct error *error)
{
	static const char *const suffixes[] = { ".stderr", ".stdout", ".console", ".recording" };
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", options->results, name);
	if (create_folder(path, error))
		return -1;
	if (options->resume)
		return 0;
	DIR_CLOSED DIR *dir = opendir(path);
	if (!dir)
		return error_set_errno(error, "can't read %s", path);
	for (struct dirent *entry; (entry = readdir(dir));) {
		const char *dot = strrchr(entry->d_name, '.');
		for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
			if (!strcmp(dot, suffixes[i]))
				unlinkat(dirfd(dir), entry->d_name, 0);
		}
	}
	return 0;
}

void run_write_header(struct run *run)
{
	json_t *header = results_header_json(run->results);

	json_line(run->stream, header);
	fflush(run->stream); /* a run that is killed has its header */
}

/* The file that grows begins with what was kept of an earlier run, whose file it replaces in one
 * step. */
static int open_stream(struct run *run, struct error *error)
{
	char path[4096], new[4096 + 8];

	snprintf(path, sizeof(path), "%s/%s", run->options->results, RESULTS_FILE);
	snprintf(new, sizeof(new), "%s%s", path, run->options->resume ? ".new" : "");
	run->stream = fopen(new, "we");
	if (!run->stream)
		return error_set_errno(error, "can't write %s", new);
	run_write_header(run);
	for (size_t i = 0; i < run->results->cell_count; i++)
		if (run->results->cell[i].status != CELL_PENDING)
			cell_write(&run->results->cell[i], run->stream);
	if (fflush(run->stream) || (run->options->resume && rename(new, path)))
		return error_set_errno(error, "can't write %s", path);
	return 0;
}

/* From here on the folder is this run's: what is there is read, too, when it is resumed. */
static int take_folder(struct run *run, struct error *error)
{
	const struct run_options *options = run->options;

	if (!options->resume && create_folder(options->results, error)) {
		run->results->unwritten = true;
		return -1;
	}
	run->folder = folder_lock(options->results, error);
	run->results->unwritten = run->folder < 0 &&
				  (!options->resume || error->system_errno == EBUSY);
	return run->folder < 0 ? -1 : 0;
}

static int open_folder(struct run *run, struct error *error)
{
	const struct run_options *options = run->options;

	if (create_subfolder(options, "kernels", error) ||
	    create_subfolder(options, "log", error) ||
	    (options->record && create_subfolder(options, RECORDINGS, error)))
		return -1;
	return open_stream(run, error);
}

int run_matrix(struct results *ret, const struct run_options *options,
	       const struct run_backend *backend, struct error *error)
{
	struct run run = {
		.options = options,
		.backend = backend,
		.fetch_lock = PTHREAD_MUTEX_INITIALIZER,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.results = ret,
		.folder = -1,
		.progress = { .file = options->progress,
			      .live = options->live,
			      .start = monotonic_seconds() },
	};
	double before = 0;
	int status = -1;

	results_init(ret);
	if (manifest_read(&run.manifest, options->corpus, error))
		goto out;
	if (options->filter)
		manifest_filter(&run.manifest, options->filter);
	if (!run.manifest.count) {
		error_set(error, ERROR_UNAVAILABLE, "", 0, "no binary of the corpus matches \"%s\"",
			  options->filter);
		goto out;
	}
	run.watches = chooses_emulator(&run);
	create_cells(&run);
	provenance_collect(ret, &run.manifest, options->corpus,
			   options->asked ? options->asked : options->engines);
	run_identify(ret, &run.manifest, options);
	if (take_folder(&run, error) ||
	    (options->resume && run_resume(ret, options, &before, error)))
		goto out;
	ret->unwritten = true;
	if (open_folder(&run, error))
		goto out;
	finish_unbuilt(&run);
	list_host(&run);
	if (options->play)
		record_and_play(&run);
	else
		work_all(&run);
	finish_interrupted(&run);
	progress_end(&run);
	results_compare_kernels(ret);
	if (options->ignore)
		ret->ignore = ignore_list_json(options->ignore);
	ret->seconds = before + monotonic_seconds() - run.progress.start;
	ret->finished = true;
	status = results_write(ret, options->results, error);
	ret->unwritten = status != 0;
out:
	if (run.folder >= 0)
		close(run.folder);
	if (run.stream)
		fclose(run.stream);
	free(run.host);
	manifest_deinit(&run.manifest);
	return status;
}
