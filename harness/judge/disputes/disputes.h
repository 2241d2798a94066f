/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * disputes.h - one point of a run at which somebody's stack is in question, as a file of its own
 *
 * A dispute is a point with all that an engine in user space asks for: registers, memory, mappings,
 * and of the images what unwinding reads. As a file it is a case: who has never seen the program, its
 * libraries or the kernel gets the same stacks of it, without privilege.
 *
 *	dispute.c		what a dispute consists of
 *	dispute_memory.c	its memory, page by page; and who reads it at the point
 *	dispute_ranges.c	which bytes of an ELF file unwinding needs
 *	dispute_folder.c	the images as files, in a private folder
 *	dispute_ask.c		an engine asked on it
 *	dispute_collect.c	a dispute of a stopped thread
 *	dispute_json_write.c	case.json
 *	dispute_json_read.c	and back, distrusting every byte
 *	dispute_write.c		the archive
 *	dispute_read.c		and back
 *	dispute_verify.c	written, and asked again as it will be elsewhere
 *	dispute_keeper.c	compare's listener: which points are kept
 *	dispute_names.c		what a frame is called
 *	dispute_report.c	the bundle: what a bug report needs beside the case
 *	dispute_replay.c	a case's engines asked again, and held against what it says
 *	dispute_print.c		that as text and as JSON
 *
 * A case is a pax archive (POSIX.1-2001), compressed by gzip; tar(1) reads it. Its members, in this
 * order:
 *
 *	case.json	everything else; docs/CASES.md has its fields
 *	memory/ADDRESS	pages of memory that follow each other
 *	image/NUMBER	an image: a sparse file with what is needed of it
 *
 * A name in a case is never used as a path: neither a member's nor an image's.
 */
#ifndef STACKPROOF_DISPUTES_H
#define STACKPROOF_DISPUTES_H

#include <jansson.h>
#include "engines/built_in/engine.h"
#include "judge/replay/page_set.h"
#include "walk/stack.h"

#define DISPUTE_VERSION 1

#define DISPUTE_PAGES_MAX    16384u	/* 64 MiB of memory */
#define DISPUTE_STACK_MAX    (1u << 20) /* bytes of the stack that are kept whoever reads them */
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
	bool asked;	/* by who ran the program: the stack is of the stopped thread itself */
	bool in_kernel; /* can't be asked again */
	bool external;	/* a program of its own */
	bool differs; /* of the case the engine gives another stack: something it needs is missing */
	struct stack stack;
};

struct dispute_range {
	uint64_t offset, size;
};

struct dispute_image {
	char *path; /* where it was; only to be shown */
	char *build_id;
	uint64_t file_bytes;
	bool whole;		     /* all bytes are kept, not the ranges only */
	struct dispute_range *range; /* sorted, apart */
	size_t range_count;
	const uint8_t *bytes; /* at the point, of entry; NULL: read from a case */
	struct image_entry *entry;
};

/* An executable mapping, as of struct address_space. */
struct dispute_code {
	uint64_t start, end, bias;
	int image; /* -1: none */
	char *path;
};

/* A line of /proc/PID/maps. */
struct dispute_map {
	uint64_t start, end, offset;
	char permissions[5];
	int image; /* whose file a reader of the path finds; -1: none */
	char *path;
};

struct dispute {
	uint64_t point; /* its number in the run, from 1 on */
	pid_t tid;
	bool follows; /* bpf and table followed frame pointers */
	struct register_values regs;
	struct stack truth;
	bool rooted; /* nothing is below the truth's last frame */
	struct dispute_answer *answer;
	size_t answer_count;
	struct dispute_image *image;
	size_t image_count;
	struct dispute_code *code;
	size_t code_count;
	struct dispute_map *map;
	size_t map_count;
	struct page_set memory;
	uint64_t *unreadable; /* pages: somebody wanted to read them, and nobody could */
	size_t unreadable_count;
	bool cut;		   /* more than DISPUTE_PAGES_MAX pages were wanted */
	struct dispute_range *run; /* while a case is read: pages that its members have */
	size_t run_count;
	json_t *about; /* what is only shown: program, command, verdict, versions */
};

struct dispute *dispute_create(struct error *error);
void dispute_destroy(struct dispute *dispute);
/* Adds an answer without frames. NULL: error is set. */
struct dispute_answer *dispute_add_answer(struct dispute *dispute, const char *engine,
					  struct error *error);
struct dispute_answer *dispute_find_answer(const struct dispute *dispute, const char *engine);
/* A text of about, "" if there is none. */
const char *dispute_text(const struct dispute *dispute, const char *key);
/* An engine in user space, which needs no process: it can be asked on a dispute. */
bool dispute_can_ask(const struct engine *engine);

/* ---- dispute_memory.c ------------------------------------------------------------------- */

/* Reads through from, and keeps in dispute what was read. */
struct dispute_recorder {
	struct dispute *dispute;
	struct memory_reader from;
};
struct memory_reader dispute_recorder_reader(struct dispute_recorder *recorder);
/* Keeps the pages of start .. end, as far as they can be read. */
void dispute_record(struct dispute_recorder *recorder, uint64_t start, uint64_t end);

/* Reads what dispute has. missed: reads of memory that it does not have, though the thread may have
 * had it. */
struct dispute_memory {
	struct dispute *dispute;
	uint64_t missed;
};
struct memory_reader dispute_memory_reader(struct dispute_memory *memory);
/* Keeps a page, whose bytes are copied. False: no memory, or too many. */
bool dispute_add_page(struct dispute *dispute, uint64_t address, const void *bytes);

/* ---- dispute_ranges.c ------------------------------------------------------------------- */

/* Adds bytes to what is kept of an image; cut at the file's end. -1: no memory. */
int dispute_keep_range(struct dispute_image *image, uint64_t offset, uint64_t size,
		       struct error *error);
/* The same of all that unwinding, names and build-ids are read from. Of a file without section
 * headers all is kept. */
int dispute_keep_ranges(struct dispute_image *image, struct error *error);

/* ---- dispute_folder.c ------------------------------------------------------------------- */

/* A private folder below TMPDIR or /tmp, which goes with all that is in it. */
struct dispute_folder {
	char *path;
};
int dispute_folder_create(struct dispute_folder *ret, struct error *error);
void dispute_folder_deinit(struct dispute_folder *folder);
/* The file of image number n there. NULL: no memory; else free() it. */
char *dispute_folder_image(const struct dispute_folder *folder, size_t number);
/* Makes it, with holes, of so many bytes. The descriptor, or -1. */
int dispute_folder_make(const struct dispute_folder *folder, size_t number, uint64_t bytes,
			struct error *error);
/* Writes the images of a dispute that was collected. */
int dispute_folder_fill(const struct dispute_folder *folder, const struct dispute *dispute,
			struct error *error);

/* ---- dispute_ask.c ---------------------------------------------------------------------- */

/* A dispute whose images are there: engines can be asked. */
struct dispute_stage;
int dispute_stage_create(struct dispute *dispute, const struct dispute_folder *folder,
			 struct dispute_stage **ret, struct error *error);
void dispute_stage_destroy(struct dispute_stage *stage);
const struct address_space *dispute_stage_space(const struct dispute_stage *stage);
/* ENGINE_STACK, and ret is filled; ENGINE_ERROR, and error says why there is none. */
enum engine_answer dispute_ask(struct dispute_stage *stage, const struct engine *engine,
			       const struct memory_reader *memory, struct stack *ret,
			       struct error *error);

/* ---- dispute_collect.c ------------------------------------------------------------------ */

/* What the stopped thread's engines said, and which of them can be asked again. */
struct dispute_said {
	const struct engine *engine;
	const struct stack *stack;
};

/*
 * A dispute of a point: truth, and what the engines said. Those that can be asked, and all others that
 * are built in, are asked again meanwhile, on what is kept. NULL: error is set.
 */
struct dispute *dispute_collect(const struct point *point, const struct stack *truth,
				const struct dispute_said *said, size_t said_count, bool follows,
				struct error *error);

/* ---- dispute_json_write.c, dispute_json_read.c ------------------------------------------ */

json_t *dispute_to_json(const struct dispute *dispute);
/* memory/ADDRESS and image/NUMBER are to follow. NULL: error is set, with the field. */
struct dispute *dispute_from_json(const char *text, size_t size, struct error *error);
/* Pages that follow each other, from number first on. Their number. */
size_t dispute_run(const struct dispute *dispute, size_t first);

/* ---- dispute_write.c, dispute_read.c ---------------------------------------------------- */

/* A collected dispute as a case, which is there whole or not at all. */
int dispute_write(const struct dispute *dispute, const char *path, struct error *error);
/* The case, with its images in folder, which is made. NULL: error is set, and names the member. */
struct dispute *dispute_read(const char *path, struct dispute_folder *ret_folder,
			     struct error *error);
/* By its first bytes the file may be a case. */
bool dispute_is_case(const char *path);

/* ---- dispute_names.c -------------------------------------------------------------------- */

/* "function+0x12 (libc.so.6)" of a frame; returns: what it is is a return address. */
void dispute_describe(const struct dispute *dispute, const struct dispute_stage *stage, uint64_t pc,
		      bool returns, char *text, size_t size);

/* ---- dispute_replay.c ------------------------------------------------------------------- */

enum dispute_result {
	DISPUTE_SAME,	 /* the stack that the case has of this engine */
	DISPUTE_DIFFERS, /* another one */
	DISPUTE_NEW,	 /* the case has none of it */
	DISPUTE_SKIPPED, /* it was not asked; or it could not be started */
	DISPUTE_FAILED,	 /* it was, and gave none */
	DISPUTE_RESULT_COUNT,
};
const char *dispute_result_name(enum dispute_result result);

struct dispute_verdict {
	const char *engine;
	enum dispute_result result;
	const char *reason;   /* DISPUTE_SKIPPED: "needs_kernel", "not_given", "unavailable" */
	char message[160];    /* of it, and of DISPUTE_FAILED */
	uint32_t same_frames; /* that both stacks have, from the innermost on */
	struct stack stack;
	const struct dispute_answer *kept; /* NULL: DISPUTE_NEW */
	unsigned int match;		   /* enum match: against the truth */
	uint32_t right;			   /* frames that are the truth's */
	uint64_t missed;		   /* reads of what the case does not have */
};

struct dispute_replay {
	struct dispute_verdict *verdict;
	size_t count;
	size_t result[DISPUTE_RESULT_COUNT];
};

/* Asks the engines of list; of an empty one those of the case, and all others that are built in. */
int dispute_replay(struct dispute *dispute, struct dispute_stage *stage,
		   const struct engine_list *list, struct dispute_replay *ret, struct error *error);
void dispute_replay_deinit(struct dispute_replay *replay);
/* The engine went wrong here: another stack, or where the case has none, not the truth. */
bool dispute_is_finding(const struct dispute_verdict *verdict);

/* ---- dispute_print.c -------------------------------------------------------------------- */

void dispute_print_text(FILE *file, const char *path, const struct dispute *dispute,
			const struct dispute_stage *stage, const struct dispute_replay *replay);
void dispute_print_json(FILE *file, const char *path, const struct dispute *dispute,
			const struct dispute_stage *stage, const struct dispute_replay *replay);

/* ---- dispute_keeper.c ------------------------------------------------------------------- */

#define DISPUTES_MAX	       32u /* cases of a bundle */
#define DISPUTE_CANDIDATES_MAX 4u  /* of one kind, whose truth has yet to prove itself */

struct evidence;
struct judgement;

/* What compare's --case, --at and --bundle say. Borrowed. */
struct dispute_wish {
	const char *file;   /* a case; or NULL */
	uint64_t at;	    /* of this point, from 1 on */
	const char *folder; /* a bundle; or NULL */
	bool follows;	    /* bpf and table follow frame pointers */
	const struct engine_list *engines;
	char *const *command; /* as it was typed, with its options; ends with NULL */
};

struct dispute_keeper;
int dispute_keeper_create(const struct dispute_wish *wish, struct dispute_keeper **ret,
			  struct error *error);
void dispute_keeper_destroy(struct dispute_keeper *keeper);
/* A program's run begins; then, of each point, the first two, and if it could be judged the third. */
void dispute_keeper_begin(struct dispute_keeper *keeper, const char *program);
/* Mappings were read, or read anew: other code may be where some was. */
void dispute_keeper_mappings(struct dispute_keeper *keeper);
void dispute_keeper_evidence(struct dispute_keeper *keeper, const struct evidence *evidence);
void dispute_keeper_stack(struct dispute_keeper *keeper, const struct engine *engine,
			  const struct stack *stack);
int dispute_keeper_point(struct dispute_keeper *keeper, const struct point *point,
			 const struct judgement *judgement, struct error *error);
/* What compare's on_proven says of a point: is_claim: of what the CFI says, else of the truth. */
void dispute_keeper_settle(struct dispute_keeper *keeper, uint64_t point, bool is_claim,
			   bool proven);
/* The run has ended: writes what is to be kept, and says so on said. */
int dispute_keeper_end(struct dispute_keeper *keeper, FILE *said, struct error *error);

/* ---- dispute_verify.c ------------------------------------------------------------------- */

/* Writes the case, and asks all engines on it as it will be read elsewhere. Who then has another answer
 * than the case is marked in it, and named on said. */
int dispute_write_verified(struct dispute *dispute, const char *path,
			   const struct engine_list *engines, FILE *said, struct error *error);

/* ---- dispute_report.c -------------------------------------------------------------------- */

/* Writes beside the case in folder: the report, rows, code, and copies of the image at fault and its
 * debug file. dispute was collected here, and its images are there. */
int dispute_report(struct dispute *dispute, const char *folder, struct error *error);

#endif
