/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - unwind tables on the screen, and held against each other
 *
 * Nothing runs here: an image's CFI, its compact table, another tool's dump of it, and libdw's and readelf's word on each
 * row.
 *
 *	rows/		what any table says at an address; to judge another format by lint, add a source here
 *	table/		an image's table as text, as JSON, as readelf prints it
 *	stat/		what an image's table has: rows, rules, bytes, losses
 *	prove/		the compact table against the CFI, the CFI against libdw and readelf, row by row
 *	diff/		two tables function by function; to read another tool's dump, add a dialect here
 */
#ifndef STACKPROOF_TABLES_WING_H
#define STACKPROOF_TABLES_WING_H

#endif
