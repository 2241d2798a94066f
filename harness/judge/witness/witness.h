/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * witness.h - others who saw the same run, held against the shadow stack
 *
 *	functions.c	a program's functions by address, and its hooks
 *	event_log.c	what an instrumented program reports of itself -> the functions that are open
 *	log_contexts.c	the same for a thread that goes from one stack to another
 *	log_compare.c	that log against the shadow stack
 *	cpu_stack.c	the CPU's own shadow stack (CET) against ours
 *	witness_run.c	a program stepped, both asked
 *
 * The log knows nothing of the tracer's: it has the slot and the call site of each function from
 * the function's own first instruction, and what was left from the exits and from where the next
 * function begins. docs/WITNESSES.md says what each can testify, and what it can't.
 */
#ifndef STACKPROOF_WITNESS_H
#define STACKPROOF_WITNESS_H

#include "truth/ending/ending.h"
#include "truth/tracer/truth.h"
#include "walk/address_space.h"

/* ---- functions.c ------------------------------------------------------------------------ */

struct witness_function {
	uint64_t start, end;
	const char *name; /* the symbol's; borrowed */
	uint64_t whole;	  /* the function of which this is the cold part; or start */
	bool hooked;	  /* it has reported an entry */
	bool mute;	  /* but no more: what is left can't be known then */
};

/* Where the hooks of testprogs/witness/hooks.S are; 0: there is none. */
struct witness_hooks {
	uint64_t entry_hook; /* __fentry__; an entry is reported between it and its mark */
	uint64_t entry, enter, exit, resume, change; /* the marks: here the stop is the event */
};

struct witness_functions {
	struct witness_function *function; /* sorted, none over another */
	size_t count;
	struct witness_hooks hooks;
};

/* The functions of an image that is mapped with bias. Names are the image's: it must stay. */
int witness_functions_init(struct witness_functions *functions, const struct image *image,
			   uint64_t bias, struct error *error);
void witness_functions_deinit(struct witness_functions *functions);
/* The function that pc is in, of a cold part the whole one; NULL: none that has a symbol. */
struct witness_function *witness_function_at(const struct witness_functions *functions,
					     uint64_t pc);
/* Whether each call of the function is in the log, from its entry to its exit. */
bool witness_reports(const struct witness_function *function);
/* Whether two names are one function of the source: the compiler's clones of it have a suffix. */
bool witness_same_source(const char *name, const char *other);

/* ---- event_log.c ------------------------------------------------------------------------ */

enum witness_event_kind {
	WITNESS_ENTRY,	/* __fentry__, before anything else of the function */
	WITNESS_ENTER,	/* __cyg_profile_func_enter: of functions that were inlined, too */
	WITNESS_EXIT,	/* __cyg_profile_func_exit */
	WITNESS_RESUME, /* _Unwind_Resume: a landing pad is done, the exception goes on */
	WITNESS_CHANGE, /* swapcontext: the thread goes to another stack */
	WITNESS_EVENT_COUNT
};

/* What the kernel left above a handler's slot: arch/x86/include/asm/sigframe.h. */
struct witness_signal {
	bool handler; /* the call site is a signal's restorer */
	uint64_t interrupted_pc, interrupted_sp;
	uint64_t alternate_low, alternate_high; /* equal: no alternate stack */
};

struct witness_event {
	enum witness_event_kind kind;
	uint64_t number;      /* of all threads; from 0 on */
	uint64_t sp;	      /* at the hook's mark: the slot of its return address */
	uint64_t base;	      /* rbp: the caller's at an entry, the function's own else */
	uint64_t hook_return; /* the word at sp */
	uint64_t slot;	      /* ENTRY: of the function's return address; else 0 */
	uint64_t function;    /* ENTER, EXIT: as reported; else 0 */
	uint64_t call_site;   /* the same; ENTRY: the word at slot */
	struct witness_signal signal;
	uint64_t from, to, link; /* CHANGE: the contexts' addresses, and to's uc_link; else 0 */
};

/* A function that has reported, and that has not been left as far as the log can tell. */
struct witness_open {
	uint64_t slot; /* of its return address; of an inlined one its host's */
	uint64_t call_site;
	uint64_t function; /* its start; of an inlined one as it was reported */
	bool inlined;	   /* it has no frame: the last one above that isn't is its host */
	bool entered;	   /* it has reported that it was entered, too */
	bool exited;	   /* it will return, or jump to its last call */
	bool handler; /* it was entered by a signal, which interrupted what was at interrupted_pc */
	uint64_t interrupted_pc;
	bool alternate; /* a handler, and what is open above it, on low .. high */
	uint64_t low, high;
};

/* The functions that are open on one stack. */
struct witness_list {
	struct witness_open *open; /* [0] is the outermost */
	size_t count;
	uint64_t context; /* of a list that is parked: where the thread will come back to it */
	uint64_t link;	  /* where it goes on when the outermost function is left; 0: nowhere */
	bool begun;	  /* by a change to it: nobody has called the outermost function */
};

/* One per thread. Zero-initialise. */
struct witness_log {
	struct witness_list now;
	struct witness_list *parked;
	size_t parked_count;
};

/* What is wrong between two witnesses, or with one. */
enum witness_difference_kind {
	WITNESS_AGREES,
	WITNESS_HOOK,	   /* the truth's innermost frame isn't the hook's own call */
	WITNESS_MISSING,   /* open in the log, not in the truth */
	WITNESS_UNLOGGED,  /* a frame of a function that reports, not in the log */
	WITNESS_CALL_SITE, /* the same slot, but another return address */
	WITNESS_FUNCTION,  /* the same slot, but another function */
	WITNESS_INTERRUPTED, /* a handler without its interrupted PC below it, or one without a handler */
	WITNESS_MEMORY, /* the word at the slot is another */
	WITNESS_LOG,	/* the report doesn't fit the log itself */
	WITNESS_WORD,	/* the CPU's word is another than the frame's return address */
	WITNESS_DEPTH,	/* the CPU has more, or fewer, words than the truth has frames */
	WITNESS_DIFFERENCE_COUNT
};

struct witness_difference {
	enum witness_difference_kind kind;
	size_t frame;	      /* of the truth; its count: none */
	uint64_t slot;	      /* where it is */
	uint64_t truth, said; /* what each says: a return address, or a function's address */
};

const char *witness_difference_name(enum witness_difference_kind kind);

/*
 * Takes an event in: drops what was left, and opens what is entered; marks who reports. What exits
 * is in the list until the next event. *ret: WITNESS_AGREES, or WITNESS_LOG. False: out of memory.
 */
bool witness_log_event(struct witness_log *log, const struct witness_functions *functions,
		       const struct witness_event *event, struct witness_difference *ret);
/* Whether the function reports its exit as its last, by a jump: its frame is the hook's now. */
bool witness_jumped_to_hook(const struct witness_event *event, const struct witness_open *open);

/* ---- log_contexts.c --------------------------------------------------------------------- */

/* After an event was compared: takes the thread to the other stack. False: out of memory. */
bool witness_log_settle(struct witness_log *log, const struct witness_event *event);
/* Before an event: where the stack's outermost function has exited, the thread is on the linked
 * one. */
void witness_log_follow_link(struct witness_log *log);
void witness_log_deinit(struct witness_log *log);

/* ---- log_compare.c ---------------------------------------------------------------------- */

/* Holds the truth at an event against the log that has taken it in. *ret_frames: how many frames of
 * the truth the log confirms. */
void witness_compare(const struct witness_log *log, const struct witness_functions *functions,
		     const struct witness_event *event, const struct shadow_stack *truth,
		     size_t *ret_frames, struct witness_difference *ret);

/* Holds the truth's frames, whoever they belong to, against the words at their slots. */
void witness_compare_memory(const struct shadow_stack *truth, const struct memory_reader *memory,
			    struct witness_difference *ret);

/* ---- cpu_stack.c ------------------------------------------------------------------------ */

/* Whether this kernel and CPU give a process a shadow stack: tried in a child. */
bool witness_cpu_available(void);
/*
 * Holds the truth's frames from first on against the words from ssp on, the innermost first. A
 * handler has a token on the CPU's where ours has the interrupted PC (arch/x86/kernel/shstk.c).
 */
void witness_cpu_compare(const struct shadow_stack *truth, size_t first, uint64_t ssp,
			 const uint64_t *word, size_t count, struct witness_difference *ret);

/* ---- witness_run.c ---------------------------------------------------------------------- */

/* A difference with what both sides said, for who prints it. */
struct witness_finding {
	struct witness_difference difference;
	const struct witness_event *event; /* NULL: the CPU's */
	const struct trace_stop *stop;
	const struct witness_log *log; /* NULL: the CPU's */
	const uint64_t *word;	       /* the CPU's */
	size_t word_count;
	const struct address_space *space;
};

struct witness_options {
	struct tracer_options tracer;
	void (*on_finding)(void *context, const struct witness_finding *finding);
	void *context;
};

struct witness_result {
	bool instrumented; /* the program has hooks */
	uint64_t event[WITNESS_EVENT_COUNT];
	uint64_t mute; /* functions that report entries only: compilers make such ones for C++ */
	uint64_t handlers; /* of the entries */
	uint64_t frames;   /* of the truth that the log confirmed, over all events */
	uint64_t programs; /* that reported: exec brings another */
	uint64_t lost;	   /* numbers that no stop was seen for */
	uint64_t differences[WITNESS_DIFFERENCE_COUNT];
	bool cpu; /* the program has the CPU's shadow stack */
	uint64_t cpu_points, cpu_words;
	struct tracer_counters truth;
	struct run_cut cut; /* how the run ended, if it was not whole */
	int status;	    /* of the program, as waitpid gives it */
};

/* Steps a program from its entry point on and asks the witnesses. Differences are no error. */
int witness_run(const struct witness_options *options, struct witness_result *ret,
		struct error *error);
/* All that are a finding: differences, and lost events. */
uint64_t witness_findings(const struct witness_result *result);

#endif
