/** Values of Arrow as plain JavaScript. */
import { DataType, type Field } from 'apache-arrow';
import { FermataError } from '../plans/protocol/errors.js';
import { placePoint, unscaledOf } from './decimal.js';

/**
 * A value as Arrow gives it, plain all through: lists are arrays, structs and maps objects, NULL is null. Whole numbers of 64
 * bits and more (`sum` of integers is one) are bigints, and decimals with places after the point are texts with all their digits.
 */
export function plainValue(value: unknown, type: DataType): unknown {
  if (value === null || value === undefined) return null;
  if (DataType.isDecimal(type)) return decimal(unscaledOf(value as Uint32Array), type.scale);
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
    const item = typeOf(type.children[0]);
    return Array.from(value as Iterable<unknown>, (one) => plainValue(one, item));
  }
  if (DataType.isStruct(type)) {
    const fields = (value as StructValue).toJSON();
    return Object.fromEntries(
      type.children.map((field) => [field.name, plainValue(fields[field.name], typeOf(field))]),
    );
  }
  if (DataType.isMap(type)) {
    const item = typeOf(typeOf(type.children[0]).children[1]);
    const entries = Array.from(value as Iterable<readonly [unknown, unknown]>);
    return Object.fromEntries(entries.map(([key, one]) => [String(key), plainValue(one, item)]));
  }
  return value;
}

interface StructValue {
  toJSON(): Readonly<Record<string, unknown>>;
}

function decimal(unscaled: bigint, scale: number): bigint | string {
  return scale <= 0 ? unscaled * 10n ** BigInt(-scale) : placePoint(unscaled, scale);
}

/** Fields come without their type's type. */
export function typeOf(field: Field | undefined): DataType {
  if (field === undefined) throw new FermataError('Internal', 'an Arrow type of nested values lacks that of its parts');
  return field.type as DataType;
}
