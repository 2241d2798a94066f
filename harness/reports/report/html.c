/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * html.c - a page that needs nothing but itself (WHATWG HTML, section 13.1)
 *
 * Names in a report come from ELF files: everything goes through html_text(). As a second lock the
 * page carries a policy that allows its own style, and at most one script, and nothing else (Content
 * Security Policy level 3), so that even markup that got through would run nothing and fetch nothing.
 */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include "html.h"

static const char style[] =
	":root{color-scheme:light dark;--back:#fff;--text:#1c1e21;--soft:#5f6670;--line:#d9dde2;"
	"--head:#f3f5f7;--good:#18794e;--bad:#c0232c;--bad-back:#fdecec;--warn:#8a5a00;--link:#"
	"0b5cad}"
	"@media(prefers-color-scheme:dark){:root{--back:#15171a;--text:#e4e6e9;--soft:#9aa2ad;"
	"--line:#31363d;--head:#1f2328;--good:#5fc992;--bad:#ff8087;--bad-back:#3a1c1f;"
	"--warn:#e0b050;--link:#7ab8ff}}"
	"body{margin:0 auto;max-width:110rem;padding:1.5rem 2rem 4rem;background:var(--back);"
	"color:var(--text);font:15px/1.45 system-ui,sans-serif}"
	"h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2.2rem 0 .5rem}"
	"h3{font-size:1rem;margin:1.4rem 0 .4rem}p{margin:.3rem 0 .7rem;max-width:60rem}"
	"a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}"
	"nav{margin:.6rem 0 1rem}nav a{margin-right:1.2rem}"
	"code,td.code{font:13px/1.4 ui-monospace,monospace}"
	".box{overflow:auto;max-height:80vh;border:1px solid var(--line);border-radius:6px}"
	"table{border-collapse:separate;border-spacing:0;width:100%}"
	"th,td{padding:.28rem .7rem;text-align:left;vertical-align:top;"
	"border-bottom:1px solid var(--line)}"
	"tr:last-child td{border-bottom:0}tbody tr:hover td{background:var(--head)}"
	"th{position:sticky;top:0;background:var(--head);font-weight:600;white-space:nowrap;z-"
	"index:1}"
	".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
	".matrix td:first-child,.matrix th:first-child{position:sticky;left:0;z-index:1;"
	"background:var(--back);min-width:11rem}.matrix "
	"th:first-child{z-index:2;background:var(--head)}"
	".c{text-align:center;padding:.28rem "
	".4rem}.bad{color:var(--bad);font-weight:600}td.bad{background:var(--bad-"
	"back)}"
	".good{color:var(--good)}.warn{color:var(--warn)}.soft{color:var(--soft)}"
	".note{color:var(--soft);min-width:14rem}.keep{white-space:nowrap}td.code{overflow-wrap:"
	"anywhere;min-width:14rem}"
	"details{margin:.25rem 0}summary{cursor:pointer}summary "
	"b{display:inline-block;min-width:3rem;"
	"text-align:right;margin-right:.6rem;font-variant-numeric:tabular-nums}"
	"details .box{margin:.4rem 0 .8rem 1.2rem}"
	"@media print{.box{max-height:none;overflow:visible}th{position:static}}";

void html_begin(FILE *file, const char *title)
{
	html_begin_with(file, title, "", NULL);
}

void html_begin_with(FILE *file, const char *title, const char *more_style,
		     const char *script_sha256)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'",
	      file);
	if (script_sha256)
		fprintf(file, "; script-src 'sha256-%s'", script_sha256);
	fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\">\n<title>",
	      file);
	html_text(file, title);
	fprintf(file, "</title>\n<style>%s%s</style>\n</head>\n<body>\n<main>\n<h1>", style,
		more_style);
	html_text(file, title);
	fputs("</h1>\n", file);
}

void html_end(FILE *file)
{
	fputs("</main>\n</body>\n</html>\n", file);
}

void html_text(FILE *file, const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
	json_t *utf8 = json_string(text);

	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte == 0xc2 && utf8 && (unsigned char)text[1] < 0xa0) {
			/* U+0080 to U+009F: control characters. */
			fputs(replacement, file);
			text++;
		} else if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f ||
			   (byte >= 0x80 && !utf8)) {
			fputs(replacement, file);
		} else if (byte == '<') {
			fputs("&lt;", file);
		} else if (byte == '>') {
			fputs("&gt;", file);
		} else if (byte == '&') {
			fputs("&amp;", file);
		} else if (byte == '"') {
			fputs("&quot;", file);
		} else if (byte == '\'') {
			fputs("&#39;", file);
		} else {
			putc(byte, file);
		}
	}
	json_decref(utf8);
}

void html_print(FILE *file, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	for (; *format; format++) {
		if (*format != '%') {
			putc(*format, file);
			continue;
		}
		if (*++format == 's') {
			html_text(file, va_arg(arguments, const char *));
		} else {
			assert(format[0] == 'z' && format[1] == 'u');
			fprintf(file, "%zu", va_arg(arguments, size_t));
			format++;
		}
	}
	va_end(arguments);
}

void html_id(FILE *file, const char *text)
{
	for (; *text; text++)
		putc(isalnum((unsigned char)*text) && (unsigned char)*text < 0x80 ? *text : '-',
		     file);
}

void html_table_begin(FILE *file, const char *const *columns)
{
	fputs("<div class=\"box\"><table>\n<thead><tr>", file);
	for (; *columns; columns++) {
		bool number = **columns == '#';
		fprintf(file, "<th%s>", number ? " class=\"n\"" : "");
		html_text(file, *columns + number);
		fputs("</th>", file);
	}
	fputs("</tr></thead>\n<tbody>\n", file);
}

void html_table_end(FILE *file)
{
	fputs("</tbody></table></div>\n", file);
}

void html_cell(FILE *file, const char *class, const char *text)
{
	if (class)
		fprintf(file, "<td class=\"%s\">", class);
	else
		fputs("<td>", file);
	html_text(file, text);
	fputs("</td>", file);
}

void html_number(FILE *file, uint64_t number)
{
	char digits[32];
	int size = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	fputs("<td class=\"n\">", file);
	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			fputs("\xe2\x80\xaf", file); /* U+202F: a narrow space that doesn't break */
		putc(digits[i], file);
	}
	fputs("</td>", file);
}
