/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_watch.c - a lane whose truth is the emulator's: one guest, whose programs nobody steps
 *
 * `run --truth emulator`. The plugin `watch` interrupts each program before every instruction, BPF walks in that interrupt,
 * and the plugin holds the stack against the true one at once (harness/truth/emulator/plugin_walks.h). It writes a line
 * for each process when that has ended; then the agent in the guest prints one for the program. So the k-th program
 * that was run is the k-th process that the agent has told of, the plugin's "root".
 *
 * The guest has the programs at the host's paths: the plugin reads their tables here.
 */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cli/json_counts.h"
#include "base/cli/no_memory.h"
#include "run.h"

#define GUEST_BOOT_MS	 1200000
#define GUEST_SILENCE_MS 300000 /* besides a program's own time */
#define GUEST_MEMORY_MB	 640
#define OPTIONS_MAX	 8
#define COMMANDS	 2 /* with symbols that are resolved late; with all resolved at the start */

struct watched {
	size_t binary; /* in the manifest */
	char *path;
	bool done;
};

struct watch_lane {
	struct run *run;
	size_t lane;
	struct watched *watched; /* in the order in which they are run */
	size_t count, next;
	char **file_path;
	struct guest_file *file;
	size_t files;
	uint64_t file_bytes;
	struct guest_command command[COMMANDS];
	const char **argv[COMMANDS];
	size_t commands;
	char timeout[16], said_path[4096];
	FILE *said;
	struct output line;
	json_t *wrong; /* stacks of the process whose line comes next */
};

/* ---- what is to be run ---------------------------------------------------------------------- */

/* Adds a file at its own path, once. Returns that; NULL: it is not there. */
static char *add_file(struct watch_lane *lane, const char *host)
{
	char *path = realpath(host, NULL);
	struct stat status;

	for (size_t i = 0; path && i < lane->files; i++) {
		if (!strcmp(lane->file_path[i], path)) {
			free(path);
			return lane->file_path[i];
		}
	}
	if (!path)
		return NULL;
	if (!stat(path, &status))
		lane->file_bytes += status.st_size;
	lane->file_path[lane->files] = path;
	lane->file[lane->files++].host_path = path;
	return path;
}

/* Binaries of one command; their cells are pending. */
static void add_command(struct watch_lane *lane, const size_t *binary, size_t count, bool bind_now)
{
	const char **argv = need_memory(calloc(OPTIONS_MAX + count, sizeof(*argv)));
	size_t words = 0;

	argv[words++] = GUEST_PROGRAM;
	argv[words++] = "watch";
	argv[words++] = "--walks";
	argv[words++] = "--timeout";
	argv[words++] = lane->timeout;
	if (bind_now)
		argv[words++] = "--bind-now";
	argv[words++] = "--";
	for (size_t i = 0; i < count; i++) {
		const struct corpus_binary *one = &lane->run->manifest.binary[binary[i]];
		char *path = add_file(lane, one->path);

		for (size_t k = 0; k < one->file_count; k++)
			add_file(lane, one->file[k]);
		lane->watched[lane->count++] = (struct watched) { binary[i], path, false };
		argv[words++] = path ? path : one->path;
	}
	lane->argv[lane->commands] = argv;
	lane->command[lane->commands++] = (struct guest_command) { .argv = (char *const *)argv };
}

static void lane_init(struct watch_lane *lane, struct run *run, size_t number)
{
	size_t count = run->manifest.count, files = 1, all, late = 0;
	FREED size_t *binary = need_memory(calloc(count + 1, sizeof(*binary)));

	*lane = (struct watch_lane) { .run = run, .lane = number, .wrong = json_array() };
	for (size_t i = 0; i < count; i++)
		files += 1 + run->manifest.binary[i].file_count;
	lane->watched = need_memory(calloc(count + 1, sizeof(*lane->watched)));
	lane->file = need_memory(calloc(files, sizeof(*lane->file)));
	lane->file_path = need_memory(calloc(files, sizeof(*lane->file_path)));
	snprintf(lane->timeout, sizeof(lane->timeout), "%u",
		 (run->options->timeout_ms + 999) / 1000);
	lane->file_path[lane->files] = need_memory(strdup("/proc/self/exe"));
	lane->file[lane->files] = (struct guest_file) { .host_path = lane->file_path[lane->files],
							.guest_path = GUEST_PROGRAM };
	lane->files++;
	all = batch_list(run, number, 0, 1, binary);
	while (late < all && !batch_binds_now(run, binary[late]))
		late++;
	if (late)
		add_command(lane, binary, late, false);
	if (all > late)
		add_command(lane, binary + late, all - late, true);
}

static void lane_deinit(struct watch_lane *lane)
{
	if (lane->said)
		fclose(lane->said);
	for (size_t i = 0; i < lane->files; i++)
		free(lane->file_path[i]);
	for (size_t i = 0; i < lane->commands; i++)
		free(lane->argv[i]);
	free(lane->watched);
	free(lane->file_path);
	free(lane->file);
	output_deinit(&lane->line);
	json_decref(lane->wrong);
}

/* ---- what became of it ---------------------------------------------------------------------- */

static void finish(struct watch_lane *lane, struct watched *watched, enum cell_status status,
		   const char *reason)
{
	watched->done = true;
	run_cell_finish(lane->run, lane->lane, watched->binary, status, status == CELL_ERROR,
			reason);
}

static void finish_all(struct watch_lane *lane, enum cell_status status, const char *reason)
{
	for (size_t i = 0; i < lane->count; i++)
		if (!lane->watched[i].done)
			finish(lane, &lane->watched[i], status, reason);
}

/* The plugin's next process that the agent has told of. NULL: it has not come. */
static json_t *next_root(struct watch_lane *lane)
{
	FREED char *line = NULL;
	size_t room = 0;
	ssize_t size;

	if (!lane->said)
		lane->said = fopen(lane->said_path, "re");
	while (lane->said && (size = getline(&line, &room, lane->said)) > 0) {
		json_t *object = json_loadb(line, (size_t)size, 0, NULL);
		const char *type = json_text(object, "type");

		if (!strcmp(type, "watch_process") && json_is_true(json_object_get(object, "root")))
			return object;
		if (!strcmp(type, "watch_wrong"))
			json_array_append(lane->wrong, object);
		json_decref(object);
	}
	if (lane->said)
		clearerr(lane->said);
	return NULL;
}

/* The agent's line of a program that has ended. */
static void take_walked(struct watch_lane *lane, const json_t *walked)
{
	struct watched *watched = lane->next < lane->count ? &lane->watched[lane->next++] : NULL;
	JSON_FREED json_t *root = next_root(lane);
	const char *error = json_text(walked, "error");

	if (!watched || watched->done)
		return;
	if (*error) {
		finish(lane, watched, CELL_ERROR, error);
	} else if (!root || !watched->path || strcmp(json_text(walked, "program"), watched->path)) {
		finish(lane, watched, CELL_ERROR, "the emulator said nothing of it");
	} else {
		watched->done = true;
		run_cell_judge_watched(lane->run, lane->lane, watched->binary, root, walked,
				       lane->wrong);
	}
	json_array_clear(lane->wrong);
}

static void take_object(void *context, json_t *object)
{
	struct watch_lane *lane = context;
	const char *type = json_text(object, "type");
	char reason[512];

	if (!strcmp(type, "watch_walked")) {
		take_walked(lane, object);
	} else if (!strcmp(type, "skip") || !strcmp(type, "error")) {
		snprintf(reason, sizeof(reason), "%s: %s", json_text(object, "reason"),
			 json_text(object, "message"));
		finish_all(lane, *type == 's' ? CELL_SKIPPED : CELL_ERROR, reason);
	}
}

static void on_output(void *context, size_t index, enum guest_stream stream, const void *data,
		      size_t size)
{
	struct watch_lane *lane = context;

	if (stream == GUEST_STDOUT)
		output_objects(&lane->line, data, size, take_object, lane);
}

static void on_exit_code(void *context, size_t index, int exit_code)
{
}

/* What was not reported: the first of these ran, if the guest did. */
static void finish_rest(struct watch_lane *lane, const struct guest_result *result)
{
	bool running = result->boot_ms || result->commands_done;

	for (size_t i = 0; i < lane->count; i++) {
		char reason[768];

		if (lane->watched[i].done)
			continue;
		snprintf(reason, sizeof(reason), "%s: the guest's outcome is %s: %s",
			 running ? "while this ran" : "not run",
			 guest_outcome_name(result->outcome),
			 result->sentence[0] ? result->sentence : "it did not report this");
		running = false;
		finish(lane, &lane->watched[i], CELL_ERROR, reason);
	}
}

/* ---- the guest ------------------------------------------------------------------------------ */

static void run_guest(struct watch_lane *lane, const struct kernel *kernel,
		      const struct emulator *emulator, const char *plugin, struct guest_result *ret)
{
	struct run *run = lane->run;
	const char *name = run->options->kernel[lane->lane];
	FREED char *option = NULL;
	char console[4096];
	struct error error = { 0 };

	results_path(console, sizeof(console), run->options->results, "kernels", name, "console");
	results_path(lane->said_path, sizeof(lane->said_path), run->options->results, "kernels",
		     name, "walks");
	remove(lane->said_path);
	if (asprintf(&option, "%s,from=entry,walks=on,out=%s", plugin, lane->said_path) < 0)
		no_memory();
	struct guest_options options = {
		.kernel_image = kernel->image,
		.files = lane->file,
		.file_count = lane->files,
		.commands = lane->command,
		.command_count = lane->commands,
		/* The archive and its contents are there at once while the kernel unpacks it. */
		.memory_mb = GUEST_MEMORY_MB + 2 * (unsigned)(lane->file_bytes >> 20),
		.timeout_ms = GUEST_BOOT_MS,
		.silence_ms = GUEST_SILENCE_MS + run->options->timeout_ms,
		.console_path = console,
		.emulator = emulator->directory,
		.plugin = option,
		.stop_fd = run->options->interrupt ? run->options->interrupt->stop_fd : 0,
	};
	struct guest_callbacks callbacks = {
		.on_output = on_output,
		.on_exit = on_exit_code,
		.context = lane,
	};
	if (strchr(lane->said_path, ',')) {
		ret->outcome = GUEST_NOT_STARTED;
		strcpy(ret->sentence, "QEMU takes no path with a comma");
	} else if (run->backend->guest(&options, &callbacks, ret, &error)) {
		ret->outcome = GUEST_NOT_STARTED;
		if (!ret->sentence[0])
			snprintf(ret->sentence, sizeof(ret->sentence), "%s", error.message);
	}
}

/* Finishes all cells for want of what error says. */
static void lack(struct watch_lane *lane, const char *reason, const struct error *error)
{
	char text[512];

	snprintf(text, sizeof(text), "%s: %s", reason, error->message);
	finish_all(lane, error->code == ERROR_UNAVAILABLE ? CELL_SKIPPED : CELL_ERROR, text);
}

/* Fetched by one lane, if it must be. */
static int find_emulator(struct run *run, struct emulator *ret, char *ret_plugin, size_t size,
			 struct error *error)
{
	int api;

	pthread_mutex_lock(&run->fetch_lock);
	api = run->backend->emulator(RUN_PLUGIN, ret, ret_plugin, size, error);
	pthread_mutex_unlock(&run->fetch_lock);
	return api < 0 ? -1 : 0;
}

void run_watch_lane(struct run *run, size_t number)
{
	FREED struct guest_result *result = need_memory(calloc(1, sizeof(*result)));
	struct error error = { 0 };
	struct kernel kernel = { 0 };
	struct emulator emulator;
	struct watch_lane lane;
	char plugin[PATH_MAX];

	lane_init(&lane, run, number);
	if (!lane.count) {
		/* all was judged before, or not built */
	} else if (find_emulator(run, &emulator, plugin, sizeof(plugin), &error)) {
		lack(&lane, "no_emulator", &error);
	} else if (run_guest_kernel(run, number, &kernel, &error)) {
		lack(&lane, "no_kernel", &error);
	} else {
		run_guest(&lane, &kernel, &emulator, plugin, result);
		run_guest_note(run, number, result);
		finish_rest(&lane, result);
	}
	lane_deinit(&lane);
	pthread_mutex_lock(&run->lock);
	progress_lane_done(run, number);
	pthread_mutex_unlock(&run->lock);
}
