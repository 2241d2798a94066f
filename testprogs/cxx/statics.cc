// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// statics.cc - objects that live as long as the program, a thread, or from the first call on
//
// Rules: constructors of globals run from one function that the compiler adds to .init_array
// (_GLOBAL__sub_I_...), destructors from exit() through __cxa_finalize, those of thread_local
// objects when the thread ends, below no function of the thread's own; a function's static object
// is made behind a guard, at the first call. std::function calls lambdas through two functions that
// nobody wrote.
#include <functional>
#include <pthread.h>
#include <unistd.h>
#include "../c/testprog.h"

static int made, destroyed, failures;

extern "C" FRAME int count_up(int *counter)
{
	KEEP(counter);
	return ++*counter;
}

struct object {
	int number;

	FRAME object() : number(count_up(&made))
	{
	}
	FRAME ~object()
	{
		count_up(&destroyed);
	}
};

// The last one destroyed, since it is made first: decides the status.
struct judge {
	FRAME ~judge()
	{
		_exit(failures || made != 4 || destroyed != 4);
	}
};

static judge last;
static object global;

static object &from_first_call()
{
	static object local;

	return local;
}

static thread_local object of_thread;

extern "C" FRAME void *worker(void *)
{
	int number = of_thread.number;

	KEEP(number);
	failures += number != 3;
	return nullptr;
}

extern "C" FRAME int apply(const std::function<int(int)> &function, int value)
{
	value = function(value);
	KEEP(value);
	return value;
}

int main()
{
	pthread_t thread;
	object local;
	int base = 10;

	if (pthread_create(&thread, nullptr, worker, nullptr) || pthread_join(thread, nullptr))
		return 1;
	failures += from_first_call().number != 4;
	failures += apply([&base](int value) { return value + count_up(&base); }, 1) != 12;
	return 0;
}
