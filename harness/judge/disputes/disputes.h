/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * disputes.h - a disputed point of a run, as a file of its own
 *
 * A dispute is a point with all that an engine in user space asks for: registers, memory, mappings,
 * and the parts of the images that unwinding reads. As a file it is a case: on a case, engines give the
 * same stacks without the program, its libraries, its kernel, or privileges.
 *
 *	dispute.c		what a dispute consists of
 *	dispute_memory.c	its memory, page by page: recorded at the point, and read later
 *	dispute_ranges.c	which bytes of an ELF file unwinding needs
 *	dispute_folder.c	the images as files, in a private folder
 *	dispute_ask.c		asks an engine on a dispute
 *	dispute_collect.c	makes a dispute of a stopped thread
 *	dispute_json_write.c	writes case.json
 *	dispute_json_read.c	reads case.json, distrusting every byte
 *	dispute_write.c		writes the archive
 *	dispute_read.c		reads the archive
 *	dispute_verify.c	writes a case, reads it, and asks the engines on it
 *	dispute_keeper.c	compare's listener: which points are kept
 *	dispute_names.c		what a frame is called
 *	dispute_report.c	the bundle: what a bug report needs beside the case
 *	dispute_replay.c	asks a case's engines again, and compares with the case's answers
 *	dispute_print.c		prints the result of dispute_replay.c as text and as JSON
 *
 * A case is a pax archive (POSIX.1-2001), compressed by gzip; tar(1) reads it. Its members, in this
 * order:
 *
 *	case.json	everything but memory and images; docs/CASES.md has its fields
 *	memory/ADDRESS	a run of adjacent pages of memory
 *	image/NUMBER	an image: a sparse file with the bytes that unwinding needs
 *
 * No name in a case is ever used as a path, neither a member's nor an image's.
 */
#ifndef STACKPROOF_DISPUTES_H
#define STACKPROOF_DISPUTES_H

#include <jansson.h>
#include "engines/built_in/engine.h"
#include "judge/replay/page_set.h"
#include "walk/stack.h"

#define DISPUTE_VERSION 1

#define DISPUTE_PAGES_MAX    16384u	/* 64 MiB of memory */
#define DISPUTE_STACK_MAX    (1u << 20) /* bytes of the stack that are kept, read or not */
#define DISPUTE_IMAGES_MAX   4096u
#define DISPUTE_MAPPINGS_MAX 65536u
#define DISPUTE_ANSWERS_MAX  64u
#define DISPUTE_TEXT_MAX     (64u << 20)    /* bytes of case.json */
#define DISPUTE_IMAGE_MAX    17179869184ull /* bytes of an image, holes included */
#define DISPUTE_DATA_MAX     (1ull << 30)   /* bytes of all members, holes not included */

/* ---- dispute.c -------------------------------------------------------------------------- */

/* An engine's stack at the point. */
struct dispute_answer {
	char *engine;
	bool asked;	/* in the run itself: the stack is that of the stopped thread */
	bool in_kernel; /* the engine can't be asked again */
	bool external;	/* the engine is a separate program */
	bool differs; /* on the case the engine gives another stack: the case lacks what it needs */
	struct stack stack;
};

struct dispute_range {
	uint64_t offset, size;
};

struct dispute_image {
	char *path; /* at the point; only to be shown */
	char *build_id;
	uint64_t file_bytes;	     /* the file's size */
	bool whole;		     /* all bytes are kept, not only those that unwinding needs */
	struct dispute_range *range; /* kept bytes; sorted, without overlap */
	size_t range_count;
	const uint8_t *bytes; /* entry's, borrowed; NULL: the dispute was read from a case */
	struct image_entry *entry;
};

/* An executable mapping, as in struct address_space. */
struct dispute_code {
	uint64_t start, end, bias;
	int image; /* index; -1: none */
	char *path;
};

/* A line of /proc/PID/maps. */
struct dispute_map {
	uint64_t start, end, offset;
	char permissions[5];
	int image; /* index of the image that path names; -1: none */
	char *path;
};

struct dispute {
	uint64_t point; /* its number in the run, counted from 1 */
	pid_t tid;
	bool follows; /* bpf and table followed frame pointers */
	struct register_values regs;
	struct stack truth;
	bool rooted; /* the truth's last frame has no caller */
	struct dispute_answer *answer;
	size_t answer_count;
	struct dispute_image *image;
	size_t image_count;
	struct dispute_code *code;
	size_t code_count;
	struct dispute_map *map;
	size_t map_count;
	struct page_set memory;
	uint64_t *unreadable; /* addresses of pages that an engine tried to read in vain */
	size_t unreadable_count;
	bool cut;		   /* pages are missing: beyond DISPUTE_PAGES_MAX, or no memory */
	struct dispute_range *run; /* while a case is read: the runs of pages of its members */
	size_t run_count;
	json_t *about; /* only shown: program, command, verdict, versions */
};

struct dispute *dispute_create(struct error *error);
void dispute_destroy(struct dispute *dispute);
/* Adds an answer without frames. NULL: error is set. */
struct dispute_answer *dispute_add_answer(struct dispute *dispute, const char *engine,
					  struct error *error);
struct dispute_answer *dispute_find_answer(const struct dispute *dispute, const char *engine);
/* The text of about's field key; "" if there is none. Borrowed. */
const char *dispute_text(const struct dispute *dispute, const char *key);
/* True if the engine can be asked on a dispute: it runs in user space and needs no process. */
bool dispute_can_ask(const struct engine *engine);

/* ---- dispute_memory.c ------------------------------------------------------------------- */

/* Reads from the reader from, and keeps in dispute the pages that were read. */
struct dispute_recorder {
	struct dispute *dispute;
	struct memory_reader from;
};
struct memory_reader dispute_recorder_reader(struct dispute_recorder *recorder);
/* Keeps the pages from start to end (exclusive) that can be read. */
void dispute_record(struct dispute_recorder *recorder, uint64_t start, uint64_t end);

/* Reads the memory of dispute. missed counts reads of pages that dispute does not have, though the
 * thread may have had them. */
struct dispute_memory {
	struct dispute *dispute;
	uint64_t missed;
};
struct memory_reader dispute_memory_reader(struct dispute_memory *memory);
/* Adds a page; bytes are copied. False: no memory, or already DISPUTE_PAGES_MAX pages. */
bool dispute_add_page(struct dispute *dispute, uint64_t address, const void *bytes);

/* ---- dispute_ranges.c ------------------------------------------------------------------- */

/* Adds a range to the kept bytes of an image; the range is cut at the file's end. -1: no memory. */
int dispute_keep_range(struct dispute_image *image, uint64_t offset, uint64_t size,
		       struct error *error);
/* Adds all ranges that unwinding, names and build-ids are read from: the whole file if it has no
 * section headers. -1: no memory. */
int dispute_keep_ranges(struct dispute_image *image, struct error *error);

/* ---- dispute_folder.c ------------------------------------------------------------------- */

/* A private folder below TMPDIR or /tmp; deinit removes it with its contents. */
struct dispute_folder {
	char *path;
};
int dispute_folder_create(struct dispute_folder *ret, struct error *error);
void dispute_folder_deinit(struct dispute_folder *folder);
/* The path of an image's file in the folder; free() it. NULL: no memory. */
char *dispute_folder_image(const struct dispute_folder *folder, size_t number);
/* Makes this file, of so many bytes and all hole. Returns its descriptor, or -1. */
int dispute_folder_make(const struct dispute_folder *folder, size_t number, uint64_t bytes,
			struct error *error);
/* Writes the images of a dispute that was collected here, not read from a case. */
int dispute_folder_fill(const struct dispute_folder *folder, const struct dispute *dispute,
			struct error *error);

/* ---- dispute_ask.c ---------------------------------------------------------------------- */

/* A dispute with its images in a folder, so that engines can be asked; both are borrowed. */
struct dispute_stage;
int dispute_stage_create(struct dispute *dispute, const struct dispute_folder *folder,
			 struct dispute_stage **ret, struct error *error);
void dispute_stage_destroy(struct dispute_stage *stage);
const struct address_space *dispute_stage_space(const struct dispute_stage *stage);
/* ENGINE_STACK: ret is filled. ENGINE_ERROR: error says why there is no stack. */
enum engine_answer dispute_ask(struct dispute_stage *stage, const struct engine *engine,
			       const struct memory_reader *memory, struct stack *ret,
			       struct error *error);

/* ---- dispute_collect.c ------------------------------------------------------------------ */

/* An engine's stack of the stopped thread. Borrowed. */
struct dispute_said {
	const struct engine *engine;
	const struct stack *stack;
};

/*
 * Makes a dispute of a point, from the truth and the engines' stacks. To record what they read, it asks
 * these engines and all other built-in ones again, if dispute_can_ask(). NULL: error is set.
 */
struct dispute *dispute_collect(const struct point *point, const struct stack *truth,
				const struct dispute_said *said, size_t said_count, bool follows,
				struct error *error);

/* ---- dispute_json_write.c, dispute_json_read.c ------------------------------------------ */

/* case.json. The caller's to release. */
json_t *dispute_to_json(const struct dispute *dispute);
/* A dispute without the bytes of memory and images. NULL: error is set, with the field. */
struct dispute *dispute_from_json(const char *text, size_t size, struct error *error);
/* Returns how many pages of memory are adjacent, from index first on. */
size_t dispute_run(const struct dispute *dispute, size_t first);

/* ---- dispute_write.c, dispute_read.c ---------------------------------------------------- */

/* Writes a collected dispute as a case. -1: error is set, and there is no file. */
int dispute_write(const struct dispute *dispute, const char *path, struct error *error);
/* Reads a case; makes the folder, and writes the images there. NULL: error is set, and names the
 * member. */
struct dispute *dispute_read(const char *path, struct dispute_folder *ret_folder,
			     struct error *error);
/* True if the file may be a case, by its first bytes. */
bool dispute_is_case(const char *path);

/* ---- dispute_names.c -------------------------------------------------------------------- */

/* "function+0x12 (libc.so.6)" of a frame. returns: pc is a return address. */
void dispute_describe(const struct dispute *dispute, const struct dispute_stage *stage, uint64_t pc,
		      bool returns, char *text, size_t size);

/* ---- dispute_replay.c ------------------------------------------------------------------- */

enum dispute_result {
	DISPUTE_SAME,	 /* the engine's stack is the one in the case */
	DISPUTE_DIFFERS, /* the engine's stack is another than that in the case */
	DISPUTE_NEW,	 /* the case has no stack of this engine */
	DISPUTE_SKIPPED, /* the engine was not asked, or could not be started */
	DISPUTE_FAILED,	 /* the engine was asked, and gave no stack */
	DISPUTE_RESULT_COUNT,
};
const char *dispute_result_name(enum dispute_result result);

struct dispute_verdict {
	const char *engine;
	enum dispute_result result;
	const char *reason;   /* DISPUTE_SKIPPED: "needs_kernel", "not_given", "unavailable" */
	char message[160];    /* DISPUTE_SKIPPED and DISPUTE_FAILED: why, in words */
	uint32_t same_frames; /* innermost frames that both stacks share */
	struct stack stack;
	const struct dispute_answer *kept; /* the case's; NULL: DISPUTE_NEW or skipped */
	unsigned int match;		   /* enum match: against the truth */
	uint32_t right;			   /* innermost frames that are the truth's */
	uint64_t missed;		   /* reads of pages that the case does not have */
};

struct dispute_replay {
	struct dispute_verdict *verdict;
	size_t count;
	size_t result[DISPUTE_RESULT_COUNT];
};

/* Asks the engines of list; if list is empty, those of the case and all other built-in ones. */
int dispute_replay(struct dispute *dispute, struct dispute_stage *stage,
		   const struct engine_list *list, struct dispute_replay *ret, struct error *error);
void dispute_replay_deinit(struct dispute_replay *replay);
/* True if the engine gave no stack, or another than the case has; or, where the case has no stack of
 * it, another than the truth. */
bool dispute_is_finding(const struct dispute_verdict *verdict);

/* ---- dispute_print.c -------------------------------------------------------------------- */

void dispute_print_text(FILE *file, const char *path, const struct dispute *dispute,
			const struct dispute_stage *stage, const struct dispute_replay *replay);
void dispute_print_json(FILE *file, const char *path, const struct dispute *dispute,
			const struct dispute_stage *stage, const struct dispute_replay *replay);

/* ---- dispute_keeper.c ------------------------------------------------------------------- */

#define DISPUTES_MAX	       32u /* cases of a bundle */
#define DISPUTE_CANDIDATES_MAX 4u /* points of one kind of finding, whose truth is not proven yet */

struct evidence;
struct judgement;

/* What compare's --case, --at and --bundle say. Borrowed. */
struct dispute_wish {
	const char *file;   /* the case to write; or NULL */
	uint64_t at;	    /* the point of that case, counted from 1 */
	const char *folder; /* the bundle to write; or NULL */
	bool follows;	    /* bpf and table follow frame pointers */
	const struct engine_list *engines;
	char *const *command; /* the command line with its options; ends with NULL */
};

struct dispute_keeper;
int dispute_keeper_create(const struct dispute_wish *wish, struct dispute_keeper **ret,
			  struct error *error);
void dispute_keeper_destroy(struct dispute_keeper *keeper);
/* A program's run begins; the name is borrowed. Then, for each point: evidence, the stack of each
 * engine, and if the point was judged, point. */
void dispute_keeper_begin(struct dispute_keeper *keeper, const char *program);
/* The mappings have changed: forgets the decoded instructions. */
void dispute_keeper_mappings(struct dispute_keeper *keeper);
void dispute_keeper_evidence(struct dispute_keeper *keeper, const struct evidence *evidence);
void dispute_keeper_stack(struct dispute_keeper *keeper, const struct engine *engine,
			  const struct stack *stack);
int dispute_keeper_point(struct dispute_keeper *keeper, const struct point *point,
			 const struct judgement *judgement, struct error *error);
/* compare's on_proven for a point, counted from 1. is_claim: of the reading by the CFI's claim; false:
 * of the reading by the truth. */
void dispute_keeper_settle(struct dispute_keeper *keeper, uint64_t point, bool is_claim,
			   bool proven);
/* The run has ended: writes the cases, and prints on said what was written and what was not. */
int dispute_keeper_end(struct dispute_keeper *keeper, FILE *said, struct error *error);

/* ---- dispute_verify.c ------------------------------------------------------------------- */

/* Writes the case, reads it back, and asks all engines on it. An engine whose stack then differs is
 * marked in the case, and named on said. */
int dispute_write_verified(struct dispute *dispute, const char *path,
			   const struct engine_list *engines, FILE *said, struct error *error);

/* ---- dispute_report.c -------------------------------------------------------------------- */

/* Writes beside the case in folder: the report, rows, code, and copies of the image at fault and its
 * debug file. dispute was collected here, and its images still exist. */
int dispute_report(struct dispute *dispute, const char *folder, struct error *error);

#endif
