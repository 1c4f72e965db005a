/** Controls of a terminal, and those of the direction in which text is shown: names come from others. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** A row by its headings. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Rows as a table, numbers on the right. Nothing is cut, so that ids can be copied. */
export function tableOf(rows: readonly Row[]): string {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = headings.map((heading) => {
    const values = rows.map((row) => row[heading] ?? null);
    const cells = values.map((value) =>
      value === null || value === '' ? '-' : String(value).replace(CONTROLS, '?'),
    );
    const isRight = values.every((value) => value === null || typeof value === 'number');
    return { heading, cells, isRight, width: Math.max(...[heading, ...cells].map(({ length }) => length)) };
  });
  const line = (textOf: (column: (typeof columns)[number]) => string) =>
    columns
      .map((column) =>
        column.isRight ? textOf(column).padStart(column.width) : textOf(column).padEnd(column.width),
      )
      .join('  ')
      .trimEnd();
  const lines = rows.map((_row, at) => line(({ cells }) => cells[at] ?? ''));
  return [line(({ heading }) => heading), ...lines].join('\n');
}
