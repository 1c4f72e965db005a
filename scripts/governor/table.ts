import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { asCell, inOneLine } from './cells.ts';

const GAP = '  ';
const LEAST_WIDTH = 6;
const graphemes = new Intl.Segmenter();

/**
 * Rows as a table: numbers on the right, times to the minute, headings in bold on a terminal. With `width` columns too many
 * the widest ones are cut.
 */
export function renderTable(rows: readonly object[], width: number | null): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => {
    const values = rows.map((row) => (row as Record<string, unknown>)[name]);
    const cells = values.map(asCell);
    const isRight = values.some((value) => typeof value === 'number') && values.every(isNumberOrNone);
    return { heading: inOneLine(name), cells, isRight, width: widthOf([inOneLine(name), ...cells]) };
  });
  if (width !== null) shrink(columns, width);
  const line = (texts: readonly string[]) =>
    columns
      .map((column, index) => cut(texts[index] ?? '', column))
      .join(GAP)
      .trimEnd();
  const heading = styleText('bold', line(columns.map((column) => column.heading)), {
    stream: process.stdout,
  });
  return [heading, ...rows.map((_, at) => line(columns.map(({ cells }) => cells[at] ?? '')))].join('\n');
}

function isNumberOrNone(value: unknown): boolean {
  return typeof value === 'number' || value === null || value === undefined;
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => stringWidth(text)));
}

/** Takes one after the other from the widest column, until all fit or none can be cut any more. */
function shrink(columns: { width: number }[], width: number): void {
  let over = columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length) - width;
  for (; over > 0; over -= 1) {
    const widest = columns.reduce((a, b) => (b.width > a.width ? b : a));
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
