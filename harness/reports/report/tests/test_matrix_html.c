/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_matrix_html.c - the page of a matrix, to the letter, from its summary on
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "html_check.h"
#include "reports/report/results.h"
#include "results_fixture.h"

static const char page[] =
	"<p>5 passed, 6 failed, 2 skipped; 6000 points, 17.0 s. 2026-01-02T03:04:05Z</p>\n"
	"<nav><a href=\"#kernels\">Kernels</a> <a href=\"#engines\">Engines</a> "
	"<a href=\"#programs\">Programs</a> <a href=\"#faults\">Table faults</a></nav>\n"
	"<h2 id=\"kernels\">Kernels</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>kernel</th><th>version</th><th>package</th><th>by</th>"
	"<th class=\"n\">passed</th><th class=\"n\">failed</th>"
	"<th class=\"n\">errors</th><th class=\"n\">skipped</th>"
	"<th class=\"n\">seconds</th><th></th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td class=\"keep\">host</td><td class=\"keep\">6.18.1</td><td></td>"
	"<td>native</td><td class=\"n good\">4</td><td class=\"n\">0</td>"
	"<td class=\"n\">0</td><td class=\"n warn\">1</td><td class=\"n\">3.0</td>"
	"<td></td></tr>\n"
	"<tr><td class=\"keep\">5.10</td><td class=\"keep\">5.10.0-39</td>"
	"<td>linux-image-5.10 5.10.262-1</td><td>tcg</td><td class=\"n good\">1</td>"
	"<td class=\"n bad\">2</td><td class=\"n bad\">1</td><td class=\"n warn\">1</td>"
	"<td class=\"n\">9.0</td><td></td></tr>\n"
	"<tr><td class=\"keep\">7.2</td><td class=\"keep\">7.2.12</td>"
	"<td>linux-binary-7.2 7.2.12-1</td><td>tcg</td><td class=\"n good\">0</td>"
	"<td class=\"n\">0</td><td class=\"n bad\">3</td><td class=\"n\">0</td>"
	"<td class=\"n\">5.0</td>"
	"<td class=\"bad\">the kernel panicked: not syncing</td></tr>\n"
	"<tr><td class=\"keep\">k</td><td class=\"keep\">not run</td><td></td><td></td>"
	"<td class=\"n good\">0</td><td class=\"n\">0</td><td class=\"n\">0</td>"
	"<td class=\"n\">0</td><td class=\"n\">0.0</td><td></td></tr>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"failed\">Failed</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>binary</th><th>kernel</th><th>reason</th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td class=\"keep\">chain.gcc-12.2.0.O2-nofp</td><td class=\"keep\">5.10</td>"
	"<td>walk_fault 3 &lt;#1&gt;</td></tr>\n"
	"<tr><td class=\"keep\">mixed.gcc-12.2.0.O2-nofp</td><td class=\"keep\">5.10</td>"
	"<td>a &amp; b</td></tr>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"errors\">Errors: not judged</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>binary</th><th>kernel</th><th>reason</th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td class=\"keep\">chain.gcc-12.2.0.O2-fp</td><td class=\"keep\">7.2</td>"
	"<td>while this ran: the guest&#39;s outcome is panic</td></tr>\n"
	"<tr><td class=\"keep\">chain.gcc-12.2.0.O2-nofp</td><td class=\"keep\">7.2</td>"
	"<td>not run: the guest&#39;s outcome is panic</td></tr>\n"
	"<tr><td class=\"keep\">panic.rustc-1.63.0.O2-nofp</td>"
	"<td class=\"keep\">7.2</td>"
	"<td>not run: the guest&#39;s outcome is panic</td></tr>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"engines\">Exact where the CFI is right, in code with / without frame "
	"pointers</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>engine</th><th>host</th><th>5.10</th><th>7.2</th>"
	"<th>k</th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td>bpf</td><td class=\"keep\">100.00 % / 100.00 %</td>"
	"<td class=\"keep\">100.00 % / 99.90 %</td><td class=\"keep\">- / -</td>"
	"<td class=\"keep\">- / -</td></tr>\n"
	"<tr><td>fp</td><td class=\"keep\">49.60 % / 0.20 %</td>"
	"<td class=\"keep\">100.00 % / -</td><td class=\"keep\">- / -</td>"
	"<td class=\"keep\">- / -</td></tr>\n"
	"</tbody></table></div>\n"
	"<p class=\"soft\">2 points have a frame without CFI; bpf was not asked at 4 points, where "
	"no trap ran it.</p>\n"
	"<h2 id=\"ranking\">Engines, best first</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>kernel</th><th class=\"n\">rank</th><th>engine</th>"
	"<th class=\"n\">exact</th><th class=\"n\">own frames</th><th class=\"n\">points</th><th "
	"class=\"n\">wrong</th>"
	"<th class=\"n\">false complete</th><th class=\"n\">unproven</th>"
	"<th class=\"n\">skipped</th><th class=\"n\">ns/walk</th>"
	"<th class=\"n\">bytes/walk</th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td class=\"keep\">host</td><td class=\"n\">1</td><td>bpf</td><td class=\"n\">100.00 "
	"%</td>"
	"<td class=\"n\">-</td>"
	"<td class=\"n\">4\u202f000</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
	"class=\"n\">0</td><td class=\"n\">0</td><td class=\"n\">-</td><td "
	"class=\"n\">-</td></tr>\n"
	"<tr><td class=\"keep\">host</td><td class=\"n\">2</td><td>fp</td><td class=\"n\">0.09 "
	"%</td>"
	"<td class=\"n\">-</td>"
	"<td class=\"n\">4\u202f400</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
	"class=\"n\">0</td><td class=\"n\">0</td><td class=\"n\">-</td><td "
	"class=\"n\">-</td></tr>\n"
	"<tr><td class=\"keep\">5.10</td><td class=\"n\">1</td><td>bpf</td><td class=\"n\">99.95 "
	"%</td>"
	"<td class=\"n\">-</td>"
	"<td class=\"n\">2\u202f000</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
	"class=\"n\">0</td><td class=\"n\">0</td><td class=\"n\">-</td><td "
	"class=\"n\">-</td></tr>\n"
	"<tr><td class=\"keep\">5.10</td><td class=\"n\">2</td><td>fp</td><td class=\"n\">0.09 "
	"%</td>"
	"<td class=\"n\">-</td>"
	"<td class=\"n\">1\u202f100</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
	"class=\"n\">0</td><td class=\"n\">0</td><td class=\"n\">-</td><td "
	"class=\"n\">-</td></tr>\n"
	"<tr><td class=\"keep\">all</td><td class=\"n\">1</td><td>bpf</td><td class=\"n\">99.98 "
	"%</td>"
	"<td class=\"n\">-</td>"
	"<td class=\"n\">6\u202f000</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
	"class=\"n\">0</td><td class=\"n\">0</td><td class=\"n\">-</td><td "
	"class=\"n\">-</td></tr>\n"
	"<tr><td class=\"keep\">all</td><td class=\"n\">2</td><td>fp</td><td class=\"n\">0.09 "
	"%</td>"
	"<td class=\"n\">-</td>"
	"<td class=\"n\">5\u202f500</td><td class=\"n\">0</td><td class=\"n\">0</td><td "
	"class=\"n\">0</td><td class=\"n\">0</td><td class=\"n\">-</td><td "
	"class=\"n\">-</td></tr>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"programs\">Programs</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>program</th><th>host</th><th>5.10</th><th>7.2</th>"
	"<th>k</th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td>chain</td><td class=\"good keep\">exact 2</td>"
	"<td class=\"bad keep\">1 failed, 0 errors of 2</td>"
	"<td class=\"bad keep\">0 failed, 2 errors of 2</td>"
	"<td class=\"soft\">-</td></tr>\n"
	"<tr><td>panic</td><td class=\"good keep\">exact 1</td>"
	"<td class=\"warn keep\">exact 0, 1 skipped</td>"
	"<td class=\"bad keep\">0 failed, 1 errors of 1</td>"
	"<td class=\"soft\">-</td></tr>\n"
	"<tr><td>mixed</td><td class=\"warn keep\">exact 1, 1 skipped</td>"
	"<td class=\"bad keep\">1 failed, 1 errors of 2</td><td class=\"soft\">-</td>"
	"<td class=\"soft\">-</td></tr>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"faults\">Table faults</h2>\n"
	"<p class=\"soft\">Not counted as failures where the corpus expects them.</p>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>function</th><th>in</th><th>whose</th><th class=\"n\">points</th>"
	"<th class=\"n\">runs</th><th>toolchains</th><th>kernels</th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td class=\"code\">?</td><td>libc.so.6</td><td>a library</td>"
	"<td class=\"n\">9</td><td class=\"n\">1</td><td>gcc-12.2.0</td>"
	"<td>host</td></tr>\n"
	"<tr><td class=\"code\">_init</td><td>chain</td><td>a library</td>"
	"<td class=\"n\">2</td><td class=\"n\">1</td><td>gcc-12.2.0</td>"
	"<td>5.10</td></tr>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"skipped\">Skipped</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th class=\"n\">runs</th><th>kernel</th><th>reason</th></tr></thead>\n"
	"<tbody>\n"
	"<tr><td class=\"n\">1</td><td class=\"keep\">5.10</td><td>no_compiler</td></tr>\n"
	"<tr><td class=\"n\">1</td><td class=\"keep\">host</td>"
	"<td>no_room &lt;1&gt;</td></tr>\n"
	"</tbody></table></div>\n"
	"</main>\n"
	"</body>\n"
	"</html>\n";

static void check_page(const char *text, const char *expected)
{
	const char *at = strstr(text, "<p>");

	html_check(text);
	ck_assert_ptr_nonnull(at);
	for (; *at && *at == *expected; at++, expected++)
		continue;
	ck_assert_msg(*at == *expected, "%.80s, not %.80s", at, expected);
}

/* A program that one kernel did not have, one that was partly skipped, one that did not end. */
static void add_programs(struct results *results)
{
	struct cell *cell = fixture_cell(results, "host", "mixed", "gcc-12.2.0", "O2-fp", "c");

	fixture_passed(cell, "1");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"bpf\",\"untrapped\":4}");
	fixture_object(cell, "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"image\":"
			     "\"/x/libc.so.6\",\"count\":9}");
	cell_set(fixture_cell(results, "host", "mixed", "gcc-12.2.0", "O2-nofp", "c"), CELL_SKIPPED,
		 "no_room <1>");
	fixture_cell(results, "5.10", "mixed", "gcc-12.2.0", "O2-fp", "c");
	cell_set(fixture_cell(results, "5.10", "mixed", "gcc-12.2.0", "O2-nofp", "c"), CELL_FAILED,
		 "%s", "a & b");
	fixture_kernel(results, "/boot/k", "", "", "", "", "", 0, 0);
}

START_TEST(test_page)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fixture_results(&results);
	add_programs(&results);
	FIXTURE_CAPTURE(text, matrix_html_print(&results, capture));
	ck_assert_ptr_nonnull(
		strstr(text, "<title>Whose fault is a wrong stack: the matrix</title>"));
	check_page(text, page);
}
END_TEST

static const char empty[] =
	"<p>0 passed, 3 failed, 0 skipped; 0 points, 0.0 s.  <span class=\"bad\">PARTIAL (killed): "
	"by &lt;x&gt;.</span> <span class=\"bad\">The run was cut short: 3 cells are "
	"missing.</span></p>\n"
	"<nav><a href=\"#kernels\">Kernels</a> <a href=\"#engines\">Engines</a> "
	"<a href=\"#programs\">Programs</a> <a href=\"#faults\">Table faults</a></nav>\n"
	"<h2 id=\"kernels\">Kernels</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>kernel</th><th>version</th><th>package</th><th>by</th>"
	"<th class=\"n\">passed</th><th class=\"n\">failed</th>"
	"<th class=\"n\">errors</th><th class=\"n\">skipped</th>"
	"<th class=\"n\">seconds</th><th></th></tr></thead>\n"
	"<tbody>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"engines\">Exact where the CFI is right, in code with / without frame "
	"pointers</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>engine</th></tr></thead>\n"
	"<tbody>\n"
	"</tbody></table></div>\n"
	"<p class=\"soft\">0 points have a frame without CFI; bpf was not asked at 0 points, where "
	"no trap ran it.</p>\n"
	"<h2 id=\"programs\">Programs</h2>\n"
	"<div class=\"box\"><table>\n"
	"<thead><tr><th>program</th></tr></thead>\n"
	"<tbody>\n"
	"</tbody></table></div>\n"
	"<h2 id=\"faults\">Table faults</h2>\n"
	"<p class=\"soft\">Not counted as failures where the corpus expects them.</p>\n"
	"<p>None.</p>\n"
	"</main>\n"
	"</body>\n"
	"</html>\n";

/* What is not there has no headings; a run that was cut short says so. */
START_TEST(test_empty_page)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	results.missing = 3;
	strcpy(results.partial, "killed");
	strcpy(results.partial_message, "by <x>");
	FIXTURE_CAPTURE(text, matrix_html_print(&results, capture));
	check_page(text, empty);
}
END_TEST

/* Names of one letter, a run that was cut short, and findings that are ignored. */
START_TEST(test_the_least_of_everything)
{
	static const char *const parts[] = {
		"<span class=\"bad\">PARTIAL (k): m.</span>",
		"<td class=\"keep\">host</td><td class=\"keep\">6</td>",
		"<td class=\"bad\">s</td></tr>\n",
		"<tr><td class=\"keep\">a.gcc.O0</td><td class=\"keep\">host</td><td>r</td></tr>\n",
		"<tr><td>a</td><td class=\"bad keep\">1 failed, 0 errors of 1</td>",
		"<h2 id=\"ignored\">Ignored findings</h2>\n<div class=\"box\"><table>\n<thead><tr>"
		"<th class=\"n\">findings</th><th "
		"class=\"n\">points</th><th>reason</th></tr></thead>\n"
		"<tbody>\n"
		"<tr><td class=\"n\">2</td><td class=\"n\">7</td><td>known</td></tr>\n"
		"<tr><td class=\"n\">1</td><td class=\"n\">1</td><td>later</td></tr>\n"
		"</tbody></table></div>\n",
	};
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6", "", "native", "o", "s", 0, 0);
	strcpy(results.partial, "k");
	strcpy(results.partial_message, "m");
	struct cell *cell = fixture_cell(&results, "host", "a", "gcc", "O0", "c");
	cell_set(cell, CELL_FAILED, "r");
	fixture_object(cell, "{\"type\":\"finding\",\"ignored\":\"known\",\"count\":3}");
	fixture_object(cell, "{\"type\":\"finding\",\"ignored\":\"later\",\"count\":1}");
	fixture_object(cell, "{\"type\":\"finding\",\"ignored\":\"known\",\"count\":4}");
	FIXTURE_CAPTURE(text, matrix_html_print(&results, capture));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ck_assert_msg(strstr(text, parts[i]), "%s is not in %s", parts[i], text);
}
END_TEST

SUITE(matrix_html, TEST(test_page), TEST(test_empty_page), TEST(test_the_least_of_everything))
