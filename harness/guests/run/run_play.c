/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_play.c - a lane whose points are played, not stepped: one guest, one `replay`
 *
 * `run --guests play` steps and records on the host alone. When that is done, each guest plays all
 * recordings: at every point the same walk, by the recorded registers and memory, on that kernel
 * (docs/REPLAY.md). It takes a guest half a minute where stepping takes five. A binary without a
 * recording (the host could not step it, or not to its end) is a skip there, not_recorded.
 *
 * What `replay --json` prints is kept as the cell's objects: "difference", then "replay".
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "array.h"
#include "base/cli/no_memory.h"
#include "run.h"
#include "judge/replay/recording_images.h"
#include "base/cli/json_counts.h"

/* A point costs an emulated guest some 30 us; ten times that, and the boot. */
#define GUEST_TIMEOUT_MS 1200000
#define GUEST_MEMORY_MB	 640

struct played {
	size_t binary;	 /* in the manifest */
	char *recording; /* absolute; NULL: there is none */
	json_t *objects; /* so far */
	bool done;
};

struct play {
	struct run *run;
	size_t lane;
	struct played *played;
	size_t count;
	struct recording_images images;
	struct output line, messages; /* of stdout, not ended yet; stderr */
	const char **argv;
};

/* The host's recording of a binary: run_host.c names it by the binary's file. */
static char *recording_of(const struct run *run, const struct corpus_binary *binary)
{
	const char *slash = strrchr(binary->path, '/');
	FREED char *path = NULL;

	if (asprintf(&path, "%s/" RECORDINGS "/%s.recording", run->options->results,
		     slash ? slash + 1 : binary->path) < 0)
		return NULL;
	return realpath(path, NULL);
}

static void play_init(struct play *play, struct run *run, size_t lane)
{
	*play = (struct play) { .run = run, .lane = lane };
	play->played = need_memory(calloc(run->manifest.count, sizeof(*play->played)));
	play->argv = need_memory(calloc(run->manifest.count + 4, sizeof(*play->argv)));
	for (size_t i = 0; i < run->manifest.count; i++) {
		struct played *played = &play->played[play->count];
		struct error error;

		if (run_cell(run, lane, i)->status != CELL_PENDING)
			continue;
		*played = (struct played) { .binary = i, .objects = json_array() };
		play->count++;
		played->recording = recording_of(run, &run->manifest.binary[i]);
		/* One that can't be read is found out when it is played. */
		if (played->recording)
			recording_images_add(&play->images, played->recording, &error);
	}
}

static void play_deinit(struct play *play)
{
	for (size_t i = 0; i < play->count; i++) {
		free(play->played[i].recording);
		json_decref(play->played[i].objects);
	}
	free(play->played);
	free(play->argv);
	recording_images_deinit(&play->images);
	output_deinit(&play->line);
	output_deinit(&play->messages);
}

static void finish(struct play *play, struct played *played, enum cell_status status,
		   const char *reason)
{
	played->done = true;
	run_cell_finish(play->run, play->lane, played->binary, status, status == CELL_ERROR,
			reason);
}

static void finish_all(struct play *play, enum cell_status status, const char *reason)
{
	for (size_t i = 0; i < play->count; i++)
		if (!play->played[i].done)
			finish(play, &play->played[i], status, reason);
}

/* ---- what replay says ------------------------------------------------------------------- */

static struct played *find(struct play *play, const char *recording)
{
	return ARRAY_FIRST(play->played, play->count, played,
			   !played->done && played->recording &&
				   !strcmp(played->recording, recording));
}

static void take_object(void *context, json_t *object)
{
	struct play *play = context;
	const char *type = json_text(object, "type");
	struct played *played = find(play, json_text(object, "recording"));
	char reason[512];

	if (!strcmp(type, "skip")) {
		snprintf(reason, sizeof(reason), "%s: %s", json_text(object, "reason"),
			 json_text(object, "message"));
		if (played)
			finish(play, played, CELL_SKIPPED, reason);
		else if (!json_object_get(object, "recording"))
			finish_all(play, CELL_SKIPPED, reason);
		return;
	}
	if (!played)
		return;
	json_array_append(played->objects, object);
	if (strcmp(type, "replay"))
		return;
	played->done = true;
	run_cell_judge_played(play->run, play->lane, played->binary, played->objects);
}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	struct play *play = context;

	if (stream == GUEST_STDOUT)
		output_objects(&play->line, data, size, take_object, play);
	else
		output_add(&play->messages, data, size);
}

static void on_exit_code(void *context, size_t index, int exit_code)
{
}

/* "RECORDING: why it can't be played", among the messages; "" if none is about it. */
static void find_message(const struct play *play, const char *recording, char *ret, size_t size)
{
	size_t length = strlen(recording);
	const char *at = play->messages.data, *end = at + play->messages.size;

	ret[0] = '\0';
	while (at && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t left = (size_t)((newline ? newline : end) - at);

		if (left > length + 2 && !strncmp(at, recording, length)) {
			snprintf(ret, size, "%.*s", (int)(left - length - 2), at + length + 2);
			return;
		}
		at = newline ? newline + 1 : NULL;
	}
}

/* What was not reported, and why. */
static void finish_rest(struct play *play, const struct guest_result *result)
{
	for (size_t i = 0; i < play->count; i++) {
		struct played *played = &play->played[i];
		char message[256], reason[768];

		if (played->done)
			continue;
		find_message(play, played->recording, message, sizeof(message));
		if (message[0])
			snprintf(reason, sizeof(reason), "the recording can't be played: %s",
				 message);
		else
			snprintf(reason, sizeof(reason),
				 "not played: the guest's outcome is %s: %s",
				 guest_outcome_name(result->outcome),
				 result->sentence[0] ? result->sentence : "it did not report this");
		finish(play, played, CELL_ERROR, reason);
	}
}

/* ---- the guest -------------------------------------------------------------------------- */

static uint64_t add_file(struct guest_file *file, const char *host, const char *guest)
{
	struct stat st;

	*file = (struct guest_file) { .host_path = host, .guest_path = guest };
	return stat(host, &st) ? 0 : (uint64_t)st.st_size;
}

static void run_guest(struct play *play, const struct kernel *kernel, struct guest_result *ret)
{
	struct run *run = play->run;
	FREED struct guest_file *file =
		need_memory(calloc(play->count + play->images.count + 1, sizeof(*file)));
	char console[4096];
	size_t files = 0, arguments = 0;
	uint64_t bytes;
	struct error error = { 0 };

	play->argv[arguments++] = GUEST_PROGRAM;
	play->argv[arguments++] = "replay";
	play->argv[arguments++] = "--json";
	bytes = add_file(&file[files++], "/proc/self/exe", GUEST_PROGRAM);
	for (size_t i = 0; i < play->count; i++) {
		if (play->played[i].done)
			continue;
		play->argv[arguments++] = play->played[i].recording;
		bytes += add_file(&file[files++], play->played[i].recording, NULL);
	}
	for (size_t i = 0; i < play->images.count; i++)
		bytes += add_file(&file[files++], play->images.path[i], NULL);
	results_path(console, sizeof(console), run->options->results, "kernels",
		     run->options->kernel[play->lane], "console");
	struct guest_command command = { .argv = (char *const *)play->argv };
	struct guest_options options = {
		.kernel_image = kernel->image,
		.files = file,
		.file_count = files,
		.commands = &command,
		.command_count = 1,
		/* The archive and its contents are there at once while the kernel unpacks it. */
		.memory_mb = GUEST_MEMORY_MB + 2 * (unsigned)(bytes >> 20),
		.timeout_ms = GUEST_TIMEOUT_MS,
		.console_path = console,
		.stop_fd = run->options->interrupt ? run->options->interrupt->stop_fd : 0,
	};
	struct guest_callbacks callbacks = {
		.on_output = on_output,
		.on_exit = on_exit_code,
		.context = play,
	};
	if (run->backend->guest(&options, &callbacks, ret, &error)) {
		ret->outcome = GUEST_NOT_STARTED;
		if (!ret->sentence[0])
			snprintf(ret->sentence, sizeof(ret->sentence), "%s", error.message);
	}
}

/* What the host has no recording of, and why. The count of those that it has. */
static size_t skip_unrecorded(struct play *play)
{
	size_t recorded = 0;

	for (size_t i = 0; i < play->count; i++) {
		struct played *played = &play->played[i];
		const struct cell *host = run_cell(play->run, play->run->host_lane, played->binary);
		char reason[512];

		recorded += played->recording != NULL;
		if (played->recording)
			continue;
		snprintf(reason, sizeof(reason), "not_recorded: on the host it is %s%s%.400s",
			 cell_status_name(host->status), host->reason[0] ? ": " : "", host->reason);
		finish(play, played, CELL_SKIPPED, reason);
	}
	return recorded;
}

void run_play_lane(struct run *run, size_t lane)
{
	FREED struct guest_result *result = need_memory(calloc(1, sizeof(*result)));
	struct error error = { 0 };
	struct kernel kernel = { 0 };
	struct play play;

	play_init(&play, run, lane);
	if (!run->backend->can_boot()) {
		finish_all(&play, CELL_SKIPPED, "no_vm: " QEMU " is not installed");
	} else if (skip_unrecorded(&play)) {
		if (run_guest_kernel(run, lane, &kernel, &error)) {
			char reason[512];

			snprintf(reason, sizeof(reason), "%s: %s",
				 error.code == ERROR_UNAVAILABLE ? "no_kernel" : "no kernel",
				 error.message);
			finish_all(&play,
				   error.code == ERROR_UNAVAILABLE ? CELL_SKIPPED : CELL_ERROR,
				   reason);
		} else {
			run_guest(&play, &kernel, result);
			run_guest_note(run, lane, result);
			finish_rest(&play, result);
		}
	}
	play_deinit(&play);
	pthread_mutex_lock(&run->lock);
	progress_lane_done(run, lane);
	pthread_mutex_unlock(&run->lock);
}
