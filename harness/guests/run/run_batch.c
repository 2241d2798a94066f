/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_batch.c - the binaries that one `compare --each` goes through, and whose output is whose
 *
 * Loading the BPF programs costs more than stepping a small program, so a compare is given many
 * binaries. On each of its streams it says where one's output begins and ends:
 *
 *	{"type":"begin","program":"/corpus/chain"}
 *	{"type":"score", ...}
 *	{"type":"end","program":"/corpus/chain","status":0}
 *
 * Both streams have the marks because nothing else orders them: they arrive through two pipes, and
 * through a guest's serial line. An *entry* is a binary of the batch. It is finished when its end
 * was read on both streams; the last one when the process ended well too, since there is no later
 * moment to notice a crash at its end.
 *
 * A process that ends early takes along the entry that ran, and no other: those that ended keep
 * their outcome, those that had not begun can be given to another process (run_host.c), or are told
 * why they never ran (run_guest.c). If none ran, it costs the next one: no crash goes unseen, and a
 * compare that can't start at all is not started for ever.
 */
#include <jansson.h>
#include <string.h>
#include "array.h"
#include "clock.h"
#include "base/cli/no_memory.h"
#include "run.h"

#define NO_ENTRY SIZE_MAX

/* Verifying the BPF programs takes as long as stepping two or three small programs, and on a busy
 * machine as ten: it never sleeps, and tracer and tracee are always waking up. */
#define SHARE_MIN	  4
#define SHARE_MIN_OF_MANY 12

enum { EXIT_TIMED_OUT = 124 };

/*
 * Whether a binary's symbols are all resolved before it begins. Of most programs a third of the
 * steps would be lazy resolution, the same in each; those that are to show it say so.
 */
static bool binds_now(const struct corpus_binary *binary)
{
	return !expectation_is_lazy(binary->expected);
}

bool batch_binds_now(const struct run *run, size_t binary)
{
	return binds_now(&run->manifest.binary[binary]);
}

size_t batch_list(const struct run *run, size_t lane, size_t first, size_t step, size_t *ret)
{
	const struct manifest *manifest = &run->manifest;
	size_t count = 0;

	for (int bind_now = 0; bind_now < 2; bind_now++) {
		for (size_t i = first; i < manifest->count; i += step) {
			const struct cell *cell = &run->results->cell[lane * manifest->count + i];

			if (cell->status == CELL_PENDING &&
			    binds_now(&manifest->binary[i]) == bind_now)
				ret[count++] = i;
		}
	}
	return count;
}

size_t batch_share(size_t left, unsigned jobs)
{
	size_t half = left / (2 * (size_t)jobs), whole = (left + jobs - 1) / jobs;
	size_t least = whole < SHARE_MIN	   ? SHARE_MIN
		       : whole < SHARE_MIN_OF_MANY ? whole
						   : SHARE_MIN_OF_MANY;
	size_t share = half > least ? half : least;

	return share < left ? share : left;
}

size_t batch_init(struct batch *batch, struct run *run, size_t lane, bool in_guest,
		  const size_t *binary, size_t count)
{
	const struct corpus_binary *binaries = run->manifest.binary;

	if (!count)
		no_memory();
	*batch = (struct batch) { .run = run, .lane = lane, .in_guest = in_guest };
	batch->bind_now = binds_now(&binaries[binary[0]]);
	while (batch->count < count && batch->count < BATCH_MAX &&
	       binds_now(&binaries[binary[batch->count]]) == batch->bind_now) {
		batch->entry[batch->count].binary = binary[batch->count];
		batch->count++;
	}
	snprintf(batch->timeout, sizeof(batch->timeout), "%u",
		 (run->options->timeout_ms + 999) / 1000);
	snprintf(batch->record, sizeof(batch->record), "%s/" RECORDINGS, run->options->results);
	return batch->count;
}

void batch_deinit(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		output_deinit(&batch->entry[i].output[RUN_STDOUT]);
		output_deinit(&batch->entry[i].output[RUN_STDERR]);
	}
	for (size_t i = 0; i < RUN_STREAM_COUNT; i++) {
		output_deinit(&batch->stream[i].line);
		output_deinit(&batch->stream[i].stray);
	}
}

static const char *entry_path(const struct batch *batch, const struct batch_entry *entry)
{
	const struct corpus_binary *binary = &batch->run->manifest.binary[entry->binary];

	return batch->in_guest ? binary->guest_path : binary->path;
}

char *const *batch_start(struct batch *batch)
{
	const struct run_options *run = batch->run->options;
	bool record = run->record && !batch->in_guest;
	bool external = run->external && !batch->in_guest;
	const char *const options[BATCH_OPTIONS_MAX] = {
		batch->in_guest ? GUEST_PROGRAM : "/proc/self/exe",
		"compare",
		"--each",
		"--from",
		"_start",
		"--timeout",
		batch->timeout,
		"--engine",
		run->engines,
		external ? "--engine" : NULL,
		external ? run->external : NULL,
		batch->bind_now ? "--bind-now" : NULL,
		record ? "--record" : NULL,
		record ? batch->record : NULL,
		"--",
	};
	size_t used = 0;

	for (size_t i = 0; i < BATCH_OPTIONS_MAX; i++)
		if (options[i])
			batch->argv[used++] = options[i];
	for (size_t i = 0; i < batch->count; i++) {
		batch->entry[i].started = !batch->entry[i].done;
		if (batch->entry[i].started)
			batch->argv[used++] = entry_path(batch, &batch->entry[i]);
	}
	batch->argv[used] = NULL;
	batch->stream[RUN_STDOUT].current = batch->stream[RUN_STDERR].current = NO_ENTRY;
	return (char *const *)batch->argv;
}

size_t batch_left(const struct batch *batch)
{
	size_t left = 0;

	for (size_t i = 0; i < batch->count; i++)
		left += !batch->entry[i].done;
	return left;
}

static void finish(struct batch *batch, struct batch_entry *entry, int exit_code)
{
	double end = entry->closed[RUN_STDOUT] ? entry->end : monotonic_seconds();

	entry->done = true;
	run_cell_judge(batch->run, batch->lane, entry->binary, exit_code,
		       &entry->output[RUN_STDOUT], &entry->output[RUN_STDERR],
		       entry->begun ? end - entry->begin : 0);
	output_deinit(&entry->output[RUN_STDOUT]);
	output_deinit(&entry->output[RUN_STDERR]);
}

static void move_output(struct output *from, struct output *to)
{
	output_add(to, from->data, from->size);
	to->cut |= from->cut;
	output_deinit(from);
}

/* What was said outside of all marks is the next entry's; behind the last mark the last one's. */
static void take_strays(struct batch *batch, struct batch_entry *entry)
{
	for (size_t i = 0; i < RUN_STREAM_COUNT; i++)
		move_output(&batch->stream[i].stray, &entry->output[i]);
}

static size_t find_entry(const struct batch *batch, const char *path)
{
	for (size_t i = 0; path && i < batch->count; i++) {
		const struct batch_entry *entry = &batch->entry[i];

		if (entry->started && !entry->done && !strcmp(path, entry_path(batch, entry)))
			return i;
	}
	return NO_ENTRY;
}

static int outcome(const struct batch_entry *entry)
{
	return entry->timed_out ? EXIT_TIMED_OUT : entry->exit_status;
}

/* True if that is news. */
static bool mark_begin(struct batch *batch, enum run_stream which, size_t index)
{
	struct batch_stream *stream = &batch->stream[which];
	struct batch_entry *entry = index == NO_ENTRY ? NULL : &batch->entry[index];

	stream->current = NO_ENTRY;
	if (!entry || entry->closed[which])
		return false;
	stream->current = index;
	move_output(&stream->stray, &entry->output[which]);
	if (entry->begun)
		return false;
	entry->begun = true;
	entry->begin = monotonic_seconds();
	return true;
}

/* True if that is news. An end that is not the current entry's says nothing. */
static bool mark_end(struct batch *batch, enum run_stream which, size_t index, const json_t *mark)
{
	struct batch_stream *stream = &batch->stream[which];
	struct batch_entry *entry;

	if (index == NO_ENTRY || index != stream->current)
		return false;
	entry = &batch->entry[index];
	stream->current = NO_ENTRY;
	entry->closed[which] = true;
	if (which == RUN_STDOUT) {
		entry->end = monotonic_seconds();
		entry->exit_status = json_integer_value(json_object_get(mark, "status"));
		entry->timed_out = json_is_true(json_object_get(mark, "timed_out"));
	}
	if (entry->closed[RUN_STDOUT] && entry->closed[RUN_STDERR] && index + 1 < batch->count)
		finish(batch, entry, outcome(entry));
	return which == RUN_STDOUT;
}

/* The stream's line: a mark, or the current entry's. True if a program began or ended. */
static bool take_line(struct batch *batch, enum run_stream which)
{
	struct batch_stream *stream = &batch->stream[which];
	struct output *line = &stream->line;
	bool maybe = line->data[0] == '{'; /* a line has something */
	json_t *object = maybe ? json_loadb(line->data, line->size, 0, NULL) : NULL;
	const char *type = json_string_value(json_object_get(object, "type"));
	bool is_begin = type && !strcmp(type, "begin"), is_end = type && !strcmp(type, "end");
	bool news = false;

	if (is_begin || is_end) {
		size_t index = find_entry(batch,
					  json_string_value(json_object_get(object, "program")));

		news = is_begin ? mark_begin(batch, which, index)
				: mark_end(batch, which, index, object);
	} else {
		move_output(line, stream->current == NO_ENTRY
					  ? &stream->stray
					  : &batch->entry[stream->current].output[which]);
	}
	json_decref(object);
	output_deinit(line);
	return news;
}

bool batch_output(struct batch *batch, enum run_stream which, const void *data, size_t size)
{
	struct batch_stream *stream = &batch->stream[which];
	const char *at = data;
	bool news = false;

	while (size) {
		const char *newline = memchr(at, '\n', size);
		size_t part = newline ? (size_t)(newline - at) + 1 : size;

		output_add(&stream->line, at, part);
		at += part;
		size -= part;
		if (!newline)
			break;
		news |= take_line(batch, which);
	}
	return news;
}

/* compare's status is the worst of its entries'. Any other says that it did not end well. */
static bool is_explained(const struct batch *batch, int exit_code)
{
	return ARRAY_FIRST(batch->entry, batch->count, entry,
			   entry->started && entry->closed[RUN_STDOUT] &&
				   entry->exit_status == exit_code) != NULL;
}

/* Whom an end that nothing explains is laid to: who ran, or would have run next, or was last. */
static struct batch_entry *find_culprit(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_entry *entry = &batch->entry[i];

		if (entry->started && !entry->done && !entry->closed[RUN_STDOUT])
			return entry;
	}
	return &batch->entry[batch->count - 1];
}

/* An entry whose process is gone. blamed: for the way in which it ended. */
static void finish_at_exit(struct batch *batch, struct batch_entry *entry, int exit_code,
			   bool blamed)
{
	static const char no_end[] = "(its end was not reported)\n";
	bool ended = entry->closed[RUN_STDOUT];

	if (blamed || entry == &batch->entry[batch->count - 1])
		take_strays(batch, entry);
	/* Whatever the status: what was printed so far may look whole. */
	if (entry->begun && !ended)
		output_add(&entry->output[RUN_STDOUT], no_end, strlen(no_end));
	finish(batch, entry, ended && !blamed ? outcome(entry) : exit_code);
}

void batch_exit(struct batch *batch, int exit_code)
{
	for (size_t i = 0; i < RUN_STREAM_COUNT; i++) {
		if (batch->stream[i].line.size)
			take_line(batch, i);
	}

	const struct batch_entry *culprit = is_explained(batch, exit_code) ? NULL
									   : find_culprit(batch);

	for (size_t i = 0; i < batch->count; i++) {
		struct batch_entry *entry = &batch->entry[i];

		if (!entry->done && (entry->begun || entry == culprit))
			finish_at_exit(batch, entry, exit_code, entry == culprit);
	}
}

void batch_abandon(struct batch *batch, int exit_code)
{
	for (size_t i = 0; i < batch->count; i++)
		if (!batch->entry[i].done)
			finish(batch, &batch->entry[i], exit_code);
}

void batch_fail(struct batch *batch, const char *reason)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_entry *entry = &batch->entry[i];

		if (entry->done)
			continue;
		entry->done = true;
		run_cell_finish(batch->run, batch->lane, entry->binary, CELL_ERROR, true, reason);
	}
}

void batch_settle(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_entry *entry = &batch->entry[i];

		if (!entry->done && entry->closed[RUN_STDOUT])
			finish(batch, entry, outcome(entry));
	}
}
