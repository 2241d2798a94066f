/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stacks.cc - stacks.c in C++: objects that close themselves, errors as exceptions, stacks in a map
 *
 *	c++ stacks.cc -o stacks $(pkg-config --cflags --libs stackproof) && ./stacks PID
 */
#include <stackproof.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

template <typename type, void (*close)(type *)> struct closer {
	void operator()(type *object) const { close(object); }
};
template <typename type, void (*close)(type *)>
using owned = std::unique_ptr<type, closer<type, close>>;

using images_pointer = owned<stackproof_images, stackproof_images_destroy>;
using session_pointer = owned<stackproof_session, stackproof_session_close>;
using processes_pointer = owned<stackproof_processes, stackproof_processes_close>;

using profile = std::map<std::string, unsigned long>;

static void check(int status, const stackproof_error &error)
{
	if (status)
		throw std::runtime_error(error.message);
}

static std::string frame(const stackproof_space *space, uint64_t pc)
{
	auto place = STACKPROOF_INIT(stackproof_place);

	if (!stackproof_space_find(space, pc, &place, nullptr) && place.function[0])
		return place.function;
	std::snprintf(place.function, sizeof(place.function), "0x%llx",
		      static_cast<unsigned long long>(place.address));
	return place.function;
}

/* No exception may leave it: what calls it is C. */
static void add_stack(void *context, const stackproof_stack *stack) noexcept
{
	std::string line;

	for (uint32_t i = stack->raced ? 0 : stack->count; i-- > 0;)
		line += frame(stack->space, stack->pc[i] - (i > 0)) + ";";
	line += stack->raced ? "raced" : stackproof_stop_name(stack->stop);
	++(*static_cast<profile *>(context))[line];
}

static profile sample(pid_t pid)
{
	auto options = STACKPROOF_INIT(stackproof_session_options);
	auto wanted = STACKPROOF_INIT(stackproof_processes_options);
	stackproof_images *images = nullptr;
	stackproof_session *session = nullptr;
	stackproof_processes *processes = nullptr;
	stackproof_error error;
	profile found;

	options.processes = 256;
	wanted.pid = pid;
	check(stackproof_images_create(&images, &error), error);
	images_pointer own_images(images); /* the last one to close */
	check(stackproof_session_open(&options, &session, &error), error);
	session_pointer own_session(session);
	check(stackproof_processes_open(session, images, &wanted, &processes, &error), error);
	processes_pointer own_processes(processes);
	check(stackproof_processes_add_existing(processes, &error), error);
	check(stackproof_session_attach_samples(session, -1, -1, 999, &error), error);
	for (int i = 0; i < 50 && !usleep(20000); i++)
		check(stackproof_processes_consume(processes, add_stack, &found, &error), error);
	return found;
}

int main(int argc, char **argv)
{
	try {
		profile found = sample(argc > 1 ? std::atoi(argv[1]) : getpid());
		std::vector<std::pair<unsigned long, std::string>> lines;

		for (const auto &stack : found)
			lines.emplace_back(stack.second, stack.first);
		std::sort(lines.rbegin(), lines.rend());
		for (const auto &line : lines)
			std::printf("%7lu %s\n", line.first, line.second.c_str());
	} catch (const std::exception &failure) {
		std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
		return 1;
	}
	return 0;
}
