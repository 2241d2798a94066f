/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * witness.h - witnesses of a run, compared with the shadow stack
 *
 *	functions.c	a program's functions by address, and its hooks
 *	event_log.c	the reports of an instrumented program -> a log of its open functions
 *	log_contexts.c	the log of a thread that changes stacks
 *	log_compare.c	the log against the shadow stack
 *	cpu_stack.c	the CPU's own shadow stack (CET) against ours
 *	witness_run.c	a program stepped, with both witnesses
 *
 * The log uses nothing of the tracer's. The hook at a function's first instruction reports its slot and
 * call site; the exits, and the slots of later entries, show which functions were left.
 * docs/WITNESSES.md says what each witness can testify, and what it can't.
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
	uint64_t whole;	  /* of a cold part (NAME.cold): start of its function; else start */
	bool hooked;	  /* the function has reported an entry */
	bool mute;	  /* the function reports entries only, so it is not in the log */
};

/* Addresses of the hooks of testprogs/witness/hooks.S; 0: there is none. */
struct witness_hooks {
	uint64_t entry_hook; /* __fentry__; an entry is reported between it and its mark */
	uint64_t entry, enter, exit, resume, change; /* the marks: a stop there is the event */
};

struct witness_functions {
	struct witness_function *function; /* sorted, without overlap */
	size_t count;
	struct witness_hooks hooks;
};

/* Reads the functions of an image that is mapped with bias. Names are borrowed from the image. */
int witness_functions_init(struct witness_functions *functions, const struct image *image,
			   uint64_t bias, struct error *error);
void witness_functions_deinit(struct witness_functions *functions);
/* The function that pc is in; for a cold part, the function that it belongs to. NULL: no symbol
 * covers pc. */
struct witness_function *witness_function_at(const struct witness_functions *functions,
					     uint64_t pc);
/* True if each call of the function is in the log, from its entry to its exit. */
bool witness_reports(const struct witness_function *function);
/* True if two names are of one function in the source: the compiler's clones only differ in suffix. */
bool witness_same_source(const char *name, const char *other);

/* ---- event_log.c ------------------------------------------------------------------------ */

enum witness_event_kind {
	WITNESS_ENTRY,	/* __fentry__, before anything else of the function */
	WITNESS_ENTER,	/* __cyg_profile_func_enter: of functions that were inlined, too */
	WITNESS_EXIT,	/* __cyg_profile_func_exit */
	WITNESS_RESUME, /* _Unwind_Resume: a landing pad has ended, the exception goes on */
	WITNESS_CHANGE, /* swapcontext: the thread goes to another stack */
	WITNESS_EVENT_COUNT
};

/* From the signal frame above a handler's slot: arch/x86/include/asm/sigframe.h. */
struct witness_signal {
	bool handler; /* the call site is a signal's restorer */
	uint64_t interrupted_pc, interrupted_sp;
	uint64_t alternate_low, alternate_high; /* equal: no alternate stack */
};

struct witness_event {
	enum witness_event_kind kind;
	uint64_t number;      /* counted over all threads, from 0 */
	uint64_t sp;	      /* at the hook's mark: the slot of the hook's return address */
	uint64_t base;	      /* rbp: at an entry the caller's, else the function's own */
	uint64_t hook_return; /* the word at sp */
	uint64_t slot;	      /* ENTRY: of the function's return address; else 0 */
	uint64_t function;    /* ENTER, EXIT: as reported; else 0 */
	uint64_t call_site;   /* ENTER, EXIT: as reported; ENTRY: the word at slot; else 0 */
	struct witness_signal signal;
	uint64_t from, to, link; /* CHANGE: the contexts' addresses, and to's uc_link; else 0 */
};

/* A function that has reported, and has not been left as far as the log can tell. */
struct witness_open {
	uint64_t slot; /* of its return address; of an inlined function its host's */
	uint64_t call_site;
	uint64_t function; /* start address; of an inlined function as reported */
	bool inlined;	   /* it has no frame; its host is the next outer function that has one */
	bool entered;	   /* it has also reported ENTER */
	bool exited;	   /* it has reported EXIT: it will return, or jump to its last call */
	bool handler;	   /* a signal entered it, and interrupted the code at interrupted_pc */
	uint64_t interrupted_pc;
	bool alternate; /* a handler on the alternate stack low .. high, as are all that it calls */
	uint64_t low, high;
};

/* The functions that are open on one stack. */
struct witness_list {
	struct witness_open *open; /* [0] is the outermost */
	size_t count;
	uint64_t context; /* of a parked list: the context by which the thread comes back to it */
	uint64_t link;	  /* the context that follows the outermost function's end; 0: none */
	bool begun;	  /* by a change of stacks, so that the outermost function has no caller */
};

/* One per thread. Zero-initialise. */
struct witness_log {
	struct witness_list now;     /* of the stack in use */
	struct witness_list *parked; /* of the other stacks */
	size_t parked_count;
};

/* What is wrong between two witnesses, or with one. */
enum witness_difference_kind {
	WITNESS_AGREES,
	WITNESS_HOOK,	     /* the truth's innermost frame isn't the hook's own call */
	WITNESS_MISSING,     /* a function open in the log is not in the truth */
	WITNESS_UNLOGGED,    /* the truth's frame of a reporting function is not in the log */
	WITNESS_CALL_SITE,   /* the same slot, but another return address */
	WITNESS_FUNCTION,    /* the same slot, but another function */
	WITNESS_INTERRUPTED, /* a handler without its interrupted PC in the next outer frame, or a PC
			      * without a handler */
	WITNESS_MEMORY,	     /* memory at the slot has another word */
	WITNESS_LOG,	     /* the report contradicts the log */
	WITNESS_WORD,	     /* the CPU's word is not the frame's return address */
	WITNESS_DEPTH,	     /* the CPU has more, or fewer, words than the truth has frames */
	WITNESS_DIFFERENCE_COUNT
};

struct witness_difference {
	enum witness_difference_kind kind;
	size_t frame;	      /* index in the truth; the truth's count: none */
	uint64_t slot;	      /* address of the word in question */
	uint64_t truth, said; /* return addresses, function addresses, or (DEPTH) counts */
};

const char *witness_difference_name(enum witness_difference_kind kind);

/*
 * Updates the log by an event: drops functions that were left, adds those entered, and sets hooked and
 * mute in functions. A function that exits stays until the next event. *ret: WITNESS_AGREES or
 * WITNESS_LOG. False: out of memory.
 */
bool witness_log_event(struct witness_log *log, const struct witness_functions *functions,
		       const struct witness_event *event, struct witness_difference *ret);
/* True if the function jumped to the exit hook, so that its frame is now the hook's. */
bool witness_jumped_to_hook(const struct witness_event *event, const struct witness_open *open);

/* ---- log_contexts.c --------------------------------------------------------------------- */

/* After an event was compared: if it is WITNESS_CHANGE, goes to the other stack's list. False: out of
 * memory. */
bool witness_log_settle(struct witness_log *log, const struct witness_event *event);
/* Before an event: if the stack's outermost function has exited, goes to the linked context's list. */
void witness_log_follow_link(struct witness_log *log);
void witness_log_deinit(struct witness_log *log);

/* ---- log_compare.c ---------------------------------------------------------------------- */

/* Compares the truth at an event with the log, after witness_log_event(). *ret_frames: how many frames
 * of the truth the log confirms. */
void witness_compare(const struct witness_log *log, const struct witness_functions *functions,
		     const struct witness_event *event, const struct shadow_stack *truth,
		     size_t *ret_frames, struct witness_difference *ret);

/* Compares the return addresses of all the truth's frames with the words at their slots. */
void witness_compare_memory(const struct shadow_stack *truth, const struct memory_reader *memory,
			    struct witness_difference *ret);

/* ---- cpu_stack.c ------------------------------------------------------------------------ */

/* True if this kernel and CPU give a process a shadow stack; tries it in a child. */
bool witness_cpu_available(void);
/*
 * Compares the truth's frames from index first to the innermost with count words of the CPU's stack, read
 * from ssp upwards, so innermost first. Where ours has an interrupted PC, the CPU's has a token
 * (arch/x86/kernel/shstk.c).
 */
void witness_cpu_compare(const struct shadow_stack *truth, size_t first, uint64_t ssp,
			 const uint64_t *word, size_t count, struct witness_difference *ret);

/* ---- witness_run.c ---------------------------------------------------------------------- */

/* A difference with the evidence of both sides; valid during the call. */
struct witness_finding {
	struct witness_difference difference;
	const struct witness_event *event; /* NULL: the difference is the CPU's */
	const struct trace_stop *stop;
	const struct witness_log *log; /* NULL: the difference is the CPU's */
	const uint64_t *word;	       /* the CPU's words, innermost first; else NULL */
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
	uint64_t handlers; /* entries of signal handlers */
	uint64_t frames;   /* frames of the truth that the log confirmed, over all events */
	uint64_t programs; /* programs that reported; exec begins another */
	uint64_t lost;	   /* event numbers without a stop */
	uint64_t differences[WITNESS_DIFFERENCE_COUNT];
	bool cpu; /* the program has the CPU's shadow stack */
	uint64_t cpu_points, cpu_words;
	struct tracer_counters truth;
	struct run_cut cut; /* how the run ended, if it was not whole */
	int status;	    /* of the program, as waitpid gives it */
};

/* Steps a program and compares the witnesses with the truth. -1: the run was cut short, or failed;
 * differences are not an error. */
int witness_run(const struct witness_options *options, struct witness_result *ret,
		struct error *error);
/* The number of findings: differences, and lost events. */
uint64_t witness_findings(const struct witness_result *result);

#endif
