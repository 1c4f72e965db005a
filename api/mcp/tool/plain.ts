import { nusdFromUsd, usd9 } from '../../../shared/core/pricing/money.ts';

/** Bytes of a result's JSON. A model pays for each. */
export const RESULT_BYTES = 8_192;

/** Characters of a name in a result. */
const TEXT_LENGTH = 200;

/** Control, bidirectional and zero-width characters, with which a name could pass for something else. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of others as one line that hides nothing: at most 200 characters. */
export function plainText(text: string): string {
  const shown = text.replace(INVISIBLE, '\uFFFD');
  const characters = Array.from(shown);
  return characters.length <= TEXT_LENGTH ? shown : `${characters.slice(0, TEXT_LENGTH - 1).join('')}…`;
}

/** An answer of the API as a tool gives it: amounts in US dollars are decimal text, texts of others are plain. */
export function plainAnswer(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'cursor' ? value : plainText(value);
  if (typeof value === 'number' && name.endsWith('_usd')) return usdText(value);
  if (Array.isArray(value)) return value.map((item) => plainAnswer(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainAnswer(member, key)]));
}

/** US dollars with nine decimals. */
function usdText(usd: number): string {
  return usd9(BigInt(nusdFromUsd(usd) ?? 0));
}

/** Returns the number of items, at most all, with which a result stays within its bytes. */
export function countThatFits(rest: object, items: readonly unknown[]): number {
  let bytes = bytesOf(rest) + 64;
  let kept = 0;
  for (const item of items) {
    bytes += bytesOf(item) + 1;
    if (bytes > RESULT_BYTES) break;
    kept += 1;
  }
  return kept;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
