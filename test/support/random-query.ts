/** Random queries over three small tables, each with the same query in plain SQL (`yes` stands for the model). */

export const randomQuerySetup = [
  'CREATE TABLE books(id INTEGER, title VARCHAR, year INTEGER)',
  `INSERT INTO books SELECT i, CASE WHEN i = 4 THEN NULL ELSE repeat('b', i % 5) END, 1990 + i % 3 FROM range(7) r(i)`,
  'CREATE TABLE reviews(id INTEGER, book INTEGER, txt VARCHAR, stars INTEGER)',
  `INSERT INTO reviews SELECT i, CASE WHEN i % 5 = 4 THEN NULL ELSE i % 8 END, CASE WHEN i % 7 = 3 THEN NULL ELSE repeat('r', i % 4) END, i % 5 FROM range(11) r(i)`,
  'CREATE TABLE tags(book INTEGER, tag VARCHAR)',
  "INSERT INTO tags SELECT i % 5, repeat('t', i % 3) FROM range(6) r(i)",
];

export interface RandomQuery {
  readonly semantic: string;
  readonly plain: string;
}

interface Column {
  readonly ref: string;
  readonly kind: 'number' | 'text';
}

/** A piece of SQL in both forms. */
type Both = readonly [semantic: string, plain: string];

interface Relation {
  readonly sql: Both;
  readonly columns: readonly Column[];
}

const schemas = {
  books: { id: 'number', title: 'text', year: 'number' },
  reviews: { id: 'number', book: 'number', txt: 'text', stars: 'number' },
  tags: { book: 'number', tag: 'text' },
} as const;

/** The same seed gives the same query. */
export function randomQuery(seed: number): RandomQuery {
  let state = seed >>> 0;
  let aliases = 0;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const chance = (share: number): boolean => below(1000) < share * 1000;
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  const alias = (): string => `x${aliases++}`;

  function base(): Relation {
    const table = pick(['books', 'reviews', 'tags'] as const);
    const name = alias();
    const columns = Object.entries(schemas[table]).map(([column, kind]) => ({ ref: `${name}.${column}`, kind }));
    return { sql: [`${table} ${name}`, `${table} ${name}`], columns };
  }

  function derived(depth: number): Relation {
    const { sql, columns } = select(depth - 1);
    const name = alias();
    return {
      sql: [`(${sql[0]}) ${name}`, `(${sql[1]}) ${name}`],
      columns: columns.map(({ ref, kind }) => ({ ref: `${name}.${ref}`, kind })),
    };
  }

  function leaf(depth: number): Relation {
    return depth > 0 && chance(0.3) ? derived(depth) : base();
  }

  function joined(depth: number): Relation {
    const left = leaf(depth);
    if (chance(0.45)) return left;
    const two = join(left, depth);
    return chance(0.3) ? join(two, 0) : two;
  }

  function join(left: Relation, depth: number): Relation {
    const right = leaf(depth);
    const kind = pick(['JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'SEMI JOIN', 'ANTI JOIN', 'CROSS JOIN']);
    if (kind === 'CROSS JOIN') {
      return {
        sql: [`${left.sql[0]} CROSS JOIN ${right.sql[0]}`, `${left.sql[1]} CROSS JOIN ${right.sql[1]}`],
        columns: [...left.columns, ...right.columns],
      };
    }
    const [a, b] = [numberOf(left), numberOf(right)];
    const conditions: Both[] = [[`${a} = ${b}`, `${a} = ${b}`]];
    if (chance(0.4)) conditions.push(asking([...left.columns, ...right.columns]));
    const on = both(conditions, ' AND ');
    return {
      sql: [`${left.sql[0]} ${kind} ${right.sql[0]} ON ${on[0]}`, `${left.sql[1]} ${kind} ${right.sql[1]} ON ${on[1]}`],
      columns: /SEMI|ANTI/.test(kind) ? left.columns : [...left.columns, ...right.columns],
    };
  }

  function numberOf({ columns }: Relation): string {
    return pick(columns.filter(({ kind }) => kind === 'number')).ref;
  }

  /** A filter call over one or two columns: the model sees the last one, and a NULL in any is NULL. */
  function asking(columns: readonly Column[]): Both {
    const last = pick(columns).ref;
    const first = chance(0.4) ? pick(columns).ref : undefined;
    if (first === undefined || first === last) return [`AI_FILTER('Is it? {${last}}')`, `yes(${last}::VARCHAR)`];
    return [
      `AI_FILTER('Is {${first}} like {${last}}?')`,
      `CASE WHEN ${first} IS NOT NULL THEN yes(${last}::VARCHAR) END`,
    ];
  }

  function condition(columns: readonly Column[], depth: number): Both {
    const roll = below(10);
    if (roll < 4) return asking(columns);
    if (roll < 5) {
      const [semantic, plain] = asking(columns);
      return [`NOT ${semantic}`, `NOT ${plain}`];
    }
    if (roll < 6) return both([asking(columns), compared(columns)], ' OR ', true);
    if (roll < 7 && depth > 0) return inSubquery(columns, depth);
    if (roll < 8) return exists(columns);
    return compared(columns);
  }

  function compared(columns: readonly Column[]): Both {
    const { ref, kind } = pick(columns);
    const text =
      kind === 'number' ? `${ref} ${pick(['<', '>', '<>'])} ${below(5)}` : `length(${ref}) < ${1 + below(4)}`;
    return [text, text];
  }

  function inSubquery(columns: readonly Column[], depth: number): Both {
    const numbers = columns.filter(({ kind }) => kind === 'number');
    const inner = joined(depth - 1);
    const column = numberOf(inner);
    const where = where1(inner.columns, 0);
    const ref = pick(numbers).ref;
    return [
      `${ref} IN (SELECT ${column} FROM ${inner.sql[0]}${where[0]})`,
      `${ref} IN (SELECT ${column} FROM ${inner.sql[1]}${where[1]})`,
    ];
  }

  function exists(columns: readonly Column[]): Both {
    const outer = pick(columns.filter(({ kind }) => kind === 'number')).ref;
    const inner = base();
    const tie = `${numberOf(inner)} = ${outer}`;
    const [narrow] = compared(inner.columns);
    const text = `${pick(['', 'NOT '])}EXISTS (SELECT 1 FROM ${inner.sql[0]} WHERE ${tie} AND ${narrow})`;
    return [text, text];
  }

  function where1(columns: readonly Column[], depth: number): Both {
    const conditions = [...Array(below(3))].map(() => condition(columns, depth));
    if (conditions.length === 0) return ['', ''];
    const [semantic, plain] = both(conditions, ' AND ');
    return [` WHERE ${semantic}`, ` WHERE ${plain}`];
  }

  /** A SELECT whose columns have names of their own. */
  function select(depth: number): Relation {
    const from = joined(depth);
    const where = where1(from.columns, depth);
    const chosen = from.columns.filter(() => chance(0.7));
    const number = pick(from.columns.filter(({ kind }) => kind === 'number'));
    const kept = [...new Set([number, ...chosen])];
    const names = kept.map(({ kind }, i) => ({ ref: `c${i}`, kind }));
    const list = kept.map(({ ref }, i) => `${ref} AS c${i}`).join(', ');
    if (chance(0.2)) {
      const grouped = `SELECT ${number.ref} AS c0, count(*) AS c1`;
      const by = ` GROUP BY ${number.ref}`;
      return {
        sql: [`${grouped} FROM ${from.sql[0]}${where[0]}${by}`, `${grouped} FROM ${from.sql[1]}${where[1]}${by}`],
        columns: [
          { ref: 'c0', kind: 'number' },
          { ref: 'c1', kind: 'number' },
        ],
      };
    }
    const head = `SELECT ${chance(0.15) ? 'DISTINCT ' : ''}${list}`;
    return {
      sql: [`${head} FROM ${from.sql[0]}${where[0]}`, `${head} FROM ${from.sql[1]}${where[1]}`],
      columns: names,
    };
  }

  const whole = select(2);
  return { semantic: whole.sql[0], plain: whole.sql[1] };
}

function both(parts: readonly Both[], between: string, grouped = false): Both {
  const text = (form: 0 | 1) => parts.map((part) => part[form]).join(between);
  return grouped ? [`(${text(0)})`, `(${text(1)})`] : [text(0), text(1)];
}
