/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face_error.c - the face's errors, stop reasons, and structures that know their size
 *
 * The numbers of the face never change; those inside may.
 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include "face.h"

_Static_assert(sizeof(struct stackproof_error) == 296, "it is the caller's, and never grows");
/* Behind it are the reasons of walks that are not ours. */
_Static_assert(STOP_REASON_COUNT == STOP_URETPROBE + 1, "a new reason wants a number of the face");
_Static_assert(ERROR_CODE_COUNT == ERROR_SFRAME_ORDER + 1,
	       "a new error wants a number of the face");

unsigned int stackproof_version(void)
{
	return STACKPROOF_VERSION_NUMBER;
}

/* ---- errors ----------------------------------------------------------------------------- */

const char *stackproof_error_name(unsigned int code)
{
	static const char *const name[] = {
		[STACKPROOF_OK] = "ok",
		[STACKPROOF_ERROR_SYSTEM] = "system",
		[STACKPROOF_ERROR_MEMORY] = "memory",
		[STACKPROOF_ERROR_ARGUMENT] = "argument",
		[STACKPROOF_ERROR_UNAVAILABLE] = "unavailable",
		[STACKPROOF_ERROR_LIMIT] = "limit",
		[STACKPROOF_ERROR_ELF] = "elf",
		[STACKPROOF_ERROR_CFI] = "cfi",
		[STACKPROOF_ERROR_NO_CFI] = "no_cfi",
		[STACKPROOF_ERROR_INTERNAL] = "internal",
		[STACKPROOF_ERROR_FILE] = "file",
	};

	return code < sizeof(name) / sizeof(name[0]) ? name[code] : "unknown";
}

static uint32_t face_code(enum error_code code)
{
	switch (code) {
	case ERROR_NONE: return STACKPROOF_OK;
	case ERROR_SYSTEM: return STACKPROOF_ERROR_SYSTEM;
	case ERROR_MEMORY: return STACKPROOF_ERROR_MEMORY;
	case ERROR_NOT_ELF:
	case ERROR_THIN_ARCHIVE:
	case ERROR_UNSUPPORTED_ELF:
	case ERROR_ELF_BOUNDS:
	case ERROR_RELOCATION: return STACKPROOF_ERROR_ELF;
	case ERROR_NO_CFI: return STACKPROOF_ERROR_NO_CFI;
	case ERROR_TABLE_LIMIT: return STACKPROOF_ERROR_LIMIT;
	case ERROR_UNAVAILABLE: return STACKPROOF_ERROR_UNAVAILABLE;
	case ERROR_PROTOCOL:
	case ERROR_TIMEOUT:
	case ERROR_CODE_COUNT: return STACKPROOF_ERROR_INTERNAL;
	default: return STACKPROOF_ERROR_CFI;
	}
}

void face_error(const struct error *error, struct stackproof_error *ret)
{
	*ret = (struct stackproof_error) {
		.code = face_code(error->code),
		.system_errno = error->system_errno,
		.offset = error->offset,
	};
	snprintf(ret->kind, sizeof(ret->kind), "%s", error_code_name(error->code));
	memcpy(ret->section, error->section, sizeof(ret->section));
	memcpy(ret->message, error->message, sizeof(ret->message));
}

int face_fail(struct stackproof_error *ret, const struct error *error)
{
	if (ret)
		face_error(error, ret);
	return -1;
}

int face_fail_argument(struct stackproof_error *ret, const char *format, ...)
{
	va_list arguments;

	if (!ret)
		return -1;
	*ret = (struct stackproof_error) { .code = STACKPROOF_ERROR_ARGUMENT, .kind = "argument" };
	va_start(arguments, format);
	vsnprintf(ret->message, sizeof(ret->message), format, arguments);
	va_end(arguments);
	return -1;
}

int face_fail_memory(struct stackproof_error *ret)
{
	struct error error;

	error_set(&error, ERROR_MEMORY, "", 0, "out of memory");
	return face_fail(ret, &error);
}

int face_check_owner(pid_t owner, struct stackproof_error *error)
{
	return owner == getpid() ? 0
				 : face_fail_argument(error, "process %d opened this", (int)owner);
}

/* ---- sizes ------------------------------------------------------------------------------ */

int face_take(void *known, size_t known_size, const void *given, struct stackproof_error *error)
{
	const uint8_t *bytes = given;
	size_t size = known_size;

	memset(known, 0, known_size);
	if (!given)
		return 0;
	memcpy(&size, given, sizeof(size));
	if (size < sizeof(size))
		return face_fail_argument(error, "options say a size of %zu bytes", size);
	for (size_t i = known_size; i < size; i++)
		if (bytes[i])
			return face_fail_argument(error,
						  "options have what this library doesn't know, at "
						  "byte %zu of %zu",
						  i, size);
	memcpy(known, given, size < known_size ? size : known_size);
	return 0;
}

int face_give(void *ret, const void *made, size_t made_size, struct stackproof_error *error)
{
	size_t size;

	memcpy(&size, ret, sizeof(size));
	if (size < sizeof(size))
		return face_fail_argument(error, "a result says a size of %zu bytes", size);
	memset(ret, 0, size);
	memcpy(ret, made, size < made_size ? size : made_size);
	memcpy(ret, &size, sizeof(size));
	return 0;
}

/* ---- stops ------------------------------------------------------------------------------ */

const char *stackproof_stop_name(unsigned int stop)
{
	static const char *const name[STACKPROOF_STOP_COUNT] = {
		[0] = "unknown",
		[STACKPROOF_STOP_COMPLETE] = "complete",
		[STACKPROOF_STOP_GUESSED] = "guessed",
		[STACKPROOF_STOP_NO_MAPPING] = "no_mapping",
		[STACKPROOF_STOP_NO_ROW] = "no_row",
		[STACKPROOF_STOP_UNSUPPORTED] = "unsupported",
		[STACKPROOF_STOP_MALFORMED] = "malformed",
		[STACKPROOF_STOP_REGISTER_UNKNOWN] = "register_unknown",
		[STACKPROOF_STOP_READ_FAULT] = "read_fault",
		[STACKPROOF_STOP_URETPROBE] = "uretprobe",
		[STACKPROOF_STOP_NO_PROGRESS] = "no_progress",
		[STACKPROOF_STOP_ZERO_RETURN] = "zero_return",
		[STACKPROOF_STOP_DEPTH] = "depth",
		[STACKPROOF_STOP_INTERNAL] = "internal",
	};

	return stop < STACKPROOF_STOP_COUNT ? name[stop] : "unknown";
}

uint32_t face_stop(uint32_t reason)
{
	switch (reason) {
	case STOP_COMPLETE: return STACKPROOF_STOP_COMPLETE;
	case STOP_GUESSED: return STACKPROOF_STOP_GUESSED;
	case STOP_NO_MAPPING: return STACKPROOF_STOP_NO_MAPPING;
	case STOP_NO_ROW: return STACKPROOF_STOP_NO_ROW;
	case STOP_UNSUPPORTED_EXPRESSION:
	case STOP_UNSUPPORTED_REGISTER:
	case STOP_OFFSET_RANGE:
	case STOP_TOO_MANY_RULES: return STACKPROOF_STOP_UNSUPPORTED;
	case STOP_MALFORMED: return STACKPROOF_STOP_MALFORMED;
	case STOP_REGISTER_UNKNOWN: return STACKPROOF_STOP_REGISTER_UNKNOWN;
	case STOP_READ_FAULT: return STACKPROOF_STOP_READ_FAULT;
	case STOP_URETPROBE: return STACKPROOF_STOP_URETPROBE;
	case STOP_NO_PROGRESS: return STACKPROOF_STOP_NO_PROGRESS;
	case STOP_ZERO_RETURN: return STACKPROOF_STOP_ZERO_RETURN;
	case STOP_DEPTH: return STACKPROOF_STOP_DEPTH;
	default: return STACKPROOF_STOP_INTERNAL;
	}
}
