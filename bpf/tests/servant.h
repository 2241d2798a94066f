/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * servant.h - a child process that does as it is told: maps, forks, executes, ends
 *
 * Orders come through one pipe, an answer to each goes through another when it is done. For one
 * test program only: everything is static.
 */
#ifndef STACKPROOF_SERVANT_H
#define STACKPROOF_SERVANT_H

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"

#define SOME_ADDRESS ((void *)0x200000000000) /* nothing is there */
#define ELSEWHERE    ((void *)0x210000000000)

enum command {
	COMMAND_FORK,	       /* a child that waits; answers its pid */
	COMMAND_FORK_CAT,      /* one that executes cat, which has answered once; its pid */
	COMMAND_THREAD_CAT,    /* one that executes it in another thread than the first */
	COMMAND_ORPHAN_CAT,    /* the same by a child that has ended */
	COMMAND_END_CHILDREN,  /* all of them; waits for them */
	COMMAND_FORK_MANY,     /* value children that wait */
	COMMAND_SPAWN,	       /* value times /bin/true, each to its end */
	COMMAND_MAP_EXE,       /* a page of its own code, at SOME_ADDRESS */
	COMMAND_MAP_LIBC,      /* a page of the C library's */
	COMMAND_MAP_NEW,       /* a page of a library's copy that nobody has met */
	COMMAND_MAP_ANONYMOUS, /* a page that becomes executable by mprotect */
	COMMAND_UNMAP,
	COMMAND_MOVE,	    /* what is there to ELSEWHERE, of which the kernel says nothing */
	COMMAND_SPIN_THERE, /* maps a page of its own code, and spins in it; as COMMAND_SPIN */
	COMMAND_OPEN,	    /* library number value; answers where it is */
	COMMAND_CLOSE,
	COMMAND_EXEC_CAT,    /* it becomes cat itself, which answers by its echo */
	COMMAND_LEADER_EXIT, /* another thread goes on */
	COMMAND_SPIN,	     /* for value milliseconds on a CPU, about */
	COMMAND_QUIT,
};

struct order {
	enum command command;
	int value;
};

static const char *const libraries[] = { "libanl.so.1", "libBrokenLocale.so.1", "libutil.so.1",
					 "libthread_db.so.1" };

struct servant {
	int in, out;
	pid_t child[256];
	int children;
	void *library;
};

/* By turns and not by a clock, which goes on while others have the CPU. All of it is in one
 * page. */
static __attribute__((noinline, noipa, aligned(64))) int64_t spin_turns(uint64_t turns)
{
	while (turns--)
		__asm__ volatile("");
	return 0;
}

#define TURNS_OF_A_MS 2500000ull /* some GHz, a cycle each */

static int64_t fork_waiting(struct servant *servant)
{
	pid_t pid = fork();

	if (pid < 0)
		return -1; /* and none to be killed: kill(-1) is for everybody */
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	servant->child[servant->children++] = pid;
	return pid;
}

static void become_cat(int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execl("/bin/cat", "cat", (char *)NULL);
	_exit(127);
}

struct cat_pipes {
	int to[2], from[2];
};

static void *cat_thread(void *pipes)
{
	become_cat(((struct cat_pipes *)pipes)->to[0], ((struct cat_pipes *)pipes)->from[1]);
	return NULL;
}

static pid_t start_cat(struct cat_pipes *pipes, bool by_thread)
{
	pid_t pid = fork();
	pthread_t thread;

	if (!pid && by_thread && !pthread_create(&thread, NULL, cat_thread, pipes))
		pause();
	if (!pid)
		cat_thread(pipes);
	return pid;
}

static int64_t fork_cat(struct servant *servant, enum command command)
{
	volatile pid_t *child = &servant->child[servant->children];
	struct cat_pipes pipes;
	char byte = 'x';

	if (pipe2(pipes.to, O_CLOEXEC) || pipe2(pipes.from, O_CLOEXEC))
		return -1;
	if (command == COMMAND_ORPHAN_CAT) {
		pid_t between = vfork();

		if (!between) {
			*child = start_cat(&pipes, false);
			_exit(0);
		}
		waitpid(between, NULL, 0);
	} else {
		*child = start_cat(&pipes, command == COMMAND_THREAD_CAT);
	}
	if (*child < 0 || write(pipes.to[1], &byte, 1) != 1 || read(pipes.from[0], &byte, 1) != 1)
		return -1;
	servant->children++; /* the pipes stay open: cat would end */
	return *child;
}

static int64_t end_children(struct servant *servant)
{
	while (servant->children) {
		pid_t pid = servant->child[--servant->children];

		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static int64_t spawn(int times)
{
	char *arguments[] = { (char *)"true", NULL };
	pid_t pid;

	for (int i = 0; i < times; i++)
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, NULL) ||
		    waitpid(pid, NULL, 0) != pid)
			return -1;
	return 0;
}

/* The first page of the mapping with an address, or the address's own, from its file, at
 * SOME_ADDRESS. */
static int64_t map_code(const void *code, bool own)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char path[256] = "";
	uint64_t start, end, offset;
	FILE *maps = fopen("/proc/thread-self/maps", "re");
	int fd = -1;
	void *at;

	while (fscanf(maps, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s%*[ ]%255[^\n]", &start,
		      &end, &offset, path) >= 3)
		if ((uint64_t)code >= start && (uint64_t)code < end)
			break;
	fclose(maps);
	if (own)
		offset += ((uint64_t)code & -page) - start;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	at = mmap(SOME_ADDRESS, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, offset);
	close(fd);
	return at == SOME_ADDRESS ? 0 : -1;
}

/* Of a small library, which has code on its second page. */
static int64_t map_new(void)
{
	struct link_map *library = dlopen(libraries[1], RTLD_NOW);
	int from = library ? open(library->l_name, O_RDONLY | O_CLOEXEC) : -1;
	int to = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0700);
	long page = sysconf(_SC_PAGESIZE);
	void *at = MAP_FAILED;

	if (from >= 0 && to >= 0 && sendfile(to, from, NULL, 1 << 20) > 2 * page)
		at = mmap(SOME_ADDRESS, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, to,
			  page);
	close(from);
	close(to);
	return at == SOME_ADDRESS ? 0 : -1;
}

static int64_t map_anonymous(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at = mmap(SOME_ADDRESS, page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return at == SOME_ADDRESS ? mprotect(at, page, PROT_READ | PROT_EXEC) : -1;
}

static int64_t spin_there(int ms)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	int64_t (*there)(uint64_t) =
		(void *)((uint64_t)SOME_ADDRESS + ((uint64_t)spin_turns & (page - 1)));

	return map_code((void *)spin_turns, true) ? -1 : there(ms * TURNS_OF_A_MS);
}

static int64_t move(void)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return mremap(SOME_ADDRESS, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, ELSEWHERE) ==
			       ELSEWHERE
		       ? 0
		       : -1;
}

static int64_t open_library(struct servant *servant, int number)
{
	struct link_map *map;

	servant->library = dlopen(libraries[number], RTLD_LAZY);
	if (!servant->library || dlinfo(servant->library, RTLD_DI_LINKMAP, &map))
		return -1;
	return map->l_addr;
}

static void serve(struct servant *servant);

/* Answers when the leader has ended: it is a zombie then (proc(5)). */
static void *serve_on(void *servant)
{
	int64_t answer = 0;
	char state = 'R';

	while (state != 'Z') {
		FILE *file = fopen("/proc/self/stat", "re");

		if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			_exit(1);
		fclose(file);
		usleep(1000);
	}
	if (write(((struct servant *)servant)->out, &answer, sizeof(answer)) == sizeof(answer))
		serve(servant);
	return NULL;
}

static int64_t obey(struct servant *servant, const struct order *order)
{
	pthread_t thread;
	int64_t status = 0;

	switch (order->command) {
	case COMMAND_FORK: return fork_waiting(servant);
	case COMMAND_FORK_CAT:
	case COMMAND_THREAD_CAT:
	case COMMAND_ORPHAN_CAT: return fork_cat(servant, order->command);
	case COMMAND_END_CHILDREN: return end_children(servant);
	case COMMAND_FORK_MANY:
		for (int i = 0; i < order->value && status >= 0; i++)
			status = fork_waiting(servant);
		return status;
	case COMMAND_SPAWN: return spawn(order->value);
	case COMMAND_MAP_EXE: return map_code((void *)serve, false);
	case COMMAND_MAP_LIBC: return map_code(dlsym(RTLD_DEFAULT, "qsort"), false);
	case COMMAND_MAP_NEW: return map_new();
	case COMMAND_MAP_ANONYMOUS: return map_anonymous();
	case COMMAND_UNMAP: return munmap(SOME_ADDRESS, sysconf(_SC_PAGESIZE));
	case COMMAND_MOVE: return move();
	case COMMAND_SPIN_THERE: return spin_there(order->value);
	case COMMAND_OPEN: return open_library(servant, order->value);
	case COMMAND_CLOSE: return dlclose(servant->library);
	case COMMAND_EXEC_CAT: become_cat(servant->in, servant->out); return -1;
	case COMMAND_LEADER_EXIT:
		pthread_create(&thread, NULL, serve_on, servant);
		pthread_exit(NULL);
	case COMMAND_SPIN: return spin_turns(order->value * TURNS_OF_A_MS);
	case COMMAND_QUIT: end_children(servant); _exit(0);
	}
	return -1;
}

static void serve(struct servant *servant)
{
	struct order order;

	while (read(servant->in, &order, sizeof(order)) == sizeof(order)) {
		int64_t answer = obey(servant, &order);

		if (write(servant->out, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

#endif
