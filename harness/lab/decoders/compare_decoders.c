/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_decoders.c - where Zydis and Capstone do not say the same of an instruction
 *
 *	compare_decoders [-n N] ELF|DIR...
 *
 * `lint` follows code by what Zydis says (code/code.h), the truth steps over it by what Capstone says.
 * Every instruction of every FDE is given to both; of DIR only each N-th image. They may differ in
 *
 *	undecodable	one of them can't decode it
 *	length, flow, target
 *	registers	which of rsp, rbp, rbx, r12 to r15 are written, even in part
 *	form		harness/analysis/code says otherwise of an instruction when it has met its form before
 *	neither		can decode it: no difference, but lint stops there
 *
 * What differs in the same way, by the same two mnemonics, is one line, the most frequent first:
 *
 *	COUNT  WHAT  by Zydis | by Capstone  TEXT | TEXT  BYTES  FILE+PC
 *
 * The last line counts. The next instruction is where Zydis says, else Capstone, else the next byte.
 * docs/DECODERS.md says who is right. Status: 0; 2 usage; 3 an ELF file can't be read.
 */
#include <elf.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "cfi/cfi.h"
#include "decoders.h"
#include "base/images/image_list.h"
#include "plain_text.h"

#define FORM_EVERY 61 /* instructions: a decoder that has met nothing is slow */
#define KEPT                                                                                       \
	(1u << REGISTER_RSP | 1u << REGISTER_RBX | 1u << REGISTER_RBP | 1u << REGISTER_R12 |       \
	 1u << REGISTER_R13 | 1u << REGISTER_R14 | 1u << REGISTER_R15)

struct difference {
	char *key;
	uint64_t count;
	char *example;
};

struct comparing {
	struct code_decoder *zydis;
	struct capstone_decoder *capstone;
	void *tree; /* of differences, by key */
	struct difference **list;
	size_t count;
	const char *path;
	uint64_t images, fdes, instructions, differ, neither;
};

static void out_of_memory(void)
{
	fprintf(stderr, "compare_decoders: no memory\n");
	exit(99);
}

/* ---- one instruction ---------------------------------------------------------------------- */

static const char *what_differs(const struct code *a, const struct code *b)
{
	if (!a->length && !b->length)
		return "neither";
	if (!a->length != !b->length)
		return "undecodable";
	if (a->length != b->length)
		return "length";
	if (a->flow != b->flow)
		return "flow";
	if (a->target != b->target)
		return "target";
	return (a->written ^ b->written) & KEPT ? "registers" : NULL;
}

/* "next 4 +rsp": only what may differ. */
static void put_code(FILE *file, const struct code *code, const char *what)
{
	if (!code->length) {
		fputs("none", file);
		return;
	}
	fputs(code_flow_names[code->flow], file);
	if (!strcmp(what, "length"))
		fprintf(file, " %u", code->length);
	if (strcmp(what, "registers") && strcmp(what, "form"))
		return;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (code->written & KEPT & 1u << i)
			fprintf(file, " +%s", register_name(i));
}

/* A text's mnemonic, with the prefixes that it is written with. */
static void put_mnemonic(FILE *file, const char *text)
{
	static const char *const prefixes[] = { "rep ",	   "repe ",	"repz ",    "repne ",
						"repnz ",  "lock ",	"bnd ",	    "notrack ",
						"data16 ", "xacquire ", "xrelease " };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(text, prefixes[i], strlen(prefixes[i]))) {
			fputs(prefixes[i], file);
			text += strlen(prefixes[i]);
			i = (size_t)-1;
		}
	fprintf(file, "%.*s", text[0] ? (int)strcspn(text, " ") : 1, text[0] ? text : "-");
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct difference *)a)->key, ((const struct difference *)b)->key);
}

/* The example that is met first stays. */
static char *example_of(const struct comparing *comparing, uint64_t pc, const uint8_t *bytes,
			size_t size, const char *zydis, const char *capstone)
{
	char *text = NULL;
	size_t text_size;
	FILE *file = open_memstream(&text, &text_size);

	if (!file)
		out_of_memory();
	fprintf(file, "%s | %s\t", zydis[0] ? zydis : "-", capstone[0] ? capstone : "-");
	for (size_t i = 0; i < size; i++)
		fprintf(file, "%s%02x", i ? " " : "", bytes[i]);
	fprintf(file, "\t%s+%#" PRIx64, PLAIN_TEXT(comparing->path), pc);
	fclose(file);
	return text;
}

static void add_difference(struct comparing *comparing, const char *what, const struct code *a,
			   const struct code *b, const uint8_t *bytes, size_t size)
{
	char zydis[128], capstone[128];
	struct difference wanted = { .key = NULL }, **found, *added;
	size_t key_size, shown = a->length > b->length ? a->length : b->length;
	FILE *file = open_memstream(&wanted.key, &key_size);

	if (!file)
		out_of_memory();
	code_print(comparing->zydis, a->pc, bytes, size, zydis, sizeof(zydis));
	capstone_print(comparing->capstone, capstone, sizeof(capstone));
	fprintf(file, "%s\t", what);
	put_code(file, a, what);
	fputs(" | ", file);
	put_code(file, b, what);
	fputc('\t', file);
	put_mnemonic(file, zydis);
	fputs(" | ", file);
	put_mnemonic(file, capstone);
	fclose(file);
	if (strcmp(what, "neither"))
		comparing->differ++;
	else
		comparing->neither++;
	found = tfind(&wanted, &comparing->tree, compare_keys);
	if (found) {
		(*found)->count++;
		free(wanted.key);
		return;
	}
	added = malloc(sizeof(*added));
	if (!added || !ARRAY_GROW(comparing->list, comparing->count))
		out_of_memory();
	*added = wanted;
	added->count = 1;
	added->example = example_of(comparing, a->pc, bytes,
				    shown      ? shown
				    : size < 8 ? size
					       : 8,
				    zydis, capstone);
	if (!tsearch(added, &comparing->tree, compare_keys))
		out_of_memory();
	comparing->list[comparing->count++] = added;
}

/* As if no instruction had been met before. */
static void check_form(struct comparing *comparing, const struct code *code, const uint8_t *bytes,
		       size_t size)
{
	struct code_decoder *decoder = code_decoder_create();
	struct code fresh;

	if (!decoder)
		out_of_memory();
	code_decode(decoder, code->pc, bytes, size, &fresh);
	code_decoder_destroy(decoder);
	if (code->length != fresh.length || code->flow != fresh.flow ||
	    code->target != fresh.target || code->effect != fresh.effect ||
	    code->constant != fresh.constant || code->displacement != fresh.displacement ||
	    code->written != fresh.written || code->reg != fresh.reg ||
	    code->source != fresh.source || code->base != fresh.base)
		add_difference(comparing, "form", code, &fresh, bytes, size);
}

/* How long it is. */
static uint8_t compare_at(struct comparing *comparing, uint64_t pc, const uint8_t *bytes,
			  size_t size)
{
	struct code a, b;
	const char *what;

	code_decode(comparing->zydis, pc, bytes, size, &a);
	capstone_decode(comparing->capstone, pc, bytes, size, &b);
	what = what_differs(&a, &b);
	comparing->instructions++;
	if (what)
		add_difference(comparing, what, &a, &b, bytes, size);
	if (comparing->instructions % FORM_EVERY == 0)
		check_form(comparing, &a, bytes, size);
	return a.length ? a.length : b.length ? b.length : 1;
}

/* ---- images ------------------------------------------------------------------------------- */

static void compare_fde(struct comparing *comparing, const struct cfi *cfi,
			const struct cfi_fde *fde)
{
	const uint8_t *bytes = image_bytes(cfi->image, fde->pc_begin, fde->pc_range);

	if (!bytes)
		return;
	comparing->fdes++;
	for (uint64_t at = 0; at < fde->pc_range;)
		at += compare_at(comparing, fde->pc_begin + at, bytes + at, fde->pc_range - at);
}

static int compare_image(struct comparing *comparing, const struct image_path *path)
{
	struct opened_image opened;
	struct cfi *cfi = NULL;
	struct error error;

	if (image_path_open(path, &opened, &error)) {
		if (!path->named)
			return 0;
		error_print(stderr, path->path, &error);
		return -1;
	}
	comparing->path = path->path;
	/* In an object file sections lie over each other. */
	if (opened.image->type != ET_REL && !cfi_create(opened.image, &cfi, &error)) {
		comparing->images++;
		for (size_t i = 0; i < cfi->by_pc_count; i++)
			compare_fde(comparing, cfi, &cfi->fde[cfi->by_pc[i]]);
	}
	cfi_destroy(cfi);
	image_path_close(&opened);
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct difference *left = *(struct difference *const *)a,
				*right = *(struct difference *const *)b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return strcmp(left->key, right->key);
}

static void report(struct comparing *comparing)
{
	if (comparing->count)
		qsort(comparing->list, comparing->count, sizeof(struct difference *), by_count);
	for (size_t i = 0; i < comparing->count; i++)
		printf("%" PRIu64 "\t%s\t%s\n", comparing->list[i]->count, comparing->list[i]->key,
		       comparing->list[i]->example);
	printf("%" PRIu64 " images, %" PRIu64 " FDEs, %" PRIu64 " instructions: %" PRIu64
	       " differ; neither decodes %" PRIu64 "\n",
	       comparing->images, comparing->fdes, comparing->instructions, comparing->differ,
	       comparing->neither);
}

static void free_difference(void *node)
{
	struct difference *difference = node;

	free(difference->key);
	free(difference->example);
	free(difference);
}

int main(int argc, char **argv)
{
	struct comparing comparing = { .zydis = code_decoder_create(),
				       .capstone = capstone_decoder_create() };
	struct image_list list = { .count = 0 };
	unsigned int every = 1;
	int status = 0, option;
	struct error error;

	while ((option = getopt(argc, argv, "n:")) != -1)
		every = option == 'n' ? (unsigned int)strtoul(optarg, NULL, 10) : 0;
	if (optind == argc || !every) {
		fprintf(stderr, "usage: compare_decoders [-n N] ELF|DIR...\n");
		return 2;
	}
	if (!comparing.zydis || !comparing.capstone)
		out_of_memory();
	for (; optind < argc; optind++)
		if (image_list_add(&list, argv[optind], &error)) {
			error_print(stderr, NULL, &error);
			status = 3;
		}
	image_list_finish(&list, every);
	for (size_t i = 0; i < list.count; i++)
		if (compare_image(&comparing, &list.image[i]))
			status = 3;
	report(&comparing);
	tdestroy(comparing.tree, free_difference);
	free(comparing.list);
	image_list_deinit(&list);
	capstone_decoder_destroy(comparing.capstone);
	code_decoder_destroy(comparing.zydis);
	return status;
}
