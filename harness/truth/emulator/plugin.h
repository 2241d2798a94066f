/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin.h - a plugin of QEMU's, whatever the number of its interface
 *
 *	plugin_abi.h	what QEMU exports
 *	plugin.c	what differs between its interfaces; compiled for each (PLUGIN_API)
 *	plugin_count.c	a plugin: how many instructions ran
 *
 * A plugin defines `plugin` and is linked with plugin.c into one shared object for each interface,
 * build/emulator/NAME-4.so and NAME-7.so. qemu-system-x86_64 takes one of them:
 *
 *	-plugin build/emulator/count-4.so,out=FILE
 *
 * With the argument `probe` it starts nothing: it says "plugin API N" on standard output and ends QEMU with status 0. So
 * which object a program accepts is asked of the program.
 */
#ifndef STACKPROOF_PLUGIN_H
#define STACKPROOF_PLUGIN_H

#include "plugin_abi.h"

struct plugin {
	/* Begins. info is there during the call, arguments ("NAME=VALUE") for ever. Not 0: QEMU ends, after what was
	 * said on standard error. */
	int (*start)(const struct qemu_info *info, int argc, char **argv);
	/* A vCPU begins, in its thread: plugin_registers() works. NULL: not asked for, as all others below. */
	void (*vcpu_init)(unsigned vcpu);
	/* A block was translated. Registers can be read, and the privilege of the block is that of the vCPU. */
	void (*translated)(struct qemu_plugin_tb *tb);
	/* enum qemu_plugin_discon_type says when. Called only if plugin_has_discontinuities(). */
	void (*discontinuity)(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from_pc,
			      uint64_t to_pc);
	void (*end)(void); /* QEMU ends. It dies if a register is read now */
};
extern const struct plugin plugin;

/* Of API 6 and later. Without: a change of privilege is seen when the next block runs. */
bool plugin_has_discontinuities(void);

/* Finds registers of the current vCPU by gdb's names ("rip", "cs", "cr3", "fs_base"). Returns how many of the count names
 * exist; NULL in ret where one doesn't, or has NULL as name. */
size_t plugin_registers(const char *const names[], size_t count,
			struct qemu_plugin_register *ret[]);
/* Reads a register of at most eight bytes. false: it can't be read here, or has more. */
bool plugin_register_read(struct qemu_plugin_register *handle, uint64_t *ret);
/* Reads memory of the current vCPU. false: some of it isn't mapped. */
bool plugin_memory_read(uint64_t address, void *ret, size_t size);
/* The same by physical addresses; false, too, if the program has no such function (before API 5). */
bool plugin_physical_read(uint64_t address, void *ret, size_t size);

/* Whether plugin_leave_block() can. */
bool plugin_leaves_blocks(void);
/* In an instruction's callback, which would return to the address: the vCPU takes interrupts now, then comes to the
 * instruction again. Does not return. */
void plugin_leave_block(unsigned vcpu, void *callback_return);
/* Sends an interrupt's vector to a vCPU, which takes it before its next block. false: the program has no function by which
 * memory's devices can be written. */
bool plugin_interrupt(unsigned vcpu, uint8_t vector);

#endif
