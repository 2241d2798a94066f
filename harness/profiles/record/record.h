/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * record.h - a machine's stacks, collected while it runs: `stackproof profile`, on libstackproof alone
 *
 *	record.c		the loop: changes are followed at once, counts are taken now and then
 *	record_session.c	the session, with room for what runs; a larger one where that is too small
 *	record_event.c		what the name of an event stands for
 *	record_stacks.c		stacks into a collected profile; what was lost, by reason
 *	place_names.c		names of addresses, each looked up once
 *	inlined_names.c		functions that are inlined at an address: DWARF
 *	debug_names.c		names that only the image's debug file has
 *	kernel_symbols.c	names of the kernel's addresses: /proc/kallsyms
 *	cgroup_paths.c		paths of cgroups by their numbers
 *	record_print.c		the account, as text and as JSON
 *
 * Every tick is a sample of the profile, or is counted by the reason why it is not:
 *
 *	ticks = samples + lost[], and each of lost[] is a sample of one frame, "[lost: reason]"
 *
 * Of times off the CPU a tick is a switch of a thread that has not ended; it is counted when the thread is back, or at
 * the end, where that is said by the innermost frame, "[off: still_blocked]".
 */
#ifndef STACKPROOF_RECORD_H
#define STACKPROOF_RECORD_H

#include <jansson.h>
#include <limits.h>
#include "base/child/ending_signals.h"
#include "profiles/write/collected.h"
#include "stackproof.h"

enum record_event {
	RECORD_CPU_CLOCK,
	RECORD_CYCLES,
	RECORD_TRACEPOINT, /* a raw tracepoint: each time that it fires */
	RECORD_UPROBE,	   /* an instruction of a file */
	RECORD_OFF_CPU,	   /* a thread leaves its CPU, until it is back */
};

/* Zeros are the defaults, in brackets. */
struct record_options {
	pid_t pid;	   /* this process and its descendants; [0: every one] */
	char *const *argv; /* a program to start, which is then the process; or NULL */
	enum record_event event;
	const char *event_name; /* of RECORD_TRACEPOINT the tracepoint; of RECORD_UPROBE the file */
	const char
		*event_symbol; /* of RECORD_UPROBE, to be found by record_event_find(); or NULL */
	uint64_t
		event_offset; /* of RECORD_UPROBE, in the file; until it is found, from the symbol */
	uint64_t
		off_least_ns; /* of RECORD_OFF_CPU: shorter times are counted as lost[RECORD_LOST_SHORT] */
	bool event_returns; /* of RECORD_UPROBE: a uretprobe, where the function has returned to */
	unsigned int rate_hz;
	unsigned int duration_ms; /* [until the process ends, or a signal comes] */
	unsigned int drain_ms;	  /* a part is as long; counts are taken so often at least */
	bool no_kernel;		  /* the kernel's stacks are left out */
	bool inlined;		  /* functions are looked up in DWARF, too */
	bool frame_pointers;	  /* are followed where there is no CFI */
	const struct ending_signals *signals; /* held */
	int end_fd; /* readable: it ends, as by a signal; [0: there is none] */
	bool no_terminal; /* is the program's, nor its standard input, output or error: what it writes there is dropped */
	/* Called with each part, what came since the last one; it may take it all. Or NULL. */
	void (*on_drain)(void *context, struct collected *part);
	void *context;
	bool in_parts; /* only those are kept, and not the whole: memory does not grow with time */
};

static inline enum collected_type record_collected_type(const struct record_options *options)
{
	return options->event == RECORD_OFF_CPU ? COLLECTED_OFF_CPU : COLLECTED_CPU;
}

/* Why a tick has no stack. */
enum record_loss {
	RECORD_LOST_BUSY,      /* a walk interrupted another one */
	RECORD_LOST_SPACE,     /* frames found no room on their way */
	RECORD_LOST_REGISTERS, /* the thread's registers could not be read */
	RECORD_LOST_FULL,      /* more different stacks than there is room for */
	RECORD_LOST_COUNT,     /* another CPU held the lock of that stack's place */
	RECORD_LOST_RACED,     /* mappings changed meanwhile: it may be wrong */
	RECORD_LOST_MEMORY,    /* the recorder had no memory */
	RECORD_LOST_SHORT,     /* off its CPU for too short a time */
	RECORD_LOST_RETURN,    /* off its CPU, and its return was not seen */
	RECORD_LOSS_COUNT,
};

struct record_result {
	uint64_t ticks; /* that the kernel counted */
	uint64_t stacks, in_kernel, kernel_threads;
	uint64_t unknown;    /* stacks of one frame: the process was not known yet */
	uint64_t first_code; /* stacks that end in the code that a process begins in, without CFI */
	uint64_t ending; /* of processes that have no memory any more: only the kernel's frames */
	uint64_t lost[RECORD_LOSS_COUNT];
	uint64_t preempted, still_off; /* of the stacks of RECORD_OFF_CPU */
	uint64_t off_ns, still_off_ns; /* the sum of all times; of those that had not ended */
	uint64_t stop[STACKPROOF_STOP_COUNT]; /* all other stacks, by why the walk ended */
	uint64_t idle;			      /* events on idle CPUs, which are no ticks */
	uint64_t processes, processes_most;   /* met; at a time */
	uint64_t refused;		      /* lists of mappings that found no room */
	uint64_t unreadable; /* readings of processes that were not permitted, or failed */
	/* Processes whose clocks the kernel took away at an exec: they have others, since so long after the exec in sum;
	 * they could not be given others, or it isn't known whether they need any; they had ended before. */
	uint64_t clocks_renewed, clocks_gap_ns, clocks_lost, clocks_ended;
	char why_clock_lost[232]; /* the last one; or "" */
	uint64_t moves;		  /* of code, by mremap(2) */
	char why_unseen[232];	  /* why changes of mappings are not all seen; or "" */
	uint64_t names_refused; /* perf maps and jitdumps, or records of them, that were refused */
	char why_names_refused[160]; /* the first of them; or "" */
	uint64_t unnamed;	     /* places in files that were written to since they were read */
	uint64_t collected;	     /* ticks that are in the whole, or in the parts */
	uint64_t drains;
	unsigned int sessions;	 /* that were opened: more than one if there was too little room */
	char why_larger[232];	 /* what had no room in the last one before; or "" */
	char why_no_larger[232]; /* why there is no other, though one was needed; or "" */
	bool real_time;		 /* changes are followed with a real-time priority */
	uint64_t first_ns;	 /* from the start to the first complete stack; 0: there was none */
	bool command_ended;	 /* argv, with this status of waitpid(2): */
	int status;
	bool command_not_started; /* a signal came first */
	const char *method;	  /* "bpf_loop" */
	uint64_t run_ns, runs;	  /* of the sampling program, where the kernel counts it */
};

/* "busy": the reason in JSON, and in the profile's frames. */
const char *record_loss_name(enum record_loss loss);

/*
 * Finds what the options' event names, and puts a uprobe's file and offset in their place. path: room for the file's,
 * which is to last as long as the options. -1: ERROR_SYSTEM with ENOENT: there is no such tracepoint, file, library or
 * function; or the file can't be read.
 */
int record_event_find(struct record_options *options, char path[PATH_MAX], struct error *error);
/* "cpu-clock, 97 Hz", "tracepoint:sched_switch", for people. */
void record_event_describe(const struct record_options *options, char *ret, size_t size);

/*
 * Collects until it is over. whole: initialised by collected_init(); gets all of it. -1: ERROR_UNAVAILABLE: no BPF;
 * ERROR_SYSTEM: no such process, or the program can't be started; what was collected by then is in whole. A signal
 * that is held ends it, and is no error.
 */
int record_run(const struct record_options *options, struct collected *whole,
	       struct record_result *ret, struct error *error);

/* The sum of lost[]: ticks = stacks + that. */
uint64_t record_losses(const struct record_result *result);
/* The sum of stop[]. */
uint64_t record_walked(const struct record_result *result);
/* events: what ticks are called. */
void record_print(FILE *file, const struct record_result *result, const char *events);
/* An object of type "profile", the caller's. */
json_t *record_json(const struct record_result *result);

/* ---- the parts, for each other ------------------------------------------------------------ */

/* A session that follows the processes of options. */
struct record_session {
	struct stackproof_images *images; /* borrowed */
	struct stackproof_session *session;
	struct stackproof_processes *processes;
	struct stackproof_session_counters seen; /* what was accounted for */
	uint64_t seen_memory, seen_refused, seen_unreadable, seen_moves, seen_clocks_ended;
	uint64_t attach_ns, attached_ns; /* when clocks began to be attached, and all were */
	uint32_t room;			 /* how many times as much as was thought enough at first */
};

#define RECORD_ROOM_MAX 64

/* How often counts are to be taken: a process's lists of mappings and its stacks wait in memory until then. */
unsigned int record_turn_ms(const struct record_options *options);

/* Opens one with room for twice of what there is, or twice of what before had, and attaches it. before: NULL at
 * first. */
int record_session_open(const struct record_options *options, pid_t root,
			struct stackproof_images *images, const struct record_session *before,
			struct record_session *ret, struct error *error);
/* Attaches a clock to each thread of a process that has none any more. */
int record_session_renew(struct record_session *session, const struct record_options *options,
			 pid_t pid, struct error *error);
void record_session_close(struct record_session *session);

struct kernel_symbols;
/* NULL: no memory. Without names, if /proc/kallsyms hides the addresses. */
struct kernel_symbols *kernel_symbols_read(void);
void kernel_symbols_free(struct kernel_symbols *symbols);
/* The symbol that an address is in, and its module or ""; NULL: none is known. */
const char *kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address,
				const char **ret_module);

struct cgroup_paths;
struct cgroup_paths *cgroup_paths_create(void);
void cgroup_paths_destroy(struct cgroup_paths *paths);
/* The path below the file system of cgroups, "/system.slice/x.service"; "": it is not known. Valid until the next
 * call. */
const char *cgroup_paths_find(struct cgroup_paths *paths, uint64_t number);
/* The identifier of the container that a cgroup's path names, 64 hexadecimal digits: false: it names none. */
bool cgroup_container(const char *path, char ret[65]);

/* Is given the symbol of address[number], which is valid until it returns. Not 0: it ends, and debug_names_find() returns
 * that. */
typedef int (*debug_name_fn)(void *context, size_t number, const char *symbol);
/* Looks for the functions that addresses of one image are in, in the debug file with its build ID (hexadecimal; "": it has
 * none). -1: ERROR_MEMORY. */
int debug_names_find(const char *build_id, const uint64_t *address, size_t count, debug_name_fn fn,
		     void *context, struct error *error);

#define INLINED_MAX 64

struct inlined_names;
struct inlined_names *inlined_names_create(void); /* NULL: no memory */
void inlined_names_destroy(struct inlined_names *names);
/* The functions that are inlined where an image's code is, innermost first, mangled; returns how many. They are valid
 * as long as names. 0: none, or nobody knows. */
unsigned int inlined_names_find(struct inlined_names *names, const struct stackproof_place *place,
				const char *ret[INLINED_MAX]);

/* A function: as people spell it, and its symbol where that is another. Texts of place_names, or 0. */
struct place_function {
	uint32_t name, linkage;
};

/* A place in an image, in code that a process made, or in the kernel. */
struct named_place {
	uint64_t image;			  /* of the library; 0: no image; PLACE_IN_KERNEL */
	uint64_t address;		  /* in the image; else the PC */
	struct collected_mapping mapping; /* its texts are numbers in place_names.texts */
	struct place_function function;
	uint32_t inlined, inlined_count; /* the first in place_names.inlined, and how many */
	bool first_code;		 /* stackproof_place.first_code */
	bool signal_frame;		 /* the same */
};

#define PLACE_IN_KERNEL UINT64_MAX

/* A place of an image that has no name yet. */
struct unnamed_place {
	uint64_t image, address;
	uint32_t place;
};

/* Zero-initialise. Places are numbered from 1. */
struct place_names {
	struct profile_texts texts;
	struct named_place *place;
	uint32_t count;
	struct number_map map;
	struct place_function *inlined; /* of all places */
	size_t inlined_count;
	struct unnamed_place *unnamed;
	size_t unnamed_count;
	struct kernel_symbols *kernel; /* borrowed */
	struct inlined_names *dwarf;   /* borrowed; NULL: inlined functions are not asked for */
	uint64_t changed; /* places of files that were written to: they have no names */
	struct profile_texts
		refused; /* "PID why": perf maps and jitdumps, or records of them, that were refused */
};

/* The number of the place of PC number i of a stack. before: it is a return address. 0: error. A place of an image has its
 * name from place_names_name() on. */
uint32_t place_names_user(struct place_names *names, const struct stackproof_stack *stack,
			  uint32_t i, bool before, struct error *error);
uint32_t place_names_kernel(struct place_names *names, uint64_t pc, bool before,
			    struct error *error);
/* Names the new places of one image, of those that have some: until names.unnamed_count is 0. */
int place_names_name(struct place_names *names, struct stackproof_images *images,
		     struct error *error);
/* Why the first of them was refused, or "". */
const char *place_names_refused(const struct place_names *names);
void place_names_deinit(struct place_names *names);

/* A stack whose places may have no names yet. */
struct waiting_stack {
	struct stackproof_stack stack; /* without what it points to */
	size_t first;		       /* place, of those in record_stacks.number */
	uint32_t task[2];	       /* by sink */
};

/* A profile that stacks go to, and the numbers that it has for places. */
struct record_sink {
	struct collected *collected;
	uint32_t *location; /* by place; 0: it has none */
	size_t room;
};

/* Zero-initialise, and set the sinks' collected, kernel and cgroups. */
struct record_stacks {
	struct record_sink sink[2]; /* the whole, and the part since the last drain */
	unsigned int sinks;
	struct place_names names;
	struct cgroup_paths *cgroups; /* borrowed */
	struct record_result *result; /* borrowed */
	uint64_t period;	      /* amount of an event */
	struct error error;	      /* the first that was met */
	/* Private: those that wait, and their places. */
	struct waiting_stack *waiting;
	size_t waiting_count;
	uint32_t *number;
	size_t numbers, room;
};

/* A stackproof_stack_fn: context is a struct record_stacks. The stack waits for the names of its places. */
void record_stacks_add(void *context, const struct stackproof_stack *stack);
/* Names places of one image; once all have names, the stacks that wait are added to the sinks. True: there are others. */
bool record_stacks_name(struct record_stacks *stacks, struct stackproof_images *images);
/* Ticks without a stack. off_ns: how long they were off the CPU together, where that is known. */
void record_stacks_lose(struct record_stacks *stacks, enum record_loss loss, uint64_t count,
			uint64_t off_ns);
/* The part was taken. */
void record_stacks_next_part(struct record_stacks *stacks);
void record_stacks_deinit(struct record_stacks *stacks);

#endif
