/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - unwind tables on the screen, and compared with each other
 *
 * No program is run here. An image's CFI, its compact table, another tool's dump of it, and what libdw and readelf
 * say of each row are read and compared.
 *
 *	rows/		what any table says at an address; to have lint judge another format, add a source here
 *	table/		an image's table as text, as JSON, as readelf prints it
 *	stat/		what an image's table has: rows, rules, bytes, losses
 *	prove/		the compact table against the CFI, the CFI against libdw and readelf, row by row
 *	diff/		two tables function by function; to read another tool's dump, add a dialect here
 */
#ifndef STACKPROOF_TABLES_WING_H
#define STACKPROOF_TABLES_WING_H

#endif
