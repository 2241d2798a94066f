/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_contexts.c - a program stepped, and the calling-context tree of all its true stacks
 *
 * The comparer tells each point's stack when it is met, and whether that was the truth when it is
 * decided. From one point to the next a stack mostly differs in its innermost frame alone, so the
 * way to the last one is kept, and only what is new is looked up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include "array.h"
#include "freed.h"
#include "proc_file.h"
#include "compare.h"
#include "compare_contexts.h"
#include "truth/steps/stack_pool.h"
#include "walk/image_store.h"

/* What a point's mark says besides its node's number. */
enum {
	MARK_CALLS_KERNEL = 1,
	MARK_OPEN = 2,
	MARK_LEFT = 4, /* it is not in the tree */
	MARK_NODE = 8, /* times the number */
};

#define SYSCALL_BYTES 2 /* of each instruction that makes one */
#define NOT_ASKED     UINT32_MAX

/* What threads call themselves: prctl(PR_SET_NAME), 15 bytes and a NUL. */
#define THREAD_NAME_BYTES      16
#define TRUTH_THREAD_NAMES_MAX 1000

/* A process, and its stacks. */
struct stepping {
	const struct contexts_options *options;
	size_t number; /* of the run's processes */
	pid_t pid;     /* 0: the run is of one */
	struct context_tree tree;
	/* The way to the last point's stack: by frames, the outermost first. */
	uint64_t *pc;
	uint32_t *node;
	size_t depth, pc_room, node_room;
	uint32_t root;
	/* The mappings' images, by number of the mapping; none is known once mappings are read. */
	uint32_t *image;
	size_t image_count, image_room;
	uint64_t proven, unproven, open, system_calls, too_deep;
	/* Of an attached run: where code was when the process was looked at first; changed: it was elsewhere later. */
	struct address_range *code;
	size_t codes;
	bool code_asked, code_changed;
	char (*name)[THREAD_NAME_BYTES];
	size_t names;
	struct error error; /* of what can't end the run at once */
	bool failed;
	bool met;   /* a point */
	bool begun; /* the first point is over */
};

struct contexts {
	const struct contexts_options *options;
	struct stepping **process; /* in the order in which they were met */
	size_t count;
	struct stepping *now;
	struct error error; /* no memory for one */
	bool failed;
};

static void stepping_deinit(struct stepping *stepping)
{
	context_tree_deinit(&stepping->tree);
	free(stepping->pc);
	free(stepping->node);
	free(stepping->image);
	free(stepping->code);
	free(stepping->name);
}

/* NULL: no memory; error is set. */
static struct stepping *stepping_create(struct contexts *contexts, size_t number,
					struct error *error)
{
	struct stepping *stepping = calloc(1, sizeof(*stepping));

	if (stepping && ARRAY_GROW(contexts->process, contexts->count) &&
	    !context_tree_init(&stepping->tree, error)) {
		stepping->options = contexts->options;
		stepping->number = number;
		contexts->process[contexts->count++] = stepping;
		return stepping;
	}
	free(stepping);
	error_set(error, ERROR_MEMORY, "", 0, "no memory for a process");
	return NULL;
}

static struct stepping *find_stepping(const struct contexts *contexts, size_t number)
{
	for (size_t i = contexts->count; i-- > 0;)
		if (contexts->process[i]->number == number)
			return contexts->process[i];
	return NULL;
}

/* ---- frames ----------------------------------------------------------------------------- */

static enum truth_image_kind kind_of(const struct mapping *mapping)
{
	static const char memfd[] = "/memfd:";

	if (!mapping->entry)
		return mapping->path[0] ? TRUTH_IMAGE_OTHER : TRUTH_IMAGE_ANONYMOUS;
	if (mapping->entry->version.inode == VDSO_INODE)
		return TRUTH_IMAGE_VDSO;
	return strncmp(mapping->path, memfd, sizeof(memfd) - 1) ? TRUTH_IMAGE_FILE
								: TRUTH_IMAGE_MEMFD;
}

static int find_image(struct stepping *stepping, const struct address_space *space,
		      const struct mapping *mapping, uint32_t *ret, struct error *error)
{
	struct truth_image image = { .path = "" };
	size_t number = mapping ? (size_t)(mapping - space->mapping) : 0;

	if (!mapping)
		return context_tree_image(&stepping->tree, &image, ret, error);
	if (stepping->image_count != space->mapping_count) {
		if (!ARRAY_RESERVE(stepping->image, stepping->image_room, space->mapping_count))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
		for (size_t i = 0; i < space->mapping_count; i++)
			stepping->image[i] = NOT_ASKED;
		stepping->image_count = space->mapping_count;
	}
	*ret = stepping->image[number];
	if (*ret != NOT_ASKED)
		return 0;
	image = (struct truth_image) { .kind = kind_of(mapping), .path = mapping->path };
	if (mapping->entry)
		truth_image_identify(&image, mapping->entry->image);
	if (context_tree_image(&stepping->tree, &image, ret, error))
		return -1;
	stepping->image[number] = *ret;
	return 0;
}

/* A frame's node, below its caller's. */
static int add_frame(struct stepping *stepping, const struct point *point,
		     const struct stack *truth, uint32_t frame, uint32_t parent, uint32_t *ret,
		     struct error *error)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	uint64_t pc = truth->pc[frame];
	bool returns = frame && !shadow_stack_is_interrupted(shadow, truth, frame);
	/* A call may be its mapping's last instruction. */
	const struct mapping *mapping = address_space_find(point->space, pc - returns);
	struct truth_frame key = { .address = pc };

	if (find_image(stepping, point->space, mapping, &key.image, error))
		return -1;
	if (mapping && mapping->entry)
		key.address -= mapping->bias;
	if (context_tree_child(&stepping->tree, parent, &key, ret, error))
		return -1;
	if (frame + 1 < truth->count && shadow_stack_is_interrupted(shadow, truth, frame + 1))
		stepping->tree.node[*ret].interrupts = true;
	return 0;
}

/* The node of a stack. */
static int add_stack(struct stepping *stepping, const struct point *point,
		     const struct stack *truth, bool open, uint32_t *ret, struct error *error)
{
	uint32_t root = open ? CONTEXT_ROOT_OPEN : CONTEXT_ROOT_WHOLE, same = 0;

	if (!ARRAY_RESERVE(stepping->pc, stepping->pc_room, truth->count) ||
	    !ARRAY_RESERVE(stepping->node, stepping->node_room, truth->count))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a stack");
	/* The innermost frame's address is no return address: it is always looked up. */
	while (root == stepping->root && same + 1 < stepping->depth && same + 1 < truth->count &&
	       stepping->pc[same] == truth->pc[truth->count - 1 - same])
		same++;
	for (stepping->depth = same; stepping->depth < truth->count; stepping->depth++) {
		uint32_t frame = truth->count - 1 - stepping->depth;
		uint32_t parent = stepping->depth ? stepping->node[stepping->depth - 1] : root;

		if (add_frame(stepping, point, truth, frame, parent,
			      &stepping->node[stepping->depth], error))
			return -1;
		stepping->pc[stepping->depth] = truth->pc[frame];
	}
	stepping->root = root;
	*ret = stepping->node[truth->count - 1];
	return 0;
}

/* ---- what the comparer tells ------------------------------------------------------------ */

/* A name that a thread had is kept, each once. -1: no memory. */
static int keep_name(struct stepping *stepping, const char *name, struct error *error)
{
	for (size_t i = 0; i < stepping->names; i++)
		if (!strcmp(stepping->name[i], name))
			return 0;
	if (!*name || stepping->names == TRUTH_THREAD_NAMES_MAX)
		return 0;
	if (!ARRAY_GROW(stepping->name, stepping->names))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for threads' names");
	snprintf(stepping->name[stepping->names++], sizeof(*stepping->name), "%s", name);
	return 0;
}

/* What a process of several calls itself: it begins with its maker's name, and gets another one by exec. */
static void take_comm(struct stepping *stepping)
{
	char name[THREAD_NAME_BYTES + 1];

	proc_file_read(stepping->pid, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	stepping->failed |= keep_name(stepping, name, &stepping->error) != 0;
}

static void on_mappings(void *context)
{
	struct stepping *stepping = ((struct contexts *)context)->now;

	if (!stepping)
		return;
	stepping->depth = 0;
	stepping->image_count = 0;
	stepping->code_asked = false;
	if (stepping->pid)
		take_comm(stepping);
}

static void on_process(void *context, const struct comparison *process)
{
	struct contexts *contexts = context;

	contexts->now = find_stepping(contexts, process->number);
	if (!contexts->now)
		contexts->now = stepping_create(contexts, process->number, &contexts->error);
	contexts->failed |= !contexts->now;
	if (contexts->now)
		contexts->now->pid = process->pid;
}

/* The ranges of executable mappings: only what stays is kept. */
static int take_code(struct stepping *stepping, const struct address_space *space,
		     struct error *error)
{
	bool is_first = !stepping->codes;

	stepping->code_asked = true;
	stepping->code_changed |= !is_first && stepping->codes != space->mapping_count;
	for (size_t i = 0; i < space->mapping_count && !stepping->code_changed; i++) {
		const struct address_range range = { space->mapping[i].start,
						     space->mapping[i].end };

		if (is_first && !ARRAY_ADD(stepping->code, stepping->codes, range))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for mappings");
		stepping->code_changed |= stepping->code[i].low != range.low ||
					  stepping->code[i].high != range.high;
	}
	return 0;
}

/* The instruction that comes next makes a system call. Code of a file is asked for once. */
static bool calls_kernel(struct stepping *stepping, const struct point *point, uint32_t number)
{
	struct context_node *node = &stepping->tree.node[number];
	enum truth_image_kind kind = stepping->tree.image[node->image].kind;

	if (!node->asked)
		node->calls_kernel = syscall_length(point->memory,
						    point->regs->value[REGISTER_RIP]) != 0;
	node->asked = kind == TRUTH_IMAGE_FILE || kind == TRUTH_IMAGE_VDSO;
	return node->calls_kernel;
}

/* If the system call that comes next gives the thread a name, it is kept, each once. */
static int take_name(struct stepping *stepping, const struct point *point, struct error *error)
{
	const uint64_t *value = point->regs->value;
	char name[THREAD_NAME_BYTES] = "";

	if (value[REGISTER_RAX] != SYS_prctl || value[REGISTER_RDI] != PR_SET_NAME)
		return 0;
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		if (point->memory->read(point->memory->context, value[REGISTER_RSI] + i, &name[i],
					1) ||
		    !name[i])
			break;
	return keep_name(stepping, name, error);
}

static bool is_in_bursts(const struct contexts_options *options)
{
	return options->tracer->attach && !options->tracer->attach->whole;
}

static int on_reading(void *context, const struct point *point, const struct stack *truth,
		      uint64_t *ret_mark, struct error *error)
{
	const struct contexts *contexts = context;
	struct stepping *stepping = contexts->now;
	bool too_deep = truth->stop == STOP_DEPTH, open = too_deep || !point->stop->shadow->rooted,
	     is_call;
	uint32_t node = 0;

	if (contexts->failed) {
		*error = contexts->error;
		return -1;
	}
	if (stepping->failed)
		*error = stepping->error;
	else if (is_in_bursts(stepping->options) && !stepping->code_asked &&
		 take_code(stepping, point->space, error))
		return -1;
	if (!stepping->met && stepping->options->begin &&
	    stepping->options->begin(stepping->options->context, point->stop->pid, error))
		return -1;
	stepping->met = true;
	if (stepping->failed || add_stack(stepping, point, truth, open, &node, error))
		return -1;
	stepping->too_deep += too_deep;
	is_call = calls_kernel(stepping, point, node);
	if (is_call && take_name(stepping, point, error))
		return -1;
	*ret_mark = (uint64_t)node * MARK_NODE + (open ? MARK_OPEN : 0) +
		    (is_call ? MARK_CALLS_KERNEL : 0) +
		    (stepping->options->begin && !stepping->begun ? MARK_LEFT : 0);
	return 0;
}

/* Where a thread is inside the system call: the PC is behind the instruction (Intel SDM, SYSCALL).
 */
static int count_in_kernel(struct stepping *stepping, uint32_t number, uint64_t count, bool proven,
			   struct error *error)
{
	const struct context_node *node = &stepping->tree.node[number];
	const struct truth_frame behind = { node->image, node->address + SYSCALL_BYTES };
	uint32_t child;

	if (context_tree_child(&stepping->tree, node->parent, &behind, &child, error))
		return -1;
	if (proven)
		stepping->tree.node[child].in_kernel += count;
	else
		stepping->tree.node[child].unproven += count;
	stepping->system_calls += count;
	return 0;
}

static void on_proven(void *context, uint64_t mark, uint64_t count, bool proven)
{
	struct stepping *stepping = ((struct contexts *)context)->now;
	struct context_node *node = &stepping->tree.node[mark / MARK_NODE];

	if (mark & MARK_LEFT)
		return;
	*(proven ? &node->points : &node->unproven) += count;
	*(proven ? &stepping->proven : &stepping->unproven) += count;
	if (mark & MARK_OPEN)
		stepping->open += count;
	if (mark & MARK_CALLS_KERNEL && !stepping->failed)
		stepping->failed = count_in_kernel(stepping, mark / MARK_NODE, count, proven,
						   &stepping->error);
}

static int on_point(void *context, const struct point *point, const struct judgement *judgement,
		    struct error *error)
{
	struct stepping *stepping = ((struct contexts *)context)->now;

	stepping->begun = true;
	if (stepping->options->on_point)
		stepping->options->on_point(stepping->options->context);
	return 0;
}

static const char *partial_of(const struct comparison *comparison)
{
	return comparison->cut.ending == TRACER_LIMIT ? "limit" : run_cut_word(&comparison->cut);
}

/* ---- the header ------------------------------------------------------------------------- */

#define CODE_TEXT_BYTES 40  /* "START-END" */
#define FIELDS_BESIDE	64  /* the arguments: more than there are */
#define PROCESS_TEXT	300 /* "NUMBER FILE" */

struct header {
	struct truth_field *field;
	size_t count;
	struct utsname system;
	char ending[128], reason[DOUBT_REASON_COUNT][40];
	char (*code)[CODE_TEXT_BYTES];
};

static void add_text(struct header *header, const char *name, const char *text)
{
	if (text)
		header->field[header->count++] = (struct truth_field) { name, text, 0 };
}

static void add_number(struct header *header, const char *name, uint64_t number)
{
	header->field[header->count++] = (struct truth_field) { name, NULL, number };
}

static void add_texts(struct header *header, const struct contexts_options *options,
		      const struct comparison *comparison, const char *partial)
{
	const struct tracer_options *tracer = options->tracer;

	uname(&header->system);
	compare_ending_text(comparison, header->ending, sizeof(header->ending));
	add_text(header, "program", comparison->number ? comparison->name : tracer->argv[0]);
	for (char *const *argument = tracer->argv; *argument && !comparison->number; argument++)
		add_text(header, "argument", *argument);
	add_text(header, "kernel", header->system.release);
	add_text(header, "machine", header->system.machine);
	add_text(header, "stackproof", options->version);
	add_text(header, "from", tracer->from);
	add_text(header, "ending", header->ending);
	add_text(header, "partial", partial);
	add_text(header, "ended_at", comparison->cut.place[0] ? comparison->cut.place : NULL);
}

static int add_code(struct header *header, const struct stepping *stepping, struct error *error)
{
	if (stepping->code_changed || !stepping->codes)
		return 0;
	header->code = calloc(stepping->codes, sizeof(*header->code));
	if (!header->code)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a header");
	for (size_t i = 0; i < stepping->codes; i++) {
		snprintf(header->code[i], CODE_TEXT_BYTES, "%" PRIx64 "-%" PRIx64,
			 stepping->code[i].low, stepping->code[i].high);
		add_text(header, "code", header->code[i]);
	}
	return 0;
}

static void add_numbers(struct header *header, const struct stepping *stepping,
			const struct comparison *comparison)
{
	const struct tracer_options *options = stepping->options->tracer;
	const struct tracer_counters *truth = &comparison->truth;

	add_number(header, "steps", truth->steps);
	add_number(header, "points", stepping->proven + stepping->unproven);
	add_number(header, "proven", stepping->proven);
	add_number(header, "unproven", stepping->unproven);
	for (int reason = 0; reason < DOUBT_REASON_COUNT; reason++) {
		if (!comparison->unproven[reason])
			continue;
		snprintf(header->reason[reason], sizeof(header->reason[reason]), "unproven_%s",
			 doubt_reason_name(reason));
		add_number(header, header->reason[reason], comparison->unproven[reason]);
	}
	add_number(header, "open", stepping->open);
	add_number(header, "every", options->every ? options->every : 1);
	add_number(header, "aslr", options->randomize);
	if (stepping->options->begin)
		add_number(header, "driven", 1);
	if (stepping->pid && options->attach->children) {
		add_number(header, "pid", (uint64_t)stepping->pid);
		add_number(header, "number", stepping->number);
	}
	if (is_in_bursts(stepping->options)) {
		add_number(header, "attached", 1);
		add_number(header, "bursts", truth->bursts.count);
		add_number(header, "stopped_ns", truth->bursts.stopped_ns);
		add_number(header, "stopped_longest_ns", truth->bursts.longest_ns);
	}
	add_number(header, "system_calls", stepping->system_calls);
	add_number(header, "threads", truth->threads);
	add_number(header, "children", truth->children);
	add_number(header, "untraced", truth->untraced);
	add_number(header, "execs", truth->execs);
	add_number(header, "unread", comparison->unread);
	add_number(header, "too_deep", stepping->too_deep);
	add_number(header, "merged_steps", truth->merged_steps);
	if (truth->group_signals)
		add_number(header, "group_signals", truth->group_signals);
	add_number(header, "max_frames", truth->max_frames);
	add_number(header, "wait_status", (unsigned int)comparison->status);
	add_number(header, "elapsed_ns", comparison->elapsed_ns);
}

/* process: the other files, in the first one's; or NULL. */
static int write_file(const struct stepping *stepping, const struct comparison *comparison,
		      const char *path, char (*process)[PROCESS_TEXT], size_t processes,
		      struct error *error)
{
	struct header header = { .count = 0 };
	size_t arguments = 0;
	int status;

	while (stepping->options->tracer->argv[arguments])
		arguments++;
	header.field =
		calloc(arguments + stepping->names + stepping->codes + processes + FIELDS_BESIDE,
		       sizeof(*header.field));
	if (!header.field)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a header");
	add_texts(&header, stepping->options, comparison, partial_of(comparison));
	for (size_t i = 0; i < stepping->names; i++)
		add_text(&header, "thread_name", stepping->name[i]);
	for (size_t i = 0; i < processes; i++)
		add_text(&header, "process", process[i]);
	add_numbers(&header, stepping, comparison);
	status = add_code(&header, stepping, error) || context_write(&stepping->tree, header.field,
								     header.count, path, error)
			 ? -1
			 : 0;
	free(header.code);
	free(header.field);
	return status;
}

/* ---- the run ---------------------------------------------------------------------------- */

static void judge(const struct stepping *stepping, const struct comparison *comparison,
		  struct contexts_result *ret)
{
	/* In bursts every stack is known only so far. */
	bool is_thin = stepping->unproven > stepping->proven ||
		       (!is_in_bursts(stepping->options) &&
			stepping->open > comparison->points / 2);

	gate_check(&ret->gate, stepping->proven);
	gate_leave(&ret->gate, GATE_UNPROVEN, stepping->unproven);
	gate_leave(&ret->gate, GATE_LOST_POINTS, comparison->unread);
	gate_leave(&ret->gate, GATE_UNTRACED, comparison->truth.untraced);
	ret->thin |= comparison->points && is_thin;
	/* A run to its end may have no point: then nothing is checked, and nothing has failed. */
	ret->gate.environment |= run_cut_word(&comparison->cut) != NULL;
}

static char *add_path(struct contexts_result *ret, const char *output, size_t number)
{
	char *path;

	if (asprintf(&path, number ? "%s.%zu" : "%s", output, number) < 0)
		return NULL;
	if (ARRAY_ADD(ret->path, ret->paths, path))
		return path;
	free(path);
	return NULL;
}

/* The files of the processes that had points: the first one's has a list of the others, and comes last. */
static int write_files(const struct contexts *contexts, const struct comparison *comparison,
		       struct contexts_result *ret, struct error *error)
{
	FREED char(*process)[PROCESS_TEXT] = calloc(contexts->count + 1, sizeof(*process));
	const struct comparison *first = comparison;
	size_t processes = 0;

	while (first && !first->points)
		first = first->next;
	if (!first)
		return 0;
	if (!process || !add_path(ret, contexts->options->output, 0))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for truth files");
	for (const struct comparison *at = first->next; at; at = at->next) {
		char *path;

		if (!at->points)
			continue;
		path = add_path(ret, contexts->options->output, at->number);
		if (!path)
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for truth files");
		snprintf(process[processes++], sizeof(*process), "%zu %s", at->number, at->name);
		if (write_file(find_stepping(contexts, at->number), at, path, NULL, 0, error))
			return -1;
	}
	if (write_file(find_stepping(contexts, first->number), first, ret->path[0], process,
		       processes, error))
		return -1;
	ret->written = true;
	return 0;
}

/* What was known of the run is written, if there is anything. */
static void finish(const struct contexts *contexts, const struct comparison *comparison,
		   struct contexts_result *ret)
{
	struct error *error = &ret->cut.early, failure;
	const struct error *failed = contexts->failed ? &contexts->error : NULL;
	bool unmarked = false;

	ret->gate = (struct gate) { .unit = "points", .strict = contexts->options->strict };
	ret->cut = comparison->cut;
	ret->partial = partial_of(comparison);
	for (size_t i = 0; i < contexts->count && !failed; i++)
		if (contexts->process[i]->failed)
			failed = &contexts->process[i]->error;
	for (const struct comparison *at = comparison; at; at = at->next) {
		const struct stepping *stepping = find_stepping(contexts, at->number);

		unmarked |= at->unmarked != 0;
		if (stepping)
			judge(stepping, at, ret);
	}
	if (failed)
		*error = *failed;
	else if (unmarked)
		error_set(error, ERROR_MEMORY, "", 0, "no memory for marks");
	else if (write_files(contexts, comparison, ret, &failure))
		*error = failure;
	ret->processes = comparison_processes(comparison);
	run_processes_gate(&ret->processes, &ret->gate);
	ret->thin &= ret->written;
	ret->gate.environment |= !ret->written && ret->cut.early.code != ERROR_NONE;
	ret->gate.findings = !ret->gate.environment && ret->thin;
}

void contexts_step(const struct contexts_options *options, struct contexts_result *ret)
{
	struct contexts contexts = { .options = options };
	const struct compare_options compare = { .on_reading = on_reading,
						 .on_proven = on_proven,
						 .on_mappings = on_mappings,
						 .on_process = on_process,
						 .on_point = on_point,
						 .context = &contexts };
	struct comparison comparison;
	struct comparer *comparer;

	*ret = (struct contexts_result) { .gate.environment = true };
	contexts.now = stepping_create(&contexts, 0, &ret->cut.early);
	if (contexts.now && !comparer_create(&compare, &comparer, &ret->cut.early)) {
		comparer_run_far(comparer, options->tracer, &comparison);
		comparer_destroy(comparer);
		finish(&contexts, &comparison, ret);
		comparison_deinit(&comparison);
	}
	for (size_t i = 0; i < contexts.count; i++) {
		stepping_deinit(contexts.process[i]);
		free(contexts.process[i]);
	}
	free(contexts.process);
}

void contexts_result_deinit(struct contexts_result *result)
{
	for (size_t i = 0; i < result->paths; i++)
		free(result->path[i]);
	free(result->path);
	result->path = NULL;
	result->paths = 0;
}
