/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * host_serve.c - the other end of external_wire.h: takes points, and has three functions answer them
 *
 * What engine_host and libgcc_host have in common. Points come in batches: all of one are read
 * before the first is answered, so that what is read after that is memory, and the answers go back
 * together.
 *
 * Memory is asked for by the page, and each page once per point; the stack that came with the point
 * is not asked for again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "external_wire.h"
#include "host_serve.h"

#define FRAMES	     (1u << 20)
#define PAGE_BYTES   4096u
#define PAGES	     16u  /* direct-mapped by number */
#define BATCH	     256u /* as EXTERNAL_BATCH_MAX */
#define IN_BYTES     262144u
#define OUT_BYTES    65536u
#define REGISTER_RSP 7
#define READ_BYTES   65536u /* as EXTERNAL_READ_MAX */

struct page {
	uint64_t id; /* of the point; 0: nothing is here */
	uint64_t address;
	uint8_t bytes[PAGE_BYTES];
};

struct host {
	int input, output;
	const struct host_functions *functions;
	void *engine;
	uint8_t *mappings; /* as they came; what mapping[] points into */
	struct stackproof_engine_mapping *mapping;
	uint64_t mapping_count, generation;
	uint64_t id; /* of the point at hand */
	uint64_t stack_address, stack_bytes;
	const uint8_t *stack;
	struct payload {
		uint8_t *data;
		size_t size, capacity;
	} batch[BATCH];
	uint8_t in[IN_BYTES]; /* what came and was not looked at yet */
	size_t in_size, in_taken;
	uint8_t out[OUT_BYTES]; /* answers that are not sent yet */
	size_t out_size;
	struct page page[PAGES];
	uint64_t *pc;
};

void host_give_up(const char *what)
{
	fprintf(stderr, "%s\n", what);
	_exit(HOST_STATUS_BAD);
}

/* False: the end, and nothing of a message before it. */
static bool read_all(struct host *host, void *ret, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t part = host->in_size - host->in_taken;
		ssize_t got;

		part = part < size - done ? part : size - done;
		memcpy((char *)ret + done, host->in + host->in_taken, part);
		host->in_taken += part;
		done += part;
		if (done == size)
			break;
		got = read(host->input, host->in, sizeof(host->in));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 && done)
			host_give_up("engine_host: a message was cut short");
		if (got <= 0)
			return false;
		host->in_taken = 0;
		host->in_size = (size_t)got;
	}
	return true;
}

static void write_all(int fd, const void *data, size_t size)
{
	while (size) {
		ssize_t put = write(fd, data, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			_exit(HOST_STATUS_BAD);
		data = (const char *)data + put;
		size -= (size_t)put;
	}
}

static void flush(struct host *host)
{
	write_all(host->output, host->out, host->out_size);
	host->out_size = 0;
}

static void put(struct host *host, const void *data, size_t size)
{
	if (size > OUT_BYTES - host->out_size)
		flush(host);
	if (size > OUT_BYTES) {
		write_all(host->output, data, size);
	} else if (size) {
		memcpy(host->out + host->out_size, data, size);
		host->out_size += size;
	}
}

/* A message of two parts; sent by flush(). */
static void say(struct host *host, enum external_kind kind, const void *first, size_t first_size,
		const void *second, size_t second_size)
{
	struct wire_header header = { .kind = kind, .bytes = (uint32_t)(first_size + second_size) };

	put(host, &header, sizeof(header));
	put(host, first, first_size);
	put(host, second, second_size);
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool ask_memory(struct host *host, uint64_t address, void *ret, uint64_t bytes)
{
	struct wire_read wire = { .id = host->id, .address = address, .bytes = bytes };
	struct wire_header header;

	say(host, KIND_READ, &wire, sizeof(wire), NULL, 0);
	flush(host);
	if (!read_all(host, &header, sizeof(header)))
		_exit(HOST_STATUS_BAD);
	if (header.kind == KIND_FAULT && !header.bytes)
		return false;
	if (header.kind != KIND_MEMORY || header.bytes != bytes || !read_all(host, ret, bytes))
		host_give_up("engine_host: another read was answered");
	return true;
}

static const struct page *page_at(struct host *host, uint64_t address)
{
	struct page *page = &host->page[address / PAGE_BYTES % PAGES];

	address -= address % PAGE_BYTES;
	if (page->id == host->id && page->address == address)
		return page;
	page->id = 0;
	if (!ask_memory(host, address, page->bytes, PAGE_BYTES))
		return NULL;
	page->id = host->id;
	page->address = address;
	return page;
}

static int read_memory(void *context, uint64_t address, void *ret, uint64_t bytes)
{
	struct host *host = context;
	const struct page *page;

	if (!bytes)
		return 0;
	if (bytes - 1 > UINT64_MAX - address)
		return -1;
	if (address >= host->stack_address && bytes <= host->stack_bytes &&
	    address - host->stack_address <= host->stack_bytes - bytes) {
		memcpy(ret, host->stack + (address - host->stack_address), bytes);
		return 0;
	}
	page = bytes > PAGE_BYTES - address % PAGE_BYTES ? NULL : page_at(host, address);
	/* Of a recorded point there may be words, and no page. */
	if (!page)
		return bytes <= READ_BYTES && ask_memory(host, address, ret, bytes) ? 0 : -1;
	memcpy(ret, page->bytes + address % PAGE_BYTES, bytes);
	return 0;
}

/* ---- messages ------------------------------------------------------------------------------- */

static void take_mappings(struct host *host, uint32_t size)
{
	uint64_t count;
	uint8_t *at;

	free(host->mappings);
	free(host->mapping);
	host->mappings = malloc(size);
	if (size < sizeof(count) || !host->mappings || !read_all(host, host->mappings, size))
		host_give_up("engine_host: no mappings");
	memcpy(&count, host->mappings, sizeof(count));
	at = host->mappings + sizeof(count);
	host->mapping = calloc(count + 1, sizeof(host->mapping[0]));
	if (!host->mapping)
		host_give_up("engine_host: no memory for mappings");
	for (uint64_t i = 0; i < count; i++) {
		struct wire_mapping wire;

		memcpy(&wire, at, sizeof(wire));
		at += sizeof(wire);
		host->mapping[i] = (struct stackproof_engine_mapping) {
			.start = wire.start,
			.end = wire.end,
			.offset = wire.offset,
			.bias = wire.bias,
			.build_id = wire.build_id_bytes ? at : NULL,
			.build_id_bytes = wire.build_id_bytes,
			.path = (const char *)at + wire.build_id_bytes,
		};
		at += wire.build_id_bytes + wire.path_bytes;
	}
	host->mapping_count = count;
	host->generation++;
}

static void walk(struct host *host, const struct wire_point *wire)
{
	struct stackproof_engine_point point = {
		.bytes = sizeof(point),
		.mapping = host->mapping,
		.mapping_count = host->mapping_count,
		.mapping_generation = host->generation,
		.stack = host->stack,
		.stack_bytes = host->stack_bytes,
		.read = read_memory,
		.read_context = host,
	};
	struct stackproof_engine_stack stack = {
		.bytes = sizeof(stack),
		.pc = host->pc,
		.capacity = FRAMES,
		.stop = STACKPROOF_ENGINE_FOREIGN,
	};
	static const char too_many[] = "it says more frames than there is room for";
	struct wire_stack answer = { .id = wire->id };

	memcpy(point.reg, wire->reg, sizeof(point.reg));
	if (host->functions->walk(host->engine, &point, &stack)) {
		stack.count = 0;
		stack.stop = STACKPROOF_ENGINE_FOREIGN;
	}
	if (stack.count > FRAMES) {
		say(host, KIND_REFUSED, too_many, sizeof(too_many) - 1, NULL, 0);
		return;
	}
	answer.stop = stack.stop;
	say(host, KIND_STACK, &answer, sizeof(answer), host->pc, stack.count * sizeof(host->pc[0]));
}

static uint64_t take_number(struct host *host, const struct wire_header *header)
{
	uint64_t number;

	if (header->bytes != sizeof(number) || !read_all(host, &number, sizeof(number)))
		host_give_up("engine_host: no number");
	return number;
}

static void read_point(struct host *host, struct payload *payload)
{
	struct wire_header header;

	if (!read_all(host, &header, sizeof(header)) || header.kind != KIND_POINT ||
	    header.bytes < sizeof(struct wire_point))
		host_give_up("engine_host: no point");
	if (header.bytes > payload->capacity) {
		free(payload->data);
		payload->data = malloc(header.bytes);
		payload->capacity = header.bytes;
	}
	payload->size = header.bytes;
	if (!payload->data || !read_all(host, payload->data, payload->size))
		host_give_up("engine_host: no point");
}

static void take_points(struct host *host, uint64_t count)
{
	struct wire_point wire;

	if (count > BATCH)
		host_give_up("engine_host: too many points");
	for (uint64_t i = 0; i < count; i++)
		read_point(host, &host->batch[i]);
	for (uint64_t i = 0; i < count; i++) {
		memcpy(&wire, host->batch[i].data, sizeof(wire));
		host->id = wire.id;
		host->stack = host->batch[i].data + sizeof(wire);
		host->stack_bytes = host->batch[i].size - sizeof(wire);
		host->stack_address = wire.reg[REGISTER_RSP];
		walk(host, &wire);
	}
	flush(host);
}

static void say_hello(struct host *host, const struct stackproof_engine_about *about)
{
	uint64_t version = 1, stack_bytes = about->stack_bytes, batch = BATCH;

	say(host, KIND_HELLO, &version, sizeof(version), NULL, 0);
	say(host, KIND_VERSION, about->version, strnlen(about->version, sizeof(about->version)),
	    NULL, 0);
	say(host, KIND_WANTS_STACK, &stack_bytes, sizeof(stack_bytes), NULL, 0);
	say(host, KIND_WANTS_BATCH, &batch, sizeof(batch), NULL, 0);
	say(host, KIND_READY, NULL, 0, NULL, 0);
	flush(host);
}

static void serve(struct host *host, const struct stackproof_engine_about *about)
{
	struct wire_header header;

	while (read_all(host, &header, sizeof(header))) {
		if (header.kind == KIND_HELLO && take_number(host, &header) == 1)
			say_hello(host, about);
		else if (header.kind == KIND_MAPPINGS)
			take_mappings(host, header.bytes);
		else if (header.kind == KIND_POINTS)
			take_points(host, take_number(host, &header));
		else
			host_give_up("engine_host: a message that is none of this version");
	}
}

/* Messages have descriptors that the object does not know of; its own output is an error's. */
static void move_streams(struct host *host)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	host->input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 64);
	host->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 64);
	dup2(nothing, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	close(nothing);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

struct host *host_create(void)
{
	struct host *host = calloc(1, sizeof(*host));

	if (!host)
		host_give_up("engine_host: no memory");
	move_streams(host);
	host->pc = calloc(FRAMES, sizeof(host->pc[0]));
	if (!host->pc)
		host_give_up("engine_host: no memory for a stack");
	return host;
}

int host_serve(struct host *host, const struct host_functions *functions, const char *argument)
{
	struct stackproof_engine_about about = { .bytes = sizeof(about) };

	host->functions = functions;
	host->engine = functions->open(STACKPROOF_ENGINE_VERSION, argument, &about);
	if (!host->engine)
		host_give_up("its stackproof_engine_open() refused");
	serve(host, &about);
	functions->close(host->engine);
	return 0;
}
