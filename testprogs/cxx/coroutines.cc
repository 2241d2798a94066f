// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// coroutines.cc - C++20 coroutines: frames that outlive their calls
//
// Rule: a coroutine is split into functions that take its state from the heap (ramp, resume,
// destroy), each with an ordinary frame only while it runs; a resumed one's caller is who resumed
// it, not who made it. Symmetric transfer goes from one coroutine to another by a tail call, and
// calls back into coroutines stack up. No C++ library: frames are allocated from an array.
#include <coroutine>
#include "../c/testprog.h"

extern "C" {
#include "../c/bare.h"
}

static char arena[4096] __attribute__((aligned(16)));
static unsigned long used;
static int destroyed;

struct generator {
	struct promise_type {
		int value;

		void *operator new(unsigned long size) noexcept
		{
			void *frame = arena + used;

			used += (size + 15) & ~15ul;
			return frame;
		}
		void operator delete(void *) noexcept
		{
			destroyed++;
		}
		generator get_return_object() noexcept
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		static generator get_return_object_on_allocation_failure() noexcept
		{
			return { nullptr };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int yielded) noexcept
		{
			value = yielded;
			return {};
		}
		void return_void() noexcept
		{
		}
		void unhandled_exception() noexcept
		{
		}
	};

	std::coroutine_handle<promise_type> handle;
};

extern "C" FRAME int top(int value)
{
	KEEP(value);
	return value + 1;
}

static generator count(int from, int to)
{
	for (; from < to; from++) {
		int value = top(from);

		KEEP(value);
		co_yield value;
	}
}

extern "C" FRAME int next(generator *from)
{
	from->handle.resume();
	KEEP(from);
	return from->handle.done() ? 0 : from->handle.promise().value;
}

// A coroutine that resumes another.
static generator twice(generator *from)
{
	for (int value; (value = next(from));)
		co_yield value * 2;
}

int run(const unsigned long *stack)
{
	generator inner = count(1, 4), outer = twice(&inner);
	int sum = 0;

	if (used > sizeof(arena))
		return 2;
	for (int value; (value = next(&outer));)
		sum += value;
	outer.handle.destroy();
	inner.handle.destroy();
	// 2 * (2 + 3 + 4)
	return sum != 18 || destroyed != 2;
}
