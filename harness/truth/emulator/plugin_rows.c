/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_rows.c - where the caller's frame is, whenever a segment of a block begins
 *
 * Calls and returns say which frames are open (plugin_fast.c). Here rsp and rbp are read, and held against the slot of
 * the innermost open call. The frequent kind takes no lock: the segment was run with the same before, by the same
 * thread on the same stack, and nothing was in doubt since.
 *
 * A block may end early: by a fault. So the first run of a record counts as whole when the next block is seen, or by
 * the PC at which the thread goes on after the kernel. QEMU takes interrupts between blocks only.
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "plugin_known.h"
#include "plugin_watch.h"

#define REGISTER(member) (offsetof(struct user_regs_struct, member) / sizeof(uint64_t))

/* ---- how often a block was looked at with a caller --------------------------------------------- */

#define SEEN_SLOTS 65536 /* a power of two */

struct rows_seen {
	const struct rows_segment *segment;
	uint64_t caller, owner, runs;
};

/* Whether enough runs of the segment with this caller were looked at. One that has lost its slot to another begins anew. */
static bool is_enough(const struct fast_cpu *cpu, const struct rows_segment *segment,
		      uint64_t caller)
{
	uint64_t hash = ((uintptr_t)segment >> 4 ^ caller) * HASH_GOLDEN;
	struct rows_seen *seen = &cpu->seen[hash >> 48 & (SEEN_SLOTS - 1)];

	if (seen->segment != segment || seen->caller != caller || seen->owner != cpu->rows_owner)
		*seen = (struct rows_seen) { segment, caller, cpu->rows_owner, 0 };
	else if (seen->runs >= watch.first)
		return true;
	seen->runs++;
	return false;
}

/* ---- what is known of the thread ---------------------------------------------------------------- */

/* Its records are of the stack that it is on. */
static void take_stack(struct watched_thread *thread)
{
	static uint64_t owners;
	const struct shadow_stack *shadow = &thread->steps.shadow;
	struct thread_rows *rows = &thread->rows;

	if (rows->owner && rows->stack == shadow->id)
		return;
	rows->doubtful = SIZE_MAX;
	/* What is new is as whoever made the thread has left it; other stacks must be looked at. */
	rows->epoch = rows->stack ? ~shadow->epoch : shadow->epoch;
	rows->stack = shadow->id;
	rows->owner = ++owners;
}

void watch_rows_hold(struct watched_thread *thread, uint64_t from)
{
	struct watched_process *process = thread->process;
	uint64_t wrong;

	process->rows_excused += watch_rows_excused();
	wrong = watch_wrong_returns(&process->counters) - process->rows_excused;
	if (wrong == process->rows_wrong)
		return;
	process->rows_wrong = wrong;
	if (!rows_contradict(&thread->rows, from, thread->steps.shadow.id))
		watch_fail();
	thread->rows.owner = 0;
}

/* Where the innermost frame is hangs on no doubt that the frequent kind does not see. */
static bool is_plain(const struct watched_thread *thread)
{
	const struct shadow_stack *shadow = &thread->steps.shadow;
	const struct thread_rows *rows = &thread->rows;

	return shadow->count && !shadow->region_count && !shadow->in_transit &&
	       !shadow->taken_off.slot && !thread->steps.doubt && !rows->running &&
	       rows->epoch == shadow->epoch && rows->doubtful == SIZE_MAX;
}

void watch_rows_sync(struct fast_cpu *cpu)
{
	struct watched_thread *thread = cpu->thread;

	cpu->rows_owner = 0;
	if (!cpu->state.thread || !thread)
		return;
	watch_rows_hold(thread, thread->rows.stack);
	take_stack(thread);
	if (is_plain(thread))
		cpu->rows_owner = thread->rows.owner;
}

/* What was taken off is the frame of a call within its own function, which goes on with its own. */
static bool is_inner_taken_off(const struct shadow_stack *shadow)
{
	const struct rows_trial *trial = shadow->taken_off.slot
						 ? rows_trial(shadow->taken_off.watch)
						 : NULL;

	return trial && trial->inner;
}

enum row_fact_kind watch_rows_kind(struct watched_thread *thread, size_t count, bool doubtful,
				   uint64_t *ret_cfa)
{
	const struct shadow_stack *shadow = &thread->steps.shadow;
	struct thread_rows *rows = &thread->rows;
	const struct shadow_frame *top = count ? &shadow->frame[count - 1] : NULL;

	*ret_cfa = 0;
	take_stack(thread);
	if (rows->epoch != shadow->epoch || (rows->doubtful != SIZE_MAX && rows->frames != count))
		rows->doubtful = truth_doubtful_depth(&thread->process->steps, shadow);
	rows->epoch = shadow->epoch;
	rows->frames = count;
	if (((doubtful || shadow->in_transit || shadow->taken_off.slot) &&
	     !is_inner_taken_off(shadow)) ||
	    count > rows->doubtful)
		return ROW_FACT_DOUBT;
	if (!top)
		return shadow->rooted ? ROW_FACT_OUTERMOST : ROW_FACT_PREFIX;
	if (top->interrupted)
		return ROW_FACT_SIGNAL;
	*ret_cfa = top->slot + sizeof(uint64_t);
	return ROW_FACT_FRAME;
}

/* Whether the innermost return address is in its slot. */
static bool is_in_slot(const struct stepped_process *process, uint64_t cfa, uint64_t return_address)
{
	uint64_t word;

	return !process->memory.read(process->memory.context, cfa - sizeof(word), &word,
				     sizeof(word)) &&
	       !((word ^ return_address) % TABLE_PAGE_SIZE);
}

/* ---- a segment begins ----------------------------------------------------------------------------- */

struct row_fact_return watch_rows_returns(const struct memory_reader *memory, uint64_t cfa,
					  uint64_t return_address)
{
	struct row_fact_return ret = { .known = false };
	uint64_t word[ROW_RETURN_WORDS];
	uint64_t high = cfa + ROW_RETURN_ABOVE + sizeof(word[0]);

	if (memory->read(memory->context, high - sizeof(word), word, sizeof(word)))
		return ret;
	ret.known = true;
	for (size_t i = 0; i < ROW_RETURN_WORDS; i++)
		ret.has |= (uint64_t)(word[ROW_RETURN_WORDS - 1 - i] == return_address) << i;
	ret.lacks = ~(ret.has | ROW_RETURN_SLOT);
	ret.has &= ~ROW_RETURN_SLOT;
	return ret;
}

/* A general register has it. */
static bool is_carried(const struct watched_thread *thread, uint64_t return_address)
{
	struct user_regs_struct regs = thread->steps.regs;

	if (thread->process->fast)
		watch_read_registers(&regs);
	return registers_with(&regs, return_address);
}

struct rows_record *watch_rows_record(struct watched_thread *thread, size_t count,
				      struct rows_record *key, uint64_t cfa, uint64_t sp,
				      uint64_t bp)
{
	struct shadow_frame *top = count ? &thread->steps.shadow.frame[count - 1] : NULL;
	const struct memory_reader *memory = &thread->process->steps.memory;
	struct rows_trial *trial = NULL;
	struct rows_record *ret;

	key->stack = thread->rows.stack;
	if (key->kind == ROW_FACT_FRAME) {
		trial = rows_trial(top->watch);
		if (!trial)
			top->watch = 0;
		key->call = rows_trial_index(top->watch);
		key->sp = row_fact_below(cfa, sp);
		key->bp = trial ? rows_raw(cfa, bp) : row_fact_below(cfa, bp);
	}
	ret = rows_record(&thread->rows, key);
	if (!ret || ret->runs || key->kind != ROW_FACT_FRAME)
		return ret;
	if (is_in_slot(&thread->process->steps, cfa, top->return_address)) {
		ret->returns = watch_rows_returns(memory, cfa, top->return_address);
		ret->carried = is_carried(thread, top->return_address);
		return !trial || rows_trial_add(trial, &thread->rows, ret) ? ret : NULL;
	}
	key->kind = ROW_FACT_DOUBT;
	key->sp = key->bp = 0;
	key->call = 0;
	return rows_record(&thread->rows, key);
}

/* The record of a segment that is about to run; NULL: no memory. */
static struct rows_record *find_record(struct fast_cpu *cpu, const struct rows_segment *segment,
				       uint64_t sp, uint64_t bp, uint64_t pc)
{
	struct watched_thread *thread = cpu->thread;
	const struct watched_process *process = cpu->vcpu->thread->process;
	const struct code_range *range = code_map_find(&process->truth.code, pc);
	size_t count = fast_open(&thread->steps, sp);
	uint64_t cfa;
	struct rows_record key = { .segment = segment, .pc = pc };

	fast_confirm(&cpu->state);
	key.kind = watch_rows_kind(thread, count, fast_is_doubtful(&thread->steps, sp), &cfa);
	if (range) {
		key.file = range->file;
		key.pc = pc - range->bias;
	}
	return watch_rows_record(thread, count, &key, cfa, sp, bp);
}

static __attribute__((noinline)) void run_slowly(unsigned number, struct rows_segment *segment)
{
	struct fast_cpu *cpu = &watch_fast_cpus[number];
	uint64_t sp = watch_register(REGISTER(rsp)), bp = watch_register(REGISTER(rbp));
	uint64_t pc = watch_register(REGISTER(rip)) + segment->key.offset;
	struct rows_record *record;

	watch_lock();
	if (!cpu->state.thread || !cpu->vcpu->thread || watch.failed) {
		watch_unlock();
		return;
	}
	if (watch.first && !cpu->seen)
		cpu->seen = calloc(SEEN_SLOTS, sizeof(*cpu->seen));
	rows_finish(&cpu->thread->rows);
	record = find_record(cpu, segment, sp, bp, pc);
	if (!record || (watch.first && !cpu->seen)) {
		watch_fail();
	} else {
		record->runs++;
		if (record->ran < segment->key.count) {
			cpu->thread->rows.running = record;
			cpu->thread->rows.running_at = pc;
		} else if (record->kind == ROW_FACT_FRAME) {
			__atomic_store_n(&segment->last[number % ROWS_CPUS], record,
					 __ATOMIC_RELEASE);
		}
		watch_rows_sync(cpu);
	}
	watch_unlock();
}

static void on_segment(unsigned number, void *userdata)
{
	struct rows_segment *segment = userdata;
	const struct fast_cpu *cpu = &watch_fast_cpus[number];
	const struct shadow_stack *shadow;
	const struct shadow_frame *top;
	struct rows_record *record;
	uint64_t sp, bp, cfa;

	if (!cpu->rows_owner) {
		run_slowly(number, segment);
		return;
	}
	shadow = &cpu->state.thread->shadow;
	top = &shadow->frame[shadow->count - 1];
	if (watch.first && is_enough(cpu, segment, top->return_address))
		return;
	sp = watch_register(REGISTER(rsp));
	bp = watch_register(REGISTER(rbp));
	cfa = top->slot + sizeof(uint64_t);
	record = __atomic_load_n(&segment->last[number % ROWS_CPUS], __ATOMIC_ACQUIRE);
	if (record && __atomic_load_n(&record->owner, __ATOMIC_RELAXED) == cpu->rows_owner &&
	    top->slot >= sp && !top->interrupted && record->call == rows_trial_index(top->watch) &&
	    !((row_fact_below(cfa, sp) ^ record->sp) & record->sp_mask) &&
	    !(((top->watch ? rows_raw(cfa, bp) : row_fact_below(cfa, bp)) ^ record->bp) &
	      record->bp_mask))
		record->runs++;
	else
		run_slowly(number, segment);
}

/* ---- translation -------------------------------------------------------------------------------- */

/* Of instructions, the first of which is insn. NULL: no memory. */
static struct rows_segment *know(struct qemu_plugin_insn *insn, const struct fast_instruction *one,
				 const struct rows_step *step, size_t count, uint64_t offset)
{
	static struct known known = { .key_bytes = sizeof(struct rows_segment_key),
				      .bytes = sizeof(struct rows_segment) };
	struct rows_segment_key key = { .at = qemu_plugin_insn_haddr(insn),
					.offset = (uint32_t)offset,
					.count = (uint32_t)count };
	struct rows_segment *segment;
	bool is_new;

	for (size_t i = 0; i < count; i++)
		key.bytes = number_hash(key.bytes, one[i].bytes, one[i].instruction.length);
	segment = known_find(&known, &key, &is_new);
	if (!segment || !is_new)
		return segment;
	segment->step = malloc(count * sizeof(*step));
	if (!segment->step)
		return NULL;
	memcpy(segment->step, step, count * sizeof(*step));
	segment->size = step[count - 1].offset + one[count - 1].instruction.length;
	segment->calls_kernel = one[count - 1].instruction.kind == INSTRUCTION_SYSCALL;
	return segment;
}

size_t watch_rows_translated(struct qemu_plugin_tb *tb, const struct fast_instruction *block,
			     size_t count, size_t at)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, at);
	struct rows_step *step = malloc((count - at) * sizeof(*step));
	struct rows_segment *segment = NULL;
	size_t size = 1;

	watch_lock();
	if (step) {
		size = rows_segment(block + at, count - at, step);
		segment = know(insn, block + at, step, size,
			       qemu_plugin_insn_vaddr(insn) - qemu_plugin_tb_vaddr(tb));
	}
	if (!segment)
		watch_fail();
	watch_unlock();
	free(step);
	if (segment && at)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			insn, on_segment, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_EQ,
			watch_word(offsetof(struct vcpu, followed)), 1, segment);
	else if (segment)
		qemu_plugin_register_vcpu_tb_exec_cond_cb(
			tb, on_segment, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_EQ,
			watch_word(offsetof(struct vcpu, followed)), 1, segment);
	return size;
}
