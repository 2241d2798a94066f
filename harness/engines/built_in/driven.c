/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * driven.c - the engine that is somebody else's BPF program
 *
 * It is attached to a process when that is met. Its maps are filled then, and whenever the mappings have changed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "freed.h"
#include "base/child/child_shell.h"
#include "engine.h"
#include "engines/driven/driven.h"

#define FILL_MS		60000
#define FILL_SAID_BYTES 300

struct driven {
	const struct driven_options *options;
	struct driven_object *object;
	struct driven_records *records;
	pid_t pid; /* that it is attached to; 0: none yet */
};

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine");
}

/* ---- filled maps -------------------------------------------------------------------------- */

struct said {
	char text[FILL_SAID_BYTES];
	size_t used;
};

static void hear(void *context, const char *text, size_t size)
{
	struct said *said = context;
	size_t room = sizeof(said->text) - 1 - said->used;

	memcpy(said->text + said->used, text, size < room ? size : room);
	said->used += size < room ? size : room;
}

/* The command has the process's number as STACKPROOF_PID, and the maps' directory as STACKPROOF_PIN. */
static int fill(const struct driven_options *options, pid_t pid, struct error *error)
{
	struct said said = { .used = 0 };
	struct ending_signals signals;
	struct child_shell shell = {
		.timeout_ms = FILL_MS, .signals = &signals, .hear = hear, .context = &said
	};
	FREED char *command = NULL;
	int failed, status;

	if (!options->fill)
		return 0;
	if (asprintf(&command, "export STACKPROOF_PID=%d STACKPROOF_PIN='%s'; %s", pid,
		     options->pin ?: "", options->fill) < 0)
		return no_memory(error);
	shell.command = command;
	failed = ending_signals_hold(&signals, error);
	if (!failed) {
		failed = child_shell_run(&shell, &status, error);
		ending_signals_release(&signals);
	}
	if (failed)
		return -1;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return error_set(error, ERROR_PROTOCOL, "", 0, "engine %s: '%s' failed: %s", options->name,
			 options->fill, strtok(said.text, "\n") ?: "it said nothing");
}

/* ---- the engine --------------------------------------------------------------------------- */

static void driven_close(void *context)
{
	FREED struct driven *driven = context;

	driven_object_close(driven->object);
	driven_records_destroy(driven->records);
}

int engine_driven_open(const struct engine *engine, void **ret, struct error *error)
{
	struct driven *driven = calloc(1, sizeof(*driven));

	if (!driven)
		return no_memory(error);
	driven->options = engine->driven;
	driven->records = driven_records_create(&engine->driven->layout);
	if (!driven->records || driven_object_open(engine->driven, driven_records_add,
						   driven->records, &driven->object, error)) {
		if (!driven->records)
			no_memory(error);
		driven_close(driven);
		return -1;
	}
	driven_records_set_object(driven->records, driven->object);
	*ret = driven;
	return 0;
}

static int driven_mappings(void *context, const struct address_space *space, struct error *error)
{
	struct driven *driven = context;

	if (fill(driven->options, space->pid, error))
		return -1;
	if (driven->pid == space->pid)
		return 0;
	driven->pid = space->pid;
	driven_records_forget(driven->records);
	return driven_object_attach(driven->object, space->pid, error);
}

static int driven_pass(void *context, pid_t tid, uint64_t pc, struct error *error)
{
	struct driven *driven = context;

	if (driven_object_consume(driven->object, error))
		return -1;
	driven_records_pass(driven->records, tid, pc);
	return 0;
}

static enum engine_answer driven_walk(void *context, const struct point *point, struct stack *ret,
				      struct error *error)
{
	struct driven *driven = context;
	int status;

	if (point->maps) /* of a case: nothing ran there */
		return ENGINE_SILENT;
	if (driven_object_consume(driven->object, error))
		return ENGINE_ERROR;
	status = driven_records_take(driven->records, point->stop->tid,
				     point->stop->regs.value[REGISTER_RIP], ret, error);
	return status < 0 ? ENGINE_ERROR : status ? ENGINE_SILENT : ENGINE_STACK;
}

static bool driven_cost(const void *context, struct engine_cost *ret)
{
	const struct driven *driven = context;
	const struct driven_counts *counts = driven_records_counts(driven->records);

	ret->sized = counts->records;
	ret->bytes = counts->bytes;
	return driven_object_cost(driven->object, &ret->walks, &ret->walk_ns);
}

void engine_driven_begin(void *context)
{
	const struct driven *driven = context;

	driven_object_take_lost(driven->object);
	*driven_records_counts(driven->records) = (struct driven_counts) { 0 };
}

void engine_driven_counts(void *context, struct driven_counts *ret)
{
	const struct driven *driven = context;

	driven_records_counts(driven->records)->lost += driven_object_take_lost(driven->object);
	*ret = *driven_records_counts(driven->records);
}

/* ---- named on the command line ------------------------------------------------------------ */

struct own_driven {
	struct engine engine; /* first: what it is known by */
	struct driven_options options;
};

static int take_text(struct driven_options *options, const char *text, struct error *error)
{
	options->name = engine_name_take(text, &text, error);
	if (!options->name)
		return -1;
	options->text = strdup(text);
	if (!options->text)
		return no_memory(error);
	return driven_options_read(text + strlen(DRIVEN_PREFIX), options, error);
}

struct engine *engine_driven_create(const char *text, struct error *error)
{
	struct own_driven *own = calloc(1, sizeof(*own));

	if (!own) {
		no_memory(error);
		return NULL;
	}
	if (take_text(&own->options, text, error)) {
		engine_driven_destroy(&own->engine);
		return NULL;
	}
	own->engine = (struct engine) {
		.name = own->options.name,
		.summary = "somebody else's BPF program",
		.in_kernel = true,
		.driven = &own->options,
		.close = driven_close,
		.mappings = driven_mappings,
		.pass = driven_pass,
		.cost = driven_cost,
		.walk = driven_walk,
	};
	return &own->engine;
}

void engine_driven_destroy(struct engine *engine)
{
	FREED struct own_driven *own = (struct own_driven *)engine;

	driven_options_deinit(&own->options);
}
