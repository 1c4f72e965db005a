import { mongo } from 'mongoose';

/** Bytes of the values of BSON's types that have one size (https://bsonspec.org/spec.html). */
const SIZES: Readonly<Record<number, number>> = {
  1: 8,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
};
const TEXT = 2;
const DOCUMENT = 3;
const LIST = 4;
const BINARY = 5;

interface Name {
  name: string;
  bytes: Buffer;
}

/**
 * A function that reads these fields alone of a document of the store: the others are passed, and make no objects. Throws for a
 * document that has a type which no row of this service has.
 */
export function createPicker<Row extends object>(
  names: readonly (keyof Row & string)[],
): (document: Buffer) => Row {
  const byLength: Name[][] = [];
  for (const name of names) {
    const bytes = Buffer.from(name);
    byLength[bytes.length] = [...(byLength[bytes.length] ?? []), { name, bytes }];
  }
  return (document) => {
    const row: Record<string, unknown> = {};
    const end = document.length - 1;
    for (let at = 4; at < end; ) {
      const type = document[at] ?? 0;
      const nameAt = at + 1;
      let valueAt = nameAt;
      while (document[valueAt] !== 0) valueAt += 1;
      const found = byLength[valueAt - nameAt]?.find(({ bytes }) => isAt(document, nameAt, bytes));
      valueAt += 1;
      at = valueAt + sizeOf(document, type, valueAt);
      if (found) row[found.name] = readValue(document, type, valueAt, at);
    }
    return row as Row;
  };
}

function isAt(document: Buffer, at: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index += 1)
    if (document[at + index] !== bytes[index]) return false;
  return true;
}

function sizeOf(document: Buffer, type: number, at: number): number {
  if (type === TEXT) return 4 + document.readInt32LE(at);
  if (type === DOCUMENT || type === LIST) return document.readInt32LE(at);
  if (type === BINARY) return 5 + document.readInt32LE(at);
  const { [type]: size } = SIZES;
  if (size === undefined) throw new Error(`BSON type ${type} is in no row`);
  return size;
}

function readValue(document: Buffer, type: number, at: number, end: number): unknown {
  switch (type) {
    case 1:
      return document.readDoubleLE(at);
    case TEXT:
      return document.toString('utf8', at + 4, end - 1);
    case 9:
      return new Date(document.readInt32LE(at + 4) * 2 ** 32 + document.readUInt32LE(at));
    case 10:
      return null;
    case 16:
      return document.readInt32LE(at);
    case 18:
      return Number(document.readBigInt64LE(at));
    case DOCUMENT:
      return mongo.BSON.deserialize(document.subarray(at, end));
    default:
      throw new Error(`BSON type ${type} is picked from no row`);
  }
}
