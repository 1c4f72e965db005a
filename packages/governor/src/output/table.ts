import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { asCell, asTime, inOneLine } from './cells.ts';

const GAP = '  ';
const LEAST_WIDTH = 6;
const graphemes = new Intl.Segmenter();

/**
 * Rows as a table: numbers on the right, times to the minute, headings in bold on a terminal. With `width` columns too many
 * the widest ones are cut. Ids are never cut, because commands need them: the last of the other columns are left out
 * instead, and a line says how many.
 */
export function renderTable(rows: readonly object[], width: number | null): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const all = names.map((name) => {
    const values = rows.map((row) => asTime(name, (row as Record<string, unknown>)[name]));
    const cells = values.map(asCell);
    const isRight = values.some(isNumber) && values.every((value) => isNumber(value) || isNone(value));
    const isId = /(?:^|_)ids?$|^pull_request$/.test(name);
    return { heading: inOneLine(name), cells, isRight, isId, width: widthOf([inOneLine(name), ...cells]) };
  });
  const columns = width === null ? all : fitting(all, width);
  if (width !== null) shrink(columns, width);
  const left = all.length - columns.length;
  const line = (texts: readonly string[]) =>
    columns
      .map((column, index) => cut(texts[index] ?? '', column))
      .join(GAP)
      .trimEnd();
  const heading = styleText('bold', line(columns.map((column) => column.heading)), {
    stream: process.stdout,
  });
  const more = left === 0 ? [] : [`${left} more ${left === 1 ? 'column' : 'columns'}: --wide`];
  return [heading, ...rows.map((_, at) => line(columns.map(({ cells }) => cells[at] ?? ''))), ...more].join(
    '\n',
  );
}

/** Amounts may be texts, so that all have as many decimals. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+\.\d+$/.test(value));
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => stringWidth(text)));
}

interface Column {
  readonly isId: boolean;
  width: number;
}

/** A column is left out rather than cut to less than this. */
const READABLE_WIDTH = 12;

/** The columns of which enough can be shown; from the right the others go, ids last of all. */
function fitting<Some extends Column>(all: readonly Some[], width: number): Some[] {
  const shown = [...all];
  const least = ({ isId, width }: Column) => (isId ? width : Math.min(width, READABLE_WIDTH));
  const needed = () => shown.reduce((sum, column) => sum + least(column) + GAP.length, -GAP.length);
  while (shown.length > 1 && needed() > width) {
    const last = shown.findLastIndex(({ isId }) => !isId);
    if (last === -1) break;
    shown.splice(last, 1);
  }
  return shown;
}

/** Takes one after the other from the widest column that has no ids, until all fit or none can be cut any more. */
function shrink(columns: readonly Column[], width: number): void {
  let over = columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length) - width;
  const others = columns.filter(({ isId }) => !isId);
  for (; over > 0 && others.length > 0; over -= 1) {
    const widest = others.reduce((a, b) => (b.width > a.width ? b : a));
    if (widest.width <= LEAST_WIDTH) return;
    widest.width -= 1;
  }
}

function cut(text: string, { width, isRight }: { width: number; isRight: boolean }): string {
  let shown = text;
  if (stringWidth(text) > width) {
    shown = '';
    for (const { segment } of graphemes.segment(text)) {
      if (stringWidth(`${shown}${segment}…`) > width) break;
      shown += segment;
    }
    shown += '…';
  }
  const padding = ' '.repeat(Math.max(0, width - stringWidth(shown)));
  return isRight ? padding + shown : shown + padding;
}
