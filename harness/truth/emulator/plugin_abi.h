/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_abi.h - the binary interface between QEMU and a plugin, as far as it is used here
 *
 * No package has QEMU's qemu-plugin.h, so the functions that the program exports are declared here by what they take. An
 * interface has a number, which changes with releases:
 *
 *	API	QEMU		what came, or changed
 *	4	9.2, 10.0	(all that is declared below without a number)
 *	5	10.1		physical memory
 *	6	10.2		discontinuities; read_register() returns bool; a register's entry is longer
 *	7	11.0, 11.1	callbacks of a plugin (not those of blocks, instructions, memory) get userdata, and no id
 *
 * The program reads the plugin's symbol `qemu_plugin_version` and refuses those that it does not serve: 10.0 serves up
 * to 4, 11.1 only 7. What differs between 4 and 7 is in plugin.c alone, which is compiled for each (PLUGIN_API); all
 * else is compiled once and uses plugin.h beside this. Functions that came later than 4 are weak: NULL where the program
 * lacks them.
 *
 * What was seen of them when they ran, in 10.0.2 and 11.1.3, is in docs/EMULATOR.md. In short: a callback runs before
 * its instruction, but one of memory after the access. In both the registers are those before the instruction, but
 * `rip`, which is that of the block's first one. Callbacks of several vCPUs run at the same time.
 */
#ifndef STACKPROOF_PLUGIN_ABI_H
#define STACKPROOF_PLUGIN_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of GLib, which every QEMU is linked with (GLib has them so since 2.0). */
struct g_array {
	char *data;
	unsigned length;
};
struct g_byte_array {
	uint8_t *data;
	unsigned length;
};
struct g_byte_array *g_byte_array_new(void);
struct g_byte_array *g_byte_array_set_size(struct g_byte_array *array, unsigned length);
unsigned g_array_get_element_size(struct g_array *array);
char *g_array_free(struct g_array *array, int free_data);

/* Of the machine; is there only during the call of qemu_plugin_install(). */
struct qemu_info {
	const char *target_name; /* "x86_64" */
	struct {
		int minimum, current; /* APIs that the program serves */
	} version;
	bool system_emulation;
	int vcpus; /* at the start */
	int vcpus_max;
};

/* ---- blocks and instructions, at translation ------------------------------------------------ */

/* Handles are dead once the callback of the translation has returned. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* Where its bytes are in this process's memory: the same for all mappings of a page. NULL: it isn't RAM. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
/* Copies at most size of the instruction's bytes; returns how many. */
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *ret, size_t size);

/* ---- scoreboards: a record for each vCPU ---------------------------------------------------- */

struct qemu_plugin_scoreboard;
/* A uint64_t of each record. */
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t record_size);
void qemu_plugin_scoreboard_free(struct qemu_plugin_scoreboard *score);
/* The record of a vCPU. It may move when a vCPU is added. */
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned vcpu);
uint64_t qemu_plugin_u64_get(struct qemu_plugin_u64 entry, unsigned vcpu);
void qemu_plugin_u64_set(struct qemu_plugin_u64 entry, unsigned vcpu, uint64_t value);
void qemu_plugin_u64_add(struct qemu_plugin_u64 entry, unsigned vcpu, uint64_t value);
uint64_t qemu_plugin_u64_sum(struct qemu_plugin_u64 entry); /* of all vCPUs */

/* ---- what is to happen when they run ---------------------------------------------------------- */

/* A register is read only in callbacks that were registered so, those of memory, too; in others it is stale (10.0), or
 * can't be read (11.1). */
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
/* The callback is called if ENTRY CONDITION VALUE (unsigned). */
enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_NEVER,
	QEMU_PLUGIN_COND_ALWAYS,
	QEMU_PLUGIN_COND_EQ,
	QEMU_PLUGIN_COND_NE,
	QEMU_PLUGIN_COND_LT,
	QEMU_PLUGIN_COND_LE,
	QEMU_PLUGIN_COND_GT,
	QEMU_PLUGIN_COND_GE,
};
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void qemu_plugin_exec_cb(unsigned vcpu, void *userdata);
/* access: for qemu_plugin_mem_...(), until the callback returns. */
typedef void qemu_plugin_mem_cb(unsigned vcpu, uint32_t access, uint64_t address, void *userdata);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_cb *callback,
					  enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_exec_cb *callback,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond condition,
					       struct qemu_plugin_u64 entry, uint64_t value,
					       void *userdata);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       struct qemu_plugin_u64 entry,
						       uint64_t value);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_exec_cb *callback,
					    enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 qemu_plugin_exec_cb *callback,
						 enum qemu_plugin_cb_flags flags,
						 enum qemu_plugin_cond condition,
						 struct qemu_plugin_u64 entry, uint64_t value,
						 void *userdata);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op,
							 struct qemu_plugin_u64 entry,
							 uint64_t value);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb *callback,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *userdata);
void qemu_plugin_register_vcpu_mem_inline_per_vcpu(struct qemu_plugin_insn *insn,
						   enum qemu_plugin_mem_rw rw,
						   enum qemu_plugin_op op,
						   struct qemu_plugin_u64 entry, uint64_t value);

/* ---- an access to memory, in its callback ----------------------------------------------------- */

enum qemu_plugin_mem_value_type {
	QEMU_PLUGIN_MEM_VALUE_U8,
	QEMU_PLUGIN_MEM_VALUE_U16,
	QEMU_PLUGIN_MEM_VALUE_U32,
	QEMU_PLUGIN_MEM_VALUE_U64,
	QEMU_PLUGIN_MEM_VALUE_U128,
};
/* What was loaded or stored, in the host's byte order. */
struct qemu_plugin_mem_value {
	enum qemu_plugin_mem_value_type type;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		struct {
			uint64_t low, high;
		} u128;
	} data;
};

bool qemu_plugin_mem_is_store(uint32_t access);
unsigned qemu_plugin_mem_size_shift(uint32_t access); /* 3: eight bytes */
struct qemu_plugin_mem_value qemu_plugin_mem_get_value(uint32_t access);

/* ---- registers, memory; plugin.h has them as numbers ------------------------------------------- */

struct qemu_plugin_register;
/* An element of qemu_plugin_get_registers(). From API 6 on a bool follows: elements are longer. */
struct qemu_plugin_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name;    /* "rsp", "cr3", "fs_base": gdb's */
	const char *feature; /* NULL: none */
};

/* Of the current vCPU, as soon as it is initialized; g_array_free() is the caller's. */
struct g_array *qemu_plugin_get_registers(void);
/* Appends the register's bytes in the target's order. Up to API 5 it returns an int, their number or -1. */
#if defined(PLUGIN_API) && PLUGIN_API < 6
int qemu_plugin_read_register(struct qemu_plugin_register *handle, struct g_byte_array *ret);
#else
bool qemu_plugin_read_register(struct qemu_plugin_register *handle, struct g_byte_array *ret);
#endif
/* Sizes ret and fills it by the current vCPU's page tables. false: some of it isn't mapped. What the running instruction
 * writes may not be there yet. */
bool qemu_plugin_read_memory_vaddr(uint64_t address, struct g_byte_array *ret, size_t size);
/* The same by physical addresses. 0: it was read. */
__attribute__((weak)) int qemu_plugin_read_memory_hwaddr(uint64_t address, struct g_byte_array *ret,
							 size_t size);

/* Writes to physical memory, or to the devices that are there; from API 5 on. 0: done. */
__attribute__((weak)) int qemu_plugin_write_memory_hwaddr(uint64_t address,
							  struct g_byte_array *data);
/* QEMU's own functions, and no plugin's; but a program that loads modules exports them. */
struct qemu_cpu;
__attribute__((weak)) void cpu_physical_memory_rw(uint64_t address, void *data, uint64_t size,
						  bool is_write);
__attribute__((weak)) struct qemu_cpu *qemu_get_cpu(int number);
/* Leaves the block that runs, before the instruction whose code calls a function that would return to host_pc; the vCPU
 * looks for interrupts, and goes on there. Does not return. */
__attribute__((weak)) void cpu_loop_exit_restore(struct qemu_cpu *cpu, uintptr_t host_pc);

/* ---- the rest ------------------------------------------------------------------------------------ */

/*
 * The vCPU goes on elsewhere, and not because an instruction said so; the callback comes when the vCPU is set up for the
 * handler. from_pc: of an interrupt the next instruction that would have run; of a fault the one that raised it, whose
 * own callback has been called, and will be once more when it is tried again. Not of system calls, nor of what returns
 * from a handler. On x86-64 a page fault says INTERRUPT, and before it EXCEPTION from the block's first instruction to
 * the same (11.1.3).
 */
enum qemu_plugin_discon_type {
	QEMU_PLUGIN_DISCON_INTERRUPT = 1,
	QEMU_PLUGIN_DISCON_EXCEPTION = 2,
	QEMU_PLUGIN_DISCON_HOSTCALL = 4,
	QEMU_PLUGIN_DISCON_ALL = -1,
};

int qemu_plugin_num_vcpus(void); /* that have been started */
/* To QEMU's log (-d plugin). */
void qemu_plugin_outs(const char *text);

#endif
