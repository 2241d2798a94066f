/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * collected.h - a profile that was collected and aggregated here, before it is written
 *
 *	sample   = stack, task, how often, how much
 *	stack    = locations, innermost first; why it ends early, if it does
 *	location = an address in a mapping, and its lines: inlined functions innermost first, the machine's own last
 *
 * All are kept once and known by numbers from 1; 0 is none. A million samples of 200,000 stacks take the memory of
 * the stacks' locations, 4 bytes each, and 24 bytes a sample.
 *
 * Nothing is lost unsaid. A stack that is not complete ends in a frame "[incomplete: no_row]", which is the outermost;
 * of a tick that has no stack at all, the only frame is "[lost: no_space]". Both count as every sample does.
 *
 * Addresses are the process's, in mappings as /proc/PID/maps has them; or the image's own: then a mapping is a segment,
 * from p_vaddr to p_vaddr + p_memsz, with p_offset. Processes share locations only so. In both ways
 * address - start + offset is the offset in the file.
 */
#ifndef STACKPROOF_COLLECTED_H
#define STACKPROOF_COLLECTED_H

#include "profiles/profile/profile.h"

/* What is counted, beside the number of events: CPU nanoseconds, nanoseconds off the CPU, bytes of allocations. */
enum collected_type {
	COLLECTED_CPU,
	COLLECTED_OFF_CPU,
	COLLECTED_ALLOCATIONS,
	COLLECTED_TYPE_COUNT,
};

enum collected_image {
	COLLECTED_FILE,
	COLLECTED_KERNEL, /* or a module of it */
	COLLECTED_VDSO,
	COLLECTED_ANONYMOUS, /* no file: code that was made at run time */
};

enum collected_frame {
	COLLECTED_IN_USER,
	COLLECTED_IN_KERNEL,
	COLLECTED_MARKER, /* no frame: it says what is missing */
};

/* Members that are texts are numbers of collected_text(). */
struct collected_mapping {
	uint64_t start, limit;	 /* limit: the first address behind it */
	uint64_t offset;	 /* in the file, of start */
	uint32_t path, build_id; /* build_id: in hexadecimal */
	uint32_t image;		 /* enum collected_image */
	uint32_t unused;	 /* 0 */
};

struct collected_function {
	uint32_t name;	  /* for people: demangled */
	uint32_t linkage; /* the symbol's name, if it is another; or 0 */
	uint32_t file;	  /* of its source, or 0 */
};

struct collected_line {
	uint32_t function;
	uint32_t line; /* in function's file; 0: not known */
};

struct collected_location {
	uint64_t address;
	uint32_t mapping; /* or 0 */
	uint32_t frame;	  /* enum collected_frame */
	uint32_t line,
		lines; /* the first one in collected.line, and how many. None: there is no name */
};

struct collected_stack {
	uint64_t first; /* in collected.stack_location */
	uint32_t locations;
	uint32_t
		stop; /* why it is not complete: a text, as "no_row"; 0: it is. The marker is among locations */
};

/* Whose sample it is. */
struct collected_task {
	int32_t pid, tid;    /* -1: not known, or samples of several are one */
	uint32_t comm;	     /* the process's name */
	uint32_t thread;     /* the thread's name */
	uint32_t executable; /* its path */
	uint32_t container;  /* its container's ID */
	uint32_t cgroup;     /* its path, or its number as text */
};

struct collected_sample {
	uint32_t stack, task;
	uint64_t count;	 /* events */
	uint64_t amount; /* nanoseconds or bytes, as enum collected_type says */
};

/* Arrays begin with an unused element 0; counts don't count it. To be read, and changed by collected_*() only. */
struct collected {
	enum collected_type type;
	uint64_t start_ns; /* since 1970, UTC; the caller sets these five */
	uint64_t duration_ns;
	uint64_t period; /* of one event: nanoseconds or bytes; 0: each event has its own amount */
	uint32_t host;	 /* the machine's name, a text; 0: not to be said */
	bool own_addresses; /* addresses are the images' own, in all mappings */
	struct profile_texts texts;
	struct collected_mapping *mapping;
	struct collected_function *function;
	struct collected_line *line; /* of all locations; begins at 0 */
	struct collected_location *location;
	uint32_t *stack_location; /* of all stacks; begins at 0 */
	struct collected_stack *stack;
	struct collected_task *task;
	struct collected_sample *sample;
	uint32_t mappings, functions, lines, locations, stacks, tasks, samples;
	uint32_t line_room; /* private, and so are the maps */
	uint64_t stack_locations, stack_room;
	uint64_t count, amount; /* sums */
	struct number_map mapping_map, function_map, location_map, stack_map, task_map, sample_map;
};

void collected_init(struct collected *collected, enum collected_type type);
void collected_deinit(struct collected *collected);

/*
 * Each returns the number of what was added, or of what is there already and equal; UINT32_MAX with error: ERROR_MEMORY.
 * collected_stack(): stop 0, or a text's number; then the marker is added, as the outermost frame. A stack of no
 * locations and no stop is allowed.
 */
uint32_t collected_text(struct collected *collected, const char *text, struct error *error);
uint32_t collected_mapping(struct collected *collected, const struct collected_mapping *mapping,
			   struct error *error);
uint32_t collected_function(struct collected *collected, const struct collected_function *function,
			    struct error *error);
uint32_t collected_location(struct collected *collected, enum collected_frame frame,
			    uint32_t mapping, uint64_t address, const struct collected_line *line,
			    uint32_t lines, struct error *error);
uint32_t collected_stack(struct collected *collected, const uint32_t *location, uint32_t locations,
			 uint32_t stop, struct error *error);
uint32_t collected_task(struct collected *collected, const struct collected_task *task,
			struct error *error);

/* The location of a frame that says something, "[off: preempted]" of PROFILE_OFF and "preempted". UINT32_MAX:
 * ERROR_MEMORY. */
uint32_t collected_marker(struct collected *collected, const char *kind, const char *reason,
			  struct error *error);

/* Adds to the sample of this stack and task. -1: ERROR_MEMORY; ERROR_TABLE_LIMIT: a sum would be above
 * PROFILE_COUNT_MAX, and nothing was added. */
int collected_add(struct collected *collected, uint32_t stack, uint32_t task, uint64_t count,
		  uint64_t amount, struct error *error);
/* The same for events whose stack was lost, for a reason as "no_space". */
int collected_lose(struct collected *collected, const char *reason, uint32_t task, uint64_t count,
		   uint64_t amount, struct error *error);

/* Who a task is in the kernel, whatever it was called and ran. -1: not known, as both are of task 0. */
struct collected_thread {
	int32_t pid, tid;
};
struct collected_thread collected_thread(const struct collected *collected, uint32_t number);

/* Samples in the order of their tasks' threads, of their tasks' containers, or of their stacks, so that those with the
 * same callers are neighbours: collected->samples numbers, which the caller frees. NULL: ERROR_MEMORY. */
uint32_t *collected_by_thread(const struct collected *collected, struct error *error);
uint32_t *collected_by_container(const struct collected *collected, struct error *error);
uint32_t *collected_by_stack(const struct collected *collected, struct error *error);
/* Locations by mapping and address, from element 1 on; the caller frees them. NULL: ERROR_MEMORY. */
uint32_t *collected_by_address(const struct collected *collected, struct error *error);

/* Numbers of mappings in the order in which pprof has them, from element 1 on; the caller frees them. The one that tools
 * take for the program's, and so for the profile's name, is the first. NULL: ERROR_MEMORY. */
uint32_t *collected_mappings_in_order(const struct collected *collected, struct error *error);

/* How a type is called in profiles. */
struct collected_words {
	const char *count;	   /* of events; its unit is "count" */
	const char *amount, *unit; /* as "cpu", "nanoseconds" */
	const char *event;	   /* perf's name for it */
	const char *events;	   /* for people: "ticks" */
	const char *name;	   /* Prometheus's name for such profiles */
	bool counts; /* where one value only can be said it is the count, and else the amount */
};
const struct collected_words *collected_words(enum collected_type type);
static inline uint64_t collected_value(const struct collected *collected,
				       const struct collected_sample *sample)
{
	return collected_words(collected->type)->counts ? sample->count : sample->amount;
}

static inline const char *collected_get(const struct collected *collected, uint32_t text)
{
	return profile_texts_get(&collected->texts, text);
}

/* A location's offset in its file. False: it is in no file, or in the kernel's image, which is not said by one. */
static inline bool collected_offset(const struct collected *collected,
				    const struct collected_location *location, uint64_t *ret)
{
	const struct collected_mapping *mapping = location->mapping
							  ? &collected->mapping[location->mapping]
							  : NULL;

	if (!mapping || mapping->image == COLLECTED_KERNEL ||
	    mapping->image == COLLECTED_ANONYMOUS || location->address < mapping->start)
		return false;
	*ret = location->address - mapping->start + mapping->offset;
	return true;
}

/* The name of line i of a location, as a text; 0: it has no such line, or no name. */
static inline uint32_t collected_name(const struct collected *collected,
				      const struct collected_location *location, uint32_t i)
{
	uint32_t function = i < location->lines ? collected->line[location->line + i].function : 0;

	return function ? collected->function[function].name : 0;
}

#endif
