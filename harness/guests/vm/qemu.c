/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * qemu.c - runs one guest: starts QEMU, keeps its console, enforces the deadline
 *
 * QEMU writes into three pipes: the guest's console (ttyS0), the results (ttyS1, guest_channel.c)
 * and its own messages. One loop reads all three until they end, which they do when QEMU ends: no
 * signal handlers, no threads, nothing global, so guests can run side by side in one process.
 *
 * QEMU never outlives its guest: every way out kills its process group and waits for it (with a plugin it is asked
 * before), and the
 * kernel kills it if this process dies first (PR_SET_PDEATHSIG, prctl(2)). Kernel and initramfs are
 * in memory without a name, so no file is left behind either.
 *
 * How it ended (enum guest_outcome) is decided once, at the end, from what was seen: a guest passes
 * only if it said that it was done and its kernel did not die.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/child/child.h"
#include "clock.h"
#include "accelerator.h"
#include "boot_image.h"
#include "console.h"
#include "frame.h"
#include "guest_channel.h"
#include "initramfs.h"
#include "qemu_command.h"
#include "root_image.h"
#include "tsc.h"
#include "vm.h"

#define DEFAULT_TIMEOUT_MS 120000
#define DEFAULT_MEMORY_MB  512
#define SMALL_ARCHIVE_MB   64
#define KVM_INIT_MS	   8000	  /* with KVM, init runs after less than 2 s or never */
#define POWER_OFF_MS	   3000	  /* how long a guest that is done may take to end */
#define PLUGIN_END_MS	   60000  /* the same where a plugin may have to write what it saw */
#define INTERRUPTED_MS	   120000 /* how long a guest may take to end behind an interrupt */
#define PLUGIN_STOP_MS	   20000  /* ... and where its guest is ended */
#define TIME_MS		   200	  /* between two calls of on_time */
#define READ_BYTES	   8192
#define PIPE_BYTES	   (1 << 20)

/* Descriptors in the QEMU process. */
enum {
	CHILD_CONSOLE = 3,
	CHILD_RESULTS,
	CHILD_INITRD,
	CHILD_KERNEL,
	CHILD_DISK,
	CHILD_INPUT,
	CHILD_FDS
};

enum { PIPE_CONSOLE, PIPE_RESULTS, PIPE_MESSAGES, PIPE_COUNT };

struct guest {
	const struct guest_options *options;
	struct guest_result *result;
	int initrd_fd;
	int kernel_fd;	       /* -1: boot options->kernel_image itself */
	int disk_fd;	       /* the root's image; -1: none */
	int console_fd;	       /* the kept console */
	int pipes[PIPE_COUNT]; /* read ends; -1 at their end */
	int input[2];	       /* the pipe to ttyS1, if options->interrupt_fd; else -1 */
	pid_t pid;
	bool kvm;
	bool timed_out;
	bool stopped;	  /* options->stop_fd */
	bool interrupted; /* options->interrupt_fd */
	bool broken;	  /* protocol_error is set */
	uint64_t start_ms;
	uint64_t deadline_ms;
	uint64_t init_deadline_ms;
	struct error protocol_error;
	struct console console;
	struct guest_channel channel;
	char messages[512]; /* QEMU's */
	size_t messages_used;
};

static uint64_t now_ms(void)
{
	return monotonic_ns() / 1000000;
}

const char *guest_outcome_name(enum guest_outcome outcome)
{
	static const char *const name[GUEST_OUTCOME_COUNT] = {
		[GUEST_OK] = "ok",
		[GUEST_NOT_STARTED] = "not_started",
		[GUEST_NO_BOOT] = "no_boot",
		[GUEST_PANIC] = "panic",
		[GUEST_TIMEOUT] = "timeout",
		[GUEST_LOST] = "lost",
		[GUEST_PROTOCOL] = "protocol",
		[GUEST_INTERRUPTED] = "interrupted",
		[GUEST_NO_ROOT] = "no_root",
	};

	return name[outcome];
}

/* The archive and its contents are there at once while the kernel unpacks it; a small one has
 * room in any guest. */
static unsigned default_memory_mb(int initrd_fd)
{
	struct stat st;
	unsigned archive_mb = fstat(initrd_fd, &st) ? 0 : (unsigned)(st.st_size >> 20);

	return DEFAULT_MEMORY_MB + (archive_mb > SMALL_ARCHIVE_MB ? 2 * archive_mb : 0);
}

static const char *emulator_of(const struct guest_options *options)
{
	return options->emulator && *options->emulator ? options->emulator : NULL;
}

/* KVM has no instructions that a plugin could see. */
static enum accelerator_choice accelerator_of(const struct guest_options *options)
{
	return options->plugin || emulator_of(options) ? ACCELERATOR_TCG : accelerator_choose();
}

static void settings_of(const struct guest_options *options, bool kvm, int initrd_fd, bool unpacked,
			struct qemu_settings *ret)
{
	static const char *const fd_path[CHILD_FDS] = {
		[CHILD_CONSOLE] = "/proc/self/fd/3", [CHILD_RESULTS] = "/proc/self/fd/4",
		[CHILD_INITRD] = "/proc/self/fd/5",  [CHILD_KERNEL] = "/proc/self/fd/6",
		[CHILD_DISK] = "/proc/self/fd/7",    [CHILD_INPUT] = "/proc/self/fd/8",
	};

	*ret = (struct qemu_settings) {
		.emulator = emulator_of(options),
		.plugin = options->plugin,
		.kernel = unpacked ? fd_path[CHILD_KERNEL] : options->kernel_image,
		.initrd = fd_path[CHILD_INITRD],
		.console = fd_path[CHILD_CONSOLE],
		.results = fd_path[CHILD_RESULTS],
		.input = options->interrupt_fd > 0 ? fd_path[CHILD_INPUT] : NULL,
		.disk = options->root ? fd_path[CHILD_DISK] : NULL,
		.memory_mb = options->memory_mb ? options->memory_mb : default_memory_mb(initrd_fd),
		.cpus = options->cpus,
		.tsc_khz = kvm ? 0 : tsc_khz(),
		.kvm = kvm,
	};
}

/* ---- the process ------------------------------------------------------------------------ */

/* In the child, between fork and exec: only async-signal-safe calls. Does not return. */
static void become_qemu(const struct guest *guest, char **argv, const int *write_ends)
{
	int from[CHILD_FDS] = {
		[CHILD_CONSOLE] = write_ends[PIPE_CONSOLE],
		[CHILD_RESULTS] = write_ends[PIPE_RESULTS],
		[CHILD_INITRD] = guest->initrd_fd,
		[CHILD_KERNEL] = guest->kernel_fd,
		[CHILD_DISK] = guest->disk_fd,
		[CHILD_INPUT] = guest->input[0],
	};
	int messages = fcntl(write_ends[PIPE_MESSAGES], F_DUPFD_CLOEXEC, CHILD_FDS);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* First out of the way, then into place: source and target numbers may overlap. */
	for (int fd = CHILD_CONSOLE; fd < CHILD_FDS; fd++) {
		if (from[fd] >= 0)
			from[fd] = fcntl(from[fd], F_DUPFD_CLOEXEC, CHILD_FDS);
	}
	dup2(nothing, 0);
	dup2(messages, 1);
	dup2(messages, 2);
	for (int fd = CHILD_CONSOLE; fd < CHILD_FDS; fd++) {
		if (from[fd] >= 0)
			dup2(from[fd], fd);
	}
	child_give_back();
	execvp(argv[0], argv);
	child_not_run(argv[0]);
}

static int start_qemu(struct guest *guest, struct error *error)
{
	int write_ends[PIPE_COUNT] = { -1, -1, -1 }, ends[2], ret = -1;
	struct qemu_settings settings;
	struct qemu_command command;

	settings_of(guest->options, guest->kvm, guest->initrd_fd, guest->kernel_fd >= 0, &settings);
	qemu_command_build(&command, &settings);
	for (int i = 0; i < PIPE_COUNT; i++) {
		if (pipe2(ends, O_CLOEXEC)) {
			error_set_errno(error, "pipe");
			goto out;
		}
		guest->pipes[i] = ends[0];
		write_ends[i] = ends[1];
		fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* the default will do as well */
	}
	if (guest->options->interrupt_fd > 0 && pipe2(guest->input, O_CLOEXEC)) {
		error_set_errno(error, "pipe");
		goto out;
	}
	guest->start_ms = now_ms();
	guest->pid = child_fork();
	if (guest->pid < 0) {
		error_set_errno(error, "fork");
		goto out;
	}
	if (!guest->pid)
		become_qemu(guest, command.argv, write_ends);
	ret = 0;
out:
	for (int i = 0; i < PIPE_COUNT; i++) {
		if (write_ends[i] >= 0)
			close(write_ends[i]);
	}
	return ret;
}

static void end_qemu(struct guest *guest)
{
	for (int i = 0; i < PIPE_COUNT; i++) {
		if (guest->pipes[i] >= 0)
			close(guest->pipes[i]);
		guest->pipes[i] = -1;
	}
	for (int i = 0; i < 2; i++) {
		if (guest->input[i] >= 0)
			close(guest->input[i]);
		guest->input[i] = -1;
	}
	if (guest->pid <= 0)
		return;
	child_end(guest->pid, true);
	guest->pid = -1;
}

/* ---- the loop --------------------------------------------------------------------------- */

static void take_console(struct guest *guest, const char *data, size_t size)
{
	console_feed(&guest->console, data, size);
	for (size_t done = 0; done < size && guest->console_fd >= 0;) {
		ssize_t n = write(guest->console_fd, data + done, size - done);

		/* A full disk must not end a guest; errno is an earlier call's if nothing was written. */
		if (!n || (n < 0 && errno != EINTR))
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (guest->options->verbose)
		fwrite(data, 1, size, stderr);
}

static void take_results(struct guest *guest, const void *data, size_t size)
{
	unsigned elapsed = (unsigned)(now_ms() - guest->start_ms);

	if (guest_channel_feed(&guest->channel, data, size, &guest->protocol_error))
		guest->broken = true;
	if (guest->options->silence_ms)
		guest->deadline_ms = now_ms() + guest->options->silence_ms;
	if (guest->channel.ready && !guest->result->boot_ms)
		guest->result->boot_ms = elapsed;
	if (guest->channel.output && !guest->result->first_output_ms)
		guest->result->first_output_ms = elapsed;
	unsigned end_ms = guest->options->plugin ? PLUGIN_END_MS : POWER_OFF_MS;
	if (guest->channel.done && guest->deadline_ms > now_ms() + end_ms)
		guest->deadline_ms = now_ms() + end_ms;
}

static void take_messages(struct guest *guest, const char *data, size_t size)
{
	size_t room = sizeof(guest->messages) - 1 - guest->messages_used;

	if (guest->options->plugin)
		fwrite(data, 1, size, stderr);
	size = size < room ? size : room;
	memcpy(guest->messages + guest->messages_used, data, size);
	guest->messages_used += size;
	guest->messages[guest->messages_used] = '\0';
}

/* Reads once from pipe which. */
static void take(struct guest *guest, int which)
{
	char data[READ_BYTES];
	ssize_t n;

	n = read(guest->pipes[which], data, sizeof(data));
	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close(guest->pipes[which]);
		guest->pipes[which] = -1;
		return;
	}
	if (which == PIPE_CONSOLE)
		take_console(guest, data, (size_t)n);
	else if (which == PIPE_RESULTS)
		take_results(guest, data, (size_t)n);
	else
		take_messages(guest, data, (size_t)n);
}

/* Milliseconds that are left; 0 when the time is up. */
static int time_left(const struct guest *guest)
{
	uint64_t deadline = guest->deadline_ms, now = now_ms();

	if (!guest->channel.ready && guest->init_deadline_ms < deadline)
		deadline = guest->init_deadline_ms;
	return now < deadline ? (int)(deadline - now) : 0;
}

/* The command that runs gets SIGINT; without one the guest is ended. */
static void interrupt(struct guest *guest)
{
	const uint8_t byte = FRAME_INTERRUPT;

	guest->interrupted = true;
	if (!guest->channel.ready || write(guest->input[1], &byte, 1) != 1)
		guest->stopped = true;
	if (guest->deadline_ms > now_ms() + INTERRUPTED_MS)
		guest->deadline_ms = now_ms() + INTERRUPTED_MS;
}

/* How long to wait, of what is left. */
static int tell_time(const struct guest *guest, int left)
{
	const struct guest_callbacks *callbacks = guest->channel.callbacks;

	if (!callbacks || !callbacks->on_time)
		return left;
	callbacks->on_time(callbacks->context, now_ms() - guest->start_ms,
			   guest->deadline_ms - guest->start_ms, guest->channel.ready);
	return left < TIME_MS ? left : TIME_MS;
}

/* Until QEMU has ended, the time is up, somebody wants it to end, or the guest has said
 * nonsense. */
static void follow(struct guest *guest)
{
	int stop_fd = guest->options->stop_fd > 0 ? guest->options->stop_fd : -1;
	int interrupt_fd = guest->options->interrupt_fd > 0 ? guest->options->interrupt_fd : -1;

	while (!guest->stopped) {
		struct pollfd fds[PIPE_COUNT + 2] = {
			[PIPE_COUNT] = { .fd = stop_fd, .events = POLLIN },
			[PIPE_COUNT + 1] = { .fd = guest->interrupted ? -1 : interrupt_fd,
					     .events = POLLIN },
		};
		int left = time_left(guest), open = 0;

		for (int i = 0; i < PIPE_COUNT; i++) {
			fds[i] = (struct pollfd) { .fd = guest->pipes[i], .events = POLLIN };
			open += guest->pipes[i] >= 0;
		}
		if (!open || guest->broken)
			break;
		if (!left) {
			guest->timed_out = true;
			break;
		}
		if (poll(fds, PIPE_COUNT + 2, tell_time(guest, left)) < 0 && errno != EINTR)
			break;
		if (fds[PIPE_COUNT + 1].revents)
			interrupt(guest);
		if (fds[PIPE_COUNT].revents) {
			guest->stopped = true;
			break;
		}
		for (int i = 0; i < PIPE_COUNT; i++) {
			if (fds[i].revents && guest->pipes[i] >= 0)
				take(guest, i);
		}
	}
	console_finish(&guest->console);
}

/* A plugin writes what it has seen when QEMU ends by itself, which a SIGTERM asks it to. */
static void ask_to_end(struct guest *guest)
{
	uint64_t deadline = now_ms() + PLUGIN_STOP_MS;
	struct pollfd fds[PIPE_COUNT];

	if (!guest->options->plugin || !(guest->timed_out || guest->stopped))
		return;
	kill(guest->pid, SIGTERM);
	for (uint64_t now = now_ms(); now < deadline; now = now_ms()) {
		int open = 0;

		for (int i = 0; i < PIPE_COUNT; i++) {
			fds[i] = (struct pollfd) { .fd = guest->pipes[i], .events = POLLIN };
			open += guest->pipes[i] >= 0;
		}
		if (!open || (poll(fds, PIPE_COUNT, (int)(deadline - now)) < 0 && errno != EINTR))
			break;
		for (int i = 0; i < PIPE_COUNT; i++)
			if (fds[i].revents && guest->pipes[i] >= 0)
				take(guest, i);
	}
}

/* ---- the outcome ------------------------------------------------------------------------ */

static enum guest_outcome judge(const struct guest *guest)
{
	if (guest->console.count[CONSOLE_PANIC])
		return GUEST_PANIC;
	if (guest->broken)
		return GUEST_PROTOCOL;
	if (guest->channel.no_root[0])
		return GUEST_NO_ROOT;
	if (guest->channel.done)
		return GUEST_OK;
	if (guest->stopped)
		return GUEST_INTERRUPTED;
	if (!guest->channel.ready) {
		bool silent = !guest->timed_out && !guest->console.tail_total;

		return silent && guest->messages_used ? GUEST_NOT_STARTED : GUEST_NO_BOOT;
	}
	return guest->timed_out ? GUEST_TIMEOUT : GUEST_LOST;
}

/* The command that was running when the guest ended. */
static const char *current_command(const struct guest *guest)
{
	size_t index = guest->channel.commands_done;

	return index < guest->options->command_count ? guest->options->commands[index].argv[0]
						     : "its end";
}

static void explain(const struct guest *guest, char *ret, size_t size)
{
	unsigned seconds = (unsigned)((now_ms() - guest->start_ms) / 1000);

	*ret = '\0';
	switch (guest->result->outcome) {
	case GUEST_NOT_STARTED:
		snprintf(ret, size, "QEMU did not start: %.200s", guest->messages);
		break;
	case GUEST_NO_BOOT:
		if (guest->timed_out)
			snprintf(ret, size, "the guest's init did not report within %u s", seconds);
		else
			snprintf(ret, size, "the guest ended before its init reported%s%.150s",
				 guest->messages_used ? ": " : "", guest->messages);
		break;
	case GUEST_PANIC:
		snprintf(ret, size, "the guest's kernel died in %.60s: %.150s",
			 current_command(guest), guest->console.panic);
		break;
	case GUEST_TIMEOUT:
		snprintf(ret, size, "the guest was still running %.100s after %u s",
			 current_command(guest), seconds);
		break;
	case GUEST_LOST:
		snprintf(ret, size, "the guest ended during %.80s without a result%s%.100s",
			 current_command(guest), guest->messages_used ? ": " : "", guest->messages);
		break;
	case GUEST_PROTOCOL:
		snprintf(ret, size, "ttyS1, byte %llu: %.200s",
			 (unsigned long long)guest->protocol_error.offset,
			 guest->protocol_error.message);
		break;
	case GUEST_INTERRUPTED:
		snprintf(ret, size, "the guest was ended during %.80s", current_command(guest));
		break;
	case GUEST_NO_ROOT:
		snprintf(ret, size, "the guest's root: %s", guest->channel.no_root);
		break;
	case GUEST_OK:
	case GUEST_OUTCOME_COUNT: break;
	}
	/* One sentence, one line. */
	for (char *c = ret; *c; c++)
		*c = *c == '\n' || *c == '\r' ? ' ' : *c;
	for (size_t length = strlen(ret); length && ret[length - 1] == ' '; length--)
		ret[length - 1] = '\0';
}

static void fill_result(struct guest *guest)
{
	struct guest_result *result = guest->result;

	result->outcome = judge(guest);
	result->kvm = guest->kvm && guest->channel.ready;
	result->commands_done = guest->channel.commands_done;
	result->total_ms = (unsigned)(now_ms() - guest->start_ms);
	result->splats = console_events(&guest->console);
	memcpy(result->release, guest->channel.release, sizeof(result->release));
	console_tail(&guest->console, result->console_tail, sizeof(result->console_tail));
	explain(guest, result->sentence, sizeof(result->sentence));
}

void guest_command_line(const struct guest_options *options, FILE *file)
{
	struct qemu_settings settings = {
		.emulator = emulator_of(options),
		.plugin = options->plugin,
		.kernel = options->kernel_image,
		.initrd = "initramfs.cpio",
		.console = options->console_path ? options->console_path : "console.log",
		.results = "results.frames",
		.disk = options->root ? "root.img" : NULL,
		.memory_mb = options->memory_mb ? options->memory_mb : DEFAULT_MEMORY_MB,
		.cpus = options->cpus,
		.kvm = accelerator_of(options) != ACCELERATOR_TCG,
	};
	struct qemu_command command;

	settings.tsc_khz = settings.kvm ? 0 : tsc_khz();
	qemu_command_build(&command, &settings);
	qemu_command_print(&command, file);
}

/* ---- one guest -------------------------------------------------------------------------- */

/* Where the console is kept: *ret_fd, or -1 if nobody asked for it. */
static int open_console(const char *path, int *ret_fd, struct error *error)
{
	*ret_fd = -1;
	if (!path)
		return 0;
	*ret_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return *ret_fd < 0 ? error_set_errno(error, "can't write %.150s", path) : 0;
}

/* Starts the guest once, with KVM or without. */
static int attempt(struct guest *guest, const struct guest_callbacks *callbacks, bool kvm,
		   bool may_fall_back, struct error *error)
{
	const struct guest_options *options = guest->options;
	int ret;

	guest->kvm = kvm;
	guest->timed_out = guest->broken = guest->interrupted = false;
	guest->messages_used = 0;
	guest->messages[0] = '\0';
	memset(&guest->console, 0, sizeof(guest->console));
	guest_channel_init(&guest->channel, callbacks, options->command_count);
	if (guest->console_fd >= 0 &&
	    (ftruncate(guest->console_fd, 0) || lseek(guest->console_fd, 0, SEEK_SET)))
		return error_set_errno(error, "can't write %.150s", options->console_path);
	ret = start_qemu(guest, error);
	guest->deadline_ms = guest->start_ms +
			     (options->timeout_ms ? options->timeout_ms : DEFAULT_TIMEOUT_MS);
	guest->init_deadline_ms = may_fall_back ? guest->start_ms + KVM_INIT_MS
						: guest->deadline_ms;
	if (!ret) {
		follow(guest);
		ask_to_end(guest);
	}
	end_qemu(guest);
	if (!ret)
		fill_result(guest);
	return ret;
}

static int attempt_all(struct guest *guest, const struct guest_callbacks *callbacks,
		       struct error *error)
{
	enum accelerator_choice choice = accelerator_of(guest->options);

	if (choice != ACCELERATOR_TCG) {
		bool may_fall_back = choice == ACCELERATOR_TRY_KVM;

		if (attempt(guest, callbacks, true, may_fall_back, error))
			return -1;
		if (guest->channel.ready || !may_fall_back || guest->stopped)
			return 0;
		/* Whatever it was, TCG will show whether KVM was the reason. */
		fprintf(stderr,
			"stackproof: no guest boots with KVM here, so it is emulated, slowly: %s\n",
			guest->result->sentence);
		if (attempt(guest, callbacks, false, false, error))
			return -1;
		if (guest->channel.ready)
			accelerator_remember_failure();
		return 0;
	}
	return attempt(guest, callbacks, false, false, error);
}

int guest_run(const struct guest_options *options, const struct guest_callbacks *callbacks,
	      struct guest_result *ret, struct error *error)
{
	struct guest *guest = calloc(1, sizeof(*guest));
	struct error ignored;
	int result = -1;

	memset(ret, 0, sizeof(*ret));
	if (!guest) {
		error_set(error, ERROR_MEMORY, "", 0, "out of memory");
		goto out;
	}
	*guest = (struct guest) { .options = options,
				  .result = ret,
				  .initrd_fd = -1,
				  .kernel_fd = -1,
				  .disk_fd = -1,
				  .console_fd = -1,
				  .pipes = { -1, -1, -1 },
				  .input = { -1, -1 } };
	if (open_console(options->console_path, &guest->console_fd, error) ||
	    (options->root && root_image_open(options->root, &guest->disk_fd, &ret->root, error)) ||
	    initramfs_build(options, &guest->initrd_fd, error))
		goto out;
	/* Else QEMU takes the bzImage, or says what is wrong with it. */
	boot_image_unpack(options->kernel_image, &guest->kernel_fd, &ignored);
	result = attempt_all(guest, callbacks, error);
	if (!result && ret->outcome == GUEST_NOT_STARTED)
		result = error_set(error, ERROR_UNAVAILABLE, "", 0, "%s", ret->sentence);
out:
	if (result) {
		ret->outcome = GUEST_NOT_STARTED;
		snprintf(ret->sentence, sizeof(ret->sentence), "%s", error->message);
	}
	if (guest) {
		int fds[] = { guest->initrd_fd, guest->kernel_fd, guest->disk_fd,
			      guest->console_fd };

		for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
			if (fds[i] >= 0)
				close(fds[i]);
		}
	}
	free(guest);
	return result;
}
