/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk.bpf.c - the walk in the kernel
 *
 * Entered in the context of the thread that is to be walked: at each stop of a single-stepped
 * thread (raw tracepoint signal_generate with SIGTRAP, fired in the thread before it stops) or at
 * a sample (perf_event). It takes the thread's user registers, then for each frame
 *
 *	mapping	binary search in the process's mappings; the last frame's is tried first
 *	page	pages[mapping.first_page + page of the PC]
 *	row	binary search in one chunk of rows
 *	rule	rules[...], applied by step.h
 *
 * and sends one record. Every way out has its own stop reason.
 *
 * Two ways to go round, chosen by what the kernel offers (session.c probes, never by version):
 * bpf_loop (Linux 5.17), or a chain of tail calls with a bounded loop in each (5.10). All state is
 * in a per-CPU map value, so the verifier does not follow it and the two can hand it on.
 *
 * The stack is read in windows: one helper call brings 1 KiB, which serves many frames. A window
 * that would fault falls back to the 8 bytes asked for.
 *
 * One object for every kernel. A helper that a kernel lacks stands behind
 * bpf_core_enum_value_exists(), which the loader turns into a constant, so that the verifier
 * removes the branch before it looks at the call.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "walk.h"

/* The user registers lie at the top of the kernel stack: THREAD_SIZE is 16 KiB on x86-64 without
 * KASAN (arch/x86/include/asm/page_64_types.h). Only where bpf_task_pt_regs is missing. */
#define KERNEL_STACK_BYTES 16384
#define SIGTRAP		   5

/* Process -> number of its list of mappings. A list is never changed in place: a new one is written
 * and then named here. (Before Linux 6.1 perf_event programs may only use preallocated hash maps,
 * so the lists, which are large, are not the values.) */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_process);
} spaces SEC(".maps");

/* The tables of all images, one after the other. session.c sets the capacities before loading and
 * writes through a mapping of the memory; a process is published only after its tables. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct table_page);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_chunk);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct table_rule);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct table_wide_rule);
} wide_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALK_ENTRY_COUNT);
	__type(key, __u32);
	__type(value, struct walk_scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} records SEC(".maps");

/* A program array holds programs of one type only. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} step_tails SEC(".maps"), sample_tails SEC(".maps");

/* ---- reading the stack ------------------------------------------------------------------ */

struct walk_memory {
	struct walk_scratch *scratch;
	struct walk_counters *counters;
};

static __always_inline int walk_read(struct walk_memory *memory, __u64 address, __u64 *ret)
{
	struct walk_scratch *scratch = memory->scratch;
	__u64 offset = address - scratch->window_address;

	if (!scratch->window_address || offset > WALK_WINDOW_BYTES - 8) {
		memory->counters->window_reads++;
		if (bpf_probe_read_user(scratch->window, WALK_WINDOW_BYTES,
					(void *)(address & ~7ull))) {
			scratch->window_address = 0;
			memory->counters->single_reads++;
			return bpf_probe_read_user(ret, sizeof(*ret), (void *)address) ? -1 : 0;
		}
		scratch->window_address = address & ~7ull;
		offset = address & 7;
	}
	if (offset & 7) {
		memory->counters->single_reads++;
		return bpf_probe_read_user(ret, sizeof(*ret), (void *)address) ? -1 : 0;
	}
	*ret = scratch->window[(offset >> 3) & (WALK_WINDOW_BYTES / 8 - 1)];
	return 0;
}

#define step_inline static __always_inline
#include "step.h"

/* ---- looking a PC up -------------------------------------------------------------------- */

static __always_inline struct walk_mapping *find_mapping(struct walk_scratch *scratch,
							 struct walk_process *process, __u64 pc)
{
	struct walk_mapping *mapping;
	__u32 low = 0, high, i;

	mapping = &process->mapping[scratch->mapping & (WALK_MAPPINGS_MAX - 1)];
	if (pc >= mapping->start && pc < mapping->end)
		return mapping;
	high = process->count;
	for (i = 0; i <= WALK_MAPPINGS_SHIFT; i++) {
		__u32 middle = ((low + high) >> 1) & (WALK_MAPPINGS_MAX - 1);

		if (low >= high)
			break;
		mapping = &process->mapping[middle];
		if (pc >= mapping->end) {
			low = middle + 1;
		} else if (pc < mapping->start) {
			high = middle;
		} else {
			scratch->mapping = middle;
			return mapping;
		}
	}
	return 0;
}

/* The last row of the page that is not above offset. No branch depends on a row's value: the
 * verifier would follow both ways, and the CPU would guess wrong every second time. */
static __always_inline __u32 find_row(const struct walk_chunk *chunk, __u32 first, __u32 count,
				      __u32 offset)
{
	__u64 at = first & (WALK_CHUNK_ROWS - 1);
	__u64 left = count;
	__u32 i;

	for (i = 0; i <= TABLE_PAGE_SHIFT; i++) {
		__u64 half = left >> 1;
		__u64 row = chunk->row[(at + half) & (WALK_CHUNK_ROWS - 1)];
		__s64 above = (__s64)(row >> (32 - TABLE_ROW_OFFSET_BITS)) - (__s64)offset - 1;

		if (left <= 1)
			break;
		at += half & (__u64)(above >> 63);
		left -= half;
	}
	return chunk->row[at & (WALK_CHUNK_ROWS - 1)];
}

static __always_inline unsigned int find_rule(struct walk_scratch *scratch,
					      struct walk_process *process, __u64 pc,
					      struct table_rule **ret_rule,
					      struct table_wide_rule **ret_wide)
{
	struct walk_mapping *mapping;
	struct walk_chunk *chunk;
	struct table_page *page;
	__u32 index, number;

	mapping = find_mapping(scratch, process, pc);
	if (!mapping)
		return STOP_NO_MAPPING;
	index = (pc - mapping->start) >> TABLE_PAGE_SHIFT;
	if (index >= mapping->page_count)
		return STOP_NO_ROW;
	index += mapping->first_page;
	page = bpf_map_lookup_elem(&pages, &index);
	if (!page)
		return STOP_BAD_TABLE;
	index = page->first_row >> WALK_CHUNK_SHIFT;
	chunk = bpf_map_lookup_elem(&rows, &index);
	if (!chunk)
		return STOP_BAD_TABLE;
	number = table_row_rule(
		find_row(chunk, page->first_row, page->row_count, pc & (TABLE_PAGE_SIZE - 1)));
	if (number < TABLE_MARKER_COUNT)
		return step_marker_stop(number);
	index = mapping->first_rule + number;
	*ret_rule = bpf_map_lookup_elem(&rules, &index);
	if (!*ret_rule)
		return STOP_BAD_TABLE;
	if ((*ret_rule)->flags & TABLE_RULE_WIDE) {
		index = mapping->first_wide + (*ret_rule)->wide;
		*ret_wide = bpf_map_lookup_elem(&wide_rules, &index);
	}
	return STOP_NONE;
}

/* ---- the walk --------------------------------------------------------------------------- */

/* One frame: notes the PC, then goes to the caller. 1: the walk has ended. */
static __always_inline int walk_frame(struct walk_scratch *scratch, struct walk_process *process,
				      struct walk_counters *counter)
{
	struct walk_memory memory = { .scratch = scratch, .counters = counter };
	struct walk_state *state = &scratch->state;
	struct table_wide_rule *wide = 0;
	struct table_rule *rule = 0;
	unsigned int stop;
	__u32 count = scratch->record.count;

	if (count >= WALK_FRAMES_MAX) {
		state->stop = STOP_DEPTH;
		return 1;
	}
	scratch->record.pc[count & (WALK_FRAMES_MAX - 1)] = state->pc;
	scratch->record.count = count + 1;
	stop = find_rule(scratch, process, state->pc - !state->exact_pc, &rule, &wide);
	if (!stop && rule)
		stop = step(state, rule, wide, &memory);
	state->stop = stop;
	return stop != STOP_NONE;
}

/* The number of the current process's list of mappings, or NULL. */
static __always_inline __u32 *current_space(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	return bpf_map_lookup_elem(&processes, &pid);
}

static __always_inline struct walk_counters *current_counters(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

static __always_inline int user_registers(struct pt_regs *ret)
{
	const void *from;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) {
		from = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	} else {
		struct task_struct *task = (void *)bpf_get_current_task();

		from = BPF_CORE_READ(task, stack) + KERNEL_STACK_BYTES - sizeof(*ret);
	}
	return bpf_probe_read_kernel(ret, sizeof(*ret), from) ? -1 : 0;
}

/* From the kernel's order to DWARF's (psABI, figure 3.36). */
static __always_inline void walk_begin(struct walk_scratch *scratch, const struct pt_regs *regs,
				       __u32 entry)
{
	struct walk_state *state = &scratch->state;
	__u64 id = bpf_get_current_pid_tgid();

	state->reg[0] = regs->ax;
	state->reg[1] = regs->dx;
	state->reg[2] = regs->cx;
	state->reg[3] = regs->bx;
	state->reg[4] = regs->si;
	state->reg[5] = regs->di;
	state->reg[6] = regs->bp;
	state->reg[7] = regs->sp;
	state->reg[8] = regs->r8;
	state->reg[9] = regs->r9;
	state->reg[10] = regs->r10;
	state->reg[11] = regs->r11;
	state->reg[12] = regs->r12;
	state->reg[13] = regs->r13;
	state->reg[14] = regs->r14;
	state->reg[15] = regs->r15;
	state->known = (1u << REGISTER_GPR_COUNT) - 1;
	state->in_memory = 0;
	state->pc = regs->ip;
	state->exact_pc = 1;
	state->stop = STOP_NONE;
	scratch->mapping = 0;
	scratch->window_address = 0;
	scratch->record.entry = entry;
	scratch->record.pid = id >> 32;
	scratch->record.tid = (__u32)id;
	scratch->record.sp = regs->sp;
	scratch->record.sequence++;
	scratch->record.count = 0;
}

static __always_inline void walk_end(struct walk_scratch *scratch, struct walk_counters *counter)
{
	__u64 count = scratch->record.count;
	__u32 stop = scratch->state.stop;

	if (count > WALK_FRAMES_MAX)
		count = WALK_FRAMES_MAX;
	scratch->record.stop = stop;
	if (bpf_ringbuf_output(&records, &scratch->record,
			       __builtin_offsetof(struct walk_record, pc) + count * 8,
			       BPF_RB_NO_WAKEUP)) {
		counter->lost_space++;
	} else {
		counter->stacks++;
		counter->frames += count;
		if (stop < STOP_REASON_COUNT)
			counter->stop[stop]++;
	}
	scratch->busy = 0;
}

/* Takes the CPU's scratch and the thread's registers; 0 if there is nothing to walk. */
static __always_inline struct walk_scratch *walk_enter(__u32 entry)
{
	struct walk_counters *counter = current_counters();
	struct walk_scratch *scratch;
	__u32 *space = current_space();
	struct pt_regs regs;

	if (!counter || !space)
		return 0;
	counter->samples++;
	scratch = bpf_map_lookup_elem(&scratches, &entry);
	if (!scratch || scratch->busy) {
		counter->lost_busy++;
		return 0;
	}
	if (user_registers(&regs)) {
		counter->lost_regs++;
		return 0;
	}
	scratch->busy = 1;
	scratch->space = *space;
	walk_begin(scratch, &regs, entry);
	return scratch;
}

/* ---- round by bpf_loop ------------------------------------------------------------------ */

/* Not static: the verifier then checks it once, by itself, and not again for each round of the
 * bounded loop below (33 times its instructions pass the limit of a million). */
__attribute__((noinline)) int next_frame(__u32 entry)
{
	struct walk_scratch *scratch = bpf_map_lookup_elem(&scratches, &entry);
	struct walk_counters *counter = current_counters();
	struct walk_process *process;
	__u32 space;

	if (!scratch || !counter)
		return 1;
	space = scratch->space;
	process = bpf_map_lookup_elem(&spaces, &space);
	if (!process) {
		scratch->state.stop = STOP_BAD_TABLE;
		return 1;
	}
	return walk_frame(scratch, process, counter);
}

static long loop_frame(__u32 index, void *context)
{
	return next_frame(*(__u32 *)context) != 0;
}

static __always_inline int walk_by_loop(__u32 entry)
{
	struct walk_scratch *scratch = walk_enter(entry);
	struct walk_counters *counter = current_counters();

	if (!scratch || !counter)
		return 0;
	/* One more than the frames: the last round says STOP_DEPTH. */
	bpf_loop(WALK_FRAMES_MAX + 1, loop_frame, &entry, 0);
	walk_end(scratch, counter);
	return 0;
}

/* ---- round by tail calls ---------------------------------------------------------------- */

static __always_inline int walk_by_tail(void *ctx, __u32 entry, void *tails)
{
	struct walk_scratch *scratch = bpf_map_lookup_elem(&scratches, &entry);
	struct walk_counters *counter = current_counters();
	__u32 i;

	if (!scratch || !counter)
		return 0;
	for (i = 0; i < WALK_TAIL_FRAMES; i++) {
		if (next_frame(entry)) {
			walk_end(scratch, counter);
			return 0;
		}
	}
	bpf_tail_call(ctx, tails, 0);
	counter->tail_failed++;
	scratch->state.stop = STOP_DEPTH;
	walk_end(scratch, counter);
	return 0;
}

/* ---- entries ---------------------------------------------------------------------------- */

/* TP_PROTO(int sig, struct kernel_siginfo *, struct task_struct *, int group, int result) */
static __always_inline int is_own_trap(struct bpf_raw_tracepoint_args *ctx)
{
	return ctx->args[0] == SIGTRAP && ctx->args[2] == bpf_get_current_task();
}

SEC("raw_tracepoint/signal_generate")
int step_loop(struct bpf_raw_tracepoint_args *ctx)
{
	return is_own_trap(ctx) ? walk_by_loop(WALK_ENTRY_STEP) : 0;
}

SEC("perf_event")
int sample_loop(void *ctx)
{
	return walk_by_loop(WALK_ENTRY_SAMPLE);
}

SEC("raw_tracepoint/signal_generate")
int step_tail(struct bpf_raw_tracepoint_args *ctx)
{
	return walk_by_tail(ctx, WALK_ENTRY_STEP, &step_tails);
}

SEC("perf_event")
int sample_tail(void *ctx)
{
	return walk_by_tail(ctx, WALK_ENTRY_SAMPLE, &sample_tails);
}

SEC("raw_tracepoint/signal_generate")
int step_chain(struct bpf_raw_tracepoint_args *ctx)
{
	if (is_own_trap(ctx) && walk_enter(WALK_ENTRY_STEP))
		return walk_by_tail(ctx, WALK_ENTRY_STEP, &step_tails);
	return 0;
}

SEC("perf_event")
int sample_chain(void *ctx)
{
	if (walk_enter(WALK_ENTRY_SAMPLE))
		return walk_by_tail(ctx, WALK_ENTRY_SAMPLE, &sample_tails);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
