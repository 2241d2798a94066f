/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_interval.c - a mean of few noisy pairs, and how sure it is
 *
 * Hollander, Wolfe: Nonparametric Statistical Methods, 3.1 to 3.3. Of n differences the sum W of the positive ones'
 * ranks is, if nothing differs, as any sum of numbers out of 1 to n: each of the 2^n sets is as likely. W counts how many
 * of the n (n + 1) / 2 means of two differences (Walsh's averages) are above 0. So the interval from the (c + 1)-th
 * smallest to the (c + 1)-th largest of them fails with the probability 2 P(W <= c).
 */
#include <stdlib.h>
#include "costs.h"

#define MEANS_MAX  (COSTS_PAIRS_MAX * (COSTS_PAIRS_MAX + 1) / 2)
#define FAILS_MOST 0.05

static int in_order(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* *ret: c. Returns 2 P(W <= c), the most that is not above FAILS_MOST. */
static double cut_off(unsigned int count, unsigned int *ret)
{
	double sets[MEANS_MAX + 1] = { 1 }, all = 1, below = 0;
	unsigned int sum = 0;

	/* sets[w]: of 1 to i, with the sum w. */
	for (unsigned int i = 1; i <= count; i++) {
		sum += i;
		all *= 2;
		for (unsigned int w = sum; w >= i; w--)
			sets[w] += sets[w - i];
	}
	for (*ret = 0; 2 * (below + sets[*ret]) <= FAILS_MOST * all; (*ret)++)
		below += sets[*ret];
	(*ret)--;
	return 2 * below / all;
}

int costs_interval(const double *values, unsigned int count, struct costs_interval *ret,
		   struct error *error)
{
	unsigned int means = count * (count + 1) / 2, used = 0, cut;
	FREED double *mean = calloc(means, sizeof(*mean));

	if (!mean)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for an interval");
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = i; j < count; j++)
			mean[used++] = (values[i] + values[j]) / 2;
	qsort(mean, means, sizeof(*mean), in_order);
	ret->confidence = 1 - cut_off(count, &cut);
	ret->estimate = (mean[(means - 1) / 2] + mean[means / 2]) / 2;
	ret->low = mean[cut];
	ret->high = mean[means - 1 - cut];
	return 0;
}

bool costs_told_apart(const struct costs_interval *interval)
{
	return interval->low > 0 || interval->high < 0;
}
