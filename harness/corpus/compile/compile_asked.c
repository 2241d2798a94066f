/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_asked.c - who runs the compiler: a script that configures, or somebody who builds?
 *
 * A configure compiles programs of its own, under names of its own (nginx' autotest.c, QEMU's qemu-conf.c, Perl's try.c),
 * to see whether it can be done. It is no builder, and does not keep them. So the processes above this one are
 * looked at, from the nearest on, until one configures or builds:
 *
 *	configures	a script named configure, Configure or autosetup, also with something behind (configure.py); what
 *			interpreters' packages call theirs (Makefile.PL, Build.PL, extconf.rb); a program that is told to
 *			configure, and not to build as well (`waf configure`, `Setup configure`); cmake and meson, but
 *			where they are told to do something else (`cmake --build`, `meson compile`)
 *	builds		make, ninja and their like, whoever started them
 *
 * Shells, launchers and what else lies between say nothing. Who can't be read, by the kernel's rules, is nobody.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "compile_line.h"
#include "proc_file.h"
#include "process_scan.h"

#define ARGUMENT_BYTES 4096 /* of a process; the script's name is among the first */

/* Whose next argument that is no option is the program. */
static bool is_interpreter(const char *program)
{
	static const char *const patterns[] = {
		"sh",	     "dash",   "bash",	      "ksh",	"mksh",	   "ash",
		"zsh",	     "yash",   "perl",	      "ruby",	"busybox", "perl5*",
		"ruby[23]*", "python", "python[23]*", "tclsh*", "jimsh*",
	};

	return HAS_NAME(program, patterns);
}

static bool configures(const char *program)
{
	static const char *const patterns[] = {
		"configure", "configure.*", "Configure", "Configure.*",
		"autosetup", "Makefile.PL", "Build.PL",	 "extconf.rb",
	};

	return HAS_NAME(program, patterns);
}

static bool builds(const char *program)
{
	static const char *const patterns[] = {
		"make", "gmake", "bmake", "ninja", "ninja-build", "samu", "cargo",
		"go",	"bazel", "buck2", "scons", "tup",	  "b2",
	};

	return HAS_NAME(program, patterns);
}

/* The argument behind, or NULL. */
static const char *next(const char *argument, const char *end)
{
	argument += strlen(argument) + 1;
	return argument < end ? argument : NULL;
}

/* `sh -c WORDS` has no script; -x, -eu, --norc have no argument. */
static const char *script(const char *argument, const char *end)
{
	while ((argument = next(argument, end)) && (argument[0] == '-' || argument[0] == '+'))
		if (!strcmp(argument, "-c"))
			return NULL;
	return argument;
}

/* Some argument behind that one. */
static bool is_told(const char *argument, const char *end, const char *const *patterns,
		    size_t count)
{
	while ((argument = next(argument, end)))
		for (size_t i = 0; i < count; i++)
			if (!fnmatch(patterns[i], argument, 0))
				return true;
	return false;
}
#define IS_TOLD(argument, end, patterns)                                                           \
	is_told(argument, end, patterns, sizeof(patterns) / sizeof((patterns)[0]))

static bool cmake_configures(const char *program, const char *end)
{
	static const char *const others[] = { "--build", "--install", "--open", "-E", "-P" };

	return !IS_TOLD(program, end, others);
}

/* Without a command it sets up what it is called for; of its own steps one makes what ninja builds by. */
static bool meson_configures(const char *program, const char *end)
{
	static const char *const others[] = {
		"compile", "install",	  "test",    "dist",	  "devenv",    "introspect",
		"wrap",	   "subprojects", "rewrite", "env2mfile", "help",      "init",
		"format",  "fmt",	  "convert", "runpython", "reprotest",
	};
	const char *told = next(program, end);

	if (told && !strcmp(told, "--internal")) {
		told = next(told, end);
		return told && !strcmp(told, "regenerate");
	}
	return told && !IS_ONE_OF(told, others);
}

static bool is_told_to_configure(const char *program, const char *end)
{
	static const char *const others[] = {
		"build*", "install*", "bdist*", "all", "check", "test"
	};
	const char *name = compile_base_name(program), *told = next(program, end);

	if (!strcmp(name, "cmake") || !strcmp(name, "ccmake"))
		return cmake_configures(program, end);
	if (!strcmp(name, "meson") || !strcmp(name, "meson.py"))
		return meson_configures(program, end);
	return told && !strcmp(told, "configure") && !IS_TOLD(told, end, others);
}

enum compile_asker compile_asker(const char *arguments, size_t size)
{
	const char *end = arguments + size, *program = size ? arguments : NULL;

	while (program && is_interpreter(program))
		program = script(program, end);
	if (!program)
		return COMPILE_ASKER_OTHER;
	if (configures(program))
		return COMPILE_ASKER_CONFIGURES;
	if (builds(program))
		return COMPILE_ASKER_BUILDS;
	return is_told_to_configure(program, end) ? COMPILE_ASKER_CONFIGURES : COMPILE_ASKER_OTHER;
}

bool compile_is_asked(pid_t pid)
{
	char text[ARGUMENT_BYTES];

	for (int i = 0; i < COMPILE_PROCESSES_MAX && pid > 0; i++, pid = process_parent(pid)) {
		ssize_t size = proc_file_read(pid, "cmdline", text, sizeof(text));

		switch (compile_asker(text, size > 0 ? (size_t)size : 0)) {
		case COMPILE_ASKER_CONFIGURES: return true;
		case COMPILE_ASKER_BUILDS: return false;
		case COMPILE_ASKER_OTHER: break;
		}
	}
	return false;
}
