/** Queries of PLOP's kinds: one to three joins, up to four semantic filters, a projection, and the two shapes of its §6.4. */

export interface HybridQuery {
  readonly name: string;
  readonly sql: string;
}

const novel = "AI_FILTER('Is it a novel? {b.title}')";
const kind = "AI_FILTER('Is it kind? {r.txt}')";
const angry = "AI_FILTER('Is the customer angry? {c.note}')";
const urgent = "AI_FILTER('Is it urgent? {o.comment}')";
const fragile = "AI_FILTER('Is it fragile? {p.about}')";
const heavy = "AI_FILTER('Is it heavy? {p.about}')";
const bought =
  'FROM customers c JOIN orders o ON o.customer = c.id JOIN lines l ON l."order" = o.id JOIN parts p ON p.id = l.part';

export const queries: readonly HybridQuery[] = [
  {
    name: 'worked example',
    sql: `SELECT b.id, r.id AS r FROM books b JOIN reviews r ON r.book = b.id WHERE r.stars >= 3 AND ${novel} AND ${kind}`,
  },
  {
    name: 'reviews first as written',
    sql: `SELECT b.id, r.id AS r FROM reviews r JOIN books b ON r.book = b.id WHERE ${kind} AND ${novel} AND b.year > 1980`,
  },
  {
    name: 'two of one relation',
    sql: `SELECT b.id, count(*) AS n FROM books b JOIN reviews r ON r.book = b.id WHERE ${kind} AND AI_FILTER('Is it spoiling? {r.txt}') AND ${novel} GROUP BY b.id`,
  },
  { name: 'customers and parts', sql: `SELECT c.id, p.id AS p, l.quantity ${bought} WHERE ${angry} AND ${fragile}` },
  {
    name: 'three relations',
    sql: `SELECT c.id, o.id AS o, p.id AS p ${bought} WHERE o.month < 7 AND ${urgent} AND ${angry} AND ${heavy}`,
  },
  {
    name: 'four filters, selective join',
    sql: `SELECT c.id, o.id AS o, p.id AS p ${bought} WHERE c.nation = 2 AND l.quantity > 40 AND ${heavy} AND ${urgent} AND ${angry} AND ${fragile}`,
  },
  {
    name: 'joins explode',
    sql: `SELECT c.id, count(*) AS n FROM customers c JOIN orders o ON o.month % 5 = c.nation JOIN orders q ON q.month = o.month JOIN parts p ON p.size = c.nation WHERE ${angry} AND ${fragile} GROUP BY c.id`,
  },
];
