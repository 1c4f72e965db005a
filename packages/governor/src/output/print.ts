import { asCell, asTime, inOneLine } from './cells.ts';
import { renderTable } from './table.ts';

/** One object for `--json`, else a line per value and a table per list, with `--wide` as wide as it is. */
export function print(result: Record<string, unknown>, options: { json?: boolean; wide?: boolean }): void {
  if (options.json) {
    console.log(JSON.stringify(result));
    return;
  }
  for (const [name, value] of Object.entries(result)) {
    if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
      console.log(`${name}:`);
      console.log(tableOf(value, options));
    } else
      console.log(
        `${name}: ${isObject(value) ? inOneLine(JSON.stringify(value)) : asCell(asTime(name, value))}`,
      );
  }
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
