/** The most addresses of one invitation. */
export const ADDRESSES = 200;

/**
 * The addresses of a pasted text, each once: one per line, comma or semicolon, also as `Ada Lovelace <ada@example.com>` or as
 * cells of a spreadsheet. A part without an address stays as it is, so that the answer names it.
 */
export function addressesOf(pasted: string): string[] {
  const parts = pasted.split(/[\n\r\t,;]+/).map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== '').flatMap(addressesIn))];
}

function addressesIn(part: string): readonly string[] {
  const bracketed = /<([^<>]*@[^<>]*)>/.exec(part)?.[1];
  if (bracketed !== undefined) return [bracketed.trim()];
  const words = part.split(/\s+/).filter((word) => word.includes('@'));
  return words.length > 0 ? words : [part];
}
