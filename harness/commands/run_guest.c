/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_guest.c - a lane of the matrix in one guest
 *
 * Booting costs seconds, and so does loading BPF where it is emulated: so one guest runs them all,
 * and one `compare --each` a batch of them. Its begin and end lines say whose output is whose, and
 * each outcome is kept as it arrives. A compare or the guest itself can die at any moment. What was
 * reported before stands; the binary that was running and those after it become errors with the
 * reason, so a lane always has all of its cells.
 */
#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "clock.h"
#include "commands/run.h"

#define GUEST_PROGRAM "/bin/stackproof"
#define QEMU	      "qemu-system-x86_64"

/* Binaries of one compare. What a crash costs at most. */
#define BATCH 24

#define SHARDS_MAX 3

/* A guest that hangs is found at last by its deadline: generous, since TCG on a busy machine is
 * slow. */
#define GUEST_TIMEOUT_MS	    300000
#define GUEST_TIMEOUT_PER_BINARY_MS 10000

#define GUEST_MEMORY_MB 512

#define NO_BINARY SIZE_MAX

/* One command: a compare over entries [first, first + count) of the lane. */
struct batch {
	size_t first, count;
	size_t current;	    /* entry between its begin and its end line, or NO_BINARY */
	struct output line; /* of stdout, not ended yet */
	struct output out;  /* of the current one */
	struct output err;  /* of all: stderr has no marks */
	const char *argv[COMPARE_ARGUMENTS + BATCH + 1]; /* and a NULL */
};

/* One guest's work. An entry is a binary of this lane and shard. */
struct guest_lane {
	struct run *run;
	size_t lane, shard;
	size_t count;
	size_t *binary; /* of an entry */
	bool *done;
	struct batch *batch;
	size_t batch_count;
	struct guest_command *command; /* of a batch */
	char timeout[32];
	double last; /* when the entry before this one ended */
	struct guest_file *file;
	size_t file_count;
	uint64_t file_bytes;
};

static void finish_entry(struct guest_lane *guest, struct batch *batch, size_t entry, int exit_code)
{
	double now = monotonic_seconds();

	guest->done[entry] = true;
	run_cell_judge(guest->run, guest->lane, guest->binary[entry], exit_code, &batch->out,
		       &batch->err, now - guest->last);
	guest->last = now;
	output_deinit(&batch->out);
	output_deinit(&batch->err);
}

static size_t find_entry(const struct guest_lane *guest, const struct batch *batch,
			 const char *path)
{
	for (size_t entry = batch->first; path && entry < batch->first + batch->count; entry++) {
		const char *other = guest->run->manifest.binary[guest->binary[entry]].guest_path;

		if (!guest->done[entry] && !strcmp(path, other))
			return entry;
	}
	return NO_BINARY;
}

/* A line of compare's output: a mark, or the current binary's. */
static void take_line(struct guest_lane *guest, struct batch *batch, const char *line, size_t size)
{
	json_t *object = json_loadb(line, size, 0, NULL);
	const char *type = json_string_value(json_object_get(object, "type"));
	const char *program = json_string_value(json_object_get(object, "program"));
	bool mark = false;

	if (type && !strcmp(type, "begin")) {
		batch->current = find_entry(guest, batch, program);
		output_deinit(&batch->out);
		mark = true;
	} else if (type && !strcmp(type, "end")) {
		size_t entry = find_entry(guest, batch, program);

		if (entry != NO_BINARY && entry == batch->current)
			finish_entry(guest, batch, entry,
				     json_integer_value(json_object_get(object, "status")));
		batch->current = NO_BINARY;
		mark = true;
	}
	json_decref(object);
	if (!mark && batch->current != NO_BINARY)
		output_add(&batch->out, line, size);
}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	struct guest_lane *guest = context;
	struct batch *batch;
	const char *at = data;

	if (index >= guest->batch_count)
		return;
	batch = &guest->batch[index];
	if (stream != GUEST_STDOUT) {
		output_add(&batch->err, data, size);
		return;
	}
	while (size) {
		const char *newline = memchr(at, '\n', size);
		size_t part = newline ? (size_t)(newline - at) + 1 : size;

		output_add(&batch->line, at, part);
		at += part;
		size -= part;
		if (!newline)
			break;
		take_line(guest, batch, batch->line.data, batch->line.size);
		output_deinit(&batch->line);
	}
}

/* What has no end line by now never gets one: the compare's own end is its outcome. */
static void on_exit_code(void *context, size_t index, int exit_code)
{
	struct guest_lane *guest = context;
	struct batch *batch;

	if (index >= guest->batch_count)
		return;
	batch = &guest->batch[index];
	if (batch->current != NO_BINARY) {
		output_add(&batch->out, batch->line.data, batch->line.size);
		finish_entry(guest, batch, batch->current, exit_code);
		batch->current = NO_BINARY;
	}
	for (size_t entry = batch->first; entry < batch->first + batch->count; entry++)
		if (!guest->done[entry])
			finish_entry(guest, batch, entry, exit_code);
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
	const struct run_binary *binary = &guest->run->manifest.binary[index];

	guest->binary[guest->count++] = index;
	add_file(guest, binary->path, binary->guest_path);
	for (size_t i = 0; i < binary->file_count; i++)
		add_file(guest, binary->file[i], binary->guest_file[i]);
}

/* `compare --each` over the next entries that are run in the same way; the first one after them. */
static size_t add_batch(struct guest_lane *guest, size_t first)
{
	const struct run_binary *binaries = guest->run->manifest.binary;
	struct batch *batch = &guest->batch[guest->batch_count];
	bool bind_now = run_binds_now(&binaries[guest->binary[first]]);
	const char *const options[] = { GUEST_PROGRAM,
					"compare",
					"--each",
					"--from",
					"_start",
					"--timeout",
					guest->timeout,
					"--engine",
					guest->run->options->engines,
					bind_now ? "--bind-now" : "--",
					bind_now ? "--" : NULL };
	size_t used = 0;

	_Static_assert(sizeof(options) / sizeof(options[0]) <= COMPARE_ARGUMENTS,
		       "argv is too short");
	for (; used < sizeof(options) / sizeof(options[0]) && options[used]; used++)
		batch->argv[used] = options[used];
	batch->first = first;
	batch->current = NO_BINARY;
	while (batch->count < BATCH && first + batch->count < guest->count) {
		const struct run_binary *binary = &binaries[guest->binary[first + batch->count]];

		if (run_binds_now(binary) != bind_now)
			break;
		batch->argv[used++] = binary->guest_path;
		batch->count++;
	}
	guest->command[guest->batch_count++] = (struct guest_command) {
		.argv = (char *const *)batch->argv,
		.timeout_ms = guest->run->options->timeout_ms * (unsigned)batch->count,
	};
	return first + batch->count;
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
		.binary = calloc(count, sizeof(*guest->binary)),
		.done = calloc(count, sizeof(*guest->done)),
		.batch = calloc(count, sizeof(*guest->batch)),
		.command = calloc(count, sizeof(*guest->command)),
		.file = calloc(files, sizeof(*guest->file)),
	};
	assert(guest->binary && guest->done && guest->batch && guest->command && guest->file);
	snprintf(guest->timeout, sizeof(guest->timeout), "%u",
		 (run->options->timeout_ms + 999) / 1000);
	add_file(guest, "/proc/self/exe", GUEST_PROGRAM);
	for (size_t i = shard; i < count; i += run_guest_shards(run)) {
		if (run_cell(run, lane, i)->status == CELL_PENDING)
			add_binary(guest, i);
	}
	for (size_t first = 0; first < guest->count;)
		first = add_batch(guest, first);
}

static void lane_deinit(struct guest_lane *guest)
{
	for (size_t i = 0; i < guest->batch_count; i++) {
		output_deinit(&guest->batch[i].line);
		output_deinit(&guest->batch[i].out);
		output_deinit(&guest->batch[i].err);
	}
	free(guest->binary);
	free(guest->done);
	free(guest->batch);
	free(guest->command);
	free(guest->file);
}

/* Every binary that did not report: not lost, and not run again. */
static void finish_rest(struct guest_lane *guest, enum cell_status status, const char *what,
			const char *sentence, bool booted)
{
	bool running = booted;

	for (size_t i = 0; i < guest->count; i++) {
		char reason[768];

		if (guest->done[i])
			continue;
		guest->done[i] = true;
		if (status == CELL_SKIPPED)
			snprintf(reason, sizeof(reason), "%s: %s", what, sentence);
		else
			snprintf(reason, sizeof(reason), "%s: the guest's outcome is %s: %s",
				 running ? "while this ran" : "not run", what, sentence);
		running = false;
		run_cell_finish(guest->run, guest->lane, guest->binary[i], status,
				status == CELL_ERROR, reason);
	}
}

/* Fetches the kernel, one lane at a time. False: there is none, and the lane is finished. */
static bool get_kernel(struct guest_lane *guest, struct kernel *ret)
{
	struct run *run = guest->run;
	struct results_kernel *kernel = &run->results->kernel[guest->lane];
	struct error error = { 0 };

	*ret = (struct kernel) { 0 };
	pthread_mutex_lock(&run->fetch_lock);
	int status = run->backend->kernel(run->options->kernel[guest->lane], ret, &error);
	pthread_mutex_unlock(&run->fetch_lock);

	pthread_mutex_lock(&run->lock);
	snprintf(kernel->version, sizeof(kernel->version), "%s", ret->version);
	snprintf(kernel->package, sizeof(kernel->package), "%s", ret->package);
	if (status)
		snprintf(kernel->sentence, sizeof(kernel->sentence), "%s", error.message);
	pthread_mutex_unlock(&run->lock);
	if (!status)
		return true;
	if (error.code == ERROR_UNAVAILABLE)
		finish_rest(guest, CELL_SKIPPED, "no_kernel", error.message, false);
	else
		finish_rest(guest, CELL_ERROR, "no kernel", error.message, false);
	return false;
}

static void note_result(struct guest_lane *guest, const struct guest_result *result)
{
	struct results_kernel *kernel = &guest->run->results->kernel[guest->lane];
	bool booted = result->boot_ms || result->commands_done;

	pthread_mutex_lock(&guest->run->lock);
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
	pthread_mutex_unlock(&guest->run->lock);
}

static void run_guest(struct guest_lane *guest, const struct kernel *kernel)
{
	struct run *run = guest->run;
	const char *name = run->options->kernel[guest->lane];
	struct guest_result *result = calloc(1, sizeof(*result));
	struct error error = { 0 };
	char console[4096], shard[32];

	assert(result);
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
		.timeout_ms = GUEST_TIMEOUT_MS +
			      (unsigned)guest->count * GUEST_TIMEOUT_PER_BINARY_MS,
		.console_path = console,
	};
	struct guest_callbacks callbacks = {
		.on_output = on_output,
		.on_exit = on_exit_code,
		.context = guest,
	};
	guest->last = monotonic_seconds();
	int status = run->backend->guest(&options, &callbacks, result, &error);
	if (status) {
		result->outcome = GUEST_NOT_STARTED;
		if (!result->sentence[0])
			snprintf(result->sentence, sizeof(result->sentence), "%s", error.message);
	}
	note_result(guest, result);
	finish_rest(guest, CELL_ERROR, guest_outcome_name(result->outcome),
		    result->sentence[0] ? result->sentence : "it did not report this",
		    result->boot_ms || result->commands_done);
	free(result);
}

bool qemu_installed(void)
{
	const char *list = getenv("PATH");

	if (!list)
		return false;
	for (const char *at = list; *at; at += strcspn(at, ":")) {
		char path[4096];

		at += *at == ':';
		int size = (int)strcspn(at, ":");
		snprintf(path, sizeof(path), "%.*s/%s", size, at, QEMU);
		if (size && !access(path, X_OK))
			return true;
	}
	return false;
}

size_t run_guest_shards(const struct run *run)
{
	size_t shards = run->manifest.count / (2 * BATCH);

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
