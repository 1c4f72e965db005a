import { asCell, asTime, inOneLine } from './cells.ts';
import { renderTable } from './table.ts';

/** One object for `--json`, else a line per value, those of an object below its name, and a table per list, with `--wide` as wide as it is. */
export function print(result: Record<string, unknown>, options: { json?: boolean; wide?: boolean }): void {
  console.log(options.json ? JSON.stringify(result) : linesOf(result, options).join('\n'));
}

function linesOf(values: object, options: { wide?: boolean }): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const name = inOneLine(key);
    if (Array.isArray(value) && value.length > 0 && value.every(isObject))
      return [`${name}:`, ...tableOf(value, options).split('\n')];
    if (isObject(value) && Object.keys(value).length > 0)
      return [`${name}:`, ...linesOf(value, options).map((line) => `  ${line}`)];
    return `${name}: ${asCell(asTime(key, value))}`;
  });
}

/** Rows as a table that fits the terminal, or is as wide as it is. */
export function tableOf(rows: readonly object[], { wide }: { wide?: boolean }): string {
  return renderTable(rows, wide ? null : terminalWidth());
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value);
}

/** The columns that a table may take: those of the terminal, or of COLUMNS. Null takes what it needs. */
function terminalWidth(): number | null {
  if (process.stdout.columns) return process.stdout.columns;
  const given = Number(process.env.COLUMNS);
  return Number.isInteger(given) && given > 0 ? given : null;
}
