import { type Column, Rows } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { percent } from '../../../parts/text/format.ts';
import { Count } from '../../../parts/text/values.tsx';
import type { PullRequestDetail } from '../queries.ts';
import { costOf } from './words.ts';

type Others = NonNullable<PullRequestDetail['by_user']['others']>;

/** A row of a table: its figures, and the line that they are of; null for all that are not shown. */
type Row<Line> = Others & { line: Line | null };

/** The parts of a pull request's cost, which sum to it. */
export function CostTable<Line extends Others>({
  title,
  heading,
  of: { data, others },
  whole,
  keyOf,
  show,
  more = [],
  aside,
}: {
  title: string;
  /** The name of the first column. */
  heading: string;
  of: { data: readonly Line[]; others: Others | null };
  whole: number;
  keyOf: (line: Line) => string | null;
  show: (line: Line) => React.ReactNode;
  /** Columns after the first. */
  more?: readonly Column<Line>[];
  /** Beside the title. */
  aside?: React.ReactNode;
}) {
  const rows: Row<Line>[] = [
    ...data.map((line) => ({ ...line, line })),
    ...(others === null ? [] : [{ ...others, line: null }]),
  ];
  const columns: readonly Column<Row<Line>>[] = [
    {
      label: heading,
      isHeading: true,
      narrow: 'first',
      render: ({ line }) => (line === null ? 'All others' : show(line)),
    },
    ...more.map(({ render, ...column }) => ({
      ...column,
      render: ({ line }: Row<Line>) => line && render(line),
    })),
    { label: 'Calls', isNumber: true, render: ({ signals }) => <Count of={signals} /> },
    { label: 'Tokens in', isNumber: true, render: ({ tokens_in }) => <Count of={tokens_in} /> },
    { label: 'Tokens out', isNumber: true, render: ({ tokens_out }) => <Count of={tokens_out} /> },
    { label: 'Cost', isNumber: true, narrow: 'first', render: costOf },
    {
      label: 'Share',
      isNumber: true,
      narrow: 'first',
      render: ({ cost_usd }) => (whole > 0 ? percent(cost_usd / whole, 0) : '–'),
    },
  ];
  return (
    <Section title={title} aside={aside}>
      <Rows
        label={title}
        rows={rows}
        columns={columns}
        keyOf={({ line }) => (line === null ? 'others' : JSON.stringify(keyOf(line)))}
      />
    </Section>
  );
}
