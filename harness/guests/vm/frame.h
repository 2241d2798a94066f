/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * frame.h - what the guest's init sends over ttyS1, byte for byte
 *
 * The kernel may print on ttyS0 at any time, so results have a serial line of their own, and come in
 * frames:
 *
 *	| header, 16 bytes: magic, version, type, index, sequence, length | payload | CRC-32 |
 *
 * The CRC (IEEE 802.3, the one of zlib's crc32()) covers header and payload. Little-endian, as both
 * ends are x86-64. sequence counts frames from 0. The reader never resynchronises: a virtual serial
 * line loses nothing, so one bad byte means that the guest is broken, and a guess where the next frame
 * begins could turn a failure into a pass.
 *
 * A guest sends READY, then for every command any number of STDOUT, STDERR, FILES and COPY and one EXIT,
 * then DONE; or NO_ROOT behind READY. The commands are in the initramfs, in FRAME_COMMANDS_PATH: for each command
 * `TIMEOUT_MS NUL DIRECTORY NUL FILES NUL COPIES NUL (PATH NUL NAME NUL)... ARGC NUL ARG0 NUL ... ARGN NUL`,
 * numbers in decimal. FILES is 1 if the files that the command wrote below its directory are to come back, as
 * a cpio archive (newc), else 0. Of each of COPIES comes an archive, too: of the file or directory PATH, in which it
 * has NAME.
 *
 * The other way goes one byte, FRAME_INTERRUPT: the command that runs gets SIGINT, with its process group.
 *
 * The functions are static inline, because the guest's init is one source file without libraries.
 */
#ifndef STACKPROOF_FRAME_H
#define STACKPROOF_FRAME_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "crc32.h"
#include "table/table_abi.h"

#define FRAME_MAGIC	    0x46507321u /* "!sPF" */
#define FRAME_VERSION	    3
#define FRAME_PAYLOAD_MAX   16384
#define FRAME_COMMANDS_PATH "/stackproof.commands"
/* Where the initramfs has this directory, the guest's disk is its root; what is to be put there is in the other. */
#define FRAME_ROOT_PATH	 "/stackproof.root"
#define FRAME_FILES_PATH "/stackproof.files"
/* There is this program, in the initramfs and, on /run, in the root; with its libraries, which the root's are not. */
#define FRAME_OWN_PATH	"/run/stackproof"
#define FRAME_INTERRUPT 0x03 /* what ^C is on a terminal */
/* Bytes of a command's archives, together. */
#define FRAME_ARCHIVE_MAX (1u << 30)
/* The environment variable PATH of the commands. */
#define FRAME_GUEST_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum frame_type {
	FRAME_READY = 1, /* init runs; payload: uname -r */
	FRAME_STDOUT,	 /* payload: bytes of command index */
	FRAME_STDERR,
	FRAME_EXIT,    /* command index ended; payload: its exit code, int32_t */
	FRAME_DONE,    /* nothing follows */
	FRAME_FILES,   /* payload: bytes of command index's archive */
	FRAME_COPY,    /* payload: the copy's number, uint16_t, and bytes of its archive */
	FRAME_NO_ROOT, /* the disk's system can't be entered, and nothing follows; payload: why */
	FRAME_TYPE_END,
};

struct frame_header {
	uint32_t magic;
	uint8_t version;
	uint8_t type;
	uint16_t index; /* of the command */
	uint32_t sequence;
	uint32_t length; /* of the payload, bytes */
};
_Static_assert(sizeof(struct frame_header) == 16, "frame header has no padding");

#define FRAME_OVERHEAD (sizeof(struct frame_header) + sizeof(uint32_t))
#define FRAME_SIZE_MAX (FRAME_OVERHEAD + FRAME_PAYLOAD_MAX)

/* Writes one frame into ret (FRAME_OVERHEAD + length bytes) and returns its size. */
static inline size_t frame_encode(void *ret, enum frame_type type, uint16_t index,
				  uint32_t sequence, const void *payload, uint32_t length)
{
	struct frame_header header = {
		.magic = FRAME_MAGIC,
		.version = FRAME_VERSION,
		.type = (uint8_t)type,
		.index = index,
		.sequence = sequence,
		.length = length,
	};
	uint8_t *at = ret;
	uint32_t crc;

	assert(length <= FRAME_PAYLOAD_MAX);
	memcpy(at, &header, sizeof(header));
	if (length)
		memcpy(at + sizeof(header), payload, length);
	crc = crc32_add(0, at, sizeof(header) + length);
	memcpy(at + sizeof(header) + length, &crc, sizeof(crc));
	return FRAME_OVERHEAD + length;
}

enum frame_status {
	FRAME_COMPLETE,	    /* header and payload are filled */
	FRAME_NEED_MORE,    /* the beginning of a frame, valid so far */
	FRAME_BAD_MAGIC,    /* not a frame */
	FRAME_BAD_VERSION,  /* init is of another build */
	FRAME_BAD_TYPE,	    /* no such frame_type */
	FRAME_BAD_SEQUENCE, /* a frame was lost or doubled */
	FRAME_BAD_LENGTH,   /* longer than any frame may be */
	FRAME_BAD_CRC,
};

/* Reads one frame at data. sequence: the number that it must have. *ret_payload points into data. */
static inline enum frame_status frame_decode(const void *data, size_t size, uint32_t sequence,
					     struct frame_header *ret, const void **ret_payload)
{
	const uint8_t *at = data;
	uint32_t crc;

	if (size < sizeof(*ret))
		return FRAME_NEED_MORE;
	memcpy(ret, at, sizeof(*ret));
	if (ret->magic != FRAME_MAGIC)
		return FRAME_BAD_MAGIC;
	if (ret->version != FRAME_VERSION)
		return FRAME_BAD_VERSION;
	if (ret->type < FRAME_READY || ret->type >= FRAME_TYPE_END)
		return FRAME_BAD_TYPE;
	if (ret->sequence != sequence)
		return FRAME_BAD_SEQUENCE;
	if (ret->length > FRAME_PAYLOAD_MAX)
		return FRAME_BAD_LENGTH;
	if (size < FRAME_OVERHEAD + ret->length)
		return FRAME_NEED_MORE;
	memcpy(&crc, at + sizeof(*ret) + ret->length, sizeof(crc));
	if (crc != crc32_add(0, at, sizeof(*ret) + ret->length))
		return FRAME_BAD_CRC;
	*ret_payload = at + sizeof(*ret);
	return FRAME_COMPLETE;
}

/* "bad_crc". */
static inline const char *frame_status_name(enum frame_status status)
{
	static const char *const name[] = {
		[FRAME_COMPLETE] = "complete",	   [FRAME_NEED_MORE] = "need_more",
		[FRAME_BAD_MAGIC] = "bad_magic",   [FRAME_BAD_VERSION] = "bad_version",
		[FRAME_BAD_TYPE] = "bad_type",	   [FRAME_BAD_SEQUENCE] = "bad_sequence",
		[FRAME_BAD_LENGTH] = "bad_length", [FRAME_BAD_CRC] = "bad_crc",
	};

	return name[status];
}

#endif
