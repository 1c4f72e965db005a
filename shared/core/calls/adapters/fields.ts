import type { Attributes, OtlpRecord, Scalar } from './otlp/record.ts';

/** A record that its adapter cannot take. The message names the attribute, never its value. */
export class RejectedRecord extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RejectedRecord';
  }
}

/** The first of these attributes that is there, as text; an empty one counts as missing. */
export function textIn(attributes: Attributes, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (value !== undefined && value !== '') return String(value);
  }
  return undefined;
}

/** The first of these attributes of a record that is there, as text. */
export function textOf(record: OtlpRecord, ...keys: readonly string[]): string | undefined {
  return textIn(record.attributes, ...keys);
}

/**
 * The first of these attributes that is there, as a number ≥ 0; tools write numbers also as text. Throws
 * `RejectedRecord` for one that is negative, above 2^53 or no number.
 */
export function numberOf(record: OtlpRecord, ...keys: readonly string[]): number | undefined {
  return firstNumber(record, keys)?.number;
}

/** The same as an integer; missing is 0. Throws `RejectedRecord`. */
export function countOf(record: OtlpRecord, ...keys: readonly string[]): number {
  const { key, number = 0 } = firstNumber(record, keys) ?? {};
  if (!Number.isInteger(number)) throw new RejectedRecord(`${key}: must be an integer`);
  return number;
}

function firstNumber(record: OtlpRecord, keys: readonly string[]): { key: string; number: number } | null {
  const key = keys.find((one) => (record.attributes.get(one) ?? '') !== '');
  if (key === undefined) return null;
  const number = numberFrom(record.attributes.get(key) ?? '');
  if (!(number >= 0 && number <= Number.MAX_SAFE_INTEGER))
    throw new RejectedRecord(`${key}: must be a number from 0 to 2^53`);
  return { key, number };
}

function numberFrom(value: Scalar): number {
  if (typeof value === 'string') return value.trim() === '' ? Number.NaN : Number(value);
  return typeof value === 'number' ? value : Number.NaN;
}

/** Truth, which tools write as a boolean or as text; undefined when missing. */
export function flagOf(record: OtlpRecord, key: string): boolean | undefined {
  const value = record.attributes.get(key);
  if (typeof value === 'string') return value.toLowerCase() === 'true';
  return value === undefined ? undefined : Boolean(value);
}

/** The entry of a table under a word that a tool wrote; undefined for what is none of the table's own. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, word = ''): Entry | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** The first `max` characters of a text that may be stored: well-formed, without NUL. */
export function clip(text: string, max: number): string {
  const clean = text.toWellFormed().replaceAll('\0', '').normalize('NFC');
  return clean.length <= max ? clean : Array.from(clean).slice(0, max).join('');
}
