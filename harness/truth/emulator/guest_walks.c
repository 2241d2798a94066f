/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_walks.c - BPF in the guest: loaded, and told of a program's mappings
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "guest_agent.h"
#include "guest_walks.h"
#include "perf_ring.h"
#include "session.h"
#include "truth/tracer/target_follow.h"

#define TRACEPOINT "x86_platform_ipi_entry"
#define RING_PAGES 256

struct guest_walks {
	struct bpf_session *session;
	struct image_store *store;
	struct perf_rings rings;
	struct guest_told told;
	void *records; /* the ring buffer of stacks, mapped once more */
	size_t records_bytes;
};

/* ---- what all programs share --------------------------------------------------------------- */

static int map_records(struct guest_walks *walks, struct error *error)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = bpf_session_records(walks->session, &walks->records_bytes);

	/* The reader's page may be written, the others not: two mappings side by side. */
	walks->records = mmap(NULL, walks->records_bytes + 2 * page, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (walks->records == MAP_FAILED)
		walks->records = NULL;
	if (!walks->records ||
	    mmap(walks->records, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED ||
	    mmap((char *)walks->records + page, walks->records_bytes + page, PROT_READ,
		 MAP_SHARED | MAP_FIXED, fd, page) == MAP_FAILED)
		return error_set_errno(error, "the stacks' ring buffer");
	walks->told.walks = (uintptr_t)walks->records;
	walks->told.walks_bytes = walks->records_bytes;
	guest_agent_touch(walks->records, walks->records_bytes + 2 * page);
	return 0;
}

static int open_walks(struct guest_walks *walks, struct error *error)
{
	static const struct bpf_session_options options = { .entries = 1 << WALK_ENTRY_TRACEPOINT };

	walks->store = image_store_create();
	if (!walks->store)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
	if (guest_layout_read(&walks->told, error) ||
	    bpf_session_open(&options, &walks->session, error) || map_records(walks, error) ||
	    perf_rings_open(&walks->rings, RING_PAGES, error) ||
	    guest_agent_rings(&walks->told, &walks->rings, error) ||
	    bpf_session_attach_tracepoint(walks->session, TRACEPOINT, error))
		return -1;
	return 0;
}

int guest_walks_open(struct guest_walks **ret, struct error *error)
{
	struct guest_walks *walks = calloc(1, sizeof(*walks));

	*ret = walks;
	if (!walks)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for walks");
	walks->rings.epoll_fd = -1;
	if (!open_walks(walks, error))
		return 0;
	guest_walks_close(walks);
	*ret = NULL;
	return -1;
}

void guest_walks_close(struct guest_walks *walks)
{
	if (walks->records)
		munmap(walks->records, walks->records_bytes + 2 * (size_t)sysconf(_SC_PAGESIZE));
	if (walks->session)
		bpf_session_close(walks->session);
	if (walks->store)
		image_store_destroy(walks->store);
	perf_rings_close(&walks->rings);
	free(walks);
}

/* ---- a program ----------------------------------------------------------------------------- */

struct program {
	struct guest_walks *walks;
	pid_t pid;
	struct error *error;
};

static void tell(struct program *program, pid_t watched)
{
	program->walks->told.watched = (uint32_t)watched;
	guest_agent_make_room(&program->walks->rings);
	guest_agent_tell(&program->walks->told);
}

static int on_start(void *context, pid_t pid)
{
	struct program *program = context;

	program->pid = pid;
	tell(program, pid);
	return 0;
}

static int on_exec(void *context)
{
	struct program *program = context;

	bpf_session_forget_process(program->walks->session, program->pid);
	return 0;
}

/* Gives BPF the process's mappings as they are now. */
static int on_mappings(void *context)
{
	struct program *program = context;
	struct guest_walks *walks = program->walks;
	struct address_space space = { 0 };
	int status = address_space_read(&space, walks->store, program->pid, program->error) ||
		     bpf_session_set_process(walks->session, &space, program->error);

	address_space_deinit(&space);
	return status ? -1 : 0;
}

static void ignore_record(void *context, const struct walk_record *record, bool frame_pointer)
{
}

/* What is taken here the witness has seen. */
static int make_room(void *context)
{
	struct program *program = context;

	guest_agent_make_room(&program->walks->rings);
	return bpf_session_consume(program->walks->session, ignore_record, NULL, program->error);
}

int guest_walks_run(struct guest_walks *walks, char *const argv[], unsigned timeout_ms,
		    int *ret_status, struct error *error)
{
	const struct target_program target = { .argv = argv, .silence_output = true };
	struct program program = { walks, 0, error };
	const struct target_follower follower = {
		.on_start = on_start,
		.on_exec = on_exec,
		.on_mappings = on_mappings,
		.on_turn = make_room,
		.wake_fd = walks->rings.epoll_fd,
		.context = &program,
	};
	int status = target_follow(&target, timeout_ms, &follower, ret_status, error);

	if (program.pid) {
		tell(&program, 0);
		bpf_session_forget_process(walks->session, program.pid);
	}
	return status;
}
