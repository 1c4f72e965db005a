/** The most addresses of one invitation. */
export const ADDRESSES = 200;

/** A quoted display name before an address in brackets, also with commas. */
const QUOTED_NAME = /"[^"\n\r]*"(?=\s*<)/g;
/** The first half of a display name such as `Lovelace, Ada`. A word with a dot within it may be an address without its `@`. */
const FAMILY_NAME = /(^|[\n\r\t,;])(?:[^\n\r\t,;@<>.]|\.(?!\w))+,(?=[^\n\r\t,;@<>]+<)/g;

/**
 * The addresses of a pasted text, each once: one per line, comma or semicolon, also as `Ada Lovelace <ada@example.com>` or
 * `Lovelace, Ada <ada@example.com>`, or as cells of a spreadsheet. A part without an address stays as it is, so that the answer names it.
 */
export function addressesOf(pasted: string): string[] {
  const unnamed = pasted.replaceAll(QUOTED_NAME, '').replaceAll(FAMILY_NAME, '$1');
  const parts = unnamed.split(/[\n\r\t,;]+/).map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== '').flatMap(addressesIn))];
}

function addressesIn(part: string): readonly string[] {
  const bracketed = /<([^<>]*@[^<>]*)>/.exec(part)?.[1];
  if (bracketed !== undefined) return [bracketed.trim()];
  const words = part.split(/\s+/).filter((word) => word.includes('@'));
  return words.length > 0 ? words : [part];
}
