/**
 * Thirty queries in the mix of PLOP §6.1: 1-3 with projections, 4-30 with filters, 16, 17, 25 and 27-30 with semantic joins as
 * well; one to nine relational joins, one to four semantic filters. The queries are ours.
 */
import { bookReviews } from './schemas/books.js';
import { placesAndVisits } from './schemas/places.js';
import { localShops } from './schemas/shops.js';
import type { HybridSchema } from './schemas/table.js';
import { tpch } from './schemas/tpch.js';

export interface HybridQuery {
  readonly name: string;
  readonly schema: HybridSchema;
  readonly sql: string;
}

const asks = (word: string, column: string): string => `AI_FILTER('Is it ${word}? {${column}}')`;
const reviewed = 'FROM books b JOIN reviews r ON r.book = b.id';
const written = `${reviewed} JOIN authors a ON a.id = b.author`;
const visited = 'FROM visits v JOIN places p ON p.id = v.place JOIN guests g ON g.id = v.guest';
const rated = 'FROM shops s JOIN opinions o ON o.shop = s.id';
const bought =
  'FROM customer c JOIN orders o ON o.o_custkey = c.c_custkey JOIN lineitem l ON l.l_orderkey = o.o_orderkey';
const stocked = 'JOIN partsupp ps ON ps.ps_partkey = l.l_partkey AND ps.ps_suppkey = l.l_suppkey';
const parts = 'JOIN part p ON p.p_partkey = l.l_partkey';
const suppliers = 'JOIN supplier s ON s.s_suppkey = l.l_suppkey';

const ofBooks: readonly string[] = [
  `SELECT r.id, AI_CLASSIFY(r.txt, ['praise', 'complaint', 'question'], {task_description: 'mood'}) AS mood ${reviewed} WHERE b.year > 2000 AND r.helpful > 30`,
  `SELECT b.id, avg(AI_SCORE('The warmth of the review, from 0 to 1: {r.txt}')) AS warmth ${written} WHERE a.country = 'country 3' GROUP BY b.id`,
];
const ofPlaces: readonly string[] = [
  `SELECT v.id, AI_SCORE('The anger of the note, from 0 to 1: {v.txt}') AS anger ${visited} WHERE p.city = 'city 4' AND g.fans > 20 AND v.stars < 3`,
];
const books: readonly string[] = [
  `SELECT b.id, r.id AS review ${reviewed} WHERE r.stars >= 3 AND ${asks('novel', 'b.title')} AND ${asks('kind', 'r.txt')}`,
  `SELECT b.id, b.year ${reviewed} WHERE b.pages > 500 AND b.language = 'English' AND r.year >= 2020 AND ${asks('children', 'b.title')}`,
  `SELECT b.id, count(*) AS n ${reviewed} WHERE ${asks('kind', 'r.txt')} AND ${asks('spoiling', 'r.txt')} AND ${asks('novel', 'b.title')} GROUP BY b.id`,
  `SELECT a.id, b.id AS book ${written} WHERE a.born > 1950 AND r.stars = 5 AND ${asks('prized', 'a.bio')} AND ${asks('historical', 'b.title')}`,
  `SELECT b.id FROM books b JOIN reviews r ON r.book = b.id WHERE b.id = 17 AND r.helpful > 10 AND ${asks('angry', 'r.txt')}`,
  `SELECT a.country, count(DISTINCT b.id) AS n ${written} WHERE ${asks('living', 'a.bio')} AND ${asks('novel', 'b.title')} AND ${asks('angry', 'r.txt')} AND r.stars < 3 GROUP BY a.country`,
];
const shops: readonly string[] = [
  `SELECT s.id, o.id AS opinion ${rated} WHERE s.rating >= 4 AND ${asks('bakery', 's.description')} AND ${asks('friendly', 'o.txt')}`,
  `SELECT s.state, count(*) AS n ${rated} WHERE o.month <= 3 AND ${asks('parking', 'o.txt')} GROUP BY s.state`,
  `SELECT s.id ${rated} WHERE s.hours > 50 AND o.rating < 3 AND ${asks('luxury', 's.description')} AND ${asks('overpriced', 'o.txt')} AND ${asks('friendly', 'o.txt')}`,
  `SELECT s.id FROM shops s WHERE ${asks('repairs', 's.description')} AND EXISTS (SELECT 1 FROM opinions o WHERE o.shop = s.id AND o.rating = 5)`,
];
const places: readonly string[] = [
  `SELECT p.id, v.id AS visit ${visited} WHERE p.open = 1 AND v.year >= 2020 AND ${asks('cozy', 'p.about')} AND ${asks('praising', 'v.txt')}`,
  `SELECT g.id, count(*) AS n ${visited} WHERE g.since < 2010 AND ${asks('critical', 'g.profile')} AND ${asks('dirty', 'v.txt')} AND ${asks('family', 'p.about')} GROUP BY g.id`,
  `SELECT g.id, p.id AS place FROM guests g JOIN visits v ON v.guest = g.id JOIN places p ON AI_FILTER('{p.about} would suit {g.profile}') WHERE v.stars = 5 AND v.useful > 20 AND g.fans > 60 AND p.city = 'city 7' AND ${asks('local', 'g.profile')}`,
  `SELECT p.id, g.id AS guest ${visited} WHERE p.stars >= 4 AND v.useful > 20 AND AI_FILTER('{p.about} would suit {g.profile}') AND ${asks('vegan', 'p.about')} AND ${asks('service', 'v.txt')}`,
  `SELECT p.city, count(DISTINCT p.id) AS n ${visited} WHERE ${asks('vegan', 'p.about')} AND ${asks('service', 'v.txt')} AND v.stars <= 2 GROUP BY p.city`,
];
const trade: readonly string[] = [
  `SELECT l.l_orderkey, l.l_linenumber ${bought} ${parts} ${stocked} ${suppliers} WHERE o.o_orderdate >= '1997-01-01' AND l.l_quantity > 45 AND p.p_size < 15 AND s.s_acctbal > 0 AND ${asks('urgent', 'o.o_comment')} AND ${asks('fragile', 'p.p_comment')}`,
  `SELECT c.c_custkey, count(*) AS n ${bought} WHERE c.c_mktsegment = 'BUILDING' AND l.l_shipmode = 'AIR' AND ${asks('upset', 'c.c_comment')} GROUP BY c.c_custkey`,
  `SELECT n.n_name, sum(l.l_extendedprice) AS revenue ${bought} JOIN nation n ON n.n_nationkey = c.c_nationkey JOIN region r ON r.r_regionkey = n.n_regionkey WHERE r.r_name = 'ASIA' AND o.o_orderdate < '1993-01-01' AND ${asks('loyal', 'c.c_comment')} AND ${asks('special', 'o.o_comment')} GROUP BY n.n_name`,
  `SELECT s.s_suppkey, p.p_partkey FROM supplier s JOIN partsupp ps ON ps.ps_suppkey = s.s_suppkey JOIN part p ON p.p_partkey = ps.ps_partkey WHERE p.p_size = 15 AND ${asks('complaints', 's.s_comment')} AND ${asks('heavy', 'p.p_comment')} AND ${asks('disputed', 'ps.ps_comment')}`,
  `SELECT c.c_custkey, p.p_partkey ${bought} ${parts} WHERE o.o_orderpriority = '1-URGENT' AND l.l_quantity > 48 AND ${asks('upset', 'c.c_comment')} AND ${asks('urgent', 'o.o_comment')} AND ${asks('dangerous', 'p.p_comment')} AND ${asks('heavy', 'p.p_comment')}`,
  `SELECT cn.n_name AS customer, sn.n_name AS supplier, count(*) AS n ${bought} ${parts} ${stocked} ${suppliers} JOIN nation cn ON cn.n_nationkey = c.c_nationkey JOIN nation sn ON sn.n_nationkey = s.s_nationkey JOIN region cr ON cr.r_regionkey = cn.n_regionkey JOIN region sr ON sr.r_regionkey = sn.n_regionkey WHERE cr.r_name = 'EUROPE' AND sr.r_name = 'ASIA' AND l.l_quantity > 25 AND ${asks('reliable', 's.s_comment')} AND ${asks('loyal', 'c.c_comment')} AND ${asks('fragile', 'p.p_comment')} GROUP BY cn.n_name, sn.n_name`,
  `SELECT c.c_custkey, s.s_suppkey FROM customer c JOIN supplier s ON s.s_nationkey = c.c_nationkey AND AI_FILTER('{c.c_comment} and {s.s_comment} have the same contact') WHERE c.c_acctbal > 8000 AND ${asks('upset', 'c.c_comment')}`,
  `SELECT o.o_orderkey FROM orders o LEFT JOIN lineitem l ON l.l_orderkey = o.o_orderkey AND l.l_discount > 0.09 WHERE o.o_orderdate BETWEEN '1995-03-01' AND '1995-05-31' AND ${asks('special', 'o.o_comment')}`,
  `SELECT s.s_suppkey, p.p_partkey FROM supplier s JOIN partsupp ps ON ps.ps_suppkey = s.s_suppkey JOIN part p ON p.p_partkey = ps.ps_partkey WHERE ps.ps_availqty > 9000 AND AI_FILTER('{s.s_comment} is a specialist in {p.p_comment}') AND ${asks('reliable', 's.s_comment')} AND ${asks('fragile', 'p.p_comment')}`,
  `SELECT c.c_custkey, p.p_partkey ${bought} ${parts} WHERE l.l_quantity = 50 AND o.o_orderdate >= '1996-06-01' AND AI_FILTER('{c.c_comment} was looking for {p.p_comment}') AND ${asks('loyal', 'c.c_comment')}`,
  `SELECT c.c_custkey, s.s_suppkey ${bought} ${suppliers} JOIN nation n ON n.n_nationkey = s.s_nationkey WHERE n.n_regionkey = 2 AND l.l_shipmode = 'SHIP' AND l.l_quantity > 40 AND AI_FILTER('{c.c_comment} and {s.s_comment} have the same contact') AND ${asks('complaints', 's.s_comment')} AND ${asks('upset', 'c.c_comment')}`,
  `SELECT n.n_name, count(*) AS n ${bought} ${parts} ${stocked} ${suppliers} JOIN nation n ON n.n_nationkey = s.s_nationkey WHERE c.c_mktsegment = 'MACHINERY' AND l.l_quantity > 44 AND AI_FILTER('{s.s_comment} is a specialist in {p.p_comment}') AND ${asks('heavy', 'p.p_comment')} AND ${asks('loyal', 'c.c_comment')} AND ${asks('urgent', 'o.o_comment')} GROUP BY n.n_name`,
];

const numbered: readonly (readonly [HybridSchema, readonly string[]])[] = [
  [bookReviews, ofBooks],
  [placesAndVisits, ofPlaces],
  [bookReviews, books],
  [localShops, shops],
  [placesAndVisits, places],
  [tpch, trade],
];

export const queries: readonly HybridQuery[] = numbered
  .flatMap(([schema, texts]) => texts.map((sql) => ({ schema, sql })))
  .map((query, at) => ({ name: `Q${at + 1}`, ...query }));

export const schemas: readonly HybridSchema[] = [bookReviews, placesAndVisits, localShops, tpch];
