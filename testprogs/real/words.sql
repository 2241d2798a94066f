-- SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
-- words.sql - a table, an index, a join, a recursive query, an aggregate
CREATE TABLE number (n INTEGER PRIMARY KEY, square INTEGER, name TEXT);
WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 30)
INSERT INTO number SELECT n, n * n, 'number ' || n FROM up;
CREATE INDEX by_name ON number (name);
SELECT a.name, b.name FROM number a JOIN number b ON b.n = a.square WHERE a.n < 6 ORDER BY b.name;
SELECT n % 7, count(*), sum(square), group_concat(name) FROM number GROUP BY 1 HAVING sum(square) > 10;
DELETE FROM number WHERE n % 3 = 0;
SELECT max(name), avg(square) FROM number WHERE name LIKE '%1%';
