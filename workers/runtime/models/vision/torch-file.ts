/** Reads a file of PyTorch weights in its old form: pickles, then the numbers of each storage. */
import { type Pickled, type Persistent, readPickle, type Reduced } from './pickle.js';

export interface WeightTensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

const magic = 0x1950a86a20f9469cfc6cn;

interface Described {
  readonly storage: string;
  readonly offset: number;
  readonly dims: readonly number[];
  /** Steps in the storage, in numbers, from one place of a dimension to the next: weights may be kept transposed. */
  readonly strides: readonly number[];
}

/** What `torch._utils._rebuild_tensor_v2` was called with; undefined for other values, such as whole-number counters. */
function describe(value: Pickled): Described | undefined {
  const { global, args } = value as Reduced;
  if (global !== 'torch._utils._rebuild_tensor_v2') throw new Error(`weights made by ${global}`);
  const [stored, offset, dims, strides] = args as [Persistent, number, number[], number[]];
  const [, type, storage] = stored.persistent as [string, { global: string }, string];
  return type.global === 'torch.FloatStorage' ? { storage, offset, dims, strides } : undefined;
}

/** The float tensors of a state dictionary by name. Throws `Error` for a file of another form. */
export function readTorchFile(file: Buffer): ReadonlyMap<string, WeightTensor> {
  let at = 0;
  const next = (): Pickled => {
    const { value, end } = readPickle(file, at);
    at = end;
    return value;
  };
  if (next() !== magic) throw new Error('not a PyTorch file of the old form');
  next();
  next();
  const state = next() as Map<string, Pickled>;
  const keys = next() as string[];
  const types = storageTypes(state);
  const storages = new Map<string, Buffer>();
  for (const key of keys) {
    const bytes = Number(file.readBigUInt64LE(at)) * (types.get(key) === 'torch.FloatStorage' ? 4 : 8);
    at += 8;
    storages.set(key, file.subarray(at, at + bytes));
    at += bytes;
  }
  const tensors = new Map<string, WeightTensor>();
  for (const [name, value] of state) {
    const described = describe(value);
    if (described === undefined) continue;
    const numbers = storages.get(described.storage);
    if (numbers === undefined) throw new Error(`the weights lack the numbers of ${name}`);
    tensors.set(name, { dims: described.dims, data: gather(numbers, described) });
  }
  return tensors;
}

/** The numbers of a tensor, its last dimension running fastest. Throws `RangeError` where the storage is too short. */
function gather(storage: Buffer, { offset, dims, strides }: Described): Float32Array {
  const data = new Float32Array(dims.reduce((product, size) => product * size, 1));
  const place = dims.map(() => 0);
  for (let at = 0, from = offset; at < data.length; at++) {
    data[at] = storage.readFloatLE(from * 4);
    for (let dim = dims.length - 1; dim >= 0; dim--) {
      const [size = 0, stride = 0] = [dims[dim], strides[dim]];
      const next = (place[dim] ?? 0) + 1;
      from += stride;
      place[dim] = next;
      if (next < size) break;
      from -= size * stride;
      place[dim] = 0;
    }
  }
  return data;
}

function storageTypes(state: ReadonlyMap<string, Pickled>): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const value of state.values()) {
    const [stored] = (value as Reduced).args as [Persistent];
    const [, type, key] = stored.persistent as [string, { global: string }, string];
    types.set(key, type.global);
  }
  return types;
}
