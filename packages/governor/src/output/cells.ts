/** Controls of a terminal, and those of the direction in which text is shown. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

/** Names come from tenants: what a terminal would obey is shown instead. */
export function inOneLine(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The value of this name as a time, where it is one in Unix seconds. */
export function asTime(name: string, value: unknown): unknown {
  return name.endsWith('_at') && typeof value === 'number' ? new Date(value * 1_000) : value;
}

/** A value as a table shows it: times in UTC to the minute, lists by blanks, an object by its names, nothing as "-". */
export function asCell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value instanceof Date) return minuteOf(value.toISOString());
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(asCell).join(' ');
  if (typeof value === 'object') return namedCells(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return INSTANT.test(text) ? minuteOf(text) : inOneLine(text);
}

function namedCells(value: object): string {
  const given = Object.entries(value).filter(([, own]) => own !== null);
  return asCell(given.map(([name, own]) => `${inOneLine(name)} ${asCell(asTime(name, own))}`).join(', '));
}

function minuteOf(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`;
}
