/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk.bpf.c - the walk in the kernel
 *
 * Entered in the context of the thread that is to be walked: at each stop of a single-stepped
 * thread (raw tracepoint signal_generate with SIGTRAP, fired in the thread before it stops) or at
 * a sample (perf_event). It takes the thread's user registers, then for each frame
 *
 *	mapping	binary search in the process's mappings; the last frame's is tried first
 *	rule	looked up in the tables by find_rule.h
 *	caller	by step.h
 *
 * and sends one record. Every way out has its own stop reason.
 *
 * Two ways to go round, chosen by what the kernel offers (session.c probes, never by version):
 * bpf_loop (Linux 5.17), or a chain of tail calls with a bounded loop in each (5.10). All state is
 * in a per-CPU map value, so the verifier does not follow it and the two can hand it on.
 *
 * One object for every kernel. A helper that a kernel lacks stands behind
 * bpf_core_enum_value_exists(), which the loader turns into a constant, so that the verifier
 * removes the branch before it looks at the call.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "walk_maps.bpf.h"
#include "find_rule.h" /* these two need what walk_maps.bpf.h has */
#include "step.h"

/* The user registers lie at the top of the kernel stack: THREAD_SIZE is 16 KiB on x86-64 without
 * KASAN (arch/x86/include/asm/page_64_types.h). Only where bpf_task_pt_regs is missing. */
#define KERNEL_STACK_BYTES 16384
#define SIGTRAP		   5

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

/* ---- the walk --------------------------------------------------------------------------- */

static __always_inline struct walk_counters *current_counters(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

/* The step by an extended rule. Not static: the verifier then checks it once, by itself, and not
 * for each state that the walk may be in when it calls. */
__attribute__((noinline)) int step_apart(__u32 entry, __u32 number, __u32 first_place)
{
	struct walk_memory memory = { .first_place = first_place };
	struct table_rule *rule = bpf_map_lookup_elem(&rules, &number);

	memory.scratch = bpf_map_lookup_elem(&scratches, &entry);
	memory.counters = current_counters();
	if (!rule || !memory.scratch || !memory.counters)
		return STOP_BAD_TABLE;
	return step_extended(&memory.scratch->state, rule, &memory);
}

/* One frame: notes the PC, then goes to the caller. 1: the walk has ended. */
static __always_inline int walk_frame(struct walk_scratch *scratch, struct walk_process *process,
				      struct walk_counters *counter)
{
	struct walk_memory memory = { .scratch = scratch, .counters = counter };
	struct walk_state *state = &scratch->state;
	const struct table_rule *rule = 0;
	__u32 count = scratch->record.count, number = 0;
	struct walk_mapping *mapping;
	unsigned int stop;
	__u64 pc = state->pc;

	if (count >= WALK_FRAMES_MAX) {
		state->stop = STOP_DEPTH;
		return 1;
	}
	scratch->record.pc[count & (WALK_FRAMES_MAX - 1)] = pc;
	scratch->record.count = count + 1;
	pc -= !state->exact_pc;
	mapping = find_mapping(scratch, process, pc);
	stop = mapping ? find_rule(0, mapping, pc, &number, &rule) : STOP_NO_MAPPING;
	if (!stop && mapping && rule) {
		if (rule->flags & TABLE_RULE_EXTENDED)
			stop = step_apart(scratch->record.entry, number, mapping->first_place);
		else
			stop = step_plain(state, rule, &memory);
	}
	state->stop = stop;
	return stop != STOP_NONE;
}

/* The number of the current process's list of mappings, or NULL. */
static __always_inline __u32 *current_space(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	return bpf_map_lookup_elem(&processes, &pid);
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

/* Takes the CPU's scratch and the thread's registers; 0 if there is nothing to walk. Not static, for
 * the registers must not lie in the stack frame of those who call: the verifier would keep a copy of
 * them with every state of the walk. */
__attribute__((noinline)) int walk_enter(__u32 entry)
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
	return 1;
}

/* ---- round by bpf_loop ------------------------------------------------------------------ */

/* What is the same for every frame. */
struct loop_context {
	struct walk_scratch *scratch;
	struct walk_process *process;
	struct walk_counters *counter;
};

static long loop_frame(__u32 index, void *context)
{
	struct loop_context *loop = context;

	return walk_frame(loop->scratch, loop->process, loop->counter);
}

static __always_inline int walk_by_loop(__u32 entry)
{
	struct loop_context loop = { .counter = current_counters() };

	if (!walk_enter(entry))
		return 0;
	loop.scratch = bpf_map_lookup_elem(&scratches, &entry);
	if (!loop.scratch || !loop.counter)
		return 0;
	loop.process = bpf_map_lookup_elem(&spaces, &loop.scratch->space);
	/* One more than the frames: the last round says STOP_DEPTH. */
	if (loop.process)
		bpf_loop(WALK_FRAMES_MAX + 1, loop_frame, &loop, 0);
	else
		loop.scratch->state.stop = STOP_BAD_TABLE;
	walk_end(loop.scratch, loop.counter);
	return 0;
}

/* ---- round by tail calls ---------------------------------------------------------------- */

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
