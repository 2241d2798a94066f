/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) OR GPL-2.0-only */
/*
 * walk.bpf.c - the walk in the kernel
 *
 * Entered in the context of the thread that is to be walked: at each stop of a single-stepped
 * thread (raw tracepoint signal_generate with SIGTRAP, fired in the thread before it stops), at a
 * sample (perf_event), at an instruction (uprobe) or at any raw tracepoint; in user mode or in the
 * kernel. It takes the thread's user registers (or, when a recorded point is played back by
 * BPF_PROG_TEST_RUN, those that it is given), then for each frame
 *
 *	memo	has the PC's rule, if the PC was met before; or else
 *	mapping	binary search in the process's mappings; the last one that was found is tried first
 *	rule	looked up in the tables by find_rule.h, and remembered
 *	caller	by step.h
 *
 * and sends one record, or counts it (walk_count.bpf.h). Every way out has its own stop reason.
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
#include "own_id.bpf.h"
#include "user_registers.bpf.h"
#include "walk_maps.bpf.h"
#include "walk_count.bpf.h"
#include "walk_off.bpf.h"
#include "find_rule.h" /* these two need what walk_maps.bpf.h has */
#include "table/step.h"

#define SIGTRAP		  5
#define APPLY_FRAMES	  32
#define PF_KTHREAD	  0x200000 /* include/linux/sched.h */
#define RETURNS		  64	   /* MAX_URETPROBE_DEPTH, include/linux/uprobes.h */
#define RETURNS_AT_ONCE	  8
#define REPLACED	  1   /* no address */
#define XOL_SLOT_BYTES	  128 /* UPROBE_XOL_SLOT_BYTES, arch/x86/include/asm/uprobes.h */
#define TRAMPOLINE_PUSHES 3   /* uretprobe_trampoline_entry, arch/x86/kernel/uprobes.c (6.11) */

/* ---- looking a PC up -------------------------------------------------------------------- */

/* The chunk with all of the process's mappings, or NULL. */
static __always_inline const struct walk_mapping_chunk *
current_mappings(const struct walk_scratch *scratch)
{
	__u32 number = scratch->space.first >> WALK_MAPPING_SHIFT;

	return bpf_map_lookup_elem(&mappings, &number);
}

/* The mapping of a PC, or NULL. The last one that was found is tried first. */
static __always_inline const struct walk_mapping *
find_mapping(struct walk_scratch *scratch, const struct walk_mapping_chunk *chunk, __u64 pc)
{
	const struct walk_mapping *mapping;
	__u32 low, high, i;

	mapping = &chunk->mapping[scratch->mapping & (WALK_CHUNK_MAPPINGS - 1)];
	if (pc >= mapping->start && pc < mapping->end)
		return mapping;
	low = scratch->space.first & (WALK_CHUNK_MAPPINGS - 1);
	high = low + scratch->space.count;
	for (i = 0; i <= WALK_MAPPING_SHIFT; i++) {
		__u32 middle = ((low + high) >> 1) & (WALK_CHUNK_MAPPINGS - 1);

		if (low >= high)
			break;
		mapping = &chunk->mapping[middle];
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

static __always_inline struct walk_counters *counters_of(__u32 entry)
{
	return bpf_map_lookup_elem(&counters, &entry);
}

/* What step_near() left to do in earlier frames: in APPLY_FRAMES of them. 1: more is left. Not
 * static: the verifier then goes through the loop once. */
__attribute__((noinline)) int apply_some(__u32 entry, __u32 end)
{
	struct walk_scratch *scratch = bpf_map_lookup_elem(&scratches, &entry);
	__u32 i;

	if (!scratch)
		return 0;
	for (i = 0; i < APPLY_FRAMES; i++) {
		const struct walk_deferred *deferred;
		__u32 at = scratch->applied;

		if (at >= end)
			return 0;
		deferred = &scratch->deferred[at & (WALK_FRAMES_MAX - 1)];
		step_registers(&scratch->state, deferred->codes, deferred->cfa);
		scratch->applied = at + 1;
	}
	return 1;
}

/* Before a frame is stepped that asks for registers. Not called from step_general() or
 * step_guess(): the stacks of functions that call each other add up, to 512 bytes at most. */
static __always_inline void apply_deferred(struct walk_scratch *scratch)
{
	__u32 entry = scratch->record.entry, count = scratch->record.count, i;

	for (i = 0; i < WALK_FRAMES_MAX / APPLY_FRAMES; i++)
		if (!apply_some(entry, count - 1))
			break;
	scratch->applied = count;
}

/* The step by a rule that step_near() can't do. Not static: the verifier then checks it once, by
 * itself, and not for each state that the walk may be in when it calls. */
__attribute__((noinline)) int step_general(__u32 entry, __u32 number, __u32 first_place)
{
	struct walk_memory memory = { .first_place = first_place };
	__u32 chunk = number >> WALK_RULE_SHIFT;
	const struct walk_rule_chunk *rules = walk_rule_chunk(0, chunk);

	memory.scratch = bpf_map_lookup_elem(&scratches, &entry);
	memory.counters = counters_of(entry);
	if (!rules || !memory.scratch || !memory.counters)
		return STOP_BAD_TABLE;
	return step(&memory.scratch->state, &rules->rule[number & (WALK_CHUNK_RULES - 1)], &memory);
}

/* The step where there is no CFI, and the session was told to go on. */
__attribute__((noinline)) int step_guess(__u32 entry)
{
	struct walk_memory memory = { 0 };
	unsigned int stop;

	memory.scratch = bpf_map_lookup_elem(&scratches, &entry);
	memory.counters = counters_of(entry);
	if (!memory.scratch || !memory.counters)
		return STOP_BAD_TABLE;
	stop = step_by_frame_pointer(&memory.scratch->state, &memory);
	if (!stop) {
		memory.scratch->guessed = WALK_PC_GUESSED;
		memory.scratch->guesses++;
		memory.counters->guesses++;
	}
	return stop;
}

/* Why the walk ends at a PC without a rule; or STOP_NONE, and it goes on without. */
static __always_inline unsigned int without_rule(struct walk_scratch *scratch, unsigned int stop)
{
	if (!frame_pointers || (stop != STOP_NO_MAPPING && stop != STOP_NO_ROW))
		return stop;
	apply_deferred(scratch);
	return step_guess(scratch->record.entry) ? stop : STOP_NONE;
}

/*
 * The value of rbp in frame number `at`, if it takes no more than a look at the frame that it
 * called: one that set up a frame pointer has nearly always saved rbp. 1: it takes more.
 */
static __always_inline int frame_pointer(struct walk_scratch *scratch, struct walk_memory *memory,
					 __u32 at, __u64 *ret)
{
	const struct walk_deferred *deferred;
	__u32 code;

	if (scratch->applied >= at)
		return 1;
	deferred = &scratch->deferred[(at - 1) & (WALK_FRAMES_MAX - 1)];
	code = (deferred->codes >> (8 * TABLE_COLUMN_RBP)) & 255;
	if (code - 1 >= TABLE_CODE_MAX)
		return 1;
	return walk_read(memory, deferred->cfa - 8 * (__u64)code, ret);
}

/* Looks at some of the return addresses that were replaced, from one on. Returns the next, or 0; or REPLACED: the state
 * is where the program will be. Not static: the verifier then goes through the loop once. */
__attribute__((noinline)) __u64 look_at_replaced(__u32 entry, __u64 at, __u64 trampoline)
{
	struct walk_scratch *scratch = bpf_map_lookup_elem(&scratches, &entry);
	struct return_instance *instance = (void *)at;
	__u64 pushed, real, stack;
	__u32 i;

	if (!scratch)
		return 0;
	/* The thread itself may be anywhere in the trampoline, which returns by itself. */
	pushed = scratch->record.count == 1 ? TRAMPOLINE_PUSHES * 8 : 0;
	for (i = 0; i < RETURNS_AT_ONCE && instance; i++) {
		real = BPF_CORE_READ(instance, orig_ret_vaddr);
		stack = BPF_CORE_READ(instance, stack);
		if (stack + 8 - scratch->state.reg[REGISTER_RSP] <= pushed && real != trampoline) {
			scratch->state.reg[REGISTER_RSP] = stack + 8;
			scratch->state.pc = real;
			scratch->state.exact_pc |= pushed != 0;
			return REPLACED;
		}
		instance = BPF_CORE_READ(instance, next);
	}
	return (__u64)instance;
}

/*
 * A uretprobe, whoever has set it, puts the address of a trampoline where a function's return address was, which the
 * kernel keeps with the address of that slot (struct return_instance). And an instruction that has a probe is executed
 * elsewhere. Both are in a page of the kernel's ("[uprobes]"). Puts the address that the program itself has there into the
 * state: STOP_NONE; or returns a stop reason. Those who step and replay compare with a walk that reads memory alone.
 */
__attribute__((noinline)) unsigned int without_probe(__u32 entry)
{
	struct walk_scratch *scratch = bpf_map_lookup_elem(&scratches, &entry);
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 pc, real, trampoline, at, code = 0;
	__u32 i;

	if (!scratch || entry == WALK_ENTRY_STEP || entry == WALK_ENTRY_REPLAY ||
	    !bpf_core_field_exists(task->utask))
		return STOP_NO_MAPPING;
	pc = scratch->state.pc;
	if (scratch->record.count == 1) {
		code = XOL_SLOT_BYTES - 1;
		real = BPF_CORE_READ(task, utask, xol_vaddr);
		if (real && pc - real <= code) {
			scratch->state.pc = pc - real + BPF_CORE_READ(task, utask, vaddr);
			return STOP_NONE;
		}
	}
	trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	if (!trampoline || pc - trampoline > code)
		return STOP_NO_MAPPING;
	at = (__u64)BPF_CORE_READ(task, utask, return_instances);
	for (i = 0; i < RETURNS / RETURNS_AT_ONCE && at > REPLACED; i++)
		at = look_at_replaced(entry, at, trampoline);
	return at == REPLACED ? STOP_NONE : STOP_URETPROBE;
}

/* What is the same for every frame. */
struct walk_context {
	struct walk_scratch *scratch;
	struct rule_memo *memo;
	struct walk_counters *counter;
};

/* False: there is no such entry. */
static __always_inline int find_context(struct walk_context *walk, __u32 entry)
{
	walk->scratch = bpf_map_lookup_elem(&scratches, &entry);
	walk->memo = bpf_map_lookup_elem(&memos, &entry);
	walk->counter = counters_of(entry);
	return walk->scratch && walk->memo && walk->counter;
}

/* Puts the PC's rule into its place in the memo. Not for the next time if it has places: their
 * first is the image's affair. 0, or a stop reason. */
static __always_inline unsigned int look_up(const struct walk_context *walk, __u64 pc,
					    struct rule_memo_entry *ret, __u32 *ret_first_place)
{
	const struct walk_mapping_chunk *chunk = current_mappings(walk->scratch);
	const struct walk_mapping *mapping;
	const struct table_rule *rule = 0;
	struct walk_chunks chunks;
	unsigned int stop;
	__u32 number = 0;

	walk->counter->lookups++;
	if (!chunk)
		return STOP_BAD_TABLE;
	mapping = find_mapping(walk->scratch, chunk, pc);
	if (!mapping)
		return STOP_NO_MAPPING;
	stop = find_chunks(0, mapping, &chunks);
	if (!stop)
		stop = find_rule(0, &chunks, mapping, pc, &number, &rule);
	if (stop)
		return stop;
	if (!rule)
		return STOP_BAD_TABLE;
	ret->pc = pc;
	ret->generation = rule->flags & TABLE_RULE_EXTENDED ? 0 : walk->scratch->space.generation;
	ret->number = number;
	ret->rule = *rule;
	*ret_first_place = mapping->first_place;
	return STOP_NONE;
}

/* One frame: notes the PC, then goes to the caller. 1: the walk has ended. */
static __always_inline int walk_frame(const struct walk_context *walk)
{
	struct walk_scratch *scratch = walk->scratch;
	struct walk_memory memory = { .scratch = scratch, .counters = walk->counter };
	struct walk_state *state = &scratch->state;
	__u32 count = scratch->record.count, at = count & (WALK_FRAMES_MAX - 1), first_place = 0;
	struct rule_memo_entry *entry;
	__u64 pc = state->pc, base;
	unsigned int stop = STOP_NONE;

	if (count >= WALK_FRAMES_MAX) {
		state->stop = STOP_DEPTH;
		return 1;
	}
	scratch->record.pc[at] = pc;
	if (frame_pointers) {
		scratch->record.pc[at] |= scratch->guessed;
		scratch->guessed = 0;
	}
	if (count_stacks)
		hash_more(scratch->record.hash, pc);
	scratch->record.count = count + 1;
	pc -= !state->exact_pc;
	entry = &walk->memo->entry[rule_memo_slot(pc)];
	if (no_memo || entry->pc != pc || entry->generation != scratch->space.generation)
		stop = look_up(walk, pc, entry, &first_place);
	if (stop == STOP_NO_MAPPING) {
		stop = without_probe(scratch->record.entry);
		if (!stop || (stop == STOP_URETPROBE && count))
			scratch->record.count = count; /* that is no frame */
		if (!stop) {
			scratch->guessed = frame_pointers ? scratch->record.pc[at] & WALK_PC_GUESSED
							  : 0;
			return 0;
		}
	}
	if (stop) {
		stop = without_rule(scratch, stop);
		state->stop = stop;
		return stop != STOP_NONE;
	}
	base = state->reg[REGISTER_RSP];
	if (entry->rule.head == TABLE_HEAD(REGISTER_RSP) ||
	    (entry->rule.head == TABLE_HEAD(REGISTER_RBP) &&
	     !frame_pointer(scratch, &memory, count, &base))) {
		scratch->deferred[at].codes = entry->rule.codes;
		stop = step_near(state, &entry->rule, base, &memory, &scratch->deferred[at].cfa);
	} else {
		apply_deferred(scratch);
		stop = step_general(scratch->record.entry, entry->number, first_place);
	}
	state->stop = stop;
	return stop != STOP_NONE;
}

/* A process's space, or NULL. */
static __always_inline struct walk_space *space_of(__u32 pid)
{
	__u32 *number = bpf_map_lookup_elem(&processes, &pid);

	return number ? bpf_map_lookup_elem(&spaces, number) : 0;
}

static __always_inline int is_idle(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return !BPF_CORE_READ(task, pid);
}

static __always_inline int is_kernel_thread(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, flags) & PF_KTHREAD;
}

/* Behind exit_mm() a clock still ticks. */
static __always_inline int has_memory(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, mm) != 0;
}

/* From the kernel's order to DWARF's (psABI, figure 3.36). */
static __always_inline void walk_begin(struct walk_scratch *scratch, const struct pt_regs *regs,
				       __u32 entry, __u32 mode, __u64 id)
{
	struct walk_state *state = &scratch->state;

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
	/* A system call's instruction has been executed, and yet it is where the thread is: it
	 * may be the last one of its function. SYSCALL leaves the next one's address in rcx. (A
	 * stop by SIGTRAP is at the next instruction, and a uprobe may be a system call in
	 * disguise.) */
	state->exact_pc = entry == WALK_ENTRY_STEP || entry == WALK_ENTRY_UPROBE ||
			  entry == WALK_ENTRY_REPLAY || (long)regs->orig_ax < 0 ||
			  regs->cx != regs->ip;
	state->stop = STOP_NONE;
	scratch->mapping = scratch->space.first;
	scratch->applied = 0;
	scratch->guessed = 0;
	scratch->guesses = 0;
	scratch->window_address = 0;
	scratch->record.entry = entry;
	scratch->record.pid = id >> 32;
	scratch->record.tid = (__u32)id;
	scratch->record.cpu = bpf_get_smp_processor_id();
	scratch->record.sp = regs->sp;
	scratch->record.sequence++;
	scratch->record.time = bpf_ktime_get_ns();
	scratch->record.count = 0;
	scratch->record.kernel_count = 0;
	scratch->record.mode = mode & WALK_MODE_MASK;
	scratch->record.off = mode >> WALK_OFF_SHIFT;
	scratch->record.generation = scratch->space.generation;
	if (count_stacks) {
		scratch->record.hash[0] = id;
		scratch->record.hash[1] = (__u64)entry << 32 | scratch->space.generation;
		hash_more(scratch->record.hash, mode);
	}
}

/*
 * The scratch is the CPU's, and an entry may be interrupted, or preempted, by another one of its
 * kind there. Everybody counts himself in before he looks: of two who are in at once the later sees
 * 2 at least, so no two see 1. (Both may see 2, and both are lost: better than a mixed stack.) An
 * addition without a result is atomic on every kernel; exchange came with 5.12.
 */
static __always_inline int enter_scratch(struct walk_scratch *scratch)
{
	__sync_fetch_and_add(&scratch->busy, 1);
	if (*(volatile __u32 *)&scratch->busy == 1)
		return 1;
	__sync_fetch_and_add(&scratch->busy, -1);
	return 0;
}

static __always_inline void leave_scratch(struct walk_scratch *scratch)
{
	__sync_fetch_and_add(&scratch->busy, -1);
}

/* The kernel's stack, behind so many PCs of the user's. Returns its number of PCs, which may be 0 although there is one:
 * the mode says that. */
static __always_inline __u64 add_kernel_stack(void *ctx, struct walk_record *record, __u64 count)
{
	__u64 kernel = 0;
	__u32 i;
	long bytes;

	AT_MOST(count, WALK_FRAMES_MAX);
	bytes = bpf_get_stack(ctx, &record->pc[count], WALK_KERNEL_FRAMES_MAX * 8, 0);
	if (bytes > 0)
		kernel = (__u64)bytes >> 3;
	AT_MOST(kernel, WALK_KERNEL_FRAMES_MAX);
	record->kernel_count = kernel;
	AT_MOST(count, WALK_FRAMES_MAX);
	for (i = 0; count_stacks && i < WALK_KERNEL_FRAMES_MAX; i++) {
		if (i >= kernel)
			break;
		hash_more(record->hash, record->pc[count + i]);
	}
	return kernel;
}

static __always_inline void walk_end(void *ctx, struct walk_scratch *scratch,
				     struct walk_counters *counter)
{
	__u64 count = scratch->record.count, kernel = 0;
	__u32 stop = scratch->state.stop;

	if (count > WALK_FRAMES_MAX)
		count = WALK_FRAMES_MAX;
	if (frame_pointers && stop == STOP_COMPLETE && scratch->guesses)
		stop = STOP_GUESSED;
	scratch->record.stop = stop;
	if (stop == STOP_READ_FAULT && !has_memory()) {
		__sync_fetch_and_add(&counter->ending, 1);
		if (!every_tick) {
			counter->samples--;
			goto out;
		}
		scratch->record.mode = WALK_MODE_ENDING;
		scratch->record.stop = stop = STOP_NONE;
		count = 0;
	}
	scratch->record.count = count;
	if (kernel_stacks && scratch->record.mode != WALK_MODE_USER)
		kernel = add_kernel_stack(ctx, &scratch->record, count);
	if (count_stacks) {
		hash_more(scratch->record.hash, stop);
		if (off_cpu ? switch_out(&scratch->record, count + kernel, counter)
			    : count_stack(&scratch->record, count + kernel, counter))
			goto out;
	} else if (send_record(&scratch->record, count + kernel)) {
		counter->lost_space++;
		goto out;
	}
	if (!off_cpu) /* else when it is back */
		counter->stacks++;
	counter->frames += count;
	if (stop < STOP_REASON_COUNT)
		counter->stop[stop]++;
out:
	leave_scratch(scratch);
}

/* A thread whose process is not known, or has no user stack: what there is to be sent. */
static __always_inline void walk_nothing(struct walk_scratch *scratch)
{
	if (scratch->record.mode >= WALK_MODE_KERNEL_THREAD)
		return;
	scratch->record.pc[0] = scratch->state.pc;
	scratch->record.count = 1;
	scratch->state.stop = STOP_NO_MAPPING;
	if (count_stacks)
		hash_more(scratch->record.hash, scratch->state.pc);
}

enum walk_entered {
	ENTERED_NOT,	 /* nothing is to be done */
	ENTERED_TO_WALK, /* the first frame is next */
	ENTERED_TO_END,	 /* the record is whole */
};

/* Takes the CPU's scratch and the thread's registers. mode: with an enum walk_off. Returns an enum
 * walk_entered. Not static, for the registers must not lie in the stack frame of those who call:
 * the verifier would keep a copy of them with every state of the walk. */
__attribute__((noinline)) int walk_enter(__u32 entry, __u64 registers, __u32 mode)
{
	struct walk_counters *counter = counters_of(entry);
	__u64 id = own_id();
	struct walk_space *space = space_of(id >> 32);
	__u32 off = mode & ~WALK_MODE_MASK;
	struct walk_scratch *scratch;
	struct pt_regs regs;

	if (!counter)
		return ENTERED_NOT;
	if (!space) {
		if (is_idle()) {
			__sync_fetch_and_add(&counter->idle, 1);
			return ENTERED_NOT;
		}
		if (is_kernel_thread()) {
			__sync_fetch_and_add(&counter->kernel_threads, 1);
			mode = WALK_MODE_KERNEL_THREAD | off;
		} else if (!has_memory()) {
			__sync_fetch_and_add(&counter->ending, 1);
			mode = WALK_MODE_ENDING | off;
		} else {
			__sync_fetch_and_add(&counter->unknown, 1);
		}
		if (!every_tick)
			return ENTERED_NOT;
	}
	scratch = bpf_map_lookup_elem(&scratches, &entry);
	if (!scratch || !enter_scratch(scratch)) {
		__sync_fetch_and_add(&counter->lost_busy, 1);
		return ENTERED_NOT;
	}
	counter->samples++;
	if (user_registers(&regs, registers)) {
		counter->lost_regs++;
		leave_scratch(scratch);
		return ENTERED_NOT;
	}
	if (space)
		scratch->space = *space;
	else
		scratch->space.first = scratch->space.count = scratch->space.generation = 0;
	walk_begin(scratch, &regs, entry, mode, id);
	if (space)
		return ENTERED_TO_WALK;
	walk_nothing(scratch);
	return ENTERED_TO_END;
}

/* ---- round by bpf_loop ------------------------------------------------------------------ */

static long loop_frame(__u32 index, void *context)
{
	return walk_frame(context);
}

static __always_inline int walk_by_loop(void *ctx, __u32 entry, __u64 registers, __u32 mode)
{
	struct walk_context walk = { 0 };
	int entered = walk_enter(entry, registers, mode);

	if (entered == ENTERED_NOT)
		return 0;
	if (find_context(&walk, entry) && entered == ENTERED_TO_WALK)
		/* One more than the frames: the last round says STOP_DEPTH. */
		bpf_loop(WALK_FRAMES_MAX + 2 + RETURNS, loop_frame, &walk, 0);
	if (walk.scratch && walk.counter)
		walk_end(ctx, walk.scratch, walk.counter);
	return 0;
}

/* ---- round by tail calls ---------------------------------------------------------------- */

/* Not static: the verifier then checks it once, by itself, and not again for each round of the
 * bounded loop below (33 times its instructions pass the limit of a million). */
__attribute__((noinline)) int next_frame(__u32 entry)
{
	struct walk_context walk = { 0 };

	return find_context(&walk, entry) ? walk_frame(&walk) : 1;
}

static __always_inline int walk_by_tail(void *ctx, __u32 entry, void *tails)
{
	struct walk_scratch *scratch = bpf_map_lookup_elem(&scratches, &entry);
	struct walk_counters *counter = counters_of(entry);
	__u32 i;

	if (!scratch || !counter)
		return 0;
	for (i = 0; i < WALK_TAIL_FRAMES; i++) {
		if (next_frame(entry)) {
			walk_end(ctx, scratch, counter);
			return 0;
		}
	}
	bpf_tail_call(ctx, tails, 0);
	counter->tail_failed++;
	scratch->state.stop = STOP_DEPTH;
	walk_end(ctx, scratch, counter);
	return 0;
}

static __always_inline int walk_by_chain(void *ctx, __u32 entry, void *tails, __u64 registers,
					 __u32 mode)
{
	int entered = walk_enter(entry, registers, mode);
	struct walk_scratch *scratch;
	struct walk_counters *counter;

	if (entered == ENTERED_TO_WALK)
		return walk_by_tail(ctx, entry, tails);
	scratch = bpf_map_lookup_elem(&scratches, &entry);
	counter = counters_of(entry);
	if (entered == ENTERED_TO_END && scratch && counter)
		walk_end(ctx, scratch, counter);
	return 0;
}

/* ---- entries ---------------------------------------------------------------------------- */

/* TP_PROTO(int sig, struct kernel_siginfo *, struct task_struct *, int group, int result) */
static __always_inline int is_own_trap(struct bpf_raw_tracepoint_args *ctx)
{
	return ctx->args[0] == SIGTRAP && ctx->args[2] == bpf_get_current_task();
}

static __always_inline int is_wanted(void *ctx)
{
	return 1;
}

static __always_inline __u64 threads_own(void *ctx)
{
	return 0;
}

static __always_inline __u64 replayed_registers(struct bpf_raw_tracepoint_args *ctx)
{
	return ctx->args[0];
}

static __always_inline __u32 user_mode(void *ctx)
{
	return WALK_MODE_USER;
}

/* Any raw tracepoint, or sched_switch. */
static __always_inline int is_off_or_wanted(struct bpf_raw_tracepoint_args *ctx)
{
	struct walk_counters *counter;

	if (!off_cpu)
		return 1;
	counter = counters_of(WALK_ENTRY_TRACEPOINT);
	if (!counter)
		return 0;
	switch_in(ctx, counter);
	return off_reason(ctx) != WALK_OFF_NONE;
}

static __always_inline __u32 off_mode(struct bpf_raw_tracepoint_args *ctx)
{
	return WALK_MODE_KERNEL | (off_cpu ? off_reason(ctx) << WALK_OFF_SHIFT : 0);
}

/* The selector's lowest bits are the privilege level. */
static __always_inline __u32 sampled_mode(struct sample_context *ctx)
{
	return ctx->regs.cs & 3 ? WALK_MODE_USER : WALK_MODE_KERNEL;
}

/* The three programs of an entry: all of the walk, or its first part and the others. */
#define WALK_PROGRAMS(name, section, entry, concerns, registers, mode)                             \
	SEC(section) int name##_loop(void *ctx)                                                    \
	{                                                                                          \
		return concerns(ctx) ? walk_by_loop(ctx, entry, registers(ctx), mode(ctx)) : 0;    \
	}                                                                                          \
	SEC(section) int name##_chain(void *ctx)                                                   \
	{                                                                                          \
		if (concerns(ctx))                                                                 \
			return walk_by_chain(ctx, entry, &name##_tails, registers(ctx),            \
					     mode(ctx));                                           \
		return 0;                                                                          \
	}                                                                                          \
	SEC(section) int name##_tail(void *ctx)                                                    \
	{                                                                                          \
		return walk_by_tail(ctx, entry, &name##_tails);                                    \
	}

WALK_PROGRAMS(step, "raw_tracepoint/signal_generate", WALK_ENTRY_STEP, is_own_trap, threads_own,
	      user_mode)
WALK_PROGRAMS(sample, "perf_event", WALK_ENTRY_SAMPLE, is_wanted, threads_own, sampled_mode)
WALK_PROGRAMS(uprobe, "uprobe", WALK_ENTRY_UPROBE, is_wanted, threads_own, user_mode)
WALK_PROGRAMS(tracepoint, "raw_tracepoint", WALK_ENTRY_TRACEPOINT, is_off_or_wanted, threads_own,
	      off_mode)
WALK_PROGRAMS(replay, "raw_tracepoint", WALK_ENTRY_REPLAY, is_wanted, replayed_registers, user_mode)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
