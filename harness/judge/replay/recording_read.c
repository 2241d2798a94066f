/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recording_read.c - reads a recording, distrusting every byte
 *
 * Addresses are those of user space; a write stays in its page; mappings ascend and do not overlap;
 * the end says how many points there were, so that what is cut off is never taken for whole. The
 * digest is asked before anything is told; where it is wrong and the items are malformed, too, that
 * is said, by its place.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "crc32.h"
#include "page_set.h"
#include "recording.h"
#include "reader.h"

struct recording {
	const uint8_t *bytes;
	size_t size;	 /* without the digest */
	uint8_t *owned;	 /* the bytes, if they were read here */
	size_t items;	 /* where those behind N begin */
	bool has_truth;	 /* of version 2 and later */
	bool has_digest; /* of version 4 */
	char program[RECORDING_PATH_MAX];
};

/* Where the reading is. */
struct cursor {
	const struct recording *recording;
	size_t at;
	struct error *error;
};

static int malformed(const struct cursor *cursor, const char *what)
{
	return error_set(cursor->error, ERROR_PROTOCOL, "recording", cursor->at, "%s", what);
}

/* ---- numbers ---------------------------------------------------------------------------- */

static int take_byte(struct cursor *cursor, uint8_t *ret)
{
	*ret = 0;
	if (cursor->at >= cursor->recording->size)
		return malformed(cursor, "it is cut off");
	*ret = cursor->recording->bytes[cursor->at++];
	return 0;
}

static int take_leb(struct cursor *cursor, bool is_signed, uint64_t *ret)
{
	const struct recording *recording = cursor->recording;
	struct reader reader = { recording->bytes + cursor->at,
				 recording->bytes + recording->size };

	*ret = 0;
	if (reader_leb(&reader, is_signed, ret)) {
		cursor->at = (size_t)(reader.at - recording->bytes);
		return 0;
	}
	while (reader.at < reader.end && *reader.at & 0x80)
		reader.at++;
	return malformed(cursor, reader.at == reader.end ? "it is cut off"
							 : "a number of more than 64 bits");
}

static int take_unsigned(struct cursor *cursor, uint64_t limit, uint64_t *ret)
{
	if (take_leb(cursor, false, ret))
		return -1;
	return *ret > limit ? malformed(cursor, "a number that is too large") : 0;
}

static int take_signed(struct cursor *cursor, uint64_t *ret)
{
	return take_leb(cursor, true, ret);
}

static int take_bytes(struct cursor *cursor, size_t limit, const uint8_t **ret, size_t *ret_size)
{
	uint64_t size;

	if (take_unsigned(cursor, limit, &size))
		return -1;
	if (size > cursor->recording->size - cursor->at)
		return malformed(cursor, "bytes that reach past its end");
	*ret = cursor->recording->bytes + cursor->at;
	*ret_size = size;
	cursor->at += size;
	return 0;
}

static int take_path(struct cursor *cursor, char ret[RECORDING_PATH_MAX])
{
	const uint8_t *bytes;
	size_t size;

	if (take_bytes(cursor, RECORDING_PATH_MAX - 1, &bytes, &size))
		return -1;
	if (memchr(bytes, '\0', size))
		return malformed(cursor, "a NUL in a path");
	memcpy(ret, bytes, size);
	ret[size] = '\0';
	return 0;
}

/* ---- items ------------------------------------------------------------------------------ */

static int take_image(struct cursor *cursor, struct recording_mapping *mapping)
{
	uint8_t kind;

	if (take_byte(cursor, &kind) || take_path(cursor, mapping->path))
		return -1;
	mapping->kind = kind;
	switch (kind) {
	case RECORDING_NO_IMAGE: return 0;
	case RECORDING_FILE: return take_unsigned(cursor, UINT64_MAX, &mapping->file_bytes);
	case RECORDING_BYTES:
		return take_bytes(cursor, RECORDING_IMAGE_MAX, &mapping->bytes, &mapping->size);
	default: return malformed(cursor, "an image of an unknown kind");
	}
}

static int take_mappings(struct cursor *cursor, const struct recording_handler *handler)
{
	uint64_t count, gap, size, before = 0;

	if (take_unsigned(cursor, RECORDING_MAPPINGS_MAX, &count))
		return -1;
	if (!count && handler->mapping)
		return handler->mapping(handler->context, NULL, 0, 0, cursor->error);
	for (size_t i = 0; i < count; i++) {
		struct recording_mapping mapping = { 0 };

		if (take_unsigned(cursor, UINT64_MAX, &gap) ||
		    take_unsigned(cursor, UINT64_MAX, &size) || take_signed(cursor, &mapping.bias))
			return -1;
		mapping.start = before + gap;
		mapping.end = before = mapping.start + size;
		/* Not held against user space's end: the vsyscall page lies above it. */
		if (!size || mapping.start < gap || mapping.end < mapping.start)
			return malformed(cursor, "a mapping that is empty or wraps");
		if (take_image(cursor, &mapping))
			return -1;
		if (handler->mapping &&
		    handler->mapping(handler->context, &mapping, i, count, cursor->error))
			return -1;
	}
	return 0;
}

static int take_write(struct cursor *cursor, const struct recording_handler *handler,
		      uint64_t *address)
{
	const uint8_t *bytes;
	uint64_t difference;
	size_t size;

	if (take_signed(cursor, &difference) ||
	    take_bytes(cursor, RECORDING_WRITE_MAX, &bytes, &size))
		return -1;
	*address += difference;
	if (!size || *address < RECORDING_ADDRESS_MIN || *address >= RECORDING_ADDRESS_LIMIT ||
	    size > PAGE_SET_PAGE - *address % PAGE_SET_PAGE)
		return malformed(cursor, "a write that is empty, or leaves its page or user space");
	return handler->write
		       ? handler->write(handler->context, *address, bytes, size, cursor->error)
		       : 0;
}

static int take_absent(struct cursor *cursor, const struct recording_handler *handler)
{
	uint64_t address;

	if (take_unsigned(cursor, RECORDING_ADDRESS_LIMIT - 1, &address))
		return -1;
	return handler->absent ? handler->absent(handler->context, address, cursor->error) : 0;
}

static int take_point(struct cursor *cursor, const struct recording_handler *handler,
		      struct recording_point *point)
{
	uint64_t mask, difference, frames, stop;

	if (take_unsigned(cursor, (1u << REGISTER_COUNT) - 1, &mask))
		return -1;
	for (int reg = 0; reg < REGISTER_COUNT; reg++) {
		if (!(mask >> reg & 1))
			continue;
		if (take_signed(cursor, &difference))
			return -1;
		point->regs.value[reg] += difference;
	}
	if (take_unsigned(cursor, WALK_FRAMES_MAX, &frames) ||
	    take_unsigned(cursor, STOP_REASON_COUNT - 1, &stop))
		return -1;
	if (sizeof(point->digest) > cursor->recording->size - cursor->at)
		return malformed(cursor, "it is cut off");
	point->frames = frames;
	point->stop = stop;
	memcpy(&point->digest, cursor->recording->bytes + cursor->at, sizeof(point->digest));
	cursor->at += sizeof(point->digest);
	return handler->point ? handler->point(handler->context, point, cursor->error) : 0;
}

/* ---- the truth -------------------------------------------------------------------------- */

static int take_frame(struct cursor *cursor, const struct recording_handler *handler,
		      struct recording_frames *frames)
{
	uint64_t number = frames->count + 1, back, pc;
	uint32_t caller;

	if (take_unsigned(cursor, number, &back) || take_signed(cursor, &pc))
		return -1;
	if (!back)
		return malformed(cursor, "a frame that is its own caller");
	caller = (uint32_t)(number - back);
	pc += caller ? frames->frame[caller - 1].pc : 0;
	if (caller && frames->frame[caller - 1].depth == RECORDING_TRUTH_FRAMES_MAX)
		return malformed(cursor, "a true stack that is too deep");
	if (!recording_frames_add(frames, caller, pc))
		return error_set(cursor->error, ERROR_MEMORY, "", 0, "no memory for true stacks");
	return handler->frame ? handler->frame(handler->context, caller, pc, cursor->error) : 0;
}

/* Puts the stack into the point that comes next. */
static int take_truth(struct cursor *cursor, const struct recording_handler *handler,
		      const struct recording_frames *frames, uint64_t *number,
		      struct recording_point *point)
{
	uint64_t difference, whole;

	if (take_signed(cursor, &difference) || take_unsigned(cursor, 1, &whole))
		return -1;
	*number += difference;
	if (!*number || *number > frames->count)
		return malformed(cursor, "a frame that there is not");
	if (point->truth_frames)
		return malformed(cursor, "two truths of one point");
	for (uint32_t at = *number; at; at = frames->frame[at - 1].caller)
		point->truth[point->truth_frames++] = frames->frame[at - 1].pc;
	point->truth_whole = whole;
	return handler->truth ? handler->truth(handler->context, *number, whole, cursor->error) : 0;
}

static int take_unproven(struct cursor *cursor, const struct recording_handler *handler,
			 uint64_t points)
{
	uint64_t point;

	if (take_unsigned(cursor, UINT64_MAX, &point))
		return -1;
	if (point >= points)
		return malformed(cursor, "a point that is not there yet");
	return handler->unproven ? handler->unproven(handler->context, point, cursor->error) : 0;
}

static int take_end(struct cursor *cursor, uint64_t points, bool is_pending)
{
	uint64_t said;

	if (take_unsigned(cursor, UINT64_MAX, &said))
		return -1;
	if (is_pending)
		return malformed(cursor, "a truth of no point");
	if (said != points)
		return malformed(cursor, "another number of points than it says");
	if (cursor->at != cursor->recording->size)
		return malformed(cursor, "bytes behind its end");
	return 0;
}

/* What the items before have said. */
struct play {
	struct recording_point point;
	struct recording_frames frames;
	uint64_t points, address, truth;
};

static int take_item(struct cursor *cursor, const struct recording_handler *handler,
		     struct play *play, uint8_t letter)
{
	int status;

	switch (letter) {
	case 'M': return take_mappings(cursor, handler);
	case 'W': return take_write(cursor, handler, &play->address);
	case 'A': return take_absent(cursor, handler);
	case 'P':
		status = take_point(cursor, handler, &play->point);
		play->points++;
		play->point.truth_frames = 0;
		return status;
	case 'E': return take_end(cursor, play->points, play->point.truth_frames);
	default: break;
	}
	if (cursor->recording->has_truth) {
		switch (letter) {
		case 'F': return take_frame(cursor, handler, &play->frames);
		case 'T':
			return take_truth(cursor, handler, &play->frames, &play->truth,
					  &play->point);
		case 'U': return take_unproven(cursor, handler, play->points);
		default: break;
		}
	}
	cursor->at--;
	return malformed(cursor, "an item of an unknown kind");
}

int recording_play(struct recording *recording, const struct recording_handler *handler,
		   struct error *error)
{
	struct cursor cursor = { .recording = recording, .at = recording->items, .error = error };
	struct play play = { .point.regs.known = (1u << REGISTER_COUNT) - 1 };
	uint8_t letter = 0;
	int status = 0;

	while (!status && letter != 'E') {
		status = take_byte(&cursor, &letter);
		if (!status)
			status = take_item(&cursor, handler, &play, letter);
	}
	recording_frames_deinit(&play.frames);
	return status;
}

/* ---- the file --------------------------------------------------------------------------- */

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
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a recording");
	*ret_size = fread(*ret, 1, stat.st_size, file);
	if (ferror(file))
		return error_set_errno(error, "reading %s", path);
	return 0;
}

/* Which version it is. False: none. */
static bool take_magic(struct recording *recording)
{
	const size_t magic = strlen(RECORDING_MAGIC);

	if (recording->size < magic)
		return false;
	recording->has_digest = !memcmp(recording->bytes, RECORDING_MAGIC, magic);
	recording->has_truth = recording->has_digest ||
			       !memcmp(recording->bytes, RECORDING_MAGIC_2, magic);
	return recording->has_truth || !memcmp(recording->bytes, RECORDING_MAGIC_1, magic);
}

static int begin(struct recording *recording, struct error *error)
{
	struct cursor cursor = { .recording = recording,
				 .at = strlen(RECORDING_MAGIC),
				 .error = error };
	uint8_t letter = 0;

	if (!take_magic(recording))
		return error_set(error, ERROR_PROTOCOL, "recording", 0,
				 "it does not begin as one, or is of another version");
	if (recording->has_digest && recording->size - cursor.at < RECORDING_DIGEST_BYTES) {
		cursor.at = recording->size;
		return malformed(&cursor, "it is cut off");
	}
	if (recording->has_digest)
		recording->size -= RECORDING_DIGEST_BYTES;
	if (take_byte(&cursor, &letter) || letter != 'N')
		return malformed(&cursor, "no program");
	if (take_path(&cursor, recording->program))
		return -1;
	recording->items = cursor.at;
	return 0;
}

/* Of all bytes before it, the lowest byte first. */
static int check_digest(struct recording *recording, struct error *error)
{
	const uint8_t *says = recording->bytes + recording->size;
	const struct recording_handler none = { 0 };

	if (!recording->has_digest ||
	    (says[0] | says[1] << 8 | says[2] << 16 | (uint32_t)says[3] << 24) ==
		    crc32_add(0, recording->bytes, recording->size))
		return 0;
	if (recording_play(recording, &none, error))
		return -1;
	return error_set(error, ERROR_PROTOCOL, "recording", recording->size,
			 "another digest than its bytes have: it is damaged");
}

int recording_create(const uint8_t *bytes, size_t size, struct recording **ret, struct error *error)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a recording");
	recording->bytes = bytes;
	recording->size = size;
	if (begin(recording, error) || check_digest(recording, error)) {
		recording_close(recording);
		return -1;
	}
	*ret = recording;
	return 0;
}

int recording_open(const char *path, struct recording **ret, struct error *error)
{
	/* A FIFO would be waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;
	FILE_CLOSED FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	uint8_t *bytes = NULL;
	size_t size = 0;

	if (!file) {
		error_set_errno(error, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	status = read_whole(file, path, &bytes, &size, error);
	if (status || recording_create(bytes, size, ret, error)) {
		free(bytes);
		return -1;
	}
	(*ret)->owned = bytes;
	return 0;
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	free(recording->owned);
	free(recording);
}

const char *recording_program(const struct recording *recording)
{
	return recording->program;
}

bool recording_has_digest(const struct recording *recording)
{
	return recording->has_digest;
}
