/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_executed.c - what a step really executed
 *
 * The tracer decodes an instruction once. That it is still the same when it is executed again can't
 * be known: a debugger or the program itself may write through /proc/PID/mem, another mapping of
 * the same memory, another process, or into the file behind a private mapping. To read the bytes at
 * every step costs a system call a step. But what matters is only what happened to rsp, and that
 * the registers show. So the bytes are read again whenever
 *
 *	they contradict		a call that pushed nothing, a push that jumped, a jump out of what
 *				is no jump, a syscall (rcx is the next rip) that is none
 *	rsp went elsewhere	by anything but 8, or by 8 as a call of the next instruction would
 *	it is a system call	there are few
 *
 * Code that moves neither rsp nor the truth may be stale, and decides nothing.
 *
 * Of one that is a uprobe's breakpoint the kernel executes what it stands for, elsewhere: that is read in the
 * file.
 *
 * Two steps execute two instructions. `mov ss` holds the trap back for one. And the vsyscall page's
 * functions are no code: the kernel does what they say when they are called, and returns; the trap
 * comes after the instruction behind the call. As there is no code, it is no point either.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include "walk/mapped_file.h"
#include "tracer.h"

#define VSYSCALL_LOW  0xffffffffff600000ULL
#define VSYSCALL_HIGH 0xffffffffff601000ULL
#define WORD_BYTES    8
#define CALL_NEXT_MIN 5 /* call rel32: what a call of the next instruction takes at least */

bool is_vsyscall(uint64_t pc)
{
	return pc >= VSYSCALL_LOW && pc < VSYSCALL_HIGH;
}

/* A call of the next instruction leaves the registers as a push of the same length. */
static bool pushed(const struct instruction *instruction, bool goes_on)
{
	return !goes_on || instruction->length >= CALL_NEXT_MIN;
}

/* Whether the bytes must be read again to say what led from before to after. */
static bool is_doubtful(const struct instruction *instruction,
			const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	int64_t moved = after->rsp - before->rsp;
	bool goes_on = after->rip == before->rip + instruction->length || !instruction->length;

	switch (instruction->kind) {
	case INSTRUCTION_CALL: return moved != -WORD_BYTES;
	case INSTRUCTION_RETURN: return moved < WORD_BYTES || goes_on;
	case INSTRUCTION_SYSCALL: return true;
	case INSTRUCTION_UNKNOWN: return false; /* never kept */
	case INSTRUCTION_TRAP:
	case INSTRUCTION_OTHER: break;
	}
	if (after->rcx == after->rip)
		return true;
	if (moved == -WORD_BYTES)
		return pushed(instruction, goes_on);
	if (moved)
		return moved != WORD_BYTES || !goes_on;
	return !goes_on && !instruction->traits.jumps && after->rip != before->rip;
}

/* Out of what does not jump, and by its bytes of now: a restartable sequence was aborted. */
static bool was_moved(const struct instruction *instruction, const struct user_regs_struct *before,
		      const struct user_regs_struct *after)
{
	return instruction->length && !instruction->traits.jumps && after->rip != before->rip &&
	       after->rip != before->rip + instruction->length &&
	       instruction->kind != INSTRUCTION_UNKNOWN;
}

static void read_again(struct tracer *tracer, struct thread *thread,
		       const struct user_regs_struct *regs)
{
	bool stale;

	thread->core.next = decoder_renew(tracer->core.decoder, thread->core.regs.rip,
					  &tracer->core.memory, &stale);
	tracer->counters.stale_instructions += stale;
	if (was_moved(&thread->core.next, &thread->core.regs, regs)) {
		tracer->counters.moved++;
		thread->rseq.polled = thread->rseq.area;
	}
}

/* ---- a uprobe's breakpoint -------------------------------------------------------------- */

/* Memory as the mapped file has it: what is at an address of one executable line of maps. */
struct file_memory {
	int fd;
	uint64_t start, end, offset;
};

static int read_file_memory(void *context, uint64_t address, void *ret, size_t size)
{
	const struct file_memory *file = context;

	if (address < file->start || address >= file->end || size > file->end - address)
		return -1;
	return pread(file->fd, ret, size, file->offset + (address - file->start)) == (ssize_t)size
		       ? 0
		       : -1;
}

/* The file behind pc. False: there is none, or it can't be opened. */
static bool open_file_memory(pid_t pid, uint64_t pc, struct file_memory *ret)
{
	struct maps_line parsed;
	char path[96], *line = maps_line_find(pid, pc, &parsed);
	bool found = line && parsed.inode;

	if (found) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
			 parsed.start, parsed.end);
		*ret = (struct file_memory) { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
					      parsed.start, parsed.end, parsed.offset };
	}
	free(line);
	return found && ret->fd >= 0;
}

void tracer_decode_probed(struct tracer *tracer, struct thread *thread)
{
	struct file_memory file;
	const struct memory_reader memory = { .read = read_file_memory, .context = &file };
	struct instruction instruction;

	if (!open_file_memory(thread->core.tid, thread->core.regs.rip, &file))
		return;
	instruction = decoder_decode(tracer->core.decoder, thread->core.regs.rip, &memory);
	if (instruction.length && instruction.kind != INSTRUCTION_TRAP)
		thread->core.next = instruction;
	close(file.fd);
}

/* The instruction at pc ran in the same step. */
static void follow(struct tracer *tracer, struct thread *thread, uint64_t pc)
{
	tracer->counters.merged_steps++;
	thread->core.regs.rip = pc;
	thread->core.next = tracer_decode(tracer, pc);
}

/* What memory holds there may be what the instruction behind the call has pushed since. */
static bool return_address_of(const struct tracer *tracer, const struct thread *thread,
			      uint64_t *ret)
{
	const struct shadow_stack *shadow = &thread->core.shadow;

	if (shadow->count && shadow->frame[shadow->count - 1].slot == thread->core.regs.rsp) {
		*ret = shadow->frame[shadow->count - 1].return_address;
		return true;
	}
	return !tracer->core.memory.read(tracer->core.memory.context, thread->core.regs.rsp, ret,
					 sizeof(*ret));
}

static void follow_vsyscall(struct tracer *tracer, struct thread *thread,
			    const struct user_regs_struct *regs)
{
	uint64_t return_address;

	/* Where the kernel traps before the instruction behind the call, it was only a return. */
	thread->core.next = (struct instruction) { .kind = INSTRUCTION_RETURN };
	if (!return_address_of(tracer, thread, &return_address) || regs->rip == return_address)
		return;
	thread->core.regs.rsp += WORD_BYTES;
	shadow_stack_move(&thread->core.shadow, thread->core.regs.rsp);
	follow(tracer, thread, return_address);
}

void thread_executed(struct tracer *tracer, struct thread *thread,
		     const struct user_regs_struct *regs)
{
	uint64_t pc = thread->core.regs.rip;

	if (is_vsyscall(pc)) {
		follow_vsyscall(tracer, thread, regs);
		return;
	}
	if (thread->core.next.traits.holds_trap && regs->rip != pc + thread->core.next.length)
		follow(tracer, thread, pc + thread->core.next.length);
	if (is_doubtful(&thread->core.next, &thread->core.regs, regs))
		read_again(tracer, thread, regs);
}
