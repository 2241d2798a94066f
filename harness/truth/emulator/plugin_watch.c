/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_watch.c - where the guest's code calls the witness
 *
 *	a block of the kernel's		notes inline that the kernel ran
 *	a block of user code		if it did: who runs now, is that one watched?
 *	an instruction of user code	if it is: a step
 *	the agent's nop			what it tells
 *
 * Arguments:
 *
 *	out=FILE	for what it says, in place of standard error
 *	truth=FILE	all true stacks of the first process; those of others go to FILE.NUMBER
 *	root=DIR	where the guest's files are on this machine; they have the same paths here by default
 *	taken=HERE:PATH	PATH of the guest's, and what is below it, is not in DIR, but HERE on this machine; again for more
 *	from=entry	points begin at programs' entry points, and not in the dynamic loader
 *	at=entries	only at kernel entries a stack is asked for: nearly all instructions are left alone (fast.h).
 *			A truth file has each entry then, and can be read while it grows
 *	walks=on	the same, and BPF's stacks are held against the true ones (plugin_walks.h)
 *	given=FILE	where a file goes that a program in the guest gives
 *	rows=FILE	where the caller's frame was at each instruction: facts that rows must fit (plugin_rows.h)
 *	first=N		with at=entries only so many runs of each block with each caller are looked at
 *	registers=on	of rows=, with at=instructions: callee-saved registers, too
 *	check=on	the same, and both ways at once, the one held against the other
 *
 * A block is translated once for the memory where its code is, and is run wherever that is mapped (QEMU's CF_PCREL): the
 * address that it was translated for is another process's, as often as not. rip is right where a block begins, and only
 * there. So a PC is that rip and the instruction's offset in the block.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plugin_known.h"
#include "plugin_watch.h"

#define PLATFORM_VECTOR 0xf7 /* X86_PLATFORM_IPI_VECTOR: arch/x86/include/asm/irq_vectors.h */
#define PRIVILEGE_MASK	3    /* of cs: Intel SDM volume 3, 5.5; 3 is user mode */

/* guest_told.h's nop; its displacement says what is told. */
static const uint8_t tells_nop[] = { 0x0f, 0x1f, 0x84, 0x00 };

struct watch watch = { .root = "" };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all: also vCPUs' translations */
static struct qemu_plugin_scoreboard *vcpus;
static struct qemu_plugin_register *handle[WATCH_REGISTERS], *cs;

#define REGISTER(member) (offsetof(struct user_regs_struct, member) / sizeof(uint64_t))

/* gdb's names; those that nobody asks for have none. */
static const char *const gdb_name[WATCH_REGISTERS] = {
	[REGISTER(r15)] = "r15",
	[REGISTER(r14)] = "r14",
	[REGISTER(r13)] = "r13",
	[REGISTER(r12)] = "r12",
	[REGISTER(rbp)] = "rbp",
	[REGISTER(rbx)] = "rbx",
	[REGISTER(r11)] = "r11",
	[REGISTER(r10)] = "r10",
	[REGISTER(r9)] = "r9",
	[REGISTER(r8)] = "r8",
	[REGISTER(rax)] = "rax",
	[REGISTER(rcx)] = "rcx",
	[REGISTER(rdx)] = "rdx",
	[REGISTER(rsi)] = "rsi",
	[REGISTER(rdi)] = "rdi",
	[REGISTER(rip)] = "rip",
	[REGISTER(rsp)] = "rsp",
	[REGISTER(fs_base)] = "fs_base",
	[REGISTER(gs_base)] = "gs_base",
	[WATCH_GS_KERNEL] = "k_gs_base",
	[WATCH_CR3] = "cr3",
};

struct vcpu *watch_vcpu(unsigned number)
{
	return qemu_plugin_scoreboard_find(vcpus, number);
}

struct qemu_plugin_u64 watch_word(size_t offset)
{
	return (struct qemu_plugin_u64) { vcpus, offset };
}

void watch_lock(void)
{
	pthread_mutex_lock(&lock);
}

void watch_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

uint64_t watch_register(enum watch_register number)
{
	uint64_t value = 0;

	if (handle[number])
		plugin_register_read(handle[number], &value);
	return value;
}

void watch_read_registers(struct user_regs_struct *ret)
{
	uint64_t *value = (uint64_t *)ret;

	for (size_t i = 0; i < WATCH_GS_KERNEL; i++)
		value[i] = handle[i] ? watch_register(i) : 0;
	ret->orig_rax = (uint64_t)-1;
}

/* ---- while the guest runs ------------------------------------------------------------------ */

/* A block of user code begins, and vcpu->look says why that is of interest. */
static void on_look(unsigned number, void *userdata)
{
	struct vcpu *vcpu = watch_vcpu(number);
	bool kernel_ran = vcpu->look == LOOK_KERNEL_RAN;

	vcpu->look = LOOK_NOT;
	watch_lock();
	if (kernel_ran) {
		vcpu->thread = watch.told && !watch.failed ? watch_enter() : NULL;
		vcpu->watched = vcpu->thread && watch_is_exact();
	}
	if (watch.fast)
		watch_fast_look(number, kernel_ran);
	watch_unlock();
}

/* An instruction of the program comes next, or a block, where blocks can't be left: the CPU is interrupted. */
static void on_driven(unsigned number, void *userdata)
{
	struct vcpu *vcpu = watch_vcpu(number);
	bool leave = plugin_leaves_blocks();

	if (leave && vcpu->driven == DRIVEN_FRESH) {
		vcpu->driven = DRIVEN;
		return;
	}
	vcpu->driven = DRIVEN_NOT;
	if (!vcpu->thread)
		return;
	vcpu->thread->process->walks.made++;
	plugin_interrupt(number, PLATFORM_VECTOR);
	if (leave)
		plugin_leave_block(number, __builtin_return_address(0));
}

static void on_instruction(unsigned number, void *userdata)
{
	const struct block_instruction *instruction = userdata;
	struct vcpu *vcpu = watch_vcpu(number);
	struct user_regs_struct regs;

	watch_read_registers(&regs);
	if (!instruction->offset)
		vcpu->pc = regs.rip;
	regs.rip = vcpu->pc + instruction->offset;
	watch_lock();
	if (vcpu->thread && !watch.failed)
		watch_step(vcpu->thread, &regs, instruction->instruction);
	if (watch.failed)
		vcpu->watched = 0;
	watch_unlock();
}

/* By what the guest tells, a thread may be gone while another vCPU runs it. */
void watch_thread_leaves(const struct watched_thread *thread)
{
	for (int number = qemu_plugin_num_vcpus(); number-- > 0;) {
		struct vcpu *vcpu = watch_vcpu((unsigned)number);

		if (vcpu->thread == thread) {
			vcpu->thread = NULL;
			vcpu->watched = 0;
		}
	}
}

static void on_tell(unsigned number, void *userdata)
{
	struct user_regs_struct regs;

	watch_read_registers(&regs);
	watch_lock();
	watch_told((uint32_t)(uintptr_t)userdata, &regs);
	watch_unlock();
}

/* A block of the kernel's begins, behind user code. */
static void on_kernel(unsigned number, void *userdata)
{
	struct vcpu *vcpu = watch_vcpu(number);

	vcpu->attended = 0;
	watch_lock();
	if (vcpu->thread)
		watch_kernel_entered(vcpu->thread);
	watch_unlock();
}

/* ---- translation --------------------------------------------------------------------------- */

/* NULL: no memory. */
static const struct block_instruction *know(const struct qemu_plugin_insn *insn, uint64_t offset)
{
	static struct known known = { .key_bytes = sizeof(struct block_instruction),
				      .bytes = sizeof(struct block_instruction) };
	const struct block_instruction key = { known_instruction(insn, watch.decoder), offset };
	bool is_new;

	return key.instruction ? known_find(&known, &key, &is_new) : NULL;
}

/* NULL: no memory; nothing is watched any more. */
static const struct block_instruction *decoded(const struct qemu_plugin_insn *insn, uint64_t offset)
{
	const struct block_instruction *ret;

	watch_lock();
	ret = watch.failed ? NULL : know(insn, offset);
	if (!ret)
		watch_fail();
	watch_unlock();
	return ret;
}

static void watch_each(struct qemu_plugin_insn *insn, const struct block_instruction *instruction)
{
	if (instruction)
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
			insn, on_instruction, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_EQ,
			watch_word(offsetof(struct vcpu, watched)), 1, (void *)instruction);
}

/* What the instruction tells; 0: nothing. */
static uintptr_t tells(const struct qemu_plugin_insn *insn)
{
	struct {
		uint8_t nop[sizeof(tells_nop)];
		uint32_t what;
	} bytes;

	if (qemu_plugin_insn_size(insn) != sizeof(bytes) ||
	    qemu_plugin_insn_data(insn, &bytes, sizeof(bytes)) != sizeof(bytes) ||
	    memcmp(bytes.nop, tells_nop, sizeof(tells_nop)) != 0)
		return 0;
	return bytes.what == GUEST_TELLS || bytes.what == GUEST_CLOCK ||
			       bytes.what == GUEST_JOINS || bytes.what == GUEST_GIVES
		       ? bytes.what
		       : 0;
}

/* Whether it may be a string instruction with a rep prefix. Its block is not left before it: QEMU notes that the flags are
 * known only when it runs (do_gen_rep() of target/i386/tcg/translate.c, 10.0), and would take old ones. */
static bool repeats(const struct qemu_plugin_insn *insn)
{
	uint8_t byte = 0;

	return qemu_plugin_insn_data(insn, &byte, sizeof(byte)) && (byte & 0xfe) == 0xf2;
}

static void drive(struct qemu_plugin_insn *insn)
{
	qemu_plugin_register_vcpu_insn_exec_cond_cb(
		insn, on_driven, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		watch_word(offsetof(struct vcpu, driven)), DRIVEN_NOT, NULL);
}

static void translated(struct qemu_plugin_tb *tb)
{
	uint64_t selector, begin = qemu_plugin_tb_vaddr(tb);

	if (!plugin_register_read(cs, &selector) || (selector & PRIVILEGE_MASK) != PRIVILEGE_MASK) {
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
			tb, QEMU_PLUGIN_INLINE_STORE_U64, watch_word(offsetof(struct vcpu, look)),
			LOOK_KERNEL_RAN);
		if (watch.fast && watch.truth)
			qemu_plugin_register_vcpu_tb_exec_cond_cb(
				tb, on_kernel, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
				watch_word(offsetof(struct vcpu, attended)), 0, NULL);
		return;
	}
	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, on_look, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		watch_word(offsetof(struct vcpu, look)), LOOK_NOT, NULL);
	if (watch.walks && !plugin_leaves_blocks())
		qemu_plugin_register_vcpu_tb_exec_cond_cb(
			tb, on_driven, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_COND_NE,
			watch_word(offsetof(struct vcpu, driven)), 0, NULL);
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (watch.walks && plugin_leaves_blocks() && (!i || !repeats(insn)))
			drive(insn);
		if (tells(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_tell, QEMU_PLUGIN_CB_R_REGS,
							       (void *)tells(insn));
		if (watch_is_exact())
			watch_each(insn, decoded(insn, qemu_plugin_insn_vaddr(insn) - begin));
	}
	if (watch.fast)
		watch_fast_translated(tb);
}

/* "HERE:PATH"; a path on this machine has no colon, as of vm's --file. */
static bool takes(char *text)
{
	char *colon = strchr(text, ':');

	if (!colon)
		return false;
	*colon = '\0';
	return code_files_taken(text, colon + 1);
}

/* ---- the plugin ---------------------------------------------------------------------------- */

static int start(const struct qemu_info *info, int argc, char **argv)
{
	const char *out = NULL;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4)) {
			out = argv[i] + 4;
		} else if (!strncmp(argv[i], "truth=", 6)) {
			watch.truth = argv[i] + 6;
		} else if (!strncmp(argv[i], "given=", 6)) {
			watch.given = argv[i] + 6;
		} else if (!strncmp(argv[i], "root=", 5)) {
			watch.root = argv[i] + 5;
		} else if (!strncmp(argv[i], "taken=", 6) && takes(argv[i] + 6)) {
			continue;
		} else if (!strcmp(argv[i], "from=entry")) {
			watch.from_entry = true;
		} else if (!strcmp(argv[i], "at=entries")) {
			watch.fast = true;
		} else if (!strcmp(argv[i], "at=instructions")) {
			watch.fast = false;
		} else if (!strcmp(argv[i], "walks=on")) {
			watch.fast = watch.walks = true;
		} else if (!strncmp(argv[i], "rows=", 5)) {
			watch.rows = argv[i] + 5;
		} else if (!strncmp(argv[i], "first=", 6)) {
			watch.first = strtoull(argv[i] + 6, NULL, 10);
		} else if (!strcmp(argv[i], "registers=on")) {
			watch.registers = true;
		} else if (!strcmp(argv[i], "check=on")) {
			watch.fast = watch.check = true;
		} else {
			fprintf(stderr, "watch: no argument %s\n", argv[i]);
			return -1;
		}
	}
	if (!info->system_emulation || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "watch: it is for machines of x86_64\n");
		return -1;
	}
	if (watch.truth && watch.check) {
		fprintf(stderr, "watch: check=on writes no truth=\n");
		return -1;
	}
	if (watch.registers && (watch.fast || !watch.rows)) {
		fprintf(stderr, "watch: registers= is for rows= with at=instructions\n");
		return -1;
	}
	watch.decoder = decoder_create(&watch.error);
	if (!watch.decoder)
		return -1;
	vcpus = qemu_plugin_scoreboard_new(sizeof(struct vcpu));
	return watch_report_open(out);
}

static void vcpu_init(unsigned number)
{
	static const char *const cs_name = "cs";

	plugin_registers(gdb_name, WATCH_REGISTERS, handle);
	plugin_registers(&cs_name, 1, &cs);
}

static void end(void)
{
	watch.over = true;
	watch_report_end();
}

const struct plugin plugin = {
	.start = start,
	.vcpu_init = vcpu_init,
	.translated = translated,
	.end = end,
};
