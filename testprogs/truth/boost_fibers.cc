// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * boost_fibers.cc - boost.context: a fiber that makes another, and goes there and back
 *
 * Rule: jump_fcontext sets rsp from a register; malloc has put the two stacks into one mapping.
 */
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include "../c/testprog.h"

using boost::context::fiber;
using boost::context::fixedsize_stack;

static volatile long sum;

static FRAME long deep(long depth)
{
	long below;

	if (!depth)
		return 1;
	below = deep(depth - 1);
	KEEP(below);
	return below + 1;
}

static fiber in_inner(fiber &&back)
{
	for (int i = 0; i < 2; i++) {
		sum += deep(2);
		back = std::move(back).resume();
	}
	return std::move(back);
}

static fiber in_outer(fiber &&back)
{
	fiber inner(std::allocator_arg, fixedsize_stack(16384), in_inner);

	while (inner) {
		inner = std::move(inner).resume();
		sum += deep(1);
		back = std::move(back).resume();
	}
	return std::move(back);
}

int main()
{
	fiber outer(std::allocator_arg, fixedsize_stack(16384), in_outer);

	while (outer)
		outer = std::move(outer).resume();
	return sum == 0;
}
