/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * collected.c - what a profile has, each kept once
 *
 * Mappings, functions and tasks are records without padding, compared as bytes. Of locations and stacks the parts
 * of variable length lie in one array for all, at whose end a new one is made first and stays if it is new.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "collected.h"
#include "hash.h"
#include "record_add.h"

_Static_assert(sizeof(struct collected_mapping) == 40 && sizeof(struct collected_function) == 12 &&
		       sizeof(struct collected_task) == 28 && sizeof(struct collected_line) == 8,
	       "no padding: they are compared as bytes");

void collected_init(struct collected *collected, enum collected_type type)
{
	*collected = (struct collected) { .type = type };
}

void collected_deinit(struct collected *collected)
{
	struct number_map *const maps[] = { &collected->mapping_map,  &collected->function_map,
					    &collected->location_map, &collected->stack_map,
					    &collected->task_map,     &collected->sample_map };

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		number_map_deinit(maps[i]);
	profile_texts_deinit(&collected->texts);
	free(collected->mapping);
	free(collected->function);
	free(collected->line);
	free(collected->location);
	free(collected->stack_location);
	free(collected->stack);
	free(collected->task);
	free(collected->sample);
	collected_init(collected, collected->type);
}

static uint32_t no_memory(struct error *error)
{
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a profile");
	return UINT32_MAX;
}

const struct collected_words *collected_words(enum collected_type type)
{
	static const struct collected_words words[COLLECTED_TYPE_COUNT] = {
		[COLLECTED_CPU] = { "samples", "cpu", "nanoseconds", "cpu-clock", "ticks",
				    "process_cpu", true },
		[COLLECTED_OFF_CPU] = { "events", "off_cpu", "nanoseconds", "offcpu-time",
					"switches", "off_cpu", false },
		[COLLECTED_ALLOCATIONS] = { "alloc_objects", "alloc_space", "bytes", "allocations",
					    "allocations", "memory", false },
	};

	return &words[type];
}

uint32_t collected_text(struct collected *collected, const char *text, struct error *error)
{
	bool is_new;

	return profile_texts_add(&collected->texts, text, strlen(text), &is_new, error);
}

/* ---- records of one size --------------------------------------------------------------------- */

/* Makes room for number count + 1: element 0 is there, too, and is zero. */
static bool grow(void **array, uint32_t count, size_t size)
{
	void *moved = count < UINT32_MAX - 2 ? array_grown(*array, count ? count + 1ul : 0, size)
					     : NULL;

	if (!moved)
		return false;
	*array = moved;
	if (!count)
		memset(moved, 0, size);
	return true;
}

struct wanted_record {
	const char *array;
	const void *record;
	size_t size;
};

static bool record_equal(void *context, uint32_t number)
{
	const struct wanted_record *wanted = context;

	return !memcmp(wanted->array + number * wanted->size, wanted->record, wanted->size);
}

uint32_t record_add(struct number_map *map, void **array, uint32_t *count, const void *record,
		    size_t size, struct error *error)
{
	struct wanted_record wanted = { *array, record, size };
	uint32_t *slot = number_map_find(map, number_hash(0, record, size), record_equal, &wanted);

	if (!slot)
		return no_memory(error);
	if (*slot)
		return *slot;
	if (!grow(array, *count, size))
		return no_memory(error);
	memcpy((char *)*array + ++*count * size, record, size);
	return *slot = *count;
}

uint32_t collected_mapping(struct collected *collected, const struct collected_mapping *mapping,
			   struct error *error)
{
	return record_add(&collected->mapping_map, (void **)&collected->mapping,
			  &collected->mappings, mapping, sizeof(*mapping), error);
}

uint32_t collected_function(struct collected *collected, const struct collected_function *function,
			    struct error *error)
{
	return record_add(&collected->function_map, (void **)&collected->function,
			  &collected->functions, function, sizeof(*function), error);
}

uint32_t collected_task(struct collected *collected, const struct collected_task *task,
			struct error *error)
{
	return record_add(&collected->task_map, (void **)&collected->task, &collected->tasks, task,
			  sizeof(*task), error);
}

/* ---- locations and stacks -------------------------------------------------------------------- */

struct wanted_location {
	const struct collected *collected;
	struct collected_location location;
	const struct collected_line *line;
};

static bool location_equal(void *context, uint32_t number)
{
	const struct wanted_location *wanted = context;
	const struct collected_location *at = &wanted->collected->location[number];

	return at->address == wanted->location.address && at->mapping == wanted->location.mapping &&
	       at->frame == wanted->location.frame && at->lines == wanted->location.lines &&
	       (!at->lines || !memcmp(&wanted->collected->line[at->line], wanted->line,
				      at->lines * sizeof(*wanted->line)));
}

uint32_t collected_location(struct collected *collected, enum collected_frame frame,
			    uint32_t mapping, uint64_t address, const struct collected_line *line,
			    uint32_t lines, struct error *error)
{
	struct wanted_location wanted = { collected,
					  { address, mapping, frame, collected->lines, lines },
					  line };
	uint64_t hash = hash_word(hash_word(hash_word(0, address), mapping), frame);
	uint32_t *slot;

	hash = number_hash(hash, line, lines * sizeof(*line));
	slot = number_map_find(&collected->location_map, hash, location_equal, &wanted);
	if (!slot)
		return no_memory(error);
	if (*slot)
		return *slot;
	if (lines &&
	    (lines > UINT32_MAX - collected->lines ||
	     !ARRAY_RESERVE(collected->line, collected->line_room, collected->lines + lines)))
		return no_memory(error);
	if (!grow((void **)&collected->location, collected->locations,
		  sizeof(*collected->location)))
		return no_memory(error);
	if (lines)
		memcpy(&collected->line[collected->lines], line, lines * sizeof(*line));
	collected->lines += lines;
	collected->location[++collected->locations] = wanted.location;
	return *slot = collected->locations;
}

/* Its text is the function's name. */
uint32_t collected_marker(struct collected *collected, const char *kind, const char *reason,
			  struct error *error)
{
	struct collected_function function = { 0 };
	struct collected_line line = { 0 };
	char *text;
	uint32_t number = 0;

	if (asprintf(&text, "%s%s]", kind, reason) < 0)
		return no_memory(error);
	function.name = collected_text(collected, text, error);
	free(text);
	if (function.name != UINT32_MAX)
		number = line.function = collected_function(collected, &function, error);
	if (function.name == UINT32_MAX || number == UINT32_MAX)
		return UINT32_MAX;
	return collected_location(collected, COLLECTED_MARKER, 0, 0, &line, 1, error);
}

struct wanted_stack {
	const struct collected *collected;
	struct collected_stack stack;
};

static bool stack_equal(void *context, uint32_t number)
{
	const struct wanted_stack *wanted = context;
	const struct collected *collected = wanted->collected;
	const struct collected_stack *at = &collected->stack[number], *stack = &wanted->stack;

	return at->locations == stack->locations && at->stop == stack->stop &&
	       (!at->locations || !memcmp(&collected->stack_location[at->first],
					  &collected->stack_location[stack->first],
					  at->locations * sizeof(*collected->stack_location)));
}

uint32_t collected_stack(struct collected *collected, const uint32_t *location, uint32_t locations,
			 uint32_t stop, struct error *error)
{
	struct wanted_stack wanted = { collected,
				       { collected->stack_locations, locations + !!stop, stop } };
	uint32_t marker = 0, *at, *slot;
	uint64_t hash = hash_word(0, stop);

	if (stop) {
		marker = collected_marker(collected, PROFILE_INCOMPLETE,
					  collected_get(collected, stop), error);
		if (marker == UINT32_MAX)
			return UINT32_MAX;
	}
	if (!ARRAY_RESERVE(collected->stack_location, collected->stack_room,
			   collected->stack_locations + locations + 1))
		return no_memory(error);
	at = &collected->stack_location[collected->stack_locations];
	if (locations)
		memcpy(at, location, locations * sizeof(*at));
	at[locations] = marker;
	hash = number_hash(hash, at, wanted.stack.locations * sizeof(*at));
	slot = number_map_find(&collected->stack_map, hash, stack_equal, &wanted);
	if (!slot)
		return no_memory(error);
	if (*slot)
		return *slot;
	if (!grow((void **)&collected->stack, collected->stacks, sizeof(*collected->stack)))
		return no_memory(error);
	collected->stack_locations += wanted.stack.locations;
	collected->stack[++collected->stacks] = wanted.stack;
	return *slot = collected->stacks;
}

/* ---- samples --------------------------------------------------------------------------------- */

static bool sample_equal(void *context, uint32_t number)
{
	const struct collected *collected = context;
	const struct collected_sample *at = &collected->sample[number],
				      *wanted = &collected->sample[0];

	return at->stack == wanted->stack && at->task == wanted->task;
}

int collected_add(struct collected *collected, uint32_t stack, uint32_t task, uint64_t count,
		  uint64_t amount, struct error *error)
{
	struct collected_sample *sample;
	uint32_t *slot;

	if (count > PROFILE_COUNT_MAX - collected->count ||
	    amount > PROFILE_COUNT_MAX - collected->amount)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0,
				 "a profile's samples add up to more than %lld",
				 (long long)PROFILE_COUNT_MAX);
	if (!grow((void **)&collected->sample, collected->samples, sizeof(*sample)))
		return no_memory(error), -1;
	collected->sample[0] = (struct collected_sample) { .stack = stack, .task = task };
	slot = number_map_find(&collected->sample_map, hash_mix((uint64_t)stack << 32 | task),
			       sample_equal, collected);
	if (!slot)
		return no_memory(error), -1;
	if (!*slot) {
		*slot = ++collected->samples;
		collected->sample[*slot] = collected->sample[0];
	}
	sample = &collected->sample[*slot];
	sample->count += count;
	sample->amount += amount;
	collected->count += count;
	collected->amount += amount;
	return 0;
}

int collected_lose(struct collected *collected, const char *reason, uint32_t task, uint64_t count,
		   uint64_t amount, struct error *error)
{
	uint32_t marker = collected_marker(collected, PROFILE_LOST, reason, error), stack;

	if (marker == UINT32_MAX)
		return -1;
	stack = collected_stack(collected, &marker, 1, 0, error);
	if (stack == UINT32_MAX)
		return -1;
	return collected_add(collected, stack, task, count, amount, error);
}

/* ---- in order -------------------------------------------------------------------------------- */

struct collected_thread collected_thread(const struct collected *collected, uint32_t number)
{
	const struct collected_task none = { .pid = -1, .tid = -1 },
				    *task = number ? &collected->task[number] : &none;

	return (struct collected_thread) { task->pid, task->tid < 0 ? task->pid : task->tid };
}

static int compare_threads(const struct collected *collected, uint32_t left, uint32_t right)
{
	struct collected_thread a = collected_thread(collected, left),
				b = collected_thread(collected, right);

	if (a.pid != b.pid)
		return a.pid < b.pid ? -1 : 1;
	if (a.tid != b.tid)
		return a.tid < b.tid ? -1 : 1;
	return left < right ? -1 : left > right; /* by name, program, container */
}

static int compare_containers(const struct collected *collected, uint32_t left, uint32_t right)
{
	left = left ? collected->task[left].container : 0;
	right = right ? collected->task[right].container : 0;
	return left < right ? -1 : left > right;
}

/* From the outermost frame on: stacks that have the same callers are neighbours. */
static int compare_stacks(const struct collected *collected, uint32_t left, uint32_t right)
{
	const struct collected_stack *a = &collected->stack[left], *b = &collected->stack[right];
	const uint32_t *of_a = &collected->stack_location[a->first],
		       *of_b = &collected->stack_location[b->first];
	uint32_t i = a->locations, j = b->locations;

	while (i && j && of_a[i - 1] == of_b[j - 1])
		i--, j--;
	if (i && j)
		return of_a[i - 1] < of_b[j - 1] ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* compare: of tasks; NULL: of stacks. */
struct order {
	const struct collected *collected;
	int (*compare)(const struct collected *collected, uint32_t left, uint32_t right);
};

static int compare_samples(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct collected_sample *sample = order->collected->sample;
	int status = order->compare
			     ? order->compare(order->collected, sample[a].task, sample[b].task)
			     : compare_stacks(order->collected, sample[a].stack, sample[b].stack);

	return status ? status : a < b ? -1 : a > b;
}

static uint32_t *in_order(struct order order, struct error *error)
{
	uint32_t count = order.collected->samples, *ret = malloc((count + 1ul) * sizeof(*ret));

	if (!ret) {
		no_memory(error);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		ret[i] = i + 1;
	qsort_r(ret, count, sizeof(*ret), compare_samples, &order);
	return ret;
}

uint32_t *collected_by_thread(const struct collected *collected, struct error *error)
{
	return in_order((struct order) { collected, compare_threads }, error);
}

uint32_t *collected_by_container(const struct collected *collected, struct error *error)
{
	return in_order((struct order) { collected, compare_containers }, error);
}

uint32_t *collected_by_stack(const struct collected *collected, struct error *error)
{
	return in_order((struct order) { collected, NULL }, error);
}

static int compare_addresses(const void *left, const void *right, void *context)
{
	const struct collected *collected = context;
	const struct collected_location *a = &collected->location[*(const uint32_t *)left],
					*b = &collected->location[*(const uint32_t *)right];

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a < b ? -1 : a > b;
}

uint32_t *collected_by_address(const struct collected *collected, struct error *error)
{
	uint32_t count = collected->locations, *ret = malloc((count + 1ul) * sizeof(*ret));

	if (!ret) {
		no_memory(error);
		return NULL;
	}
	for (uint32_t i = 0; i <= count; i++)
		ret[i] = i;
	qsort_r(ret + 1, count, sizeof(*ret), compare_addresses, (void *)collected);
	return ret;
}

/* That of the first task's executable, else the first of a file. 0: there is none. */
static uint32_t main_mapping(const struct collected *collected)
{
	uint32_t executable = collected->tasks ? collected->task[1].executable : 0, file = 0;

	for (uint32_t i = 1; i <= collected->mappings; i++) {
		if (executable && collected->mapping[i].path == executable)
			return i;
		if (!file && collected->mapping[i].image == COLLECTED_FILE)
			file = i;
	}
	return file;
}

uint32_t *collected_mappings_in_order(const struct collected *collected, struct error *error)
{
	uint32_t *ret = calloc(collected->mappings + 1ul, sizeof(*ret)), first, count = 0;

	if (!ret) {
		no_memory(error);
		return NULL;
	}
	first = main_mapping(collected);
	if (first)
		ret[++count] = first;
	for (uint32_t i = 1; i <= collected->mappings; i++)
		if (i != first)
			ret[++count] = i;
	return ret;
}
