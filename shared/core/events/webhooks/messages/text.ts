/** Characters that turn the direction of what follows, so that a name could rewrite the words around it. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const BREAKS_AND_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Text from outside as one line of at most `most` characters (code points), the last of which is then an ellipsis. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(DIRECTION, '').replace(BREAKS_AND_CONTROLS, ' ').trim();
  return cut(line, most);
}

const BEFORE_LINK = /[.:](?=\/\/|\p{L})/gu;

/**
 * Text from outside in which no reader of plain text finds a web address to make a link of: a zero-width space is behind
 * each dot and colon that an address could have there. Figures stay as they are.
 */
export function unlinked(text: string): string {
  return text.replace(BEFORE_LINK, '$&\u200b');
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = Array.from(text);
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}

/** A text escaped: at most `most` UTF-16 units of that, and never cut within an escape or a character. */
export function escaped(text: string, most: number, escapeText: (text: string) => string): string {
  const whole = escapeText(text);
  if (whole.length <= most) return whole;
  let kept = '';
  for (const point of text) {
    const next = escapeText(point);
    if (kept.length + next.length >= most) break;
    kept += next;
  }
  return `${kept}…`;
}

/** At most `most` UTF-16 units of a text. */
export function shortened(text: string, most: number): string {
  return escaped(text, most, (kept) => kept);
}

/** At most `most` bytes of a text as UTF-8, without half a character at the end. */
export function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
}

const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });
/** Below a cent four decimals say too little. */
const TINY_NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });

/** A number as people read it: thousands apart, at most four decimals, nine of a number below 0.01. */
export function readable(value: number): string {
  return (Math.abs(value) < 0.01 ? TINY_NUMBERS : NUMBERS).format(value);
}
