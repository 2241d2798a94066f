/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * session.c - load the programs, give them tables, attach them, take their stacks
 *
 * The arrays of tables (placement.c) and of lists of mappings (process_list.c) are memory-mapped:
 * a table is copied in without a system call per row, and it is complete before the process that
 * needs it is published. It leaves when the last one has, and there is no room for another.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "array.h"
#include "libbpf_messages.h"
#include "own_namespace.h"
#include "placement.h"
#include "process_list.h"
#include "session.h"
#include "stack_counts.h"
#include "user_registers.h"
#include "frame_pointer.skel.h"
#include "walk.skel.h"

#define RING_BYTES_LEAST (1u << 20)
#define RING_BYTES_MOST	 (1u << 22) /* as walk_maps.bpf.h has it */

/* One memory-mapped array. */
struct shared_array {
	void *memory;
	size_t bytes;
};

struct bpf_session {
	struct walk_bpf *walk;
	struct frame_pointer_bpf *frame_pointer;
	uint32_t entries;	/* that are loaded: bits 1 << enum walk_entry */
	uint32_t pid_namespace; /* own_pid_namespace() */
	bool by_loop;
	bool counts_stacks;
	bool wakes; /* who waits for records */
	struct stack_counts counts;
	struct placement placement;
	struct shared_array table[PLACEMENT_COUNT]; /* the placement's arrays */
	struct shared_array spaces, mappings;
	struct process_list processes;
	struct bpf_link **link;
	size_t link_count;
	struct ring_buffer *rings; /* the walk's records, then the baseline's */
	bpf_record_fn record_fn;   /* only during bpf_session_consume() */
	void *record_context;
	bpf_record_fn note_fn; /* bpf_session_note_records() */
	void *note_context;
};

static int unavailable(struct error *error, int status, const char *what)
{
	const char *warning = libbpf_messages_first();

	error_set(error, ERROR_UNAVAILABLE, "", 0, "%s: %s%s%s", what, strerror(-status),
		  warning[0] ? ": " : "", warning);
	error->system_errno = -status;
	return -1;
}

/* ---- loading ---------------------------------------------------------------------------- */

static uint32_t or_default(uint32_t value, uint32_t standard)
{
	return value ? value : standard;
}

/* What there is for an entry. */
struct entry_programs {
	struct bpf_program *loop, *chain, *tail;
	struct bpf_map *tails;
};

static struct entry_programs entry_programs(const struct walk_bpf *walk, enum walk_entry entry)
{
#define PROGRAMS(name)                                                                             \
	(struct entry_programs)                                                                    \
	{                                                                                          \
		walk->progs.name##_loop, walk->progs.name##_chain, walk->progs.name##_tail,        \
			walk->maps.name##_tails                                                    \
	}
	switch (entry) {
	case WALK_ENTRY_STEP: return PROGRAMS(step);
	case WALK_ENTRY_SAMPLE: return PROGRAMS(sample);
	case WALK_ENTRY_UPROBE: return PROGRAMS(uprobe);
	case WALK_ENTRY_REPLAY: return PROGRAMS(replay);
	default: return PROGRAMS(tracepoint);
	}
#undef PROGRAMS
}

/* The program to attach; one that is not loaded can't be. */
static struct bpf_program *entry_program(const struct bpf_session *session, enum walk_entry entry)
{
	struct entry_programs programs = entry_programs(session->walk, entry);

	return session->by_loop ? programs.loop : programs.chain;
}

static uint32_t wanted_entries(const struct bpf_session_options *options)
{
	return or_default(options->entries, 1u << WALK_ENTRY_STEP | 1u << WALK_ENTRY_SAMPLE);
}

static void choose_programs(struct bpf_session *session, const struct bpf_session_options *options)
{
	uint32_t entries = wanted_entries(options);
	struct walk_bpf *walk = session->walk;

	session->by_loop = options->method == WALK_METHOD_LOOP;
	if (options->method == WALK_METHOD_PROBE)
		session->by_loop = libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT,
							   BPF_FUNC_loop, NULL) == 1;
	for (int entry = 0; entry < WALK_ENTRY_COUNT; entry++) {
		struct entry_programs programs = entry_programs(walk, entry);
		bool wanted = entries >> entry & 1;

		bpf_program__set_autoload(programs.loop, wanted && session->by_loop);
		bpf_program__set_autoload(programs.chain, wanted && !session->by_loop);
		bpf_program__set_autoload(programs.tail, wanted && !session->by_loop);
	}
	session->entries = entries;
	session->counts_stacks = options->count_stacks;
	walk->rodata->count_stacks = options->count_stacks;
	walk->rodata->frame_pointers = options->follow_frame_pointers;
	walk->rodata->kernel_stacks = options->kernel_stacks;
	walk->rodata->every_tick = options->every_tick;
	walk->rodata->off_cpu = options->off_cpu;
	walk->rodata->off_least_ns = options->off_least_ns;
	walk->rodata->no_memo = options->no_memo;
	walk->rodata->wake_up = options->wake_up;
}

static int set_tails(const struct walk_bpf *walk, struct error *error)
{
	uint32_t zero = 0;

	for (int entry = 0; entry < WALK_ENTRY_COUNT; entry++) {
		struct entry_programs programs = entry_programs(walk, entry);
		int fd = bpf_program__fd(programs.tail), status;

		if (fd < 0)
			continue;
		status = bpf_map__update_elem(programs.tails, &zero, sizeof(zero), &fd, sizeof(fd),
					      BPF_ANY);
		if (status)
			return unavailable(error, status, "filling the tail call arrays");
	}
	return 0;
}

static int map_array(struct shared_array *array, struct bpf_map *map, struct error *error)
{
	long page = sysconf(_SC_PAGESIZE);

	array->bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	array->bytes = (array->bytes + page - 1) & ~(size_t)(page - 1);
	array->memory = mmap(NULL, array->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     bpf_map__fd(map), 0);
	if (array->memory == MAP_FAILED) {
		array->memory = NULL;
		return error_set_errno(error, "mapping the BPF array %s", bpf_map__name(map));
	}
	return 0;
}

static struct bpf_map *table_map(const struct walk_bpf *walk, enum placement_kind kind)
{
	switch (kind) {
	case PLACEMENT_PAGES: return walk->maps.pages;
	case PLACEMENT_ENTRIES: return walk->maps.entries;
	case PLACEMENT_SHAPES: return walk->maps.shapes;
	case PLACEMENT_RULES: return walk->maps.rules;
	case PLACEMENT_PLACES: return walk->maps.places;
	default: return NULL;
	}
}

/* Records are sent once of each stack, and read before all have come. Bytes, a power of two. */
static uint32_t ring_bytes(uint32_t stacks)
{
	uint32_t bytes = RING_BYTES_LEAST;

	while (bytes < RING_BYTES_MOST && bytes / 256 < stacks)
		bytes *= 2;
	return bytes;
}

static void size_maps(struct bpf_session *session, const struct bpf_session_options *options)
{
	const uint32_t capacity[PLACEMENT_COUNT] = {
		[PLACEMENT_PAGES] = or_default(options->page_capacity, BPF_SESSION_PAGES),
		[PLACEMENT_ENTRIES] = or_default(options->entry_capacity, BPF_SESSION_ENTRIES),
		[PLACEMENT_SHAPES] = or_default(options->shape_capacity, BPF_SESSION_SHAPES),
		[PLACEMENT_RULES] = or_default(options->rule_capacity, BPF_SESSION_RULES),
		[PLACEMENT_PLACES] = or_default(options->place_capacity, BPF_SESSION_PLACES),
	};
	uint32_t processes = or_default(options->process_capacity, 64);
	uint32_t mappings = or_default(options->mapping_capacity, 1u << 15);
	struct walk_bpf *walk = session->walk;
	/* One of each for every number up to the highest wanted entry's. */
	uint32_t entries = 32 - __builtin_clz(wanted_entries(options));

	bpf_map__set_max_entries(walk->maps.scratches, entries);
	bpf_map__set_max_entries(walk->maps.memos, entries);
	bpf_map__set_max_entries(walk->maps.processes, processes);
	bpf_map__set_max_entries(walk->maps.spaces, process_list_spaces(processes));
	bpf_map__set_max_entries(walk->maps.mappings,
				 (mappings + WALK_CHUNK_MAPPINGS - 1) >> WALK_MAPPING_SHIFT);
	if (options->count_stacks) {
		uint32_t stacks = or_default(options->stack_capacity, 1u << 16);

		bpf_map__set_max_entries(walk->maps.counts_even, stacks);
		bpf_map__set_max_entries(walk->maps.counts_odd, stacks);
		bpf_map__set_max_entries(walk->maps.records, ring_bytes(stacks));
		if (options->off_cpu)
			bpf_map__set_max_entries(walk->maps.off_threads, stacks);
	}
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
		bpf_map__set_max_entries(table_map(walk, kind),
					 placement_values(kind, capacity[kind]));
		session->placement.array[kind].capacity = capacity[kind];
	}
}

static int map_arrays(struct bpf_session *session, struct error *error)
{
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
		struct bpf_map *map = table_map(session->walk, kind);

		assert(bpf_map__value_size(map) == placement_value_bytes(kind));
		if (map_array(&session->table[kind], map, error))
			return -1;
		session->placement.array[kind].memory = session->table[kind].memory;
	}
	return map_array(&session->spaces, session->walk->maps.spaces, error) ||
			       map_array(&session->mappings, session->walk->maps.mappings, error)
		       ? -1
		       : 0;
}

static int load_walk(struct bpf_session *session, const struct bpf_session_options *options,
		     struct error *error)
{
	struct process_list_arrays arrays;
	struct walk_bpf *walk;
	int status;

	walk = session->walk = walk_bpf__open();
	if (!walk)
		return unavailable(error, -errno, "opening the BPF walk");
	choose_programs(session, options);
	size_maps(session, options);
	walk->rodata->pid_namespace = session->pid_namespace;
	status = walk_bpf__load(walk);
	if (status)
		return unavailable(error, status, "loading the BPF walk");
	if (!session->by_loop && set_tails(walk, error))
		return -1;
	session->counts = (struct stack_counts) {
		.counts_fd = bpf_map__fd(walk->maps.counts),
		.map_fd = { bpf_map__fd(walk->maps.counts_even),
			    bpf_map__fd(walk->maps.counts_odd) },
		.off_cpu = options->off_cpu,
		.off_fd = bpf_map__fd(walk->maps.off_threads),
	};
	if (map_arrays(session, error))
		return -1;
	arrays = (struct process_list_arrays) {
		.space = session->spaces.memory,
		.mapping = session->mappings.memory,
		.mapping_count = bpf_map__max_entries(walk->maps.mappings) << WALK_MAPPING_SHIFT,
		.map_fd = bpf_map__fd(walk->maps.processes),
		.placement = &session->placement,
	};
	return process_list_init(&session->processes, bpf_map__max_entries(walk->maps.processes),
				 &arrays, error);
}

static int on_record(void *context, void *data, size_t size)
{
	struct bpf_session *session = context;

	session->record_fn(session->record_context, data, false);
	return 0;
}

static int on_fp_record(void *context, void *data, size_t size)
{
	struct bpf_session *session = context;

	session->record_fn(session->record_context, data, true);
	return 0;
}

static int open_ring(struct bpf_session *session, const struct bpf_map *map,
		     ring_buffer_sample_fn fn, struct error *error)
{
	int fd = bpf_map__fd(map), status = 0;

	if (session->rings)
		status = ring_buffer__add(session->rings, fd, fn, session);
	else
		session->rings = ring_buffer__new(fd, fn, session, NULL);
	if (!session->rings || status)
		return error_set_errno(error, "opening the ring buffer %s", bpf_map__name(map));
	return 0;
}

static int load_baseline(struct bpf_session *session, const struct bpf_session_options *options,
			 struct error *error)
{
	int status;

	session->frame_pointer = frame_pointer_bpf__open();
	if (!session->frame_pointer) {
		status = -errno;
	} else {
		session->frame_pointer->rodata->pid_namespace = session->pid_namespace;
		session->frame_pointer->rodata->wake_up = options->wake_up;
		status = frame_pointer_bpf__load(session->frame_pointer);
	}
	return status ? unavailable(error, status, "loading the frame-pointer baseline") : 0;
}

static int load(struct bpf_session *session, const struct bpf_session_options *options,
		struct error *error)
{
	session->wakes = options->wake_up;
	if (own_pid_namespace(&session->pid_namespace, error) ||
	    (!options->only_frame_pointer && load_walk(session, options, error)))
		return -1;
	if ((options->frame_pointer || options->only_frame_pointer) &&
	    load_baseline(session, options, error))
		return -1;
	if (session->walk && open_ring(session, session->walk->maps.records, on_record, error))
		return -1;
	return session->frame_pointer ? open_ring(session, session->frame_pointer->maps.fp_records,
						  on_fp_record, error)
				      : 0;
}

int bpf_session_open(const struct bpf_session_options *options, struct bpf_session **ret,
		     struct error *error)
{
	struct bpf_session *session = calloc(1, sizeof(*session));
	sigset_t all, before;
	int status;

	if (!session)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a session");
	/* The verifier gives up (EAGAIN) when a signal waits for the thread, and a profiler has a
	 * timer of its own: it would come in each of libbpf's goes. They wait until the end. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	libbpf_messages_begin();
	status = load(session, options, error);
	if (status)
		bpf_session_close(session);
	else
		*ret = session;
	libbpf_messages_end();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

static void unmap_array(struct shared_array *array)
{
	if (array->memory)
		munmap(array->memory, array->bytes);
}

void bpf_session_close(struct bpf_session *session)
{
	if (!session)
		return;
	bpf_session_detach(session);
	ring_buffer__free(session->rings);
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		unmap_array(&session->table[kind]);
	unmap_array(&session->spaces);
	unmap_array(&session->mappings);
	placement_deinit(&session->placement);
	stack_counts_deinit(&session->counts);
	walk_bpf__destroy(session->walk);
	frame_pointer_bpf__destroy(session->frame_pointer);
	process_list_deinit(&session->processes);
	free(session->link);
	free(session);
}

const char *bpf_session_method_name(const struct bpf_session *session)
{
	return session->by_loop ? "bpf_loop" : "tail_calls";
}

/* ---- processes ------------------------------------------------------------------------ */

int bpf_session_set_process(struct bpf_session *session, const struct address_space *space,
			    struct error *error)
{
	uint32_t pid = space->pid, one = 1;

	if (session->walk && process_list_set(&session->processes, space, error))
		return -1;
	if (session->frame_pointer &&
	    bpf_map__update_elem(session->frame_pointer->maps.fp_processes, &pid, sizeof(pid), &one,
				 sizeof(one), BPF_ANY))
		return error_set_errno(error, "giving process %d to the baseline", space->pid);
	return 0;
}

uint32_t bpf_session_generation(const struct bpf_session *session, pid_t pid)
{
	return session->walk ? process_list_generation(&session->processes, pid) : 0;
}

void bpf_session_forget_process(struct bpf_session *session, pid_t pid)
{
	uint32_t key = pid;

	if (session->walk)
		process_list_forget(&session->processes, pid);
	if (session->frame_pointer)
		bpf_map__delete_elem(session->frame_pointer->maps.fp_processes, &key, sizeof(key),
				     0);
}

/* ---- attaching -------------------------------------------------------------------------- */

static int add_link(struct bpf_session *session, struct bpf_link *link, const char *what,
		    struct error *error)
{
	if (!link)
		return unavailable(error, -errno, what);
	if (!ARRAY_ADD(session->link, session->link_count, link)) {
		bpf_link__destroy(link);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for an attachment");
	}
	return 0;
}

/* Entries are loaded when the session is opened. */
static int need_entry(const struct bpf_session *session, enum walk_entry entry, struct error *error)
{
	static const char *const name[WALK_ENTRY_COUNT] = {
		[WALK_ENTRY_STEP] = "STEP",	[WALK_ENTRY_SAMPLE] = "SAMPLE",
		[WALK_ENTRY_UPROBE] = "UPROBE", [WALK_ENTRY_TRACEPOINT] = "TRACEPOINT",
		[WALK_ENTRY_REPLAY] = "REPLAY",
	};

	if (session->entries >> entry & 1)
		return 0;
	return error_set(
		error, ERROR_UNAVAILABLE, "", 0,
		"the session was opened without this entry: its options' entries must have the bit "
		"1 << STACKPROOF_ENTRY_%s",
		name[entry]);
}

static int attach_steps(struct bpf_session *session, struct error *error)
{
	if (session->walk && need_entry(session, WALK_ENTRY_STEP, error))
		return -1;
	if (session->walk &&
	    add_link(session, bpf_program__attach(entry_program(session, WALK_ENTRY_STEP)),
		     "attaching to signal_generate", error))
		return -1;
	if (session->frame_pointer &&
	    add_link(session, bpf_program__attach(session->frame_pointer->progs.fp_step),
		     "attaching the baseline to signal_generate", error))
		return -1;
	return 0;
}

int bpf_session_attach_steps(struct bpf_session *session, struct error *error)
{
	int status;

	libbpf_messages_begin();
	status = attach_steps(session, error);
	libbpf_messages_end();
	return status;
}

static int attach_sample(struct bpf_session *session, struct bpf_program *program,
			 struct perf_event_attr *attr, pid_t tid, int cpu, struct error *error)
{
	struct bpf_link *link;
	int fd;

	fd = syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return unavailable(error, -errno, "perf_event_open");
	link = bpf_program__attach_perf_event(program, fd); /* owns fd if it succeeds */
	if (!link)
		close(fd);
	return add_link(session, link, "attaching to a perf event", error);
}

static int attach_event(struct bpf_session *session, struct perf_event_attr *attr, pid_t tid,
			int cpu, struct error *error)
{
	if (session->walk && need_entry(session, WALK_ENTRY_SAMPLE, error))
		return -1;
	if (session->walk && attach_sample(session, entry_program(session, WALK_ENTRY_SAMPLE), attr,
					   tid, cpu, error))
		return -1;
	if (session->frame_pointer &&
	    attach_sample(session, session->frame_pointer->progs.fp_sample, attr, tid, cpu, error))
		return -1;
	return 0;
}

int bpf_session_attach_event(struct bpf_session *session, struct perf_event_attr *attr, pid_t tid,
			     int cpu, struct error *error)
{
	int status;

	libbpf_messages_begin();
	status = attach_event(session, attr, tid, cpu, error);
	libbpf_messages_end();
	return status;
}

struct perf_event_attr bpf_session_clock(pid_t tid, unsigned int frequency_hz)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = frequency_hz,
		.freq = 1,
		.inherit = tid >= 0, /* 0: the caller */
	};
}

int bpf_session_attach_samples(struct bpf_session *session, pid_t tid, int cpu,
			       unsigned int frequency_hz, struct error *error)
{
	struct perf_event_attr attr = bpf_session_clock(tid, frequency_hz);

	return bpf_session_attach_event(session, &attr, tid, cpu, error);
}

static int attach_uprobe(struct bpf_session *session, pid_t pid, const char *path, uint64_t offset,
			 bool returns, struct error *error)
{
	int status;

	libbpf_messages_begin();
	status = add_link(session,
			  bpf_program__attach_uprobe(entry_program(session, WALK_ENTRY_UPROBE),
						     returns, pid, path, offset),
			  "attaching to a uprobe", error);
	libbpf_messages_end();
	return status;
}

int bpf_session_attach_uprobe(struct bpf_session *session, pid_t pid, const char *path,
			      uint64_t offset, bool returns, struct error *error)
{
	char whole[PATH_MAX + 2];
	struct stat file;

	if (need_entry(session, WALK_ENTRY_UPROBE, error))
		return -1;
	if (stat(path, &file))
		return error_set_errno(error, "%s", path);
	if (offset >= (uint64_t)file.st_size) /* the kernel takes it, if it is large enough */
		return error_set(error, ERROR_ELF_BOUNDS, "", offset, "%s ends before", path);
	/* libbpf looks for a name without a slash in PATH. */
	snprintf(whole, sizeof(whole), "%s%s", strchr(path, '/') ? "" : "./", path);
	return attach_uprobe(session, pid, whole, offset, returns, error);
}

static int attach_tracepoint(struct bpf_session *session, const char *name, struct error *error)
{
	int status;

	if (need_entry(session, WALK_ENTRY_TRACEPOINT, error))
		return -1;
	libbpf_messages_begin();
	status = add_link(session,
			  bpf_program__attach_raw_tracepoint(
				  entry_program(session, WALK_ENTRY_TRACEPOINT), name),
			  "attaching to a raw tracepoint", error);
	libbpf_messages_end();
	return status;
}

int bpf_session_attach_tracepoint(struct bpf_session *session, const char *name,
				  struct error *error)
{
	if (session->counts.off_cpu)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the session was opened for times off the CPU alone");
	return attach_tracepoint(session, name, error);
}

int bpf_session_attach_off_cpu(struct bpf_session *session, struct error *error)
{
	if (!session->counts.off_cpu)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "the session was not opened for times off the CPU");
	return attach_tracepoint(session, "sched_switch", error);
}

int bpf_session_replay(struct bpf_session *session, const struct register_values *regs,
		       struct error *error)
{
	struct user_regs_struct user = register_values_to_user(regs);
	uint64_t context[] = { (uintptr_t)&user };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = context, .ctx_size_in = sizeof(context));
	int status;

	if (need_entry(session, WALK_ENTRY_REPLAY, error))
		return -1;
	status = bpf_prog_test_run_opts(bpf_program__fd(entry_program(session, WALK_ENTRY_REPLAY)),
					&options);
	return status ? error_set(error, ERROR_UNAVAILABLE, "", 0,
				  "BPF_PROG_TEST_RUN of a raw tracepoint: %s", strerror(-status))
		      : 0;
}

void bpf_session_detach(struct bpf_session *session)
{
	while (session->link_count)
		bpf_link__destroy(session->link[--session->link_count]);
}

/* ---- results ---------------------------------------------------------------------------- */

int bpf_session_consume(struct bpf_session *session, bpf_record_fn fn, void *context,
			struct error *error)
{
	int status;

	session->record_fn = fn;
	session->record_context = context;
	status = ring_buffer__consume(session->rings);
	session->record_fn = NULL;
	if (status < 0)
		return error_set(error, ERROR_PROTOCOL, "", 0, "reading a BPF ring buffer: %s",
				 strerror(-status));
	return 0;
}

int bpf_session_records(const struct bpf_session *session, size_t *ret_bytes)
{
	if (!session->walk)
		return -1;
	*ret_bytes = bpf_map__max_entries(session->walk->maps.records);
	return bpf_map__fd(session->walk->maps.records);
}

int bpf_session_fd(const struct bpf_session *session)
{
	return session->wakes ? ring_buffer__epoll_fd(session->rings) : -1;
}

void bpf_session_note_records(struct bpf_session *session, bpf_record_fn fn, void *context)
{
	session->note_fn = fn;
	session->note_context = context;
}

static void keep_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct bpf_session *session = context;

	if (!frame_pointer)
		stack_counts_keep(&session->counts, record);
	if (session->note_fn)
		session->note_fn(session->note_context, record, frame_pointer);
}

bool bpf_session_counts_stacks(const struct bpf_session *session)
{
	return session->counts_stacks;
}

int bpf_session_keep_records(struct bpf_session *session, struct error *error)
{
	return session->counts_stacks ? bpf_session_consume(session, keep_record, session, error)
				      : 0;
}

int bpf_session_take_counts(struct bpf_session *session, bpf_count_fn fn, void *context,
			    uint64_t *ret_unsent, struct error *error)
{
	*ret_unsent = 0;
	if (!session->counts_stacks)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "this session counts no stacks");
	if (stack_counts_turn(&session->counts, error) ||
	    bpf_session_consume(session, keep_record, session, error))
		return -1;
	return stack_counts_take(&session->counts, fn, context, ret_unsent, error);
}

int bpf_session_look_off(struct bpf_session *session, bpf_off_fn fn, void *context,
			 uint64_t *ret_unsent, struct error *error)
{
	*ret_unsent = 0;
	if (!session->counts.off_cpu)
		return 0;
	if (bpf_session_keep_records(session, error))
		return -1;
	return stack_counts_look_off(&session->counts, fn, context, ret_unsent, error);
}

bool bpf_session_note_maps(const struct bpf_session *session, struct task_notes_maps *ret)
{
	const struct walk_bpf *walk = session->walk;

	if (walk)
		*ret = (struct task_notes_maps) { bpf_map__fd(walk->maps.processes),
						  bpf_map__fd(walk->maps.spaces),
						  bpf_map__fd(walk->maps.mappings) };
	return walk != NULL;
}

/* What all CPUs have counted at one place of a map is added to *ret. */
static int add_counters(const struct bpf_map *map, uint32_t place, struct walk_counters *per_cpu,
			int cpus, struct walk_counters *ret)
{
	if (bpf_map__lookup_elem(map, &place, sizeof(place), per_cpu, cpus * sizeof(*per_cpu), 0))
		return -1;
	for (int cpu = 0; cpu < cpus; cpu++)
		for (size_t word = 0; word < sizeof(*ret) / sizeof(uint64_t); word++)
			((uint64_t *)ret)[word] += ((uint64_t *)&per_cpu[cpu])[word];
	return 0;
}

int bpf_session_counters(const struct bpf_session *session, bool frame_pointer,
			 struct walk_counters *ret, struct error *error)
{
	const struct bpf_map *map = frame_pointer ? session->frame_pointer->maps.fp_counters
						  : session->walk->maps.counters;
	int cpus = possible_cpus(error);
	FREED struct walk_counters *per_cpu = NULL;
	int status = 0;

	memset(ret, 0, sizeof(*ret));
	if (cpus < 0)
		return -1;
	per_cpu = calloc(cpus, sizeof(*per_cpu));
	if (!per_cpu)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for counters");
	for (uint32_t place = 0; !status && place < bpf_map__max_entries(map); place++)
		if (add_counters(map, place, per_cpu, cpus, ret))
			status = error_set_errno(error, "reading the walk's counters");
	ret->samples += ret->lost_busy;
	return status;
}

int bpf_session_run_time(const struct bpf_session *session, enum walk_entry entry,
			 bool frame_pointer, uint64_t *ret_ns, uint64_t *ret_runs,
			 struct error *error)
{
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);
	struct bpf_program *program;

	if (!frame_pointer)
		program = entry_program(session, entry);
	else if (entry == WALK_ENTRY_STEP)
		program = session->frame_pointer->progs.fp_step;
	else
		program = session->frame_pointer->progs.fp_sample;
	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
		return error_set_errno(error, "reading a program's run time");
	*ret_ns = info.run_time_ns;
	*ret_runs = info.run_cnt;
	return 0;
}
