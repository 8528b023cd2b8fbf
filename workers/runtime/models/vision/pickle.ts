/**
 * Reads the part of Python's pickle format (protocol 2) that files of PyTorch weights use. Nothing is run: the names of
 * classes and functions stay names, and what they would have made stays a record of the call.
 */

/** `module.name` of a class or function. */
export interface Global {
  readonly global: string;
}

/** A call that Python would have made. */
export interface Reduced extends Global {
  readonly args: readonly Pickled[];
}

/** An object kept elsewhere in the file. */
export interface Persistent {
  readonly persistent: Pickled;
}

export type Pickled =
  | null
  | boolean
  | number
  | bigint
  | string
  | Pickled[]
  | Map<Pickled, Pickled>
  | Global
  | Reduced
  | Persistent;

const mark = Symbol('mark');
type Slot = Pickled | typeof mark;

class Machine {
  readonly stack: Slot[] = [];
  readonly memo = new Map<number, Pickled>();
  readonly #file: Buffer;
  at: number;

  constructor(file: Buffer, at: number) {
    this.#file = file;
    this.at = at;
  }

  bytes(length: number): Buffer {
    this.at += length;
    return this.#file.subarray(this.at - length, this.at);
  }

  byte(): number {
    return this.bytes(1).readUInt8();
  }

  line(): string {
    const end = this.#file.indexOf(0x0a, this.at);
    const text = this.#file.toString('latin1', this.at, end);
    this.at = end + 1;
    return text;
  }

  pop(): Pickled {
    const top = this.stack.pop();
    if (top === undefined || top === mark) throw new Error('a damaged pickle');
    return top;
  }

  top(): Pickled {
    const top = this.pop();
    this.stack.push(top);
    return top;
  }

  /** Everything above the last mark. */
  toMark(): Pickled[] {
    const from = this.stack.lastIndexOf(mark);
    const items = this.stack.splice(from).slice(1) as Pickled[];
    return items;
  }

  recall(key: number): void {
    const value = this.memo.get(key);
    if (value === undefined) throw new Error('a damaged pickle');
    this.stack.push(value);
  }
}

function setItems(machine: Machine, items: readonly Pickled[]): void {
  const target = machine.top();
  if (!(target instanceof Map)) throw new Error('a pickle sets items of what is no dictionary');
  for (let at = 0; at + 1 < items.length; at += 2) target.set(items[at] ?? null, items[at + 1] ?? null);
}

function reduce(machine: Machine): void {
  const args = machine.pop();
  const { global } = machine.pop() as Global;
  machine.stack.push(
    global === 'collections.OrderedDict' ? new Map<Pickled, Pickled>() : { global, args: args as Pickled[] },
  );
}

function append(machine: Machine, items: readonly Pickled[]): void {
  const target = machine.top();
  if (!Array.isArray(target)) throw new Error('a pickle appends to what is no list');
  target.push(...items);
}

function long(machine: Machine): bigint {
  const digits = Buffer.from(machine.bytes(machine.byte())).reverse().toString('hex');
  return digits === '' ? 0n : BigInt(`0x${digits}`);
}

const tuple = (length: number) => (machine: Machine) => {
  const items = machine.stack.splice(machine.stack.length - length) as Pickled[];
  machine.stack.push(items);
};

/** By code of the operation, as `pickletools` names them. */
const operations: Readonly<Record<number, (machine: Machine) => void>> = {
  0x80: (m) => void m.byte(), // PROTO
  0x28: (m) => void m.stack.push(mark), // MARK
  0x4e: (m) => void m.stack.push(null), // NONE
  0x88: (m) => void m.stack.push(true), // NEWTRUE
  0x89: (m) => void m.stack.push(false), // NEWFALSE
  0x4b: (m) => void m.stack.push(m.byte()), // BININT1
  0x4d: (m) => void m.stack.push(m.bytes(2).readUInt16LE()), // BININT2
  0x4a: (m) => void m.stack.push(m.bytes(4).readInt32LE()), // BININT
  0x8a: (m) => void m.stack.push(long(m)), // LONG1
  0x58: (m) => void m.stack.push(m.bytes(m.bytes(4).readUInt32LE()).toString('utf8')), // BINUNICODE
  0x5d: (m) => void m.stack.push([]), // EMPTY_LIST
  0x7d: (m) => void m.stack.push(new Map<Pickled, Pickled>()), // EMPTY_DICT
  0x29: (m) => void m.stack.push([]), // EMPTY_TUPLE
  0x85: tuple(1), // TUPLE1
  0x86: tuple(2), // TUPLE2
  0x87: tuple(3), // TUPLE3
  0x74: (m) => void m.stack.push(m.toMark()), // TUPLE
  0x65: (m) => append(m, m.toMark()), // APPENDS
  0x61: (m) => append(m, [m.pop()]), // APPEND
  0x75: (m) => setItems(m, m.toMark()), // SETITEMS
  0x73: (m) => setItems(m, m.stack.splice(-2) as Pickled[]), // SETITEM
  0x71: (m) => void m.memo.set(m.byte(), m.top()), // BINPUT
  0x72: (m) => void m.memo.set(m.bytes(4).readUInt32LE(), m.top()), // LONG_BINPUT
  0x68: (m) => m.recall(m.byte()), // BINGET
  0x6a: (m) => m.recall(m.bytes(4).readUInt32LE()), // LONG_BINGET
  0x63: (m) => void m.stack.push({ global: `${m.line()}.${m.line()}` }), // GLOBAL
  0x52: reduce, // REDUCE
  0x62: (m) => void m.pop(), // BUILD: attributes of an object, which a dictionary of weights needs not
  0x51: (m) => void m.stack.push({ persistent: m.pop() }), // BINPERSID
};

const stop = 0x2e;

/** The pickle that starts at an offset, and the offset after it. Throws `Error` for what is not read. */
export function readPickle(file: Buffer, offset: number): { readonly value: Pickled; readonly end: number } {
  const machine = new Machine(file, offset);
  for (;;) {
    const code = machine.byte();
    if (code === stop) return { value: machine.pop(), end: machine.at };
    const operation = operations[code];
    if (operation === undefined) throw new Error(`a pickle with the operation 0x${code.toString(16)}`);
    operation(machine);
  }
}
