/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * driven_object.c - a BPF object file, loaded and attached to a stepped process
 *
 * All of its programs are loaded, since the one that runs may call the others by a map of programs. What the object
 * expects of its own agent, its maps filled, is that agent's: with `pin` it finds them, and `fill` calls it.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "driven.h"
#include "libbpf_messages.h"

#define PERF_BUFFER_PAGES 64 /* for each CPU */

struct driven_object {
	const struct driven_options *options;
	struct bpf_object *bpf;
	struct bpf_program *program;
	struct bpf_map *records, *stacks;
	struct bpf_link *link;
	struct ring_buffer *ring;
	struct perf_buffer *perf;
	driven_record_fn fn;
	void *context;
	uint64_t lost;
	int stats; /* as long as it is open, the kernel counts run time; or -1 */
	bool pinned;
	bool made_pin; /* the folder was not there before */
};

/* Of several reasons that libbpf prints the first names the cause. status: a negative errno. */
static int fail(const struct driven_object *object, int status, const char *what,
		struct error *error)
{
	const char *why = libbpf_messages_first();
	char text[64];
	bool denied = status == -EPERM || status == -ENOSYS || status == -EACCES;

	libbpf_strerror(status, text, sizeof(text));
	return error_set(error, denied && !*why ? ERROR_UNAVAILABLE : ERROR_PROTOCOL, "", 0,
			 "engine %s: %s: %s%s%s", object->options->name, what, text,
			 *why ? "; " : "", why);
}

static int refuse(const struct driven_object *object, const char *what, const char *name,
		  struct error *error)
{
	return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "engine %s: %s %s%s%s",
			 object->options->name, object->options->object, what, *name ? " " : "",
			 name);
}

/* ---- the object --------------------------------------------------------------------------- */

static int find_program(struct driven_object *object, struct error *error)
{
	const char *name = object->options->program;
	struct bpf_program *program;

	bpf_object__for_each_program(program, object->bpf)
	{
		bool wanted = name ? !strcmp(bpf_program__name(program), name)
				   : bpf_program__type(program) == BPF_PROG_TYPE_PERF_EVENT;

		if (!wanted)
			continue;
		if (object->program)
			return refuse(object,
				      "has several programs of type perf_event: say which, as "
				      "OBJECT:PROGRAM",
				      "", error);
		object->program = program;
	}
	if (!object->program)
		return refuse(object, name ? "has no program" : "has no program of type perf_event",
			      name ?: "", error);
	if (bpf_program__type(object->program) != BPF_PROG_TYPE_PERF_EVENT)
		return refuse(object, "has no type perf_event for", name ?: "", error);
	return 0;
}

static bool carries_records(const struct bpf_map *map)
{
	return bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF ||
	       bpf_map__type(map) == BPF_MAP_TYPE_PERF_EVENT_ARRAY;
}

static bool keeps_stacks(const struct bpf_map *map)
{
	return bpf_map__type(map) == BPF_MAP_TYPE_STACK_TRACE;
}

/* The map of that name; without one the only map that is suited. */
static int find_map(struct driven_object *object, const char *name,
		    bool (*suits)(const struct bpf_map *map), const char *what,
		    struct bpf_map **ret, struct error *error)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object->bpf)
	{
		if (!suits(map) || (name && strcmp(bpf_map__name(map), name) != 0))
			continue;
		if (*ret)
			return refuse(object, "has several, say which: ", what, error);
		*ret = map;
	}
	return *ret ? 0 : refuse(object, "lacks", what, error);
}

static int set_sizes(struct driven_object *object, struct error *error)
{
	const struct driven_options *options = object->options;

	for (size_t i = 0; i < options->sizes; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object->bpf,
								   options->size[i].map);

		if (!map)
			return refuse(object, "has no map", options->size[i].map, error);
		if (bpf_map__set_max_entries(map, options->size[i].entries))
			return refuse(object, "can't have so many entries in", options->size[i].map,
				      error);
	}
	return 0;
}

static int find_parts(struct driven_object *object, struct error *error)
{
	const struct driven_options *options = object->options;

	return find_program(object, error) ||
			       find_map(object, options->map, carries_records,
					"a ring buffer or perf buffer (map=)", &object->records,
					error) ||
			       (options->layout.stack.bytes &&
				find_map(object, options->stacks, keeps_stacks,
					 "a map of stack traces (stacks=)", &object->stacks,
					 error)) ||
			       set_sizes(object, error)
		       ? -1
		       : 0;
}

/* ---- records ------------------------------------------------------------------------------ */

static int from_ring(void *context, void *record, size_t size)
{
	const struct driven_object *object = context;

	object->fn(object->context, record, size);
	return 0;
}

static void from_perf(void *context, int cpu, void *record, __u32 size)
{
	from_ring(context, record, size);
}

static void lose(void *context, int cpu, __u64 count)
{
	((struct driven_object *)context)->lost += count;
}

static int open_buffer(struct driven_object *object, struct error *error)
{
	int map = bpf_map__fd(object->records);

	if (bpf_map__type(object->records) == BPF_MAP_TYPE_RINGBUF)
		object->ring = ring_buffer__new(map, from_ring, object, NULL);
	else
		object->perf = perf_buffer__new(map, PERF_BUFFER_PAGES, from_perf, lose, object,
						NULL);
	return object->ring || object->perf ? 0
					    : fail(object, -errno, "no buffer for records", error);
}

int driven_object_consume(struct driven_object *object, struct error *error)
{
	int status = object->ring ? ring_buffer__consume(object->ring)
				  : perf_buffer__consume(object->perf);

	return status < 0 ? fail(object, status, "records can't be read", error) : 0;
}

void driven_object_drop(struct driven_object *object, uint32_t id)
{
	bpf_map_delete_elem(bpf_map__fd(object->stacks), &id);
}

int driven_object_stack(struct driven_object *object, uint32_t id, uint64_t *ret, uint32_t capacity)
{
	uint32_t count = bpf_map__value_size(object->stacks) / sizeof(*ret);
	int map = bpf_map__fd(object->stacks);

	if (count > capacity || bpf_map_lookup_elem(map, &id, ret))
		return -1;
	driven_object_drop(object, id);
	while (count && !ret[count - 1])
		count--;
	return (int)count;
}

uint64_t driven_object_take_lost(struct driven_object *object)
{
	uint64_t lost = object->lost;

	object->lost = 0;
	return lost;
}

/* ---- in the kernel ------------------------------------------------------------------------ */

static int load(struct driven_object *object, struct error *error)
{
	const struct driven_options *options = object->options;
	int status;

	object->bpf = bpf_object__open_file(options->object, NULL);
	if (!object->bpf) {
		status = errno;
		return fail(object, -status, "it is no BPF object", error);
	}
	if (find_parts(object, error))
		return -1;
	status = bpf_object__load(object->bpf);
	if (status)
		return fail(object, status, "it does not load", error);
	if (options->pin) {
		object->made_pin = access(options->pin, F_OK) != 0;
		status = bpf_object__pin_maps(object->bpf, options->pin);
		if (status)
			return fail(object, status, "its maps can't be pinned", error);
		object->pinned = true;
	}
	return open_buffer(object, error);
}

int driven_object_open(const struct driven_options *options, driven_record_fn fn, void *context,
		       struct driven_object **ret, struct error *error)
{
	struct driven_object *object = calloc(1, sizeof(*object));
	int status;

	*ret = NULL;
	if (!object)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for an engine");
	*object = (struct driven_object) {
		.options = options, .fn = fn, .context = context, .stats = -1
	};
	libbpf_messages_begin();
	status = load(object, error);
	libbpf_messages_end();
	if (status) {
		driven_object_close(object);
		return -1;
	}
	object->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	*ret = object;
	return 0;
}

void driven_object_close(struct driven_object *object)
{
	if (!object)
		return;
	bpf_link__destroy(object->link);
	ring_buffer__free(object->ring);
	perf_buffer__free(object->perf);
	if (object->pinned)
		bpf_object__unpin_maps(object->bpf, object->options->pin);
	if (object->made_pin)
		rmdir(object->options->pin);
	bpf_object__close(object->bpf);
	if (object->stats >= 0)
		close(object->stats);
	free(object);
}

int driven_object_attach(struct driven_object *object, pid_t tid, struct error *error)
{
	int status = 0, event;

	bpf_link__destroy(object->link);
	object->link = NULL;
	event = driven_event_open(tid);
	libbpf_messages_begin();
	if (event < 0) {
		status = fail(object, -errno, "perf_event_open", error);
	} else {
		object->link = bpf_program__attach_perf_event(object->program, event);
		if (!object->link) {
			status = fail(object, -errno, "the program can't be attached", error);
			close(event);
		}
	}
	libbpf_messages_end();
	return status;
}

bool driven_object_cost(const struct driven_object *object, uint64_t *ret_runs, uint64_t *ret_ns)
{
	return object->stats >= 0 &&
	       driven_runs(bpf_program__fd(object->program), ret_runs, ret_ns);
}
