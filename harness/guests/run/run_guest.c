/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_guest.c - a lane of the matrix in one guest
 *
 * Booting costs seconds: so one guest runs them all, a batch with each command (run_batch.c), and
 * each outcome is kept as it arrives. A compare or the guest itself can die at any moment. What was
 * reported before stands; the binary that was running and those after it become errors with the
 * reason, so a lane always has all of its cells. The guest's commands are settled when it boots:
 * what a compare that died has left undone is not run again.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/child/child.h"
#include "base/cli/no_memory.h"
#include "run.h"

/* Binaries of one command. What a crash costs at most; and each command has the BPF programs
 * verified, which takes a guest 2 to 3 s. */
#define BATCH 48

#define SHARDS_MAX 3

/* A guest that hangs is found by its silence, whatever it has done before: TCG on a busy machine is slow, and how slow
 * nobody knows. A compare says a word after each program, and has a time limit of its own for it. */
#define GUEST_BOOT_MS	 1200000
#define GUEST_SILENCE_MS 300000

#define GUEST_MEMORY_MB 512

/* One guest's work: the binaries of this lane and shard. */
struct guest_lane {
	struct run *run;
	size_t lane, shard;
	size_t count;
	size_t *binary;
	struct batch *batch;
	size_t batch_count;
	struct guest_command *command; /* of a batch */
	struct guest_file *file;
	size_t file_count;
	uint64_t file_bytes;
};

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	struct guest_lane *guest = context;

	if (index < guest->batch_count)
		batch_output(&guest->batch[index], stream == GUEST_STDOUT ? RUN_STDOUT : RUN_STDERR,
			     data, size);
}

/* What has not begun by now never does. */
static void on_exit_code(void *context, size_t index, int exit_code)
{
	struct guest_lane *guest = context;

	if (index >= guest->batch_count)
		return;
	batch_exit(&guest->batch[index], exit_code);
	batch_abandon(&guest->batch[index], exit_code);
}

static void add_file(struct guest_lane *guest, const char *host, const char *path)
{
	struct stat st;

	if (!stat(host, &st))
		guest->file_bytes += st.st_size;
	guest->file[guest->file_count++] = (struct guest_file) { .host_path = host,
								 .guest_path = path };
}

static void add_binary(struct guest_lane *guest, size_t index)
{
	const struct corpus_binary *binary = &guest->run->manifest.binary[index];

	add_file(guest, binary->path, binary->guest_path);
	for (size_t i = 0; i < binary->file_count; i++)
		add_file(guest, binary->file[i], binary->guest_file[i]);
}

/* A command for the next binaries that are run in the same way; how many those are. */
static size_t add_batch(struct guest_lane *guest, size_t first)
{
	struct batch *batch = &guest->batch[guest->batch_count];
	size_t left = guest->count - first;
	size_t count = batch_init(batch, guest->run, guest->lane, true, guest->binary + first,
				  left < BATCH ? left : BATCH);

	guest->command[guest->batch_count++] = (struct guest_command) {
		.argv = batch_start(batch),
		.timeout_ms = guest->run->options->timeout_ms * (unsigned)count,
	};
	return count;
}

/* Commands and files for every binary of the lane that is still to be run. */
static void lane_init(struct guest_lane *guest, struct run *run, size_t lane, size_t shard)
{
	size_t count = run->manifest.count, files = 1;

	for (size_t i = 0; i < count; i++)
		files += 1 + run->manifest.binary[i].file_count;
	*guest = (struct guest_lane) {
		.run = run,
		.lane = lane,
		.shard = shard,
		.binary = need_memory(calloc(count, sizeof(*guest->binary))),
		.batch = need_memory(calloc(count, sizeof(*guest->batch))),
		.command = need_memory(calloc(count, sizeof(*guest->command))),
		.file = need_memory(calloc(files, sizeof(*guest->file))),
	};
	add_file(guest, "/proc/self/exe", GUEST_PROGRAM);
	guest->count = batch_list(run, lane, shard, run_guest_shards(run), guest->binary);
	for (size_t i = 0; i < guest->count; i++)
		add_binary(guest, guest->binary[i]);
	for (size_t first = 0; first < guest->count;)
		first += add_batch(guest, first);
}

static void lane_deinit(struct guest_lane *guest)
{
	for (size_t i = 0; i < guest->batch_count; i++)
		batch_deinit(&guest->batch[i]);
	free(guest->binary);
	free(guest->batch);
	free(guest->command);
	free(guest->file);
}

/* Every binary that did not report: not lost, and not run again. */
static void finish_rest(struct guest_lane *guest, enum cell_status status, const char *what,
			const char *sentence, bool booted)
{
	bool running = booted;

	for (size_t i = 0; i < guest->batch_count; i++) {
		struct batch *batch = &guest->batch[i];

		batch_settle(batch);
		for (size_t j = 0; j < batch->count; j++) {
			struct batch_entry *entry = &batch->entry[j];
			char reason[768];

			if (entry->done)
				continue;
			entry->done = true;
			if (status == CELL_SKIPPED)
				snprintf(reason, sizeof(reason), "%s: %s", what, sentence);
			else
				snprintf(reason, sizeof(reason),
					 "%s: the guest's outcome is %s: %s",
					 running ? "while this ran" : "not run", what, sentence);
			running = false;
			run_cell_finish(guest->run, guest->lane, entry->binary, status,
					status == CELL_ERROR, reason);
		}
	}
}

int run_guest_kernel(struct run *run, size_t lane, struct kernel *ret, struct error *error)
{
	struct results_kernel *kernel = &run->results->kernel[lane];

	*ret = (struct kernel) { 0 };
	pthread_mutex_lock(&run->fetch_lock);
	int status = run->backend->kernel(run->options->kernel[lane], ret, error);
	pthread_mutex_unlock(&run->fetch_lock);

	pthread_mutex_lock(&run->lock);
	snprintf(kernel->version, sizeof(kernel->version), "%s", ret->version);
	snprintf(kernel->package, sizeof(kernel->package), "%s", ret->package);
	if (status)
		snprintf(kernel->sentence, sizeof(kernel->sentence), "%s", error->message);
	pthread_mutex_unlock(&run->lock);
	return status;
}

/* False: there is none, and the lane is finished. */
static bool get_kernel(struct guest_lane *guest, struct kernel *ret)
{
	struct error error = { 0 };

	if (!run_guest_kernel(guest->run, guest->lane, ret, &error))
		return true;
	if (error.code == ERROR_UNAVAILABLE)
		finish_rest(guest, CELL_SKIPPED, "no_kernel", error.message, false);
	else
		finish_rest(guest, CELL_ERROR, "no kernel", error.message, false);
	return false;
}

void run_guest_note(struct run *run, size_t lane, const struct guest_result *result)
{
	struct results_kernel *kernel = &run->results->kernel[lane];
	bool booted = result->boot_ms || result->commands_done;

	pthread_mutex_lock(&run->lock);
	if (result->release[0])
		snprintf(kernel->version, sizeof(kernel->version), "%s", result->release);
	if (booted)
		snprintf(kernel->accelerator, sizeof(kernel->accelerator), "%s",
			 result->kvm ? "kvm" : "tcg");
	/* Of several guests, what went wrong in one stands. */
	if (!kernel->outcome[0] || result->outcome != GUEST_OK) {
		snprintf(kernel->outcome, sizeof(kernel->outcome), "%s",
			 guest_outcome_name(result->outcome));
		snprintf(kernel->sentence, sizeof(kernel->sentence), "%s", result->sentence);
	}
	if (result->boot_ms > kernel->boot_ms)
		kernel->boot_ms = result->boot_ms;
	kernel->total_ms += result->total_ms;
	kernel->splats += result->splats;
	run_write_header(run);
	pthread_mutex_unlock(&run->lock);
}

static void run_guest(struct guest_lane *guest, const struct kernel *kernel)
{
	struct run *run = guest->run;
	const char *name = run->options->kernel[guest->lane];
	FREED struct guest_result *result = need_memory(calloc(1, sizeof(*result)));
	struct error error = { 0 };
	char console[4096], shard[32];

	snprintf(shard, sizeof(shard), guest->shard ? "console.%zu" : "console", guest->shard);
	results_path(console, sizeof(console), run->options->results, "kernels", name, shard);
	struct guest_options options = {
		.kernel_image = kernel->image,
		.files = guest->file,
		.file_count = guest->file_count,
		.commands = guest->command,
		.command_count = guest->batch_count,
		/* The archive and its contents are there at once while the kernel unpacks it. */
		.memory_mb = GUEST_MEMORY_MB + 2 * (unsigned)(guest->file_bytes >> 20),
		.timeout_ms = GUEST_BOOT_MS,
		.silence_ms = GUEST_SILENCE_MS + run->options->timeout_ms,
		.console_path = console,
		.stop_fd = run->options->interrupt ? run->options->interrupt->stop_fd : 0,
	};
	struct guest_callbacks callbacks = {
		.on_output = on_output,
		.on_exit = on_exit_code,
		.context = guest,
	};
	int status = run->backend->guest(&options, &callbacks, result, &error);
	if (status) {
		result->outcome = GUEST_NOT_STARTED;
		if (!result->sentence[0])
			snprintf(result->sentence, sizeof(result->sentence), "%s", error.message);
	}
	run_guest_note(run, guest->lane, result);
	finish_rest(guest, CELL_ERROR, guest_outcome_name(result->outcome),
		    result->sentence[0] ? result->sentence : "it did not report this",
		    result->boot_ms || result->commands_done);
}

bool qemu_installed(void)
{
	char path[PATH_MAX];

	return !child_find(QEMU, path, sizeof(path));
}

size_t run_guest_shards(const struct run *run)
{
	size_t shards = run->manifest.count / BATCH;

	return shards < 1 ? 1 : shards > SHARDS_MAX ? SHARDS_MAX : shards;
}

void run_guest_lane(struct run *run, size_t lane, size_t shard)
{
	size_t count[CELL_STATUS_COUNT];
	struct guest_lane guest;
	struct kernel kernel;

	lane_init(&guest, run, lane, shard);
	if (!run->backend->can_boot())
		finish_rest(&guest, CELL_SKIPPED, "no_vm", QEMU " is not installed", false);
	else if (guest.count && get_kernel(&guest, &kernel))
		run_guest(&guest, &kernel);
	lane_deinit(&guest);
	pthread_mutex_lock(&run->lock);
	results_count(run->results, run->results->kernel[lane].name, count);
	if (!count[CELL_PENDING])
		progress_lane_done(run, lane);
	pthread_mutex_unlock(&run->lock);
}
