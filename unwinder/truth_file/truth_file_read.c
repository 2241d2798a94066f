/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_file_read.c - reads a truth file, distrusting every byte
 *
 * docs/TRUTH_FILE.md has the format. An item's length comes first, so what is in it can't reach
 * into the next; each node lies below one that was read before, and above its younger siblings; the
 * end says how many points there are in all, so that what is cut off is never taken for whole. The
 * digest behind it is asked last: what is malformed is said by its place.
 *
 * Memory: a node of the file has 3 bytes at least, and takes less than 80 here.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "crc32.h"
#include "freed.h"
#include "truth_parse.h"

const char *truth_image_kind_name(unsigned int kind)
{
	static const char *const names[TRUTH_IMAGE_KIND_COUNT] = {
		[TRUTH_IMAGE_NONE] = "none",   [TRUTH_IMAGE_FILE] = "file",
		[TRUTH_IMAGE_VDSO] = "vdso",   [TRUTH_IMAGE_MEMFD] = "memfd",
		[TRUTH_IMAGE_OTHER] = "other", [TRUTH_IMAGE_ANONYMOUS] = "anonymous",
	};

	return kind < TRUTH_IMAGE_KIND_COUNT ? names[kind] : "unknown";
}

/* ---- numbers and bytes ------------------------------------------------------------------ */

int truth_malformed(const struct parse *parse, const char *what)
{
	return error_set(parse->error, ERROR_PROTOCOL, "truth", parse->reader.at - parse->begin,
			 "%s", what);
}

int truth_no_memory(const struct parse *parse)
{
	return error_set(parse->error, ERROR_MEMORY, "", 0, "no memory for a truth file");
}

int truth_take_unsigned(struct parse *parse, uint64_t limit, uint64_t *ret)
{
	*ret = 0;
	if (!reader_uleb(&parse->reader, ret))
		return truth_malformed(parse, "a number that is cut off, or of more than 64 bits");
	return *ret > limit ? truth_malformed(parse, "a number that is too large") : 0;
}

int truth_take_signed(struct parse *parse, uint64_t *ret)
{
	int64_t value = 0;
	bool taken = reader_sleb(&parse->reader, &value);

	*ret = (uint64_t)value;
	return taken ? 0
		     : truth_malformed(parse, "a number that is cut off, or of more than 64 bits");
}

static int take_block(struct parse *parse, const uint8_t **ret, size_t *ret_size)
{
	uint64_t size;

	*ret_size = 0;
	if (truth_take_unsigned(parse, UINT64_MAX, &size))
		return -1;
	if (!reader_block(&parse->reader, size, ret))
		return truth_malformed(parse, "bytes that reach past the end");
	*ret_size = size;
	return 0;
}

/* *ret: the caller's to free. */
static int take_text(struct parse *parse, const char **ret)
{
	const uint8_t *bytes;
	size_t size;

	if (take_block(parse, &bytes, &size))
		return -1;
	if (memchr(bytes, '\0', size))
		return truth_malformed(parse, "a NUL in a text");
	*ret = strndup((const char *)bytes, size);
	return *ret ? 0 : truth_no_memory(parse);
}

/* ---- items ------------------------------------------------------------------------------ */

int truth_take_field(struct parse *parse, bool is_text)
{
	struct truth_file *file = parse->file;
	struct truth_field *field;

	if (file->field_count == TRUTH_FILE_FIELDS_MAX)
		return truth_malformed(parse, "too many fields");
	field = ARRAY_ADD(file->field, file->field_count, (struct truth_field) { .name = NULL });
	if (!field)
		return truth_no_memory(parse);
	if (take_text(parse, &field->name))
		return -1;
	return is_text ? take_text(parse, &field->text)
		       : truth_take_unsigned(parse, UINT64_MAX, &field->number);
}

int truth_take_image(struct parse *parse)
{
	struct truth_file *file = parse->file;
	struct truth_image *image;
	const uint8_t *bytes;
	uint64_t kind;
	size_t size;

	if (parse->has_tree[0] || parse->has_tree[1])
		return truth_malformed(parse, "an image behind a tree");
	if (file->image_count == TRUTH_FILE_IMAGES_MAX)
		return truth_malformed(parse, "too many images");
	if (truth_take_unsigned(parse, TRUTH_IMAGE_KIND_COUNT - 1, &kind))
		return -1;
	image = ARRAY_ADD(file->image, file->image_count, (struct truth_image) { .kind = kind });
	if (!image)
		return truth_no_memory(parse);
	if (take_text(parse, &image->path) || take_block(parse, &bytes, &size))
		return -1;
	image->build_id = size ? malloc(size) : NULL;
	if (size && !image->build_id)
		return truth_no_memory(parse);
	if (size)
		memcpy((uint8_t *)image->build_id, bytes, size);
	image->build_id_size = size;
	return 0;
}

/* What is behind, later versions may have added. */
int truth_take_code_digest(struct parse *parse)
{
	struct truth_file *file = parse->file;
	struct code_digest digest;
	uint64_t image;

	if (truth_take_unsigned(parse, UINT32_MAX, &image) ||
	    truth_take_unsigned(parse, UINT64_MAX, &digest.code) ||
	    truth_take_unsigned(parse, UINT64_MAX, &digest.symtab) ||
	    truth_take_unsigned(parse, UINT64_MAX, &digest.dynsym))
		return -1;
	if (image >= file->image_count)
		return truth_malformed(parse, "a digest of an image that there is not");
	file->image[image].digest = digest;
	parse->reader.at = parse->reader.end;
	return 0;
}

/* ---- trees ------------------------------------------------------------------------------ */

enum {
	NODE_OF_IMAGE = 1, /* in another image than the one that its address is counted from */
	NODE_COUNTS = 2,   /* has other counts than points */
	NODE_INTERRUPTS = 4,
	NODE_UP = 8, /* times so many frames are left first */
};

/* A node more. NULL: error is set. */
static struct truth_node *add_node(struct parse *parse)
{
	struct truth_file *file = parse->file;

	if (file->node_count == TRUTH_FILE_NODES_MAX) {
		truth_malformed(parse, "too many nodes");
		return NULL;
	}
	if (!ARRAY_RESERVE(file->node, parse->capacity, file->node_count + 1)) {
		truth_no_memory(parse);
		return NULL;
	}
	file->node[file->node_count] = (struct truth_node) { .end = file->node_count + 1 };
	return &file->node[file->node_count++];
}

/* The node's descendants end here, and so do those of the nodes on the way to it. */
static void close_nodes(struct parse *parse, uint32_t from, uint32_t to)
{
	for (uint32_t depth = from; depth > to; depth--)
		parse->file->node[parse->younger[depth]].end = parse->file->node_count;
}

static int take_frame(struct parse *parse, uint64_t head, const struct truth_node *base,
		      struct truth_node *node)
{
	const struct truth_file *file = parse->file;
	uint64_t image = base->image, value;

	if (head & NODE_OF_IMAGE) {
		if (truth_take_unsigned(parse, UINT32_MAX, &image) ||
		    truth_take_unsigned(parse, UINT64_MAX, &node->address))
			return -1;
	} else {
		if (truth_take_signed(parse, &value))
			return -1;
		node->address = base->address + value;
	}
	if (image >= file->image_count)
		return truth_malformed(parse, "an image that there is not");
	node->image = image;
	return 0;
}

static int take_counts(struct parse *parse, uint64_t head, struct truth_node *node)
{
	if (truth_take_unsigned(parse, UINT64_MAX, &node->points))
		return -1;
	if (head & NODE_COUNTS && (truth_take_unsigned(parse, UINT64_MAX, &node->unproven) ||
				   truth_take_unsigned(parse, UINT64_MAX, &node->in_kernel)))
		return -1;
	if (__builtin_add_overflow(parse->sum, node->points, &parse->sum) ||
	    __builtin_add_overflow(parse->sum, node->unproven, &parse->sum) ||
	    __builtin_add_overflow(parse->sum, node->in_kernel, &parse->sum))
		return truth_malformed(parse, "more points than can be counted");
	return 0;
}

static bool ascends(const struct truth_node *elder, const struct truth_node *node)
{
	return elder->image != node->image ? elder->image < node->image
					   : elder->address < node->address;
}

/* One node. *depth: of the one before, and then its own. */
static int take_node(struct parse *parse, uint32_t *depth)
{
	struct truth_node read = { .image = 0 }, *node;
	struct truth_file *file = parse->file;
	const struct truth_node *base, *elder;
	uint64_t head, up;

	if (truth_take_unsigned(parse, UINT64_MAX, &head))
		return -1;
	up = head / NODE_UP;
	if (up > *depth)
		return truth_malformed(parse, "a node outside of its tree");
	if (*depth + 1 - up > TRUTH_FILE_FRAMES_MAX)
		return truth_malformed(parse, "a stack that is too deep");
	close_nodes(parse, *depth, *depth - up);
	elder = up ? &file->node[parse->younger[*depth + 1 - up]] : NULL;
	*depth = *depth + 1 - up;
	base = elder ? elder : &file->node[parse->younger[*depth - 1]];
	if (take_frame(parse, head, base, &read))
		return -1;
	if (elder && !ascends(elder, &read))
		return truth_malformed(parse, "a node that is not behind its elder sibling");
	if (take_counts(parse, head, &read))
		return -1;
	node = add_node(parse);
	if (!node)
		return -1;
	read.parent = parse->younger[*depth - 1];
	read.depth = *depth;
	read.interrupts = !!(head & NODE_INTERRUPTS);
	read.end = node->end;
	*node = read;
	if (!ARRAY_RESERVE(parse->younger, parse->depths, *depth + 1u))
		return truth_no_memory(parse);
	parse->younger[*depth] = file->node_count - 1;
	return 0;
}

static int take_tree(struct parse *parse, bool open)
{
	struct truth_file *file = parse->file;
	uint32_t root = file->node_count, depth = 0;

	if (parse->has_tree[open] || (open && !parse->has_tree[0]))
		return truth_malformed(parse, "a tree that is there twice, or too early");
	parse->has_tree[open] = true;
	if (!add_node(parse))
		return -1;
	if (!ARRAY_RESERVE(parse->younger, parse->depths, 1))
		return truth_no_memory(parse);
	file->node[root].parent = root;
	parse->younger[0] = root;
	if (open)
		file->open_root = root;
	while (reader_left(&parse->reader))
		if (take_node(parse, &depth))
			return -1;
	close_nodes(parse, depth, 0);
	file->node[root].end = file->node_count;
	return 0;
}

static int take_end(struct parse *parse)
{
	uint64_t sum;

	if (truth_take_unsigned(parse, UINT64_MAX, &sum))
		return -1;
	if (!parse->has_tree[0] || !parse->has_tree[1])
		return truth_malformed(parse, "it has no trees");
	return sum != parse->sum ? truth_malformed(parse, "other counts than it says") : 0;
}

static int take_item(struct parse *parse, uint8_t letter)
{
	switch (letter) {
	case 'S': return truth_take_field(parse, true);
	case 'C': return truth_take_field(parse, false);
	case 'I': return truth_take_image(parse);
	case 'd': return truth_take_code_digest(parse);
	case 'T': return take_tree(parse, false);
	case 'O': return take_tree(parse, true);
	case 'E': return take_end(parse);
	default:
		if (letter < 'a' || letter > 'z')
			return truth_malformed(parse, "an item of an unknown kind");
		parse->reader.at = parse->reader.end;
		return 0;
	}
}

static int take_items(struct parse *parse)
{
	struct reader all = parse->reader;
	uint8_t letter = 0;

	while (letter != 'E') {
		uint64_t size;

		parse->reader = all;
		if (!reader_u8(&parse->reader, &letter))
			return truth_malformed(parse, "it is cut off");
		if (truth_take_unsigned(parse, UINT64_MAX, &size))
			return -1;
		if (size > reader_left(&parse->reader))
			return truth_malformed(parse, "an item that reaches past the end");
		all.at = parse->reader.at + size;
		parse->reader.end = all.at;
		if (take_item(parse, letter))
			return -1;
		if (parse->reader.at != parse->reader.end)
			return truth_malformed(parse, "bytes that are left over in an item");
	}
	parse->reader = all;
	return 0;
}

/* Of all bytes before it, the lowest byte first. */
static int take_digest(struct parse *parse)
{
	const uint32_t digest = crc32_add(0, parse->begin, parse->reader.at - parse->begin);
	const uint8_t *says;

	if (!reader_block(&parse->reader, TRUTH_FILE_DIGEST, &says))
		return truth_malformed(parse, "it is cut off");
	if (truth_digest_at(says) == digest)
		return 0;
	parse->reader.at -= TRUTH_FILE_DIGEST;
	return truth_malformed(parse, "another digest than its bytes have: it is damaged");
}

/* ---- the file --------------------------------------------------------------------------- */

static bool begins(const uint8_t *bytes, size_t size, const char *magic)
{
	return size >= strlen(magic) && !memcmp(bytes, magic, strlen(magic));
}

int truth_file_create(const uint8_t *bytes, size_t size, struct truth_file **ret,
		      struct error *error)
{
	struct parse parse = { .begin = bytes, .reader = { bytes, bytes + size }, .error = error };
	bool has_digest = begins(bytes, size, TRUTH_FILE_MAGIC);
	bool has_entries = begins(bytes, size, TRUTH_ENTRIES_MAGIC);
	int status;

	if (!has_digest && !has_entries && !begins(bytes, size, TRUTH_FILE_MAGIC_1))
		return truth_malformed(&parse, "no truth file, or one of another version");
	parse.reader.at += strlen(has_entries ? TRUTH_ENTRIES_MAGIC : TRUTH_FILE_MAGIC);
	parse.file = calloc(1, sizeof(*parse.file));
	if (!parse.file)
		return truth_no_memory(&parse);
	parse.file->has_digest = has_digest;
	status = has_entries ? truth_entries_take(&parse) : take_items(&parse);
	if (!status && has_digest)
		status = take_digest(&parse);
	if (!status && !has_entries && parse.reader.at != parse.reader.end)
		status = truth_malformed(&parse, "bytes behind the end");
	free(parse.younger);
	if (!status && !truth_file_index(parse.file))
		status = truth_no_memory(&parse);
	if (status) {
		truth_file_close(parse.file);
		return -1;
	}
	*ret = parse.file;
	return 0;
}

static int read_whole(FILE *file, const char *path, uint8_t **ret, size_t *ret_size,
		      struct error *error)
{
	struct stat stat;

	if (fstat(fileno(file), &stat))
		return error_set_errno(error, "%s", path);
	if (!S_ISREG(stat.st_mode))
		return error_set(error, ERROR_PROTOCOL, "", 0, "no regular file");
	*ret = malloc(stat.st_size + 1);
	if (!*ret)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a truth file");
	*ret_size = fread(*ret, 1, stat.st_size, file);
	return ferror(file) ? error_set_errno(error, "reading %s", path) : 0;
}

int truth_file_open(const char *path, struct truth_file **ret, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO is not waited for */
	FILE_CLOSED FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	FREED uint8_t *bytes = NULL;
	size_t size = 0;
	int status;

	if (!file) {
		error_set_errno(error, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	status = read_whole(file, path, &bytes, &size, error);
	return status ? status : truth_file_create(bytes, size, ret, error);
}

void truth_file_close(struct truth_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->field_count; i++) {
		free((char *)file->field[i].name);
		free((char *)file->field[i].text);
	}
	for (size_t i = 0; i < file->image_count; i++) {
		free((char *)file->image[i].path);
		free((uint8_t *)file->image[i].build_id);
	}
	free(file->field);
	free(file->image);
	free(file->node);
	free(file->entry);
	truth_file_index_deinit(file);
	free(file);
}

/* ---- what is in it ---------------------------------------------------------------------- */

size_t truth_file_field_count(const struct truth_file *file)
{
	return file->field_count;
}

const struct truth_field *truth_file_field(const struct truth_file *file, size_t index)
{
	return &file->field[index];
}

static const struct truth_field *find_field(const struct truth_file *file, const char *name,
					    bool is_text)
{
	return ARRAY_FIRST(file->field, file->field_count, field,
			   !field->text == !is_text && !strcmp(field->name, name));
}

const char *truth_file_text(const struct truth_file *file, const char *name)
{
	const struct truth_field *field = find_field(file, name, true);

	return field ? field->text : NULL;
}

uint64_t truth_file_number(const struct truth_file *file, const char *name)
{
	const struct truth_field *field = find_field(file, name, false);

	return field ? field->number : 0;
}

const char *truth_file_partial(const struct truth_file *file)
{
	return truth_file_text(file, "partial");
}

const char *truth_file_gap(const struct truth_file *file)
{
	if (truth_file_partial(file))
		return truth_file_partial(file);
	if (WIFSIGNALED(truth_file_number(file, "wait_status")))
		return "signal"; /* of whoever sent it, and whenever: it is not a whole run */
	if (truth_file_number(file, "attached"))
		return "attached";
	if (truth_file_number(file, "every") > 1)
		return "every";
	return truth_file_text(file, "from") ? "from" : truth_file_lost(file);
}

const char *truth_file_lost(const struct truth_file *file)
{
	if (truth_file_number(file, "untraced"))
		return "threads";
	if (truth_file_number(file, "unread"))
		return "unread";
	return truth_file_number(file, "merged_steps") ? "merged_steps" : NULL;
}

size_t truth_file_image_count(const struct truth_file *file)
{
	return file->image_count;
}

const struct truth_image *truth_file_image(const struct truth_file *file, size_t index)
{
	return &file->image[index];
}

void truth_file_set_root(struct truth_file *file, const char *root)
{
	file->root = root;
}

char *truth_file_image_path(const struct truth_file *file, size_t index)
{
	const char *path = file->image[index].path, *root = file->root ? file->root : "";
	size_t size = strlen(root) + strlen(path) + 1;
	char *ret = malloc(size);

	if (ret)
		snprintf(ret, size, "%s%s", root, path);
	return ret;
}

uint32_t truth_file_node_count(const struct truth_file *file)
{
	return file->node_count;
}

const struct truth_node *truth_file_node(const struct truth_file *file, uint32_t number)
{
	return &file->node[number];
}

uint32_t truth_file_open_root(const struct truth_file *file)
{
	return file->open_root;
}

bool truth_file_is_open(const struct truth_file *file, uint32_t number)
{
	return number >= file->open_root;
}

bool truth_file_has_digest(const struct truth_file *file)
{
	return file->has_digest;
}

bool truth_file_has_entries(const struct truth_file *file)
{
	return file->has_entries;
}

size_t truth_file_entry_count(const struct truth_file *file)
{
	return file->entry_count;
}

const struct truth_entry *truth_file_entry(const struct truth_file *file, size_t index)
{
	return &file->entry[index];
}
