/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * console.c - what a guest's console says about its kernel
 *
 * A command that exits with 0 in a guest whose kernel has just printed a WARNING is no clean pass,
 * and a guest that stops answering should say why. The kernel says both on its console, as text
 * with fixed beginnings (kernel/panic.c, lib/bug.c, arch/x86/mm/fault.c, kernel/rcu/tree_stall.h,
 * kernel/hung_task.c, kernel/watchdog.c, mm/oom_kill.c; checked against 5.10 to 7.2).
 *
 * A pattern must stand at the line's beginning, after the time stamp and the caller's id
 * (CONFIG_PRINTK_CALLER), because programs write to the console too: "BUG:" in the middle of a line
 * is somebody's prose. A fault of a program ("traps: ls[71] general protection fault ip:...") is
 * not the kernel's, so it is no event.
 *
 * One accident may be several events: a null pointer prints a BUG line and an Oops line.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "console.h"

struct pattern {
	enum console_event event;
	const char *start;
	const char *also; /* must follow somewhere on the line; NULL: nothing */
};

/* The first that fits counts, so the special ones come before "BUG: ". */
static const struct pattern patterns[] = {
	{ CONSOLE_PANIC, "Kernel panic - not syncing", NULL },
	{ CONSOLE_GENERAL_PROTECTION, "general protection fault", NULL },
	{ CONSOLE_GENERAL_PROTECTION, "Oops: general protection fault", NULL },
	{ CONSOLE_OOPS, "Oops: ", NULL },
	{ CONSOLE_OOPS, "invalid opcode: ", NULL },
	{ CONSOLE_OOPS, "divide error: ", NULL },
	{ CONSOLE_OOPS, "stack segment: ", NULL },
	{ CONSOLE_OOPS, "int3: ", NULL },
	{ CONSOLE_OOPS, "double fault: ", NULL },
	{ CONSOLE_SOFT_LOCKUP, "watchdog: BUG: soft lockup", NULL },
	{ CONSOLE_SOFT_LOCKUP, "BUG: soft lockup", NULL },
	{ CONSOLE_SOFT_LOCKUP, "watchdog: Watchdog detected hard LOCKUP", NULL },
	{ CONSOLE_SOFT_LOCKUP, "watchdog: CPU", "hard LOCKUP" },
	{ CONSOLE_BUG, "BUG: ", NULL },
	{ CONSOLE_BUG, "kernel BUG at ", NULL },
	{ CONSOLE_BUG, "UBSAN: ", NULL },
	{ CONSOLE_BUG, "list_add corruption", NULL },
	{ CONSOLE_BUG, "list_del corruption", NULL },
	{ CONSOLE_WARNING, "WARNING: ", NULL },
	{ CONSOLE_RCU_STALL, "rcu: INFO: ", "detected" },
	{ CONSOLE_RCU_STALL, "INFO: rcu_", "detected" },
	{ CONSOLE_HUNG_TASK, "INFO: task ", "blocked for more than" },
	{ CONSOLE_HUNG_TASK, "INFO: task ", "blocked in I/O wait" },
	{ CONSOLE_OOM_KILL, "Out of memory: ", "Killed process" },
	{ CONSOLE_OOM_KILL, "Memory cgroup out of memory: ", "Killed process" },
};

/* "<4>[   12.345678][   T71] text" -> "text". Each part may be missing. */
static const char *skip_prefix(const char *line)
{
	if (line[0] == '<' && isdigit((unsigned char)line[1])) {
		const char *end = strchr(line, '>');

		line = end ? end + 1 : line;
	}
	while (line[0] == '[') {
		size_t length = 1 + strspn(line + 1, " .0123456789TC");

		if (length == 1 || line[length] != ']')
			break;
		line += length + 1;
		line += strspn(line, " ");
	}
	return line;
}

static bool pattern_fits(const struct pattern *pattern, const char *text)
{
	size_t length = strlen(pattern->start);

	return !strncmp(text, pattern->start, length) &&
	       (!pattern->also || strstr(text + length, pattern->also));
}

static void judge_line(struct console *console)
{
	const char *text;

	console->line[console->line_length] = '\0';
	console->line_length = 0;
	text = skip_prefix(console->line);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		if (!pattern_fits(&patterns[i], text))
			continue;
		console->count[patterns[i].event]++;
		if (patterns[i].event == CONSOLE_PANIC && !console->panic[0])
			snprintf(console->panic, sizeof(console->panic), "%.255s", text);
		return;
	}
}

void console_feed(struct console *console, const void *data, size_t size)
{
	const char *byte = data;

	for (size_t i = 0; i < size; i++) {
		char c = byte[i];

		console->tail[console->tail_total++ % CONSOLE_TAIL_MAX] = c;
		if (c == '\n')
			judge_line(console);
		else if (c != '\r' && c != '\0' && console->line_length < CONSOLE_LINE_MAX - 1)
			console->line[console->line_length++] = c;
	}
}

void console_finish(struct console *console)
{
	if (console->line_length)
		judge_line(console);
}

unsigned console_events(const struct console *console)
{
	unsigned sum = 0;

	for (int i = 0; i < CONSOLE_EVENT_COUNT; i++)
		sum += console->count[i];
	return sum;
}

void console_tail(const struct console *console, char *ret, size_t size)
{
	size_t kept = console->tail_total < CONSOLE_TAIL_MAX ? console->tail_total
							     : CONSOLE_TAIL_MAX;
	size_t used = 0;
	bool whole;

	if (kept > size - 1)
		kept = size - 1;
	/* If something was cut off, begin after the first newline. */
	whole = kept == console->tail_total;
	for (size_t i = console->tail_total - kept; i < console->tail_total; i++) {
		char c = console->tail[i % CONSOLE_TAIL_MAX];

		if (whole && (c == '\n' || c == '\t' || (unsigned char)c >= ' '))
			ret[used++] = c;
		whole = whole || c == '\n';
	}
	ret[used] = '\0';
}
