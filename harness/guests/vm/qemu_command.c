/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * qemu_command.c - the command line that starts a guest
 *
 * A machine with nothing but CPUs, memory, two serial ports and perhaps a disk, and kernel parameters
 * (Documentation/admin-guide/kernel-parameters.rst) that make it quick and make it die loudly:
 *
 *	console=ttyS0 loglevel=5	warnings and worse on the console, so that they can be seen
 *	panic=-1			reboot at once, which -no-reboot turns into QEMU's end
 *	mitigations=off			an emulated CPU pays for them and has nothing to protect
 *	lpj=				skips the delay calibration (0.5 s); only udelay() hangs on it,
 *					and it is replaced as soon as the TSC is known
 *	cryptomgr.notests		skips the crypto self-tests (0.4 s); nothing here uses them
 *	random.trust_cpu=on		no waiting for entropy
 *	no_timer_check			no test of the timer interrupt, which can fail on a busy host
 *	tsc_early_khz=			see tsc.c. (tsc=unstable, time by the emulated HPET, is right too, but
 *					takes a fourth off the stepping)
 *
 * The disk is NVMe, because Debian's kernels have that built in, and virtio (as overlayfs) as modules, which are not
 * in the package with the image since 6.19, and gone from the archive for most kernels that a cache holds. The image is
 * only read (snapshot=on): what the guest writes is in a file below $TMPDIR, or /var/tmp, that has no name and ends with
 * QEMU. So any number of guests have the same image, and what they write takes none of their memory.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "plain_text.h"
#include "qemu_command.h"

static const char kernel_parameters[] =
	"console=ttyS0 quiet loglevel=5 panic=-1 mitigations=off lpj=4000000 cryptomgr.notests "
	"random.trust_cpu=on no_timer_check";

static void add(struct qemu_command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct qemu_command *command, const char *format, ...)
{
	int left = QEMU_TEXT_MAX - command->text_used, length;
	va_list arguments;

	va_start(arguments, format);
	length = vsnprintf(command->text + command->text_used, (size_t)left, format, arguments);
	va_end(arguments);
	assert(length < left && command->argc < QEMU_ARGUMENTS_MAX - 1);
	command->argv[command->argc++] = command->text + command->text_used;
	command->argv[command->argc] = NULL;
	command->text_used += length + 1;
}

/*
 * Every step of a traced program switches address spaces twice, and then TCG walks the page tables
 * for each page again: four levels instead of five, and no SMAP, with which a user page that the
 * kernel copies from is looked up twice. It made stepping 1.3 times as fast. And TCG does `rep
 * movsb` byte by byte: without ERMS and FSRM the kernel copies and clears by eight
 * (process_vm_readv took 95 us of a step, and takes 40).
 */
#define EMULATED_CPU "max,la57=off,smap=off,smep=off,umip=off,erms=off,fsrm=off"

static void begin(struct qemu_command *ret, const char *emulator)
{
	ret->argc = 0;
	ret->text_used = 0;
	if (!emulator) {
		add(ret, "qemu-system-x86_64");
		return;
	}
	/* Beside the program, as its files are found from where the process's executable file is. */
	add(ret, "%s/usr/bin/ld-linux-x86-64.so.2", emulator);
	add(ret, "--library-path");
	add(ret, "%s/usr/lib/x86_64-linux-gnu", emulator);
	add(ret, "%s/usr/bin/qemu-system-x86_64", emulator);
}

static void add_plugin(struct qemu_command *command, const char *plugin)
{
	add(command, "-plugin");
	add(command, "%s", plugin);
}

void qemu_command_probe(struct qemu_command *ret, const char *emulator, const char *plugin)
{
	begin(ret, emulator);
	add(ret, "-nodefaults");
	add(ret, "-no-user-config");
	add(ret, "-display");
	add(ret, "none");
	add(ret, "-machine");
	add(ret, "none");
	add_plugin(ret, plugin);
}

void qemu_command_build(struct qemu_command *ret, const struct qemu_settings *settings)
{
	begin(ret, settings->emulator);
	add(ret, "-accel");
	add(ret, "%s", settings->kvm ? "kvm" : "tcg");
	add(ret, "-machine");
	add(ret, "q35,vmport=off,i8042=off");
	add(ret, "-cpu");
	add(ret, "%s", settings->kvm ? "max" : EMULATED_CPU);
	add(ret, "-m");
	add(ret, "%u", settings->memory_mb);
	add(ret, "-smp");
	add(ret, "%u", settings->cpus ? settings->cpus : 1);
	add(ret, "-nodefaults");
	add(ret, "-no-user-config");
	add(ret, "-display");
	add(ret, "none");
	add(ret, "-no-reboot");
	add(ret, "-kernel");
	add(ret, "%s", settings->kernel);
	add(ret, "-initrd");
	add(ret, "%s", settings->initrd);
	add(ret, "-append");
	if (settings->tsc_khz)
		add(ret, "%s tsc_early_khz=%u", kernel_parameters, settings->tsc_khz);
	else
		add(ret, "%s", kernel_parameters);
	add(ret, "-chardev");
	add(ret, "file,id=console,path=%s", settings->console);
	add(ret, "-serial");
	add(ret, "chardev:console");
	add(ret, "-chardev");
	add(ret, "file,id=results,path=%s%s%s", settings->results,
	    settings->input ? ",input-path=" : "", settings->input ? settings->input : "");
	add(ret, "-serial");
	add(ret, "chardev:results");
	if (settings->plugin)
		add_plugin(ret, settings->plugin);
	if (!settings->disk)
		return;
	add(ret, "-drive");
	add(ret, "file=%s,if=none,id=root,format=raw,snapshot=on", settings->disk);
	add(ret, "-device");
	add(ret, "nvme,drive=root,serial=root");
}

void qemu_command_print(const struct qemu_command *command, FILE *file)
{
	for (int i = 0; i < command->argc; i++) {
		fputs(i ? " " : "", file);
		plain_word(file, command->argv[i]);
	}
	fputc('\n', file);
}
