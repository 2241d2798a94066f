/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * session_world.h - session.c, compiled into a world that is made up, and scripts for it
 *
 * The programs and maps are the real ones, opened by libbpf and never loaded: what the kernel would
 * be asked for is written into world.said. A script is steps with semicolons between. For one test
 * program only: everything is static.
 *
 *	fail WHAT N		this goes wrong the Nth time that it is asked for
 *	steps, detach, consume, counts, method, fd
 *	samples TID CPU HZ, uprobe PID PATH OFFSET, tracepoint NAME, replay
 *	set PID, forget PID, generation PID
 *	counters BASELINE, time ENTRY BASELINE
 */
#ifndef STACKPROOF_SESSION_WORLD_H
#define STACKPROOF_SESSION_WORLD_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "tests/suite.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "array.h"
#include "user_registers.h"
#include "libbpf_messages.h"
#include "own_namespace.h"
#include "placement.h"
#include "process_list.h"
#include "session.h"
#include "stack_counts.h"
#include "frame_pointer.skel.h"
#include "walk.skel.h"

#define NAMESPACE  77
#define MAP_FD	   100	/* and more, by map */
#define PROGRAM_FD 1000 /* and more, by program */
#define EPOLL_FD   50
#define CPUS	   3

static struct world {
	char said[8192];
	size_t length;
	char failing[32];
	int fails_in;
	const char *warning;
	bool has_loop;
	struct bpf_object *object[2]; /* the walk's, the baseline's */
	struct {
		ring_buffer_sample_fn fn;
		void *context;
	} ring[2];
	int rings, links, detached;
} world;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	world.length += vsnprintf(world.said + world.length, sizeof(world.said) - world.length,
				  format, arguments);
	va_end(arguments);
	ck_assert_uint_lt(world.length, sizeof(world.said));
}

static bool fails(const char *what)
{
	if (strcmp(world.failing, what) != 0 || --world.fails_in)
		return false;
	errno = EPERM;
	return true;
}

/* ---- loading ---------------------------------------------------------------------------- */

static int map_number(const struct bpf_map *map)
{
	struct bpf_map *at;
	int number = 0;

	for (int i = world.object[0] ? 0 : 1; i < COUNT(world.object); i++)
		bpf_object__for_each_map(at, world.object[i])
		{
			if (at == map)
				return number;
			number++;
		}
	ck_abort_msg("no such map");
}

static const char *map_name(int fd)
{
	struct bpf_map *at;

	for (int i = world.object[0] ? 0 : 1; i < COUNT(world.object); i++)
		bpf_object__for_each_map(at, world.object[i]) if (fd-- ==
								  MAP_FD) return bpf_map__name(at);
	ck_abort_msg("no such map");
}

static int made_map_fd(const struct bpf_map *map)
{
	return MAP_FD + map_number(map);
}

static int made_program_fd(const struct bpf_program *program)
{
	struct bpf_program *at;
	int number = 0;

	for (int i = world.object[0] ? 0 : 1; i < COUNT(world.object); i++)
		bpf_object__for_each_program(at, world.object[i])
		{
			if (at == program)
				return bpf_program__autoload(at) ? PROGRAM_FD + number : -1;
			number++;
		}
	ck_abort_msg("no such program");
}

static const char *program_name(int fd)
{
	struct bpf_program *at;

	for (int i = world.object[0] ? 0 : 1; i < COUNT(world.object); i++)
		bpf_object__for_each_program(
			at, world.object[i]) if (fd-- == PROGRAM_FD) return bpf_program__name(at);
	ck_abort_msg("no such program");
}

static struct walk_bpf *made_walk_open(void)
{
	struct walk_bpf *walk = fails("open") ? NULL : walk_bpf__open();

	if (walk)
		world.object[0] = walk->obj;
	return walk;
}

static struct frame_pointer_bpf *made_baseline_open(void)
{
	struct frame_pointer_bpf *baseline = fails("open_baseline") ? NULL
								    : frame_pointer_bpf__open();

	if (baseline)
		world.object[1] = baseline->obj;
	return baseline;
}

/* No signal comes meanwhile. */
static const char *blocked(void)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGALRM) && sigismember(&now, SIGPROF) ? "" : " with signals";
}

/* Sizes are said where they are more than 1. */
static int made_load_walk(struct walk_bpf *walk)
{
	struct bpf_program *program;
	struct bpf_map *map;

	say("load%s in %u:", blocked(), walk->rodata->pid_namespace);
	bpf_object__for_each_program(program, walk->obj) if (bpf_program__autoload(program))
		say(" %s", bpf_program__name(program));
	say(walk->rodata->count_stacks ? " count" : "");
	say(walk->rodata->frame_pointers ? " follow" : "");
	say(walk->rodata->no_memo ? " no_memo" : "");
	say(walk->rodata->wake_up ? " wake" : "");
	if (walk->rodata->off_cpu)
		say(" off from %" PRIu64, (uint64_t)walk->rodata->off_least_ns);
	say(";");
	bpf_object__for_each_map(map, walk->obj) if (bpf_map__max_entries(map) != 1)
		say(" %s %u", bpf_map__name(map), bpf_map__max_entries(map));
	say("; ");
	return fails("load") ? -EPERM : 0;
}

static int made_load_baseline(struct frame_pointer_bpf *baseline)
{
	say("load%s baseline in %u%s; ", blocked(), baseline->rodata->pid_namespace,
	    baseline->rodata->wake_up ? " wake" : "");
	return fails("load_baseline") ? -EPERM : 0;
}

static void made_destroy_walk(struct walk_bpf *walk)
{
	say(walk ? "destroy; " : "");
	walk_bpf__destroy(walk);
}

static void made_destroy_baseline(struct frame_pointer_bpf *baseline)
{
	say(baseline ? "destroy baseline; " : "");
	frame_pointer_bpf__destroy(baseline);
}

static int made_namespace(uint32_t *ret, struct error *error)
{
	*ret = NAMESPACE;
	return fails("namespace") ? error_set(error, ERROR_UNAVAILABLE, "", 0, "no /proc") : 0;
}

static int made_probe(enum bpf_prog_type type, enum bpf_func_id helper, const void *options)
{
	ck_assert(type == BPF_PROG_TYPE_RAW_TRACEPOINT && helper == BPF_FUNC_loop && !options);
	say("probe; ");
	return fails("probe") ? -EPERM : world.has_loop;
}

static void made_begin(void)
{
	say("[");
}

static void made_end(void)
{
	say("] ");
}

static const char *made_first(void)
{
	return world.warning ? world.warning : "";
}

/* ---- maps ------------------------------------------------------------------------------- */

static int made_update(const struct bpf_map *map, const void *key, size_t key_size,
		       const void *value, size_t value_size, uint64_t flags)
{
	ck_assert(key_size == 4 && value_size == 4 && flags == BPF_ANY);
	if (fails("update"))
		return -EPERM;
	say("%s[%u] = ", bpf_map__name(map), *(const uint32_t *)key);
	if (*(const uint32_t *)value >= PROGRAM_FD)
		say("%s; ", program_name(*(const uint32_t *)value));
	else
		say("%u; ", *(const uint32_t *)value);
	return 0;
}

static int made_delete(const struct bpf_map *map, const void *key, size_t size, uint64_t flags)
{
	ck_assert(size == 4 && !flags);
	say("%s[%u] goes; ", bpf_map__name(map), *(const uint32_t *)key);
	return 0;
}

static void *made_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	ck_assert(!at && protection == (PROT_READ | PROT_WRITE) && flags == MAP_SHARED && !offset);
	ck_assert_uint_eq(bytes % sysconf(_SC_PAGESIZE), 0);
	if (fails(map_name(fd)))
		return MAP_FAILED;
	say("map %s %zu; ", map_name(fd), bytes);
	return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static int made_unmap(void *memory, size_t bytes)
{
	say("unmap %zu; ", bytes);
	return munmap(memory, bytes);
}

static int made_list(struct process_list *list, uint32_t processes,
		     const struct process_list_arrays *arrays, struct error *error)
{
	ck_assert(arrays->space && arrays->mapping && arrays->placement);
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		ck_assert_ptr_nonnull(arrays->placement->array[kind].memory);
	say("list of %u, %u mappings, %s, room for", processes, arrays->mapping_count,
	    map_name(arrays->map_fd));
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		say(" %u", arrays->placement->array[kind].capacity);
	say("; ");
	list->space = arrays->space;
	list->mapping = arrays->mapping;
	return fails("list") ? error_set(error, ERROR_MEMORY, "", 0, "no memory") : 0;
}

static int made_set(struct process_list *list, const struct address_space *space,
		    struct error *error)
{
	say("list %d; ", space->pid);
	return fails("set") ? error_set(error, ERROR_TABLE_LIMIT, "", 0, "no room") : 0;
}

static uint32_t made_generation(const struct process_list *list, pid_t pid)
{
	return pid * 10;
}

static void made_forget(struct process_list *list, pid_t pid)
{
	say("list no %d; ", pid);
}

static void made_no_list(struct process_list *list)
{
	ck_assert(!list->space == !list->mapping);
}

/* A CPU has 100 times what the one before it has. */
static int made_lookup(const struct bpf_map *map, const void *key, size_t key_size, void *value,
		       size_t value_size, uint64_t flags)
{
	uint64_t factor = 1 + *(const uint32_t *)key;
	uint64_t *word = value;

	ck_assert(key_size == 4 && value_size == CPUS * sizeof(struct walk_counters) && !flags);
	say("%s[%u]; ", bpf_map__name(map), *(const uint32_t *)key);
	if (fails("lookup"))
		return -1;
	for (int cpu = 0; cpu < CPUS; cpu++, factor *= 100)
		for (size_t i = 0; i < sizeof(struct walk_counters) / sizeof(*word); i++)
			*word++ = factor * (i + 1);
	return 0;
}

static int made_cpus(struct error *error)
{
	return fails("cpus") ? error_set(error, ERROR_SYSTEM, "", 0, "no CPUs") : CPUS;
}

/* ---- rings ------------------------------------------------------------------------------ */

static struct ring_buffer *const ring = (struct ring_buffer *)&world.ring;

static int add_ring(int fd, ring_buffer_sample_fn fn, void *context)
{
	if (fails(map_name(fd)))
		return -EPERM;
	say("ring %s; ", map_name(fd));
	world.ring[world.rings].fn = fn;
	world.ring[world.rings++].context = context;
	return 0;
}

static struct ring_buffer *made_ring(int fd, ring_buffer_sample_fn fn, void *context,
				     const void *options)
{
	return add_ring(fd, fn, context) || options ? NULL : ring;
}

static int made_another_ring(struct ring_buffer *to, int fd, ring_buffer_sample_fn fn,
			     void *context)
{
	ck_assert(to == ring);
	return add_ring(fd, fn, context);
}

static int made_consume(struct ring_buffer *from)
{
	struct walk_record record = { .pid = 7 };

	ck_assert(from == ring);
	if (fails("consume") || fails("records"))
		return world.failing[0] == 'r' ? 0 : -EPERM;
	for (int i = 0; i < world.rings; i++)
		ck_assert(!world.ring[i].fn(world.ring[i].context, &record, sizeof(record)));
	return world.rings;
}

static int made_epoll(const struct ring_buffer *of)
{
	ck_assert(of == ring);
	return EPOLL_FD;
}

static void made_free_ring(struct ring_buffer *of)
{
	say(of ? "no rings; " : "");
}

/* ---- attaching -------------------------------------------------------------------------- */

static struct bpf_link *link_to(const struct bpf_program *program, const char *how)
{
	if (fails("attach"))
		return NULL;
	say("%s%s is %d; ", program_name(made_program_fd(program)), how, world.links + 1);
	return (struct bpf_link *)(intptr_t)++world.links;
}

static struct bpf_link *made_attach(const struct bpf_program *program)
{
	return link_to(program, "");
}

static struct bpf_link *made_attach_event(const struct bpf_program *program, int fd)
{
	return link_to(program, fd ? " by 60" : " by 0");
}

static struct bpf_link *made_attach_uprobe(const struct bpf_program *program, bool returns,
					   pid_t pid, const char *path, size_t offset)
{
	say("%d at %s+%zu%s: ", pid, path, offset, returns ? ", returns" : "");
	return link_to(program, "");
}

static struct bpf_link *made_attach_tracepoint(const struct bpf_program *program, const char *name)
{
	say("at %s: ", name);
	return link_to(program, "");
}

static int made_detach(struct bpf_link *link)
{
	say("no %d; ", (int)(intptr_t)link);
	world.detached++;
	return 0;
}

static long made_event(long number, struct perf_event_attr *attr, pid_t tid, int cpu, int group,
		       unsigned long flags)
{
	ck_assert_int_eq(number, SYS_perf_event_open);
	ck_assert_int_eq(group, -1);
	ck_assert_uint_eq(flags, PERF_FLAG_FD_CLOEXEC);
	ck_assert_uint_eq(attr->size, sizeof(*attr));
	if (fails("event"))
		return -1;
	say("event %u/%" PRIu64 " %" PRIu64 "%s%s of %d on %d; ", attr->type,
	    (uint64_t)attr->config, (uint64_t)attr->sample_freq, attr->freq ? " Hz" : "",
	    attr->inherit ? " and its children" : "", tid, cpu);
	return fails("60") ? 0 : 60;
}

static int made_close(int fd)
{
	say("close %d; ", fd);
	return 0;
}

static int made_stat(const char *path, struct stat *ret)
{
	ret->st_size = 100;
	return fails("stat") ? -1 : 0;
}

static struct register_values registers = { .value[REGISTER_RIP] = 0x1234 };

static int made_run(int fd, struct bpf_test_run_opts *options)
{
	ck_assert_uint_eq(options->ctx_size_in, sizeof(uint64_t));
	const struct user_regs_struct *regs = *(void *const *)options->ctx_in;
	ck_assert_uint_eq(regs->rip, 0x1234);
	say("run %s; ", program_name(fd));
	return fails("run") ? -EPERM : 0;
}

static int made_info(int fd, void *info, uint32_t *size)
{
	struct bpf_prog_info *ret = info;

	ck_assert_uint_eq(*size, sizeof(*ret));
	say("%s; ", program_name(fd));
	ret->run_time_ns = 5000;
	ret->run_cnt = 6;
	return fails("info") ? -1 : 0;
}

/* ---- stacks that are counted ------------------------------------------------------------ */

static int made_turn(struct stack_counts *counts, struct error *error)
{
	say("turn %s: %s, %s; ", map_name(counts->counts_fd), map_name(counts->map_fd[0]),
	    map_name(counts->map_fd[1]));
	return fails("turn") ? error_set(error, ERROR_SYSTEM, "", 0, "no turn") : 0;
}

static int made_keep(struct stack_counts *counts, const struct walk_record *record)
{
	say("keep one of %u; ", record->pid);
	return 0;
}

static int made_take(struct stack_counts *counts, stack_count_fn fn, void *context,
		     uint64_t *ret_unsent, struct error *error)
{
	ck_assert(fn && context);
	*ret_unsent = 4;
	return fails("take") ? error_set(error, ERROR_MEMORY, "", 0, "no memory") : 0;
}

static int made_look_off(struct stack_counts *counts, stack_off_fn fn, void *context,
			 uint64_t *ret_unsent, struct error *error)
{
	say("look at %s; ", map_name(counts->off_fd));
	*ret_unsent = 5;
	return 0;
}

static void made_no_counts(struct stack_counts *counts)
{
}

#define walk_bpf__open			   made_walk_open
#define walk_bpf__load			   made_load_walk
#define walk_bpf__destroy		   made_destroy_walk
#define frame_pointer_bpf__open		   made_baseline_open
#define frame_pointer_bpf__load		   made_load_baseline
#define frame_pointer_bpf__destroy	   made_destroy_baseline
#define own_pid_namespace		   made_namespace
#define libbpf_probe_bpf_helper		   made_probe
#define libbpf_messages_begin		   made_begin
#define libbpf_messages_end		   made_end
#define libbpf_messages_first		   made_first
#define bpf_map__fd			   made_map_fd
#define bpf_program__fd			   made_program_fd
#define bpf_map__update_elem		   made_update
#define bpf_map__delete_elem		   made_delete
#define bpf_map__lookup_elem		   made_lookup
#define possible_cpus			   made_cpus
#define mmap				   made_mmap
#define munmap				   made_unmap
#define process_list_init		   made_list
#define process_list_set		   made_set
#define process_list_generation		   made_generation
#define process_list_forget		   made_forget
#define process_list_deinit		   made_no_list
#define ring_buffer__new		   made_ring
#define ring_buffer__add		   made_another_ring
#define ring_buffer__consume		   made_consume
#define ring_buffer__epoll_fd		   made_epoll
#define ring_buffer__free		   made_free_ring
#define bpf_program__attach		   made_attach
#define bpf_program__attach_perf_event	   made_attach_event
#define bpf_program__attach_uprobe	   made_attach_uprobe
#define bpf_program__attach_raw_tracepoint made_attach_tracepoint
#define bpf_link__destroy		   made_detach
#define syscall				   made_event
#define close				   made_close
#define stat(path, ret)			   made_stat(path, ret)
#define bpf_prog_test_run_opts(fd, opts)   made_run(fd, opts)
#define bpf_obj_get_info_by_fd		   made_info
#define stack_counts_turn		   made_turn
#define stack_counts_keep		   made_keep
#define stack_counts_take		   made_take
#define stack_counts_look_off		   made_look_off
#define stack_counts_deinit		   made_no_counts
#include "session.c"

/* ---- scripts ---------------------------------------------------------------------------- */

static void on_any_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	ck_assert(context == &registers && record->pid == 7);
	say(frame_pointer ? "the baseline's; " : "the walk's; ");
}

static void on_any_count(void *context, const struct walk_record *record,
			 const struct walk_stack_count *met)
{
}

static void on_any_off(void *context, const struct walk_record *record,
		       const struct walk_off_thread *thread)
{
}

static int attach(struct bpf_session *session, const char *verb, const char *rest,
		  struct error *error)
{
	int tid = 0, cpu = 0;
	unsigned int number = 0;
	char name[64] = "";

	if (!strcmp(verb, "steps"))
		return bpf_session_attach_steps(session, error);
	if (!strcmp(verb, "samples")) {
		sscanf(rest, "%d %d %u", &tid, &cpu, &number);
		return bpf_session_attach_samples(session, tid, cpu, number, error);
	}
	if (!strcmp(verb, "uprobe")) {
		sscanf(rest, "%d %63s %u", &tid, name, &number);
		return bpf_session_attach_uprobe(session, tid, name, number, false, error);
	}
	if (!strcmp(verb, "uretprobe")) {
		sscanf(rest, "%d %63s %u", &tid, name, &number);
		return bpf_session_attach_uprobe(session, tid, name, number, true, error);
	}
	if (!strcmp(verb, "tracepoint")) {
		sscanf(rest, "%63s", name);
		return bpf_session_attach_tracepoint(session, name, error);
	}
	if (!strcmp(verb, "off_cpu"))
		return bpf_session_attach_off_cpu(session, error);
	ck_assert_str_eq(verb, "replay");
	return bpf_session_replay(session, &registers, error);
}

/* made_lookup() gave each word its number, and each CPU and place a factor. */
static int ask_counters(struct bpf_session *session, bool baseline, struct error *error)
{
	struct {
		struct walk_counters counters;
		uint64_t behind;
	} ret = { .behind = 1 };
	const uint64_t *word = (const uint64_t *)&ret.counters;
	int status = bpf_session_counters(session, baseline, &ret.counters, error);

	for (size_t i = 0; i < sizeof(ret.counters) / sizeof(*word); i++)
		ck_assert(!i || word[i] == (i + 1) * word[1] / 2);
	ck_assert_uint_eq(ret.counters.samples, word[1] / 2 + ret.counters.lost_busy);
	ck_assert_uint_eq(ret.behind, 1);
	say("%" PRIu64 " of each; ", word[1] / 2);
	return status;
}

static int ask(struct bpf_session *session, const char *verb, const char *rest, struct error *error)
{
	uint64_t unsent = 9, ns = 0, runs = 0;
	int number = 0, baseline = 0, status;

	sscanf(rest, "%d %d", &number, &baseline);
	if (!strcmp(verb, "consume")) {
		status = bpf_session_consume(session, on_any_record, &registers, error);
		ck_assert_ptr_null(session->record_fn);
		return status;
	}
	if (!strcmp(verb, "counters"))
		return ask_counters(session, number, error);
	if (!strcmp(verb, "counts")) {
		status = bpf_session_take_counts(session, on_any_count, &registers, &unsent, error);
		say("unsent %" PRIu64 "; ", unsent);
		return status;
	}
	if (!strcmp(verb, "look_off")) {
		status = bpf_session_look_off(session, on_any_off, &registers, &unsent, error);
		say("unsent %" PRIu64 "; ", unsent);
		return status;
	}
	if (!strcmp(verb, "time")) {
		status = bpf_session_run_time(session, number, baseline, &ns, &runs, error);
		say("%" PRIu64 " in %" PRIu64 "; ", ns, runs);
		return status;
	}
	if (!strcmp(verb, "set")) {
		struct address_space space = { .pid = number };

		return bpf_session_set_process(session, &space, error);
	}
	return attach(session, verb, rest, error);
}

static void run_script(struct bpf_session *session, const char *script)
{
	char step[128], verb[16];
	struct error error = { 0 };
	int used, status;

	for (; *script; script += strspn(script, "; ")) {
		ck_assert_int_eq(sscanf(script, "%127[^;]%n", step, &used), 1);
		script += used;
		ck_assert_int_eq(sscanf(step, "%15s%n", verb, &used), 1);
		if (!strcmp(verb, "fail")) {
			sscanf(step + used, "%31s %d", world.failing, &world.fails_in);
		} else if (!strcmp(verb, "detach")) {
			bpf_session_detach(session);
		} else if (!strcmp(verb, "forget")) {
			bpf_session_forget_process(session, atoi(step + used));
		} else if (!strcmp(verb, "generation")) {
			say("generation %u; ", bpf_session_generation(session, atoi(step + used)));
		} else if (!strcmp(verb, "method")) {
			say("%s; ", bpf_session_method_name(session));
		} else if (!strcmp(verb, "fd")) {
			say("fd %d; ", bpf_session_fd(session));
		} else {
			status = ask(session, verb, step + used, &error);
			if (status)
				say("%d/%d \"%s\"; ", status, error.code, error.message);
		}
	}
}

#endif
