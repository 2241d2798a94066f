/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_threads.c - whom a vCPU runs, and what its thread has executed
 */
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "array.h"
#include "clock.h"
#include "freed.h"
#include "plugin_watch.h"

#define SIGNALS		  64		/* of the kernel's */
#define KERNEL_MASK_BYTES 8		/* the last member of its struct ucontext */
#define SAVED_NS	  5000000000ull /* between two times that truths are saved, at least; and */
#define SAVED_SHARE	  20		/* so many times as long as saving takes */
#define START_WORDS_MAX	  0x100000 /* execve(2) takes less than 6 MiB of pointers and strings */

/* What is asked for after an instruction that is not the next one. */
static const struct instruction nothing;

void watch_fail(void)
{
	if (!watch.error.code)
		error_set(&watch.error, ERROR_MEMORY, NULL, 0, "no memory for the witness");
	watch.failed = true;
}

/* ---- processes and threads ----------------------------------------------------------------- */

static int read_memory(void *context, uint64_t address, void *ret, size_t size)
{
	return plugin_memory_read(address, ret, size) ? 0 : -1;
}

static bool find_mapping(void *context, uint64_t address, struct address_range *ret)
{
	const struct watched_process *process = context;

	return guest_kernel_mapping(&watch.kernel, process->task, address, ret);
}

static struct instruction decode(void *context, uint64_t pc)
{
	const struct watched_process *process = context;

	return *process->at;
}

struct watched_process *watch_process(pid_t pid)
{
	struct watched_process **found = ARRAY_FIRST(watch.process, watch.processes, one,
						     (*one)->pid == pid);

	return found ? *found : NULL;
}

/* A zeroed struct for one more process or thread. */
static void *one_more(size_t size)
{
	if (watch.alive >= WATCHED_MAX) {
		error_set(&watch.error, ERROR_UNAVAILABLE, NULL, 0,
			  "more than %d processes and threads at a time", WATCHED_MAX);
		return NULL;
	}
	watch.alive++;
	return calloc(1, size);
}

static void init_process(struct watched_process *process, pid_t pid, bool fast)
{
	process->pid = pid;
	process->fast = fast;
	process->image = watch.images++ % FAST_IMAGES + 1;
	process->steps = (struct stepped_process) {
		.pid = pid,
		.error = &watch.error,
		.counters = &process->counters,
		.memory = { .read = read_memory },
		.decoder = watch.decoder,
		.observer = watch.rows ? &watch_rows_observer : NULL,
		.context = process,
		.find_mapping = find_mapping,
		.decode = decode,
	};
}

struct watched_process *watch_process_make(pid_t pid)
{
	bool twins = watch.check;
	struct watched_process *process = one_more(sizeof(*process));
	struct watched_process *twin = process && twins ? one_more(sizeof(*twin)) : NULL;

	if (!process || (twins && !twin) || !ARRAY_ADD(watch.process, watch.processes, process)) {
		free(process);
		free(twin);
		watch_fail();
		return NULL;
	}
	init_process(process, pid, !watch_is_exact());
	process->number = watch.made++;
	process->twin = twin;
	if (twin)
		init_process(twin, pid, true);
	return process;
}

struct watched_thread *watch_thread(const struct watched_process *process, pid_t tid)
{
	struct watched_thread **found = ARRAY_FIRST(process->thread, process->threads, one,
						    (*one)->steps.tid == tid);

	return found ? *found : NULL;
}

struct watched_thread *watch_thread_make(struct watched_process *process, pid_t tid)
{
	struct watched_thread *thread = one_more(sizeof(*thread));

	if (!thread || !ARRAY_ADD(process->thread, process->threads, thread)) {
		free(thread);
		watch_fail();
		return NULL;
	}
	process->threads_made++;
	thread->steps.tid = tid;
	thread->process = process;
	if (process->twin) {
		thread->twin = watch_thread_make(process->twin, tid);
		return thread->twin ? thread : NULL;
	}
	return thread;
}

void watch_inherit(struct watched_thread *thread, const struct watched_thread *maker)
{
	if (thread->twin)
		watch_inherit(thread->twin, maker ? maker->twin : NULL);
	thread->stranger = !maker || !maker->begun;
	if (thread->stranger)
		return;
	thread->inherits = !stepped_inherit(&thread->process->steps, &thread->steps,
					    &maker->process->steps, &maker->steps);
	thread->steps.regs = maker->steps.regs; /* of the system call that makes it */
	if (!thread->inherits)
		watch_fail();
}

static void forget_thread(struct watched_process *process, size_t at)
{
	struct watched_thread *thread = process->thread[at];

	watch_thread_leaves(thread);
	watch_entry_last(thread);
	free(thread->walked);
	thread->walked = NULL;
	stack_pool_forget(&process->steps.stacks, thread->steps.tid);
	process->thread[at] = process->thread[--process->threads];
	truth_thread_end(&process->truth, &thread->truth);
	if (!rows_end(&thread->rows))
		watch_fail();
	watch.alive--;
	if (watch_fast_forget(thread))
		return;
	stepped_end(&thread->steps);
	free(thread);
}

static void forget_threads(struct watched_process *process, pid_t tid)
{
	if (process->twin)
		forget_threads(process->twin, tid);
	for (size_t i = process->threads; i-- > 0;)
		if (process->thread[i]->steps.tid == tid)
			forget_thread(process, i);
}

void watch_process_empty(struct watched_process *process)
{
	if (process->twin)
		watch_process_empty(process->twin);
	while (process->threads)
		forget_thread(process, process->threads - 1);
	stack_pool_clear(&process->steps.stacks);
	walks_process_empty(process);
	process->image = watch.images++ % FAST_IMAGES + 1;
}

char *watch_truth_path(const struct watched_process *process)
{
	char *path;

	if (asprintf(&path, process->number ? "%s.%zu" : "%s", watch.truth, process->number) >= 0)
		return path;
	watch_fail();
	return NULL;
}

/* Writes the process's truth file. Its path; NULL: there is none. A full disk is no reason to watch no more. */
static char *write_truth(struct watched_process *process, const char *partial)
{
	struct error error;
	char *path;

	if (!watch.truth || !process->truth.points)
		return NULL;
	path = watch_truth_path(process);
	if (!path)
		return NULL;
	if (watch.fast ? watch_entries_end(process)
		       : !truth_write(&process->truth, path, watch.kernel.told.release,
				      process->threads_made, partial, &error))
		return path;
	if (watch.fast)
		error = watch.error;
	if (!watch.unwritten++)
		watch.unwritten_error = error;
	free(path);
	return NULL;
}

static void presume(struct watched_process *process, int sign)
{
	for (size_t i = 0; i < process->threads; i++)
		truth_thread_presume(&process->truth, &process->thread[i]->truth, sign);
}

static void save_truths(void)
{
	for (size_t i = 0; i < watch.processes; i++) {
		presume(watch.process[i], 1);
		free(write_truth(watch.process[i], "killed"));
		presume(watch.process[i], -1);
	}
}

static bool save_threads(const struct watched_process *process)
{
	for (size_t i = 0; i < process->threads; i++)
		if (!rows_save_thread(&process->thread[i]->rows))
			return false;
	return !process->twin || save_threads(process->twin);
}

/* What is pending is then as if its threads ended. */
static void save_rows(void)
{
	struct error error;
	bool done = rows_save_begin();

	for (size_t i = 0; i < watch.processes && done; i++)
		done = save_threads(watch.process[i]);
	if (!done)
		watch_fail();
	else if (rows_save(watch.rows, watch.fast ? watch.first : 0, &error) && !watch.unwritten++)
		watch.unwritten_error = error;
}

void watch_save(void)
{
	bool saves = watch.truth && !watch.fast; /* entries are written as they come */
	uint64_t start = saves || watch.rows ? monotonic_ns() : 0, spent;

	if (start < watch.next_ns || !start)
		return;
	if (watch.next_ns && saves)
		save_truths();
	if (watch.next_ns && watch.rows)
		save_rows();
	spent = monotonic_ns() - start;
	watch.next_ns = start + spent +
			(spent * SAVED_SHARE > SAVED_NS ? spent * SAVED_SHARE : SAVED_NS);
}

static void forget_process(struct watched_process *process)
{
	struct watched_process **at = ARRAY_FIRST(watch.process, watch.processes, one,
						  *one == process);

	FREED char *path = NULL;

	watch_process_empty(process);
	path = write_truth(process, watch.over ? "killed" : NULL);
	watch.written += path != NULL;
	watch_report_process(process, path ? path : "");
	truth_deinit(&process->truth);
	*at = watch.process[--watch.processes];
	if (process->twin) {
		free(process->twin->thread);
		free(process->twin);
		watch.alive--;
	}
	free(process->thread);
	free(process);
	watch.alive--;
}

void watch_thread_end(struct watched_process *process, pid_t tid)
{
	forget_threads(process, tid);
	if (!process->threads)
		forget_process(process);
}

void watch_forget_all(void)
{
	while (watch.processes)
		forget_process(watch.process[watch.processes - 1]);
}

/* ---- from the kernel to user code ---------------------------------------------------------- */

struct watched_thread *watch_enter(void)
{
	struct guest_task task;
	struct watched_process *process;
	struct watched_thread *thread;

	watch_look_for_agent();
	if (!watch.told)
		return NULL;
	watch_events();
	watch_save();
	if (watch.failed)
		return NULL;
	if (!guest_kernel_task(&watch.kernel, watch_register(WATCH_GS_KERNEL), &task)) {
		watch.counters.unread_tasks++;
		return NULL;
	}
	process = watch_process(task.pid);
	if (!process || !process->executed)
		return NULL;
	thread = watch_thread(process, task.tid);
	if (!thread) {
		watch.counters.strangers++;
		thread = watch_thread_make(process, task.tid);
		if (!thread)
			return NULL;
		watch_inherit(thread, NULL);
	}
	watch.counters.entries++;
	process->task = task.address;
	if (process->twin)
		process->twin->task = task.address;
	thread->in_kernel = true;
	return thread;
}

/* ---- signals ------------------------------------------------------------------------------- */

/* Callee-saved registers in the encoding, in struct user_regs_struct, and in a struct ucontext. */
#define KEPT(number, member, greg)                                                                 \
	{                                                                                          \
		number, offsetof(struct user_regs_struct, member), greg                            \
	}
static const struct kept_register {
	int number;
	size_t offset;
	int greg;
} kept_registers[] = {
	KEPT(3, rbx, REG_RBX),	KEPT(5, rbp, REG_RBP),	KEPT(12, r12, REG_R12),
	KEPT(13, r13, REG_R13), KEPT(14, r14, REG_R14), KEPT(15, r15, REG_R15),
};

/* Whether these registers can be the thread's after the instruction that it was at. */
static bool goes_on_with(const struct watched_thread *thread, const gregset_t saved)
{
	const struct instruction *executed = &thread->steps.next;

	for (size_t i = 0; i < ARRAY_COUNT(kept_registers); i++) {
		const struct kept_register *kept = &kept_registers[i];
		uint64_t before =
			*(const uint64_t *)((const char *)&thread->steps.regs + kept->offset);

		if (!(executed->writes >> kept->number & 1) &&
		    (uint64_t)saved[kept->greg] != before)
			return false;
	}
	return true;
}

/* Whether steps.next is what was executed last, or was about to be. */
static bool knows_last(const struct watched_thread *thread)
{
	return !thread->process->fast || thread->steps.pending;
}

static bool is_sigreturn(const struct watched_thread *thread)
{
	return knows_last(thread) && thread->steps.next.kind == INSTRUCTION_SYSCALL &&
	       thread->steps.regs.rax == SYS_rt_sigreturn;
}

/*
 * Whether the kernel has just built a signal's frame at rsp: then a handler's three arguments are what it sets
 * them to (arch/x86/kernel/signal_64.c), and the registers in the frame are those that the thread had. Its second
 * argument is behind the kernel's struct ucontext, whose mask has eight bytes. Who faulted in the handler's first
 * instruction has entered it already.
 */
static bool enters_handler(const struct watched_thread *thread, const struct user_regs_struct *regs,
			   gregset_t ret_saved)
{
	struct {
		uint64_t restorer;
		ucontext_t context;
	} frame;

	const struct shadow_stack *shadow = &thread->steps.shadow;

	if (shadow->count > 1 && shadow->frame[shadow->count - 1].slot == regs->rsp &&
	    shadow->frame[shadow->count - 2].interrupted && !is_sigreturn(thread))
		return false;
	if (regs->rax || regs->rdi - 1 >= SIGNALS ||
	    regs->rdx != regs->rsp + sizeof(frame.restorer) ||
	    !plugin_memory_read(regs->rsp, &frame,
				sizeof(frame.restorer) + offsetof(ucontext_t, uc_mcontext.fpregs)))
		return false;
	memcpy(ret_saved, frame.context.uc_mcontext.gregs, sizeof(gregset_t));
	if (thread->process->fast)
		return regs->rsi == regs->rsp + sizeof(frame.restorer) +
					    offsetof(ucontext_t, uc_sigmask) + KERNEL_MASK_BYTES;
	return is_sigreturn(thread) || goes_on_with(thread, ret_saved);
}

static struct user_regs_struct interrupted_registers(const struct user_regs_struct *regs,
						     const gregset_t saved)
{
	struct user_regs_struct ret = *regs;

	ret.r8 = saved[REG_R8];
	ret.r9 = saved[REG_R9];
	ret.r10 = saved[REG_R10];
	ret.r11 = saved[REG_R11];
	ret.r12 = saved[REG_R12];
	ret.r13 = saved[REG_R13];
	ret.r14 = saved[REG_R14];
	ret.r15 = saved[REG_R15];
	ret.rdi = saved[REG_RDI];
	ret.rsi = saved[REG_RSI];
	ret.rbp = saved[REG_RBP];
	ret.rbx = saved[REG_RBX];
	ret.rdx = saved[REG_RDX];
	ret.rax = saved[REG_RAX];
	ret.rcx = saved[REG_RCX];
	ret.rsp = saved[REG_RSP];
	ret.rip = saved[REG_RIP];
	return ret;
}

bool watch_handler(const struct watched_thread *thread, const struct user_regs_struct *regs,
		   struct user_regs_struct *ret_interrupted)
{
	gregset_t saved;

	if (!enters_handler(thread, regs, saved))
		return false;
	*ret_interrupted = interrupted_registers(regs, saved);
	return true;
}

/* ---- steps --------------------------------------------------------------------------------- */

static void point(struct watched_thread *thread)
{
	struct watched_process *process = thread->process;

	if (!process->fast && !code_map_find(&process->truth.code, thread->steps.regs.rip))
		process->untold++;
	stepped_point(&process->steps, &thread->steps);
	if (watch.truth && !watch.fast &&
	    truth_point(&process->truth, &thread->truth, &process->steps, &thread->steps,
			&watch.error))
		watch.failed = true;
	if (watch.rows && !watch.fast)
		watch_rows_point(thread);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + TABLE_PAGE_SIZE - 1) & -(uint64_t)TABLE_PAGE_SIZE;
}

/*
 * A system call has returned: of code that it moved, or put other memory in place of, no event tells. What it has
 * mapped as code has come as an event before.
 */
void watch_follow_code(struct watched_process *process, const struct user_regs_struct *before,
		       uint64_t result)
{
	struct code_map *code = &process->truth.code;
	bool done = true;

	if (call_failed(result))
		return;
	if (before->rax == SYS_mremap && result != before->rdi)
		done = code_map_move(code, before->rdi,
				     before->rsi < before->rdx ? before->rsi : before->rdx, result);
	else if (before->rax == SYS_munmap)
		done = code_map_remove(code, before->rdi, before->rdi + whole_pages(before->rsi));
	else if (before->rax == SYS_mmap && !(before->rdx & PROT_EXEC))
		done = code_map_remove(code, result, result + whole_pages(before->rsi));
	if (!done)
		watch_fail();
}

/* Returns by which the truth has noticed that it was wrong. */
uint64_t watch_wrong_returns(const struct step_counters *counters)
{
	return counters->returns_replaced + counters->returns_stray + counters->returns_doubled;
}

static void step(struct watched_thread *thread, const struct user_regs_struct *regs,
		 const struct instruction *next)
{
	const struct step_counters *counters = &thread->process->counters;
	uint64_t wrong = watch_wrong_returns(counters), stack = thread->steps.shadow.id;
	unsigned int calls = thread->steps.next.kind == INSTRUCTION_CALL ? thread->steps.next.length
									 : 0;

	thread->process->at = next;
	if (thread->steps.next.kind == INSTRUCTION_SYSCALL &&
	    !thread->steps.next.traits.legacy_call)
		watch_follow_code(thread->process, &thread->steps.regs, regs->rax);
	if (stepped_apply(&thread->process->steps, &thread->steps, regs)) {
		watch_fail();
		return;
	}
	stepped_arrive(&thread->process->steps, &thread->steps, regs);
	if (wrong != watch_wrong_returns(counters))
		truth_contradict(&thread->process->truth, &thread->truth, stack,
				 thread->steps.shadow.id);
	if (watch.rows && !watch.fast) {
		watch_rows_hold(thread, stack);
		if (calls && watch_rows_is_called(thread))
			watch_rows_called(thread, calls);
	}
	point(thread);
}

/* The entry point of a program whose first instruction comes next: in the auxiliary vector, behind its arguments and its
 * environment (System V psABI, 3.4.1). 0: it can't be read. */
static uint64_t program_entry(uint64_t sp)
{
	uint64_t word[2];
	int ends = -1; /* of the arguments, of the environment; the first word is their number */

	for (uint64_t left = START_WORDS_MAX; left > 0; left--) {
		size_t size = ends < 2 ? sizeof(word[0]) : sizeof(word);

		if (!plugin_memory_read(sp, word, size))
			return 0;
		sp += size;
		if (ends < 2)
			ends += ends < 0 || !word[0];
		else if (!word[0])
			return 0;
		else if (word[0] == AT_ENTRY)
			return word[1];
	}
	return 0;
}

#define ARGUMENTS_MAX	   4096
#define ARGUMENT_BYTES_MAX 4096

/* What the program was started with, as far as it is there (System V psABI, 3.4.1). */
static void take_arguments(struct process_truth *truth, uint64_t sp)
{
	uint64_t count, at;
	char text[ARGUMENT_BYTES_MAX];

	if (!plugin_memory_read(sp, &count, sizeof(count)))
		return;
	for (uint64_t i = 0; i < count && i < ARGUMENTS_MAX; i++) {
		size_t size = 0;
		char *copy;

		if (!plugin_memory_read(sp += sizeof(at), &at, sizeof(at)))
			return;
		while (size < sizeof(text) - 1 && plugin_memory_read(at + size, &text[size], 1) &&
		       text[size])
			size++;
		text[size] = '\0';
		copy = strdup(text);
		if (!copy || !ARRAY_ADD(truth->argument, truth->arguments, copy)) {
			free(copy);
			return;
		}
	}
}

/* Where the stack begins that the call gives to who is made (clone(2)); 0: it goes on on its maker's. */
static uint64_t given_stack(const struct user_regs_struct *call)
{
	struct clone_args args;

	if (call->rax == SYS_clone)
		return call->rsi;
	if (call->rax == SYS_clone3 && call->rsi >= CLONE_ARGS_SIZE_VER0 &&
	    plugin_memory_read(call->rdi, &args, CLONE_ARGS_SIZE_VER0) && args.stack)
		return args.stack + args.stack_size;
	return 0;
}

/* A process that begins on a stack of its own, as posix_spawn(3) makes it, has none of its maker's frames. */
static bool has_own_stack(const struct watched_thread *thread, const struct user_regs_struct *regs)
{
	return thread->inherits && regs->rsp == given_stack(&thread->steps.regs);
}

void watch_begin(struct watched_thread *thread, const struct user_regs_struct *regs,
		 const struct instruction *instruction)
{
	bool made = !thread->executes && !thread->entry;

	if (thread->executes && watch.from_entry)
		thread->entry = program_entry(regs->rsp);
	thread->executes = false;
	if (thread->entry && regs->rip != thread->entry)
		return;
	thread->entry = 0;
	if (!made && watch.truth && !thread->process->truth.arguments)
		take_arguments(&thread->process->truth, regs->rsp);
	thread->inherits = thread->inherits && !has_own_stack(thread, regs);
	thread->steps.regs = *regs;
	thread->steps.next = *instruction;
	if (!thread->inherits)
		stepped_begin(&thread->process->steps, &thread->steps, !thread->stranger, made);
	thread->begun = true;
	thread->inherits = false;
	point(thread);
}

/* The kernel ran since the last instruction: was that executed, and by what does the thread go on? */
static void go_on(struct watched_thread *thread, const struct user_regs_struct *regs,
		  const struct instruction *instruction)
{
	bool calls_kernel = thread->steps.next.kind == INSTRUCTION_SYSCALL;
	struct user_regs_struct interrupted;

	if (watch_handler(thread, regs, &interrupted)) {
		if (calls_kernel || interrupted.rip != thread->steps.regs.rip)
			step(thread, &interrupted, &nothing);
		thread->process->at = instruction;
		if (stepped_enter_handler(&thread->process->steps, &thread->steps, regs))
			watch_fail();
		else
			point(thread);
	} else if (calls_kernel || regs->rip != thread->steps.regs.rip) {
		step(thread, regs, instruction);
	} else {
		watch.counters.restarted++;
		thread->steps.regs = *regs;
		thread->steps.next = *instruction; /* by now it may be another one */
	}
}

void watch_step(struct watched_thread *thread, const struct user_regs_struct *regs,
		const struct instruction *instruction)
{
	watch.counters.instructions++;
	if (!thread->begun)
		watch_begin(thread, regs, instruction);
	else if (thread->in_kernel)
		go_on(thread, regs, instruction);
	else
		step(thread, regs, instruction);
	if (thread->in_kernel && thread->begun)
		stepped_entry(&thread->process->steps, &thread->steps);
	if (thread->twin && thread->begun)
		watch_check(thread);
	thread->in_kernel = false;
}
