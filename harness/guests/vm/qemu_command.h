/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * qemu_command.h - the command line that starts a guest
 */
#ifndef STACKPROOF_QEMU_COMMAND_H
#define STACKPROOF_QEMU_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#define QEMU_ARGUMENTS_MAX 52
#define QEMU_TEXT_MAX	   16384

struct qemu_settings {
	const char *emulator; /* folder of an unpacked QEMU (emulator.c); NULL: the one in PATH */
	const char *plugin;   /* a plugin's file and arguments, as of -plugin; NULL: none */
	const char *kernel;   /* path of a bzImage or of an ELF kernel */
	const char *initrd;   /* path of the initramfs */
	const char *console;  /* path that QEMU writes the bytes of ttyS0 to */
	const char *results;  /* the same for ttyS1 */
	const char *input;    /* path that QEMU reads bytes for ttyS1 from; NULL: there are none */
	const char *disk;     /* path of the root's image; NULL: no disk */
	unsigned memory_mb;
	unsigned cpus;	  /* 0: 1 */
	unsigned tsc_khz; /* TSC frequency that an emulated guest is told; 0: none */
	bool kvm;
};

struct qemu_command {
	char *argv[QEMU_ARGUMENTS_MAX]; /* NULL-terminated; point into text, or to constants */
	int argc;
	char text[QEMU_TEXT_MAX];
	int text_used;
};

void qemu_command_build(struct qemu_command *ret, const struct qemu_settings *settings);

/* The command that loads a plugin into no machine at all: it says by the plugin whether it is taken. */
void qemu_command_probe(struct qemu_command *ret, const char *emulator, const char *plugin);

/* Prints the command in one line, quoted for a shell. */
void qemu_command_print(const struct qemu_command *command, FILE *file);

#endif
