/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push_body.c - what servers are sent: OTLP's message, or Parca's JSON with a pprof profile in it
 *
 * OTLP by HTTP (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"): the message ExportProfilesServiceRequest, gzip'd. An
 * answer 200 may say in ExportProfilesPartialSuccess that profiles were rejected, which is not to be tried again.
 *
 * Parca's gateway takes WriteRawRequest (parca.profilestore.v1alpha1) as JSON. A series must have the label __name__.
 * Addresses are "normalized" if they are the images' own; else Parca wants to know of each mapping what makes them so:
 * as images may have been linked anywhere, offsets in their files are taken for their own addresses.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "bytes_out.h"
#include "profiles/profile/wire.h"
#include "push_parts.h"
#include "write.h"

static const struct {
	const char *name, *path;
	const char *header[3];
} kinds[PUSH_KIND_COUNT] = {
	[PUSH_OTLP] = { "otlp=",
			"/v1development/profiles",
			{ "Content-Type: application/x-protobuf", "Content-Encoding: gzip" } },
	[PUSH_PARCA] = { "parca=", "/profiles/writeraw", { "Content-Type: application/json" } },
};

const char *const *push_body_headers(enum push_kind kind)
{
	return kinds[kind].header;
}

/* A URL of HTTP has a host; whether it has a path, too. */
static bool parse_url(const char *url, bool *ret_has_path)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t size = strlen(schemes[i]), host;

		if (strncmp(url, schemes[i], size) != 0)
			continue;
		host = strcspn(url + size, "/?#");
		*ret_has_path = url[size + host] && strcmp(url + size + host, "/") != 0;
		return host > 0;
	}
	return false;
}

int push_target_parse(const char *target, enum push_kind *ret, char **ret_url, struct error *error)
{
	for (enum push_kind kind = 0; kind < PUSH_KIND_COUNT; kind++) {
		size_t name = strlen(kinds[kind].name), size;
		const char *url = target + name;
		bool has_path;

		if (strncmp(target, kinds[kind].name, name) != 0 || !parse_url(url, &has_path))
			continue;
		size = strlen(url) - (!has_path && url[strlen(url) - 1] == '/');
		*ret = kind;
		if (asprintf(ret_url, "%.*s%s", (int)size, url, has_path ? "" : kinds[kind].path) >=
		    0)
			return 0;
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a URL");
	}
	return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
			 "neither otlp=URL nor parca=URL, of http or https");
}

bool profile_push_is_target(const char *target)
{
	struct error error = { 0 };
	enum push_kind ignored;
	char *url = NULL;
	bool is = !push_target_parse(target, &ignored, &url, &error);

	free(url);
	return is || error.code == ERROR_MEMORY;
}

/* ---- Parca ----------------------------------------------------------------------------------- */

/* RFC 4648, section 4 */
static void put_base64(struct bytes_out *out, const uint8_t *data, size_t size)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16 |
				(i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0) |
				(i + 2 < size ? data[i + 2] : 0);
		const char group[] = { digit[bits >> 18], digit[bits >> 12 & 63],
				       i + 1 < size ? digit[bits >> 6 & 63] : '=',
				       i + 2 < size ? digit[bits & 63] : '=' };

		bytes_add(out, group, sizeof(group));
	}
}

/* What is no plain text has no place in a label: it is \xNN, and the backslash is doubled. */
static void put_string(struct bytes_out *out, const char *text)
{
	struct bytes_out plain = { 0 };

	bytes_in_line(&plain, text, "\"", '\'');
	bytes_add(&plain, "", 1);
	bytes_text(out, "\"");
	for (const char *at = plain.failed ? "" : (const char *)plain.data; *at; at++) {
		bytes_add(out, "\\", *at == '\\');
		bytes_add(out, at, 1);
	}
	bytes_text(out, "\"");
	out->failed = out->failed ? out->failed : plain.failed;
	free(plain.data);
}

static void put_label(struct bytes_out *out, const char *name, const char *value)
{
	bytes_format(out, "{\"name\":\"%s\",\"value\":", name);
	put_string(out, value);
	bytes_text(out, "}");
}

/* ET_DYN, and a segment that begins where the mapping does in the file. Numbers of 64 bits are strings. One for each
 * mapping, in pprof's order. */
static int put_executables(struct bytes_out *out, const struct collected *collected,
			   struct error *error)
{
	const int et_dyn = 3;
	uint32_t *order = collected_mappings_in_order(collected, error);

	if (!order)
		return -1;
	bytes_text(out, ",\"executableInfo\":[");
	for (uint32_t i = 1; i <= collected->mappings; i++) {
		uint64_t offset = collected->mapping[order[i]].offset;

		bytes_format(out,
			     "%s{\"elfType\":%d,\"loadSegment\":{\"offset\":\"%" PRIu64
			     "\",\"vaddr\":\"%" PRIu64 "\"}}",
			     i > 1 ? "," : "", et_dyn, offset, offset);
	}
	bytes_text(out, "]");
	free(order);
	return 0;
}

static int make_parca(const struct collected *collected, struct push_body *ret, struct error *error)
{
	struct bytes_out out = { .file = NULL };
	struct push_body pprof;

	if (profile_write_bytes(collected, PROFILE_PPROF, true, &pprof.data, &pprof.size, error))
		return -1;
	bytes_text(&out, "{\"series\":[{\"labels\":{\"labels\":[");
	put_label(&out, "__name__", collected_words(collected->type)->name);
	if (collected->host) {
		bytes_text(&out, ",");
		put_label(&out, "node", collected_get(collected, collected->host));
	}
	bytes_text(&out, "]},\"samples\":[{\"rawProfile\":\"");
	put_base64(&out, pprof.data, pprof.size);
	bytes_text(&out, "\"");
	if (!collected->own_addresses && put_executables(&out, collected, error))
		out.failed = ENOMEM;
	bytes_format(&out, "}]}],\"normalized\":%s}", collected->own_addresses ? "true" : "false");
	free(pprof.data);
	if (!out.failed) {
		*ret = (struct push_body) { out.data, out.size };
		return 0;
	}
	free(out.data);
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for a message to a server");
}

int push_body_make(enum push_kind kind, const struct collected *collected, struct push_body *ret,
		   struct error *error)
{
	if (kind == PUSH_PARCA)
		return make_parca(collected, ret, error);
	return profile_write_bytes(collected, PROFILE_OTLP, true, &ret->data, &ret->size, error);
}

uint64_t push_body_rejected(enum push_kind kind, const void *answer, size_t size)
{
	const uint32_t partial_success = 1, rejected_profiles = 1;
	struct wire wire = { answer, (const uint8_t *)answer + size, false };
	struct wire_field field;
	uint64_t rejected = 0;

	while (kind == PUSH_OTLP && wire_next(&wire, &field))
		if (field.number == partial_success && field.is_bytes)
			rejected = wire_number_of(wire_of(&field), rejected_profiles);
	return wire.bad || rejected > INT64_MAX ? 0 : rejected;
}
