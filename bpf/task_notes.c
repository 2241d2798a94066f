/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * task_notes.c - load and attach the programs that note what no perf event says
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "libbpf_messages.h"
#include "own_namespace.h"
#include "task_notes.h"
#include "task_notes.skel.h"

enum { NOTE_EXEC, NOTE_MOVE, NOTE_FORK, NOTERS };

struct task_notes {
	struct task_notes_bpf *noter[NOTERS];
	int noters;
	struct ring_buffer *rings;
	uint64_t lost; /* that were told */
	task_note_fn fn;
	void *context;
};

static int on_note(void *context, void *data, size_t size)
{
	const struct task_notes *notes = context;

	if (size >= sizeof(struct task_note))
		notes->fn(notes->context, data);
	return 0;
}

static int add_ring(struct task_notes *notes, int fd)
{
	if (notes->rings)
		return ring_buffer__add(notes->rings, fd, on_note, notes);
	notes->rings = ring_buffer__new(fd, on_note, notes, NULL);
	return notes->rings ? 0 : -errno;
}

static int attach(struct bpf_program *program, struct bpf_link **ret)
{
	if (!bpf_program__autoload(program))
		return 0;
	*ret = bpf_program__attach(program);
	return *ret ? 0 : -errno;
}

/* which: bits 1 << NOTE_EXEC and so on. */
static int load(struct task_notes_bpf *noter, unsigned int which,
		const struct task_notes_maps *maps)
{
	int status;

	bpf_program__set_autoload(noter->progs.note_exec, which >> NOTE_EXEC & 1);
	bpf_program__set_autoload(noter->progs.note_move, which >> NOTE_MOVE & 1);
	bpf_program__set_autoload(noter->progs.note_fork, which >> NOTE_FORK & 1);
	status = bpf_map__reuse_fd(noter->maps.processes, maps->processes_fd);
	if (!status)
		status = bpf_map__reuse_fd(noter->maps.spaces, maps->spaces_fd);
	if (!status)
		status = bpf_map__reuse_fd(noter->maps.mappings, maps->mappings_fd);
	if (!status)
		status = task_notes_bpf__load(noter);
	if (!status)
		status = attach(noter->progs.note_exec, &noter->links.note_exec);
	if (!status)
		status = attach(noter->progs.note_move, &noter->links.note_move);
	return status ? status : attach(noter->progs.note_fork, &noter->links.note_fork);
}

static int add_noter(struct task_notes *notes, unsigned int which,
		     const struct task_notes_maps *maps, uint32_t pid_namespace)
{
	struct task_notes_bpf *noter = task_notes_bpf__open();
	int status;

	if (!noter)
		return -errno;
	noter->rodata->pid_namespace = pid_namespace;
	status = load(noter, which, maps);
	if (!status)
		status = add_ring(notes, bpf_map__fd(noter->maps.notes));
	if (status)
		task_notes_bpf__destroy(noter);
	else
		notes->noter[notes->noters++] = noter;
	return status;
}

/* All at once; else each that can be by itself. */
static int add_noters(struct task_notes *notes, unsigned int which,
		      const struct task_notes_maps *maps, uint32_t pid_namespace,
		      struct error *error)
{
	static const char *const what[] = {
		[NOTE_EXEC] = "programs that are executed with other rights",
		[NOTE_MOVE] = "code that mremap(2) moves",
		[NOTE_FORK] = "processes that share memory",
	};
	int status;

	if (!add_noter(notes, which, maps, pid_namespace))
		return 0;
	for (int i = 0; i < NOTERS; i++) {
		if (!(which >> i & 1))
			continue;
		status = add_noter(notes, 1u << i, maps, pid_namespace);
		if (!status)
			continue;
		error_set(error, ERROR_UNAVAILABLE, "", 0, "%s: %s", what[i], strerror(-status));
		error->system_errno = -status;
	}
	return error->code ? -1 : 0;
}

int task_notes_open(const struct task_notes_maps *maps, bool no_clock, struct task_notes **ret,
		    struct error *error)
{
	struct task_notes *notes = calloc(1, sizeof(*notes));
	uint32_t pid_namespace;
	int status;

	*ret = notes;
	*error = (struct error) { 0 };
	if (!notes)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for notes");
	if (own_pid_namespace(&pid_namespace, error))
		return -1;
	libbpf_messages_begin();
	status = add_noters(notes,
			    1u << NOTE_MOVE | 1u << NOTE_FORK | (unsigned int)no_clock << NOTE_EXEC,
			    maps, pid_namespace, error);
	libbpf_messages_end();
	return status;
}

void task_notes_close(struct task_notes *notes)
{
	if (!notes)
		return;
	ring_buffer__free(notes->rings);
	for (int i = 0; i < notes->noters; i++)
		task_notes_bpf__destroy(notes->noter[i]);
	free(notes);
}

int task_notes_fd(const struct task_notes *notes)
{
	return notes && notes->rings ? ring_buffer__epoll_fd(notes->rings) : -1;
}

uint64_t task_notes_take(struct task_notes *notes, task_note_fn fn, void *context)
{
	uint64_t lost = 0, before;

	if (!notes || !notes->rings)
		return 0;
	notes->fn = fn;
	notes->context = context;
	ring_buffer__consume(notes->rings);
	for (int i = 0; i < notes->noters; i++)
		lost += __atomic_load_n(&notes->noter[i]->bss->lost, __ATOMIC_RELAXED);
	before = notes->lost;
	notes->lost = lost;
	return lost - before;
}
