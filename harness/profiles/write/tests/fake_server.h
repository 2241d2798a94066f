/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fake_server.h - a server of HTTP in a thread, which answers as a script says and keeps what it was sent
 *
 *	static const struct fake_answer answers[] = { { .status = "500 No" }, { .status = "200 OK" } };
 *	fake_server_start(&server, answers, 2);
 *	... http://127.0.0.1:server.port ...
 *	fake_server_stop(&server);
 *
 * The last answer is given to all further requests. One connection has one request.
 */
#ifndef STACKPROOF_TESTS_FAKE_SERVER_H
#define STACKPROOF_TESTS_FAKE_SERVER_H

#include <arpa/inet.h>
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "profiles/write/push_parts.h"

#define FAKE_REQUESTS 64

struct fake_answer {
	const char *status;  /* "200 OK"; NULL: never an answer */
	const char *headers; /* lines with their ends, or NULL */
	const char *body;
	size_t body_size;
	size_t cut;   /* if not 0: the connection ends after so many bytes of the answer */
	int delay_ms; /* before it */
};

struct fake_request {
	char *head; /* with all headers */
	char *body;
	size_t body_size;
	uint64_t time_ms;
};

struct fake_server {
	int file, port;
	int stop[2]; /* a pipe: readable from the end on */
	pthread_t thread;
	pthread_mutex_t lock;
	const struct fake_answer *answer;
	size_t answers;
	struct fake_request request[FAKE_REQUESTS];
	size_t requests;
};

/* False: nothing comes any more. */
static inline bool fake_readable(const struct fake_server *server, int file)
{
	struct pollfd polled[] = { { file, POLLIN, 0 }, { server->stop[0], POLLIN, 0 } };

	return poll(polled, 2, -1) > 0 && !polled[1].revents;
}

/* False: the client has gone, or the server has ended. */
static inline bool fake_receive(const struct fake_server *server, int client,
				struct fake_request *ret)
{
	size_t size = 0, room = 1 << 20, wanted = SIZE_MAX;
	char *bytes = calloc(1, room + 1), *end;

	while (size < wanted && size < room && fake_readable(server, client)) {
		ssize_t got = recv(client, bytes + size, room - size, 0);

		if (got <= 0)
			break;
		size += got;
		end = memmem(bytes, size, "\r\n\r\n", 4);
		if (end && wanted == SIZE_MAX) {
			const char *length = strcasestr(bytes, "\r\nContent-Length:");

			wanted = end + 4 - bytes + (length ? strtoul(length + 17, NULL, 10) : 0);
		}
	}
	if (size < wanted) {
		free(bytes);
		return false;
	}
	end = strstr(bytes, "\r\n\r\n");
	ret->time_ms = push_now_ms();
	ret->head = strndup(bytes, end + 2 - bytes);
	ret->body_size = size - (end + 4 - bytes);
	ret->body = malloc(ret->body_size + 1);
	memcpy(ret->body, end + 4, ret->body_size);
	ret->body[ret->body_size] = '\0';
	free(bytes);
	return true;
}

static inline void fake_send(const struct fake_server *server, int client,
			     const struct fake_answer *answer)
{
	struct pollfd stop = { server->stop[0], POLLIN, 0 };
	char head[1000];
	int size = snprintf(head, sizeof(head),
			    "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n",
			    answer->status ? answer->status : "", answer->body_size,
			    answer->headers ? answer->headers : "");

	if (poll(&stop, 1, answer->delay_ms) > 0)
		return;
	if (!answer->status) {
		fake_readable(server, client); /* until the client gives up */
		return;
	}
	if (answer->cut && answer->cut < (size_t)size)
		size = answer->cut;
	ck_assert_int_eq(send(client, head, size, MSG_NOSIGNAL), size);
	if (!answer->cut && answer->body_size)
		send(client, answer->body, answer->body_size, MSG_NOSIGNAL);
}

static inline void *fake_serve(void *context)
{
	struct fake_server *server = context;

	while (fake_readable(server, server->file)) {
		int client = accept(server->file, NULL, NULL);
		struct fake_request request;

		if (client >= 0 && fake_receive(server, client, &request)) {
			size_t number;

			pthread_mutex_lock(&server->lock);
			number = server->requests++;
			if (number < FAKE_REQUESTS)
				server->request[number] = request;
			pthread_mutex_unlock(&server->lock);
			fake_send(server, client,
				  &server->answer[number < server->answers ? number
									   : server->answers - 1]);
		}
		close(client);
	}
	return NULL;
}

static inline void fake_server_start(struct fake_server *server, const struct fake_answer *answer,
				     size_t answers)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);

	*server = (struct fake_server) { .answer = answer, .answers = answers };
	server->file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(server->file, (struct sockaddr *)&address, size), 0);
	ck_assert_int_eq(listen(server->file, 64), 0);
	ck_assert_int_eq(getsockname(server->file, (struct sockaddr *)&address, &size), 0);
	server->port = ntohs(address.sin_port);
	ck_assert_int_eq(pipe(server->stop), 0);
	pthread_mutex_init(&server->lock, NULL);
	ck_assert_int_eq(pthread_create(&server->thread, NULL, fake_serve, server), 0);
}

static inline size_t fake_server_requests(struct fake_server *server)
{
	size_t requests;

	pthread_mutex_lock(&server->lock);
	requests = server->requests;
	pthread_mutex_unlock(&server->lock);
	return requests;
}

static inline void fake_server_stop(struct fake_server *server)
{
	ck_assert_int_eq(write(server->stop[1], "", 1), 1);
	pthread_join(server->thread, NULL);
	close(server->file);
	close(server->stop[0]);
	close(server->stop[1]);
	for (size_t i = 0; i < server->requests && i < FAKE_REQUESTS; i++) {
		free(server->request[i].head);
		free(server->request[i].body);
	}
}

#endif
