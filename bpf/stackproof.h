/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stackproof.h - complete stacks of programs without frame pointers: libstackproof(3)
 *
 *	images		executables and libraries, each read once, with the tables of their CFI
 *	space		the mappings of a process; names of addresses; the walk in user space
 *	session		the walk in the kernel, by BPF
 *	processes	keeps a session's mappings true while processes map, execute and fork
 *	truth		all true stacks of a run, as `stackproof truth` wrote them down
 *
 * All names begin with stackproof_ or STACKPROOF_. For C and C++.
 *
 * Functions that can fail return 0, or -1 and say why in error, which may be NULL. A structure whose
 * first member is size is initialised by STACKPROOF_INIT(). Later versions add members at its end.
 * Members that the library does not know must be zero in a structure that it is given, and are
 * zeroed in one that it fills. Objects are opaque. One thread at a time may use an object and the
 * images that it was made with. The library prints nothing.
 */
#ifndef STACKPROOF_H
#define STACKPROOF_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STACKPROOF_VERSION_MAJOR 0
#define STACKPROOF_VERSION_MINOR 2
#define STACKPROOF_VERSION_PATCH 0
#define STACKPROOF_VERSION_NUMBER                                                                  \
	(STACKPROOF_VERSION_MAJOR << 16 | STACKPROOF_VERSION_MINOR << 8 | STACKPROOF_VERSION_PATCH)

/* Initialises size, and zeroes the other members, which are then the defaults:
 * struct stackproof_walk_options options = STACKPROOF_INIT(struct stackproof_walk_options); */
#ifdef __cplusplus
template <typename type> static inline type stackproof_init()
{
	type value = type();

	value.size = sizeof(type);
	return value;
}
#define STACKPROOF_INIT(type) stackproof_init<type>()
extern "C" {
#else
#define STACKPROOF_INIT(type)                                                                      \
	{                                                                                          \
		.size = sizeof(type)                                                               \
	}
#endif

/* STACKPROOF_VERSION_NUMBER of the library that is linked. */
unsigned int stackproof_version(void);

/* ---- errors ----------------------------------------------------------------------------- */

enum stackproof_error_code {
	STACKPROOF_OK,
	STACKPROOF_ERROR_SYSTEM,   /* a system call failed: see system_errno */
	STACKPROOF_ERROR_MEMORY,   /* out of memory */
	STACKPROOF_ERROR_ARGUMENT, /* a structure's size, or members that the library doesn't know */
	STACKPROOF_ERROR_UNAVAILABLE, /* no privilege, or not supported here; the message says which */
	STACKPROOF_ERROR_LIMIT,	      /* a capacity that the options set is full */
	STACKPROOF_ERROR_ELF,	      /* no ELF file, of another machine, or broken */
	STACKPROOF_ERROR_CFI,	      /* call frame information that can't be read */
	STACKPROOF_ERROR_NO_CFI,      /* there is none */
	STACKPROOF_ERROR_INTERNAL,    /* the kernel broke its interface */
	STACKPROOF_ERROR_FILE,	      /* a truth file that is malformed, or cut off */
};

/* What went wrong, and where. */
struct stackproof_error {
	uint32_t code;	      /* enum stackproof_error_code */
	int32_t system_errno; /* with STACKPROOF_ERROR_SYSTEM, else 0 */
	char kind[24];	      /* more exactly than the code: "cie_version" */
	char section[24];     /* "" if it is in no section */
	uint64_t offset;      /* in bytes from the section's start, or the file's */
	char message[232];    /* one sentence */
};

/* The code's name, "unavailable"; "unknown" if it is no code. */
const char *stackproof_error_name(unsigned int code);

/* ---- images ----------------------------------------------------------------------------- */

struct stackproof_images; /* those met so far */
struct stackproof_image;  /* one of them */

/* *ret: stackproof_images_destroy(). */
int stackproof_images_create(struct stackproof_images **ret, struct stackproof_error *error);
/* To be called after all objects that were made with images are closed. images may be NULL, as the
 * argument of each function that closes an object. */
void stackproof_images_destroy(struct stackproof_images *images);
/* Opens the ELF file at path; or, if data is not NULL, copies size bytes at data, and path is only
 * their name. *ret: stackproof_image_close(). */
int stackproof_image_open(struct stackproof_images *images, const char *path, const void *data,
			  size_t size, struct stackproof_image **ret,
			  struct stackproof_error *error);
void stackproof_image_close(struct stackproof_image *image);

struct stackproof_image_info {
	size_t size;
	const char *path; /* valid until the image is closed, as build_id */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: it has none */
	uint64_t fdes;	      /* that were read */
	uint64_t rows;	      /* of them */
	uint64_t lost_fdes;   /* that could not be read, or are in no executable segment */
	uint64_t lost_rows;   /* rows that the kernel's tables can't hold: stackproof_row.lost */
	uint64_t table_bytes; /* in the kernel */
};

int stackproof_image_info(const struct stackproof_image *image, struct stackproof_image_info *ret,
			  struct stackproof_error *error);

/* What the CFI says of the addresses pc .. pc_end of an image. */
struct stackproof_row {
	size_t size;
	uint64_t pc, pc_end;
	const char *rules; /* "cfa=rsp+16 ra=c-8 rbp=c-16"; valid until the callback returns */
	const char *lost;  /* why the kernel's tables can't hold it: "offset_range"; else NULL */
};

/* Is given a row. Other than 0 stops, and is returned by stackproof_image_rows(). */
typedef int (*stackproof_row_fn)(void *context, const struct stackproof_row *row);
/* Gives fn each row of the FDEs that cover addresses from .. to - 1, in order of address of the
 * FDEs; 0 and UINT64_MAX are all. An FDE with malformed instructions ends where these are, and is
 * one of stackproof_image_faults(). Returns 0, -1, or what fn returned. */
int stackproof_image_rows(const struct stackproof_image *image, uint64_t from, uint64_t to,
			  stackproof_row_fn fn, void *context, struct stackproof_error *error);

typedef int (*stackproof_fault_fn)(void *context, const struct stackproof_error *fault);
/* Gives fn the first thousand errors in the image's CFI. *ret_count: the number of all errors;
 * ret_count may be NULL. */
int stackproof_image_faults(const struct stackproof_image *image, stackproof_fault_fn fn,
			    void *context, uint64_t *ret_count, struct stackproof_error *error);

/* ---- the mappings of a process ------------------------------------------------------------ */

struct stackproof_space;

/* Reads the executable mappings of a process, as they are now. *ret: stackproof_space_close(). */
int stackproof_space_read(struct stackproof_images *images, pid_t pid,
			  struct stackproof_space **ret, struct stackproof_error *error);
void stackproof_space_close(struct stackproof_space *space);
/* Reads the names of code that the process has generated, /tmp/perf-PID.map and the jitdump that it has
 * mapped, if they are new or have changed. */
int stackproof_space_read_names(const struct stackproof_space *space,
				struct stackproof_error *error);

/* Where an address lies. */
struct stackproof_place {
	size_t size;
	const char *path; /* NULL: it is not mapped; valid as long as the space */
	const uint8_t *build_id;
	size_t build_id_size;
	uint64_t address;   /* image address, as in symbols; without an image the PC */
	uint64_t offset;    /* from the function's start */
	char function[256]; /* "main", "read@plt"; a long name is cut; "": none */
	/* Which image it is, of those met so far; never used for another. 0: in none. */
	uint64_t image;
	/* The segment of the image that the address is in: image addresses, and the offset in the file of the first.
	 * Without an image the mapping, and its offset in its file. */
	uint64_t start, end, file_offset;
	/* Not 0: no CFI covers it, and it is where the image's execution begins, or close behind: a stack that ends
	 * there with NO_ROW is most likely whole, though nothing proves it. stackproof_space_find() says it. */
	uint32_t first_code;
	/* Not 0: the CFI says that what called this was interrupted by a signal: the next PC of the stack is no return
	 * address. */
	uint32_t signal_frame;
};

/* Finds where a PC lies. An unknown PC is no error: path is NULL. A return address lies behind its
 * call, and so perhaps in the next function: pass it less 1. The first PC of a stack, and an
 * interrupted PC below a signal handler, are no return addresses. */
int stackproof_space_find(const struct stackproof_space *space, uint64_t pc,
			  struct stackproof_place *ret, struct stackproof_error *error);
/* The same at a time, CLOCK_MONOTONIC, as stackproof_stack has it: of code that the process has generated, with a jitdump,
 * what was at the address then. */
int stackproof_space_find_at(const struct stackproof_space *space, uint64_t pc, uint64_t time_ns,
			     struct stackproof_place *ret, struct stackproof_error *error);
/* stackproof_space_find() without function and offset: much faster, for callers that keep the names of what they met by
 * image and address. */
int stackproof_space_locate(const struct stackproof_space *space, uint64_t pc,
			    struct stackproof_place *ret, struct stackproof_error *error);

/* An address of an image, as stackproof_space_locate() says them. */
struct stackproof_asked {
	uint64_t image, address;
};

/* Is given the name of asked[number]: path is the image's, and start, end and file_offset are 0. place is valid until the
 * callback returns. */
typedef void (*stackproof_name_fn)(void *context, size_t number,
				   const struct stackproof_place *place);
/* Names many addresses, in any order, as stackproof_space_find() would, image by image: what is read for that is given
 * up again, and so is all that was read before to name or check something in these images. Of images that have been
 * forgotten, and of files that have been written to since they were read, fn is given none. */
int stackproof_images_name(struct stackproof_images *images, const struct stackproof_asked *asked,
			   size_t count, stackproof_name_fn fn, void *context,
			   struct stackproof_error *error);

/* ---- stacks ----------------------------------------------------------------------------- */

/* Where a thread was when it was met. */
enum stackproof_mode {
	STACKPROOF_MODE_USER,
	STACKPROOF_MODE_KERNEL, /* in a system call, an exception or an interrupt */
	STACKPROOF_MODE_KERNEL_THREAD,
	STACKPROOF_MODE_ENDING, /* the process has no memory any more */
};

/* Why a thread left its CPU. */
enum stackproof_off {
	STACKPROOF_OFF_NONE, /* it is not walked for that */
	STACKPROOF_OFF_BLOCKED,
	STACKPROOF_OFF_PREEMPTED, /* it would have gone on */
};

/* Why a walk ended. */
enum stackproof_stop {
	STACKPROOF_STOP_COMPLETE = 1, /* the outermost frame, proven by CFI: the only whole stack */
	STACKPROOF_STOP_GUESSED, /* the same, but a frame was found by the frame pointer: no proof */
	STACKPROOF_STOP_NO_MAPPING,	  /* a PC in no image that has a table */
	STACKPROOF_STOP_NO_ROW,		  /* no CFI covers the PC */
	STACKPROOF_STOP_UNSUPPORTED,	  /* the CFI is there, but the table can't have it */
	STACKPROOF_STOP_MALFORMED,	  /* the CFI there can't be read */
	STACKPROOF_STOP_REGISTER_UNKNOWN, /* the CFA depends on a register whose value is lost */
	STACKPROOF_STOP_READ_FAULT,	  /* the stack could not be read */
	STACKPROOF_STOP_NO_PROGRESS,	  /* the caller's frame would not be above this one */
	STACKPROOF_STOP_ZERO_RETURN, /* a return address of 0: looks like an end, proves none */
	STACKPROOF_STOP_DEPTH,	     /* as many frames as the walk can hold */
	STACKPROOF_STOP_INTERNAL,    /* what must not happen */
	STACKPROOF_STOP_URETPROBE, /* a uretprobe has replaced a return address, and the true one isn't known */
	STACKPROOF_STOP_COUNT,
};

/* The stop's name, "complete"; "unknown" if it is no stop. */
const char *stackproof_stop_name(unsigned int stop);

/* The event that started a walk. */
enum stackproof_entry {
	STACKPROOF_ENTRY_STEP,
	STACKPROOF_ENTRY_SAMPLE,
	STACKPROOF_ENTRY_UPROBE,
	STACKPROOF_ENTRY_TRACEPOINT,
	STACKPROOF_ENTRY_REPLAY,
	STACKPROOF_ENTRY_USER, /* stackproof_walk() */
};

/* A stack, made by the library. The structure and all that it points to is valid until the callback
 * returns. */
struct stackproof_stack {
	size_t size; /* the library's: members behind it don't exist */
	uint32_t entry;
	uint32_t stop;	/* 0: there is no user stack, see mode */
	pid_t pid, tid; /* in the PID name space of who opened the session */
	uint32_t cpu;
	uint32_t generation; /* of the mappings that the walk went by */
	uint64_t time_ns;    /* CLOCK_MONOTONIC, when the walk began */
	uint64_t times;	     /* how often it was met: 1 if stacks are not counted */
	const uint64_t *pc;  /* innermost first */
	/* Not 0: that frame was found by the frame pointer. NULL: none was. */
	const uint8_t *guessed;
	uint32_t count; /* of frames */
	/* Not 0: the stack may be wrong, because the mappings at one of its frames had changed and
	 * the walk did not know it yet. */
	uint32_t raced;
	/* The mappings that the walk used. NULL: not known any more, or the caller gives the
	 * session its mappings: stackproof_session_set_process(). */
	const struct stackproof_space *space;
	uint32_t mode; /* enum stackproof_mode */
	uint32_t kernel_count;
	const uint64_t *kernel_pc; /* innermost first: STACKPROOF's option kernel_stacks */
	/* Not at STEP and REPLAY, where they are "" and 0. Of stacks that are counted: as it was when this one was
	 * met first. */
	const char *thread_name, *process_name; /* the thread's comm, and its process's leader's */
	uint64_t cgroup; /* the cgroup v2 that the thread is in: its folder's inode number */
	uint64_t off_ns; /* stackproof_session_attach_off_cpu(): how long, of all times together */
	uint32_t off;	 /* enum stackproof_off */
	/* Not 0: the thread is off its CPU yet, and off_ns is the time until now. */
	uint32_t still_off;
};

typedef void (*stackproof_stack_fn)(void *context, const struct stackproof_stack *stack);

/* By DWARF number (psABI, figure 3.36): rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 .. r15, rip. */
struct stackproof_registers {
	uint64_t value[17];
	uint64_t known; /* bit n: value[n] is valid */
};

/* Reads size bytes of the thread's memory at address: 0, or other than 0 if it can't. */
typedef int (*stackproof_read_fn)(void *context, uint64_t address, void *ret, size_t size);

struct stackproof_walk_options {
	size_t size;
	uint32_t follow_frame_pointers; /* not 0: where there is no CFI */
	uint32_t by_rows; /* not 0: by rows, every expression; 0: by tables, as in the kernel */
	uint32_t frames;  /* most frames; 0: 1,048,576 */
	uint32_t zero;
};

/* Walks from registers, with memory that read provides, and calls fn once. options may be NULL. */
int stackproof_walk(const struct stackproof_space *space,
		    const struct stackproof_walk_options *options,
		    const struct stackproof_registers *registers, stackproof_read_fn read,
		    void *read_context, stackproof_stack_fn fn, void *context,
		    struct stackproof_error *error);

/* ---- the walk in the kernel ----------------------------------------------------------------- */

struct stackproof_session;

enum stackproof_method {
	STACKPROOF_METHOD_BEST, /* bpf_loop where the kernel has it */
	STACKPROOF_METHOD_LOOP,
	STACKPROOF_METHOD_CHAIN, /* tail calls */
};

struct stackproof_session_options {
	size_t size;
	uint32_t method;
	uint32_t entries; /* that may be attached: 1 << STACKPROOF_ENTRY_...; 0: STEP, SAMPLE */
	uint32_t count_stacks;		/* not 0: equal stacks are counted in the kernel */
	uint32_t follow_frame_pointers; /* not 0: where there is no CFI */
	uint32_t processes;		/* at a time; 0: 64 */
	uint32_t mappings;		/* executable, of all old and new lists; 0: 32,768 */
	uint32_t pages;			/* of all images' tables; 0: 262,144 */
	uint32_t table_entries;		/* 0: 2,097,152 */
	uint32_t shapes;		/* 0: 1,048,576 */
	uint32_t rules;			/* 0: 65,536 */
	uint32_t places;		/* of rules that have more than one word; 0: 16,384 */
	uint32_t stacks;	/* different ones at a time, if they are counted; 0: 65,536 */
	uint32_t wake_up;	/* not 0: stackproof_processes_fd() is readable for stacks, too */
	uint32_t kernel_stacks; /* not 0: where the kernel is entered its stack is taken, too */
	/* Not 0: an event in a process that is not known gives a stack of one PC, with stop NO_MAPPING and
	 * generation 0; one in a thread of the kernel's own, or of a process that is ending, a stack without user
	 * frames. */
	uint32_t every_tick;
	uint32_t zero;
	/* Not 0: for stackproof_session_attach_off_cpu() alone; with count_stacks, and the entry TRACEPOINT. stacks is
	 * also how many threads may be off their CPUs at a time. */
	uint32_t off_cpu;
	uint32_t zero_2;
	uint64_t off_least_ns; /* shorter times off a CPU are not counted: off_short */
};

/* options may be NULL. *ret: stackproof_session_close(). */
int stackproof_session_open(const struct stackproof_session_options *options,
			    struct stackproof_session **ret, struct stackproof_error *error);
void stackproof_session_close(struct stackproof_session *session);
/* Sets or replaces a process's mappings, which are copied. All spaces must be made with the same
 * struct stackproof_images. */
int stackproof_session_set_process(struct stackproof_session *session,
				   const struct stackproof_space *space,
				   struct stackproof_error *error);
void stackproof_session_forget_process(struct stackproof_session *session, pid_t pid);

/* Walks frequency_hz times per second of CPU time: a thread and the threads and processes that it
 * starts (tid, cpu -1); whatever runs on a CPU (tid -1, cpu); or on every online CPU (both -1). */
int stackproof_session_attach_samples(struct stackproof_session *session, pid_t tid, int cpu,
				      unsigned int frequency_hz, struct stackproof_error *error);
struct perf_event_attr;
/* The same by any event of perf_event_open(2); what a thread starts if the attribute has inherit. */
int stackproof_session_attach_event(struct stackproof_session *session,
				    const struct perf_event_attr *attr, pid_t tid, int cpu,
				    struct stackproof_error *error);
/* At each stop by a single step. */
int stackproof_session_attach_steps(struct stackproof_session *session,
				    struct stackproof_error *error);
/* Walks process pid, or any known one (-1), before the instruction at an offset of a file. */
int stackproof_session_attach_uprobe(struct stackproof_session *session, pid_t pid,
				     const char *path, uint64_t offset,
				     struct stackproof_error *error);
/* The same where a function, whose first instruction is at the offset, has returned to: the stack is its caller's. At any
 * other instruction the program would be damaged. */
int stackproof_session_attach_uretprobe(struct stackproof_session *session, pid_t pid,
					const char *path, uint64_t offset,
					struct stackproof_error *error);
/* When a raw tracepoint of the kernel ("sched_switch") fires in a known process. */
int stackproof_session_attach_tracepoint(struct stackproof_session *session, const char *name,
					 struct stackproof_error *error);
/* When a thread of a known process leaves its CPU, unless it has ended. Its stack is counted when it is back, with the
 * time in between. */
int stackproof_session_attach_off_cpu(struct stackproof_session *session,
				      struct stackproof_error *error);
/* Walks the calling thread once, as if these were its registers. All must be known. */
int stackproof_session_replay(struct stackproof_session *session,
			      const struct stackproof_registers *registers,
			      struct stackproof_error *error);
void stackproof_session_detach(struct stackproof_session *session);

/* Calls fn with every stack that is there, without waiting. */
int stackproof_session_consume(struct stackproof_session *session, stackproof_stack_fn fn,
			       void *context, struct stackproof_error *error);
/* If stacks are counted: calls fn with each different stack since the last call. *ret_unsent: how many
 * stacks were met whose frames got lost. */
int stackproof_session_take_counts(struct stackproof_session *session, stackproof_stack_fn fn,
				   void *context, uint64_t *ret_unsent,
				   struct stackproof_error *error);

/* samples = stacks + everything lost_; in a session with off_cpu + off_short + the threads that are off their CPUs. */
struct stackproof_session_counters {
	size_t size;
	const char *method; /* "bpf_loop", "tail_calls" */
	uint64_t samples;
	uint64_t stacks;
	uint64_t frames;
	uint64_t lost_busy;  /* a walk interrupted another one */
	uint64_t lost_space; /* stacks were not taken soon enough */
	uint64_t lost_registers;
	uint64_t lost_full;  /* more different stacks than the options say */
	uint64_t lost_count; /* another CPU held the lock of that stack's place */
	uint64_t unknown;    /* events in processes that were not set: in samples with every_tick */
	uint64_t ending;     /* events in processes that had no memory any more: the same */
	uint64_t guesses;    /* frames found by the frame pointer */
	uint64_t stop[32];   /* stacks, by why they ended: enum stackproof_stop */
	/* Run time and runs of the sampling program, while the caller has a descriptor of
	 * BPF_ENABLE_STATS; else 0. */
	uint64_t run_ns, runs;
	uint64_t
		kernel_threads; /* events in threads of the kernel's own: in samples with every_tick */
	uint64_t idle;		/* events on idle CPUs: not in samples */
	uint64_t off_short;	/* times off a CPU that were shorter than off_least_ns */
	uint64_t off_short_ns; /* their sum */
	uint64_t lost_return;  /* times off a CPU of which the end was not seen */
};

int stackproof_session_counters(const struct stackproof_session *session,
				struct stackproof_session_counters *ret,
				struct stackproof_error *error);

/* ---- following processes ------------------------------------------------------------------ */

struct stackproof_processes;

struct stackproof_processes_options {
	size_t size;
	pid_t pid;	     /* this process and all that it forks; 0: every process */
	uint32_t ring_pages; /* of each CPU, a power of two; 0: 64 */
	/* Not 0: perf events are attached to threads; stackproof_processes_next_without_clock(). */
	uint32_t clocks;
	uint32_t zero;
};

/* From now on no change is missed. session and images are borrowed. Images that no process has mapped
 * and that are not open are forgotten, except 64. *ret: stackproof_processes_close(). */
int stackproof_processes_open(struct stackproof_session *session, struct stackproof_images *images,
			      const struct stackproof_processes_options *options,
			      struct stackproof_processes **ret, struct stackproof_error *error);
/* To be called before the session is closed. */
void stackproof_processes_close(struct stackproof_processes *processes);
/* Gives the session all processes that run now. Reading them ends after a second; the others are
 * waiting, for stackproof_processes_consume(). */
int stackproof_processes_add_existing(struct stackproof_processes *processes,
				      struct stackproof_error *error);
/* With the option clocks: the next process that has executed a program with other rights than it had (setuid), for then
 * the kernel takes away all perf events of threads; or that such a process has forked since. The caller attaches others to
 * all its threads, at once. *ret_since_ns: since when it has none, CLOCK_MONOTONIC; it may be before the caller has
 * attached the first one. Returns 1; 0: there is none. */
int stackproof_processes_next_without_clock(struct stackproof_processes *processes, pid_t *ret_pid,
					    uint64_t *ret_since_ns);
/* Readable (poll(2)) when something has changed, and while stacks are there, if the session has the
 * option wake_up. */
int stackproof_processes_fd(const struct stackproof_processes *processes);
/* Takes every stack that the session has, follows all changes until then, and calls fn with each
 * stack. fn NULL: takes no stacks, for callers of stackproof_session_take_counts(). With these
 * objects fn may only call stackproof_space_find(), stackproof_space_read_names() and the functions
 * for counters. */
int stackproof_processes_consume(struct stackproof_processes *processes, stackproof_stack_fn fn,
				 void *context, struct stackproof_error *error);
/* For a session that counts stacks, in place of stackproof_session_take_counts(): follows all changes until now, and
 * gives fn each different stack since the last call with its mappings, though its process may have ended. In between
 * stackproof_processes_consume() with fn NULL keeps the mappings true, and the ring buffer from running full. A stack
 * is raced if its mappings had changed when it was met the last time. */
int stackproof_processes_take_counts(struct stackproof_processes *processes, stackproof_stack_fn fn,
				     void *context, uint64_t *ret_unsent,
				     struct stackproof_error *error);
/* The same in two parts, for those who name what they take: that takes longer than processes may wait. The first takes
 * the counts; the second follows all changes and gives stacks that were taken: all, or, once most_ns nanoseconds are
 * over, some. *ret_more: 1 if there are others, for the next call, else 0. */
int stackproof_processes_hold_counts(struct stackproof_processes *processes, uint64_t *ret_unsent,
				     struct stackproof_error *error);
/* For a session with off_cpu, at the end, behind stackproof_session_detach(): the first part of the same for threads
 * that are off their CPUs yet, with the time until now. *ret_unsent: of how many the frames got lost. */
int stackproof_processes_hold_still_off(struct stackproof_processes *processes,
					uint64_t *ret_unsent, struct stackproof_error *error);
int stackproof_processes_give_held(struct stackproof_processes *processes, stackproof_stack_fn fn,
				   void *context, uint64_t most_ns, int *ret_more,
				   struct stackproof_error *error);
/* The session's mappings of a process, or NULL. Valid until the next call for processes. */
const struct stackproof_space *stackproof_processes_space(struct stackproof_processes *processes,
							  pid_t pid);

struct stackproof_processes_counters {
	size_t size;
	uint64_t maps, execs, forks, exits; /* events of processes that are followed */
	uint64_t lost;			    /* lost events; then all processes are read again */
	uint64_t processes;		    /* the session's processes now */
	uint64_t waiting;		    /* processes that wait to be read */
	uint64_t refused;     /* processes without room in the session; refusal: the last error */
	uint64_t stacks;      /* given */
	uint64_t raced;	      /* raced ones of these */
	uint64_t lost_memory; /* stacks that there was no memory for */
	uint64_t checks;      /* readings of processes known from events alone */
	uint64_t mistaken;    /* checks that found wrong mappings; stacks since are raced */
	/* Of the last one that was refused, or could not be read. STACKPROOF_OK: none. */
	struct stackproof_error refusal;
	uint64_t unopened; /* mappings, at each reading, whose file could not be opened or had been
			    * replaced */
	uint64_t
		unreadable; /* readings of processes that were not permitted, or failed otherwise */
	uint64_t moves;	    /* of code, by mremap(2) */
	uint64_t
		clocks_ended; /* processes that had ended before stackproof_processes_next_without_clock() */
	/* Why some changes are not seen, as code that mremap(2) moves. STACKPROOF_OK: all are. */
	struct stackproof_error unseen;
};

int stackproof_processes_counters(const struct stackproof_processes *processes,
				  struct stackproof_processes_counters *ret,
				  struct stackproof_error *error);

/* ---- truth files ---------------------------------------------------------------------------- */

struct stackproof_truth; /* all true stacks of a program's run, as a tree: docs/TRUTH_FILE.md */

/* The file's header. Texts are valid until the file is closed. */
struct stackproof_truth_info {
	size_t size;
	/* Why the run ended early: "timeout". NULL: it did not. */
	const char *partial;
	/* Why a stack that is not in the file may still be a true one: the text of partial, or "signal",
	 * "every", "from", "threads", "unread", "merged_steps". NULL: the file has all of the run's stacks. */
	const char *gap;
	const char *program, *kernel, *machine, *version; /* NULL: it does not say */
	uint64_t steps;
	uint64_t points;   /* instructions before which the stack is known */
	uint64_t proven;   /* points with a proven stack */
	uint64_t unproven; /* points at which the truth was in doubt */
	uint64_t open;	   /* points whose outer frames are not known */
	uint64_t threads;
	uint64_t elapsed_ns;
	uint32_t images, nodes;
};

/* Reads the whole file. info may be NULL. *ret: stackproof_truth_close(). */
int stackproof_truth_open(const char *path, struct stackproof_truth **ret,
			  struct stackproof_truth_info *info, struct stackproof_error *error);
void stackproof_truth_close(struct stackproof_truth *truth);

/* What holds code. */
enum stackproof_truth_kind {
	STACKPROOF_TRUTH_NONE, /* nothing: a call of NULL */
	STACKPROOF_TRUTH_FILE, /* an ELF file */
	STACKPROOF_TRUTH_VDSO,
	STACKPROOF_TRUTH_MEMFD,	    /* an ELF file without a name */
	STACKPROOF_TRUTH_ANONYMOUS, /* code that the program made */
	STACKPROOF_TRUTH_OTHER,	    /* a mapping that can't be read as ELF */
};

struct stackproof_truth_image {
	size_t size;
	uint32_t kind; /* enum stackproof_truth_kind */
	uint32_t zero;
	const char *path; /* valid until the file is closed, as build_id */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: it has none */
};

/* By number, from 0 to info.images - 1. */
int stackproof_truth_image(const struct stackproof_truth *truth, uint32_t number,
			   struct stackproof_truth_image *ret, struct stackproof_error *error);

/* A frame of the tree. A stack is the path from a node to a node without parent, its outermost frame. */
struct stackproof_truth_node {
	size_t size;
	uint32_t number; /* from 1 on, in the order of a walk from the outermost frames inwards */
	uint32_t parent; /* its caller's number; 0: it is an outermost frame */
	uint32_t depth;	 /* frames of its stack: 1, if it has no parent */
	uint32_t image;
	/* Image address, as in symbols; without a file the PC. Of the next instruction, or a return
	 * address, or an interrupted PC. */
	uint64_t address;
	uint64_t points;    /* instructions before which this was the whole stack, proven */
	uint64_t unproven;  /* the same, but the truth was in doubt: this proves no stack */
	uint64_t in_kernel; /* system calls from which nothing may have returned, proven */
	uint32_t open;	    /* not 0: unknown frames may have called its outermost frame */
	uint32_t
		interrupts; /* not 0: a signal's frame; its caller's address is no return address */
};

/* Fills node with the node behind node->number, which is 0 for the first node. Returns 1; 0: there are
 * no more nodes; or -1. */
int stackproof_truth_next(const struct stackproof_truth *truth, struct stackproof_truth_node *node,
			  struct stackproof_error *error);

#ifdef __cplusplus
}
#endif

#endif
