/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_fast.c - where the guest's code calls the witness that asks for stacks at kernel entries only
 *
 *	a call's store, a ret's load	fast.h: the frequent kind takes no lock
 *	what must be stepped		registers are read here, and at the next instruction or block
 *	a block after the kernel	who runs, where rsp is; the stack counts
 *
 * There is no conditional callback of memory: whose vCPU runs nobody that is watched has no thread here, and
 * callbacks end at once. A thread runs on one vCPU at a time, and its maker is still in the kernel when it is
 * copied: so only who looks at other threads, or at what all share, needs the lock.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "plugin_known.h"
#include "plugin_watch.h"

#define WORD(member) watch_word(offsetof(struct vcpu, member))

/* By what an instruction is known: where its block was translated for, and all that callbacks must be told. */
struct seen_key {
	uint64_t block;
	const struct instruction *instruction; /* known_instruction() */
	uint32_t offset;		       /* in its block */
	uint16_t takes, derived;
};

/* What callbacks get of an instruction. */
struct seen {
	struct seen_key key;
	struct instruction instruction;
	struct fast_site site;
	uint64_t
		proven; /* with rows=, a call: in this image (fast.h) it is on no trial (plugin_rows.h) */
};

struct fast_cpu watch_fast_cpus[GUEST_RINGS_MAX];

static const struct instruction nothing;

/* The thread's stacks have changed, and rsp is there now. */
static void follow(struct fast_cpu *cpu, uint64_t sp)
{
	if (watch.failed)
		cpu->state.thread = NULL;
	cpu->vcpu->followed = cpu->state.thread != NULL;
	cpu->vcpu->fast = (struct fast_words) { .room = FAST_ROOM_ENOUGH };
	cpu->rows_owner = 0;
	if (!cpu->state.thread)
		return;
	fast_sync(&cpu->state, sp);
	if (watch.rows)
		watch_rows_sync(cpu);
	if (fast_attends(&cpu->state))
		cpu->vcpu->look = LOOK_STEPPED;
}

static void finish(struct fast_cpu *cpu, int status)
{
	if (status) {
		watch_fail();
		follow(cpu, 0);
		watch_unlock();
		return;
	}
	watch_entry_contradict(cpu->thread);
	if (fast_attends(&cpu->state))
		cpu->vcpu->look = LOOK_STEPPED;
	if (watch.rows)
		watch_rows_sync(cpu);
	watch_unlock();
}

/* ---- calls and returns --------------------------------------------------------------------- */

/* The frequent kind saves no registers of the host's. */
static __attribute__((noinline)) void call_slowly(struct fast_cpu *cpu, struct seen *seen,
						  uint64_t slot, uint64_t value)
{
	int status;

	if (cpu->vcpu->fast.stepping)
		return;
	watch_lock();
	status = fast_call(&cpu->state, &seen->instruction, slot, value);
	if (!status && watch.rows && watch_rows_is_called(cpu->thread) &&
	    watch_rows_called(cpu->thread, seen->instruction.length))
		__atomic_store_n(&seen->proven, cpu->state.image, __ATOMIC_RELAXED);
	finish(cpu, status);
}

/* False: nothing was done. */
static bool call_fast(struct fast_cpu *cpu, const struct seen *seen, uint64_t slot, uint64_t value)
{
	if (watch.rows && __atomic_load_n(&seen->proven, __ATOMIC_RELAXED) != cpu->state.image)
		return false;
	return fast_called(&cpu->state, slot, value);
}

/* The length of the call that was stepped, and is not applied yet; 0: it is none. */
static unsigned int pending_call(const struct fast_cpu *cpu)
{
	const struct stepped_thread *steps = &cpu->thread->steps;

	return watch.rows && steps->pending && steps->next.kind == INSTRUCTION_CALL
		       ? steps->next.length
		       : 0;
}

/* It has been applied. */
static void note_called(struct fast_cpu *cpu, unsigned int length)
{
	if (length && watch_rows_is_called(cpu->thread))
		watch_rows_called(cpu->thread, length);
}

static __attribute__((noinline)) void call_unknown(struct fast_cpu *cpu, struct seen *seen,
						   uint32_t access, uint64_t slot)
{
	uint64_t value = qemu_plugin_mem_get_value(access).data.u64;

	fast_remember(&cpu->state, &seen->site, value);
	if (!call_fast(cpu, seen, slot, value))
		call_slowly(cpu, seen, slot, value);
}

static void on_call(unsigned number, uint32_t access, uint64_t slot, void *userdata)
{
	struct fast_cpu *cpu = &watch_fast_cpus[number];
	struct seen *seen = userdata;
	uint64_t value;

	if (!cpu->state.thread)
		return;
	if (!fast_remembered(&cpu->state, &seen->site, &value))
		call_unknown(cpu, seen, access, slot);
	else if (!call_fast(cpu, seen, slot, value))
		call_slowly(cpu, seen, slot, value);
}

static __attribute__((noinline)) void return_slowly(struct fast_cpu *cpu, const struct seen *seen,
						    uint32_t access, uint64_t slot)
{
	uint64_t target = qemu_plugin_mem_get_value(access).data.u64;
	uint64_t sp = slot + sizeof(slot) + seen->key.takes;

	if (cpu->vcpu->fast.stepping)
		return;
	watch_lock();
	finish(cpu, fast_return(&cpu->state, &seen->instruction, slot, target, sp));
}

/* Whether the ret goes where the innermost call said, wherever its code is mapped. */
static bool goes_back(const struct fast_cpu *cpu, uint32_t access)
{
	const struct shadow_stack *shadow = &cpu->state.thread->shadow;
	uint64_t target = qemu_plugin_mem_get_value(access).data.u64;

	return shadow->count &&
	       !((shadow->frame[shadow->count - 1].return_address ^ target) % TABLE_PAGE_SIZE);
}

static void on_return(unsigned number, uint32_t access, uint64_t slot, void *userdata)
{
	struct fast_cpu *cpu = &watch_fast_cpus[number];
	const struct seen *seen = userdata;

	if (cpu->state.thread &&
	    ((watch.rows && !goes_back(cpu, access)) ||
	     !fast_returned(&cpu->state, slot, slot + sizeof(slot) + seen->key.takes)))
		return_slowly(cpu, seen, access, slot);
}

static void on_leave(unsigned number, uint32_t access, uint64_t address, void *userdata)
{
	struct fast_cpu *cpu = &watch_fast_cpus[number];

	if (!cpu->state.thread || cpu->vcpu->fast.stepping)
		return;
	watch_lock();
	finish(cpu, fast_leave(&cpu->state, address));
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void on_try(unsigned number, void *userdata)
{
	if (watch_fast_cpus[number].state.thread)
		fast_try(&watch_fast_cpus[number].state);
}

static void on_step(unsigned number, void *userdata)
{
	struct fast_cpu *cpu = &watch_fast_cpus[number];
	const struct seen *seen = userdata;
	struct user_regs_struct regs;
	unsigned int calls;
	int status;

	if (!cpu->state.thread)
		return;
	watch_read_registers(&regs);
	regs.rip += seen->key.offset;
	watch_lock();
	calls = pending_call(cpu);
	cpu->thread->process->at = &nothing;
	cpu->vcpu->look = LOOK_STEPPED;
	status = fast_step(&cpu->state, &regs, &seen->instruction, seen->key.derived);
	note_called(cpu, calls);
	if (!status && seen->instruction.kind == INSTRUCTION_SYSCALL)
		fast_confirm(&cpu->state); /* it may be the thread's last */
	finish(cpu, status);
}

/* ---- a block begins ------------------------------------------------------------------------- */

/* The last instruction was a system call: the stack is still as it was there. */
static void note_call(struct fast_cpu *cpu, const struct user_regs_struct *regs)
{
	struct watched_thread *thread = cpu->thread;
	const struct user_regs_struct *before = &thread->steps.regs;

	watch_entry(thread, before->rip + thread->steps.next.length, before->rsp);
	if (!thread->steps.next.traits.legacy_call)
		watch_follow_code(thread->process, before, regs->rax);
}

/* Whether the last instruction was executed, if it is known, and what the kernel did. */
static int go_on(struct fast_cpu *cpu, const struct user_regs_struct *regs)
{
	struct watched_thread *thread = cpu->thread;
	struct user_regs_struct left = *regs;
	bool handler = watch_handler(thread, regs, &left);
	bool calls = thread->steps.pending && thread->steps.next.kind == INSTRUCTION_SYSCALL;
	unsigned int call;
	int status;

	if (thread->rows.running)
		rows_go_on(&thread->rows, left.rip);
	/* It faulted, and is executed again. */
	if (thread->steps.pending && !calls && left.rip == thread->steps.regs.rip)
		thread->steps.pending = false;
	if (calls)
		note_call(cpu, regs);
	call = pending_call(cpu);
	status = fast_settle(&cpu->state, &left);
	note_called(cpu, call);
	if (!status && !calls) {
		fast_confirm(&cpu->state);
		watch_entry(thread, left.rip, left.rsp);
	}
	if (!status && handler && watch.walks) {
		fast_sync(&cpu->state, left.rsp);
		fast_confirm(&cpu->state);
		walks_check(thread, &left);
	}
	if (!status && handler)
		status = stepped_enter_handler(&thread->process->steps, &thread->steps, regs);
	return status;
}

/* What the kernel has made of the thread can be sampled, too, before it goes on. */
static void note_after(struct watched_thread *thread, const struct user_regs_struct *regs)
{
	if (!thread->entered.valid || thread->entered.pc != regs->rip ||
	    thread->entered.sp != regs->rsp)
		watch_entry_after(thread, regs->rip, regs->rsp);
}

static void look(struct fast_cpu *cpu, bool kernel_ran)
{
	struct watched_thread *thread = cpu->thread;
	struct user_regs_struct regs;
	int status = 0;

	watch_read_registers(&regs);
	thread->process->at = &nothing;
	if (!thread->begun) {
		watch_begin(thread, &regs, &nothing);
		if (!thread->begun) {
			cpu->vcpu->look = LOOK_AWAITS;
			return;
		}
	} else if (kernel_ran) {
		cpu->state.thread = &thread->steps;
		status = go_on(cpu, &regs);
	} else {
		unsigned int call = pending_call(cpu);

		status = fast_settle(&cpu->state, &regs);
		note_called(cpu, call);
	}
	cpu->state.thread = &thread->steps;
	if (status)
		watch_fail();
	follow(cpu, regs.rsp);
	if (!status)
		fast_confirm(&cpu->state);
	if (!kernel_ran || status)
		return;
	if (watch.walks) {
		walks_check(thread, &regs);
		cpu->vcpu->driven = thread->process->root && walks_are_wanted() ? DRIVEN_FRESH
										: DRIVEN_NOT;
	}
	watch_entry_contradict(thread);
	note_after(thread, &regs);
	thread->entered.valid = false;
	watch.counters.doubtful += fast_is_doubtful(&thread->steps, regs.rsp);
	thread->process->untold += !code_map_find(&thread->process->truth.code, regs.rip);
	stepped_entry(&thread->process->steps, &thread->steps);
}

void watch_fast_look(unsigned number, bool kernel_ran)
{
	struct fast_cpu *cpu = &watch_fast_cpus[number];
	struct vcpu *vcpu = watch_vcpu(number);

	if (kernel_ran) {
		if (watch.walks)
			walks_take();
		vcpu->driven = DRIVEN_NOT;
		cpu->thread = vcpu->thread && watch.check ? vcpu->thread->twin : vcpu->thread;
		cpu->vcpu = vcpu;
		cpu->state.words = &vcpu->fast;
		cpu->state.thread = NULL;
		cpu->state.process = cpu->thread ? &cpu->thread->process->steps : NULL;
		cpu->state.image = cpu->thread ? cpu->thread->process->image : 0;
		follow(cpu, 0);
	}
	if (cpu->thread)
		look(cpu, kernel_ran);
	if (kernel_ran)
		vcpu->attended = cpu->thread && !watch.check;
}

bool watch_fast_forget(const struct watched_thread *thread)
{
	bool ret = false;

	for (size_t i = 0; i < GUEST_RINGS_MAX; i++) {
		if (watch_fast_cpus[i].thread != thread)
			continue;
		ret |= watch_fast_cpus[i].state.thread != NULL;
		watch_fast_cpus[i].thread = NULL;
		watch_fast_cpus[i].rows_owner = 0;
		watch_fast_cpus[i].state.thread = NULL;
	}
	return ret;
}

void watch_fast_sum(struct watch_counters *ret)
{
	for (size_t i = 0; i < GUEST_RINGS_MAX; i++) {
		ret->calls += watch_fast_cpus[i].state.calls;
		ret->returns += watch_fast_cpus[i].state.returns;
		ret->late += watch_fast_cpus[i].state.late;
		ret->remapped += watch_fast_cpus[i].state.remapped;
		ret->overwritten += watch_fast_cpus[i].state.overwritten;
	}
}

/* ---- translation ----------------------------------------------------------------------------- */

/* False: no memory. */
static bool decode(const struct qemu_plugin_insn *insn, struct fast_instruction *ret)
{
	const struct instruction *known = known_instruction(insn, watch.decoder);

	if (!known)
		return false;
	memset(ret->bytes, 0, sizeof(ret->bytes));
	qemu_plugin_insn_data(insn, ret->bytes, INSTRUCTION_BYTES_MAX);
	ret->known = known;
	ret->instruction = *known;
	ret->instruction.length = (uint8_t)qemu_plugin_insn_size(insn);
	return true;
}

/* NULL: no memory. */
static struct seen *know(const struct fast_instruction *one, uint64_t block, uint64_t offset)
{
	static struct known known = { .key_bytes = sizeof(struct seen_key),
				      .bytes = sizeof(struct seen) };
	const struct seen_key key = { block, one->known, (uint32_t)offset, one->takes,
				      one->derived };
	bool is_new;
	struct seen *seen = known_find(&known, &key, &is_new);

	if (seen && is_new)
		seen->instruction = one->instruction;
	return seen;
}

static void instrument(struct qemu_plugin_insn *insn, const struct fast_instruction *one,
		       uint64_t block, uint64_t offset)
{
	struct seen *seen;

	if (one->need == FAST_NOTHING && !one->may_step)
		return;
	watch_lock();
	seen = watch.failed ? NULL : know(one, block, offset);
	if (!seen)
		watch_fail();
	watch_unlock();
	if (!seen)
		return;
	if (one->tries)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, on_try, QEMU_PLUGIN_CB_NO_REGS,
							    QEMU_PLUGIN_COND_LT, WORD(fast.room),
							    one->enough, NULL);
	if (one->may_step || one->need == FAST_STEP)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			insn, on_step, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_EQ,
			one->need == FAST_STEP ? WORD(followed) : WORD(fast.stepping), 1, seen);
	if (one->need == FAST_CALL)
		qemu_plugin_register_vcpu_mem_cb(insn, on_call, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_W, seen);
	if (one->need == FAST_RETURN)
		qemu_plugin_register_vcpu_mem_cb(insn, on_return, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_R, seen);
	if (one->need == FAST_LEAVE)
		qemu_plugin_register_vcpu_mem_cb(insn, on_leave, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_R, seen);
}

void watch_fast_translated(struct qemu_plugin_tb *tb)
{
	uint64_t begin = qemu_plugin_tb_vaddr(tb);
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct fast_instruction *block = malloc((count + !count) * sizeof(*block));
	size_t segment = 0;
	int64_t raised;
	bool good = block != NULL;

	watch_lock();
	for (size_t i = 0; i < count && good; i++)
		good = decode(qemu_plugin_tb_get_insn(tb, i), &block[i]);
	if (!good)
		watch_fail();
	watch_unlock();
	if (!good) {
		free(block);
		return;
	}
	raised = fast_block(block, count);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		instrument(insn, &block[i], begin, qemu_plugin_insn_vaddr(insn) - begin);
		if (watch.rows && i == segment)
			segment += watch_rows_translated(tb, block, count, i);
		if (raised && i + 1 == count)
			qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
				insn, QEMU_PLUGIN_INLINE_ADD_U64, WORD(fast.room),
				(uint64_t)-raised);
	}
	free(block);
}
