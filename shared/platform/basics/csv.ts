const QUOTED = /[",\r\n]/;

/** A line of CSV (RFC 4180). */
export function csvLine(cells: readonly string[]): string {
  const safe = cells.map((cell) => (QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${safe.join(',')}\r\n`;
}

/** The characters that make a spreadsheet read a cell as a formula, also in full width. */
const FORMULA_START = '[=+\\-@\\t\\r\\n\\0\uFF1D\uFF0B\uFF0D\uFF20]';
/** Blanks and invisible characters, which some spreadsheets drop from the beginning of a cell. */
const BLANK = '\\s\\u200B-\\u200F\\u2060';
const AT_START = new RegExp(`^[${BLANK}]*${FORMULA_START}`);
/** The places at which a reader that separates cells at semicolons or tabs would begin a cell with one. */
const AFTER_SEPARATOR = new RegExp(`([;\\t])(?=["${BLANK}]*${FORMULA_START})`, 'g');

/** Most cells: they begin with a letter, a digit or a brace, and hold no separator. */
const PLAIN = /^[A-Za-z0-9{][^;\t]*$/;

/** A cell that begins like a formula gets an apostrophe before it; so does each part that another separator makes one. */
export function neutralize(cell: string): string {
  if (PLAIN.test(cell)) return cell;
  const safe = cell.replace(AFTER_SEPARATOR, "$1'");
  return AT_START.test(safe) ? `'${safe}` : safe;
}
