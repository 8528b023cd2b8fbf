/**
 * The eight tables of TPC-H at scale 0.005 with their keys, row counts and plain columns as the specification draws them
 * (uniform, sparse order keys left out), and comments that say nothing: answers are registered apart.
 */
import { drawsOf } from '../../pool/random.js';
import { type HybridSchema, type HybridTable, range } from './table.js';

/** Rows at scale 0.005; those of `lineitem` are what dbgen makes of 1 to 7 an order. */
export const tpchRows = {
  region: 5,
  nation: 25,
  supplier: 50,
  customer: 750,
  part: 1000,
  partsupp: 4000,
  orders: 7500,
  lineitem: 30_201,
} as const;

const regions = ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'];
const segments = ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'];
const priorities = ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'];
const modes = ['AIR', 'FOB', 'MAIL', 'RAIL', 'REG AIR', 'SHIP', 'TRUCK'];

/** From 0 to `below` - 1, the same for the same names. */
const draw = (below: number, ...names: readonly (string | number)[]): number =>
  Math.floor(drawsOf(...names).uniform() * below);
const of = (list: readonly string[], at: number): string => list[at % list.length] ?? '';

function dateOf(day: number): string {
  return new Date(Date.UTC(1992, 0, 1) + day * 86_400_000).toISOString().slice(0, 10);
}

/** The four suppliers of a part, as in §4.2.3 of the specification; its steps would meet themselves among so few suppliers. */
function supplierOf(part: number, which: number): number {
  const all = tpchRows.supplier;
  return ((part + which * (Math.floor(all / 4) + (Math.floor((part - 1) / all) % 12))) % all) + 1;
}

/** Lines of each order, 1 to 7; the last orders make up for what the draws leave. */
function linesOfOrders(): readonly number[] {
  const lines = range(tpchRows.orders).map((n) => 1 + draw(7, 'lines', n));
  let left = tpchRows.lineitem - lines.reduce((sum, count) => sum + count, 0);
  for (let n = lines.length - 1; left !== 0; n -= 1) {
    const before = lines[n] ?? 1;
    const count = Math.min(7, Math.max(1, before + left));
    lines[n] = count;
    left -= count - before;
  }
  return lines;
}

const orderDay = (order: number): number => draw(2405, 'date', order);

const lineitem: HybridTable = {
  name: 'lineitem',
  rows: linesOfOrders().flatMap((count, n) =>
    range(count).map((line) => {
      const part = 1 + draw(tpchRows.part, 'part', n, line);
      return {
        ...{ l_orderkey: n + 1, l_partkey: part, l_suppkey: supplierOf(part, draw(4, 'supplier', n, line)) },
        ...{
          l_linenumber: line + 1,
          l_quantity: 1 + draw(50, 'quantity', n, line),
          l_discount: draw(11, 'off', n, line) / 100,
        },
        ...{ l_extendedprice: 900 + draw(90_000, 'price', n, line), l_shipmode: of(modes, draw(7, 'mode', n, line)) },
        l_shipdate: dateOf(orderDay(n) + 1 + draw(121, 'ship', n, line)),
      };
    }),
  ),
};

export const tpch: HybridSchema = {
  name: 'tpch',
  tables: [
    { name: 'region', rows: regions.map((name, key) => ({ r_regionkey: key, r_name: name })) },
    {
      name: 'nation',
      rows: range(tpchRows.nation).map((key) => ({ n_nationkey: key, n_name: `NATION ${key}`, n_regionkey: key % 5 })),
    },
    {
      name: 'supplier',
      rows: range(tpchRows.supplier).map((n) => ({
        ...{
          s_suppkey: n + 1,
          s_nationkey: draw(25, 'supplier nation', n),
          s_acctbal: draw(11_000, 'supplier balance', n) - 999,
        },
        s_comment: `Supplier file S ${n + 1}, kept in office ${n % 7}.`,
      })),
      asked: { column: 's_comment', shares: { complaints: 0.1, reliable: 0.4 }, topics: 8 },
    },
    {
      name: 'customer',
      rows: range(tpchRows.customer).map((n) => ({
        ...{
          c_custkey: n + 1,
          c_nationkey: draw(25, 'customer nation', n),
          c_mktsegment: of(segments, draw(5, 'segment', n)),
        },
        c_acctbal: draw(11_000, 'customer balance', n) - 999,
        c_comment: `Account note C ${n + 1}, written by clerk ${n % 11}.`,
      })),
      asked: { column: 'c_comment', shares: { upset: 0.2, loyal: 0.35 }, topics: 8 },
    },
    {
      name: 'part',
      rows: range(tpchRows.part).map((n) => ({
        ...{
          p_partkey: n + 1,
          p_size: 1 + draw(50, 'size', n),
          p_brand: `Brand#${1 + draw(5, 'brand', n)}${1 + draw(5, 'mark', n)}`,
        },
        p_comment: `Part sheet P ${n + 1}, page ${n % 17}.`,
      })),
      asked: { column: 'p_comment', shares: { fragile: 0.15, heavy: 0.6, dangerous: 0.05 }, topics: 8 },
    },
    {
      name: 'partsupp',
      rows: range(tpchRows.partsupp).map((n) => {
        const part = 1 + Math.floor(n / 4);
        return {
          ...{ ps_partkey: part, ps_suppkey: supplierOf(part, n % 4), ps_availqty: 1 + draw(9999, 'stock', n) },
          ps_comment: `Stock card K ${n + 1}, tray ${n % 19}.`,
        };
      }),
      asked: { column: 'ps_comment', shares: { disputed: 0.15 } },
    },
    {
      name: 'orders',
      rows: range(tpchRows.orders).map((n) => ({
        // a third of the customers has no orders: §4.2.3
        ...{
          o_orderkey: n + 1,
          o_custkey: 1 + Math.floor(draw(500, 'customer', n) * 1.5),
          o_orderdate: dateOf(orderDay(n)),
        },
        ...{
          o_orderpriority: of(priorities, draw(5, 'priority', n)),
          o_orderstatus: of(['F', 'O', 'P'], draw(3, 'status', n)),
        },
        o_comment: `Order comment O ${n + 1} from counter ${n % 13}.`,
      })),
      asked: { column: 'o_comment', shares: { urgent: 0.3, special: 0.1 } },
    },
    lineitem,
  ],
  pairs: [
    { left: 'customer', right: 'supplier', word: 'have the same contact' },
    { left: 'supplier', right: 'part', word: 'is a specialist in' },
    { left: 'customer', right: 'part', word: 'was looking for' },
  ],
};
