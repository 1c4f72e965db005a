import { type Column, Rows } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { percent } from '../../../parts/text/format.ts';
import { Count } from '../../../parts/text/values.tsx';
import type { PullRequestDetail } from '../queries.ts';
import { costOf } from './words.ts';

type Others = NonNullable<PullRequestDetail['by_user']['others']>;

/** A row of a table: its name, and null for all that are not shown. */
type Row = Others & { name: string | null; key: string };

/** The parts of a pull request's cost, which sum to it. */
export function CostTable<Line extends Others>({
  title,
  heading,
  of: { data, others },
  whole,
  nameOf,
  show,
}: {
  title: string;
  /** The name of the first column. */
  heading: string;
  of: { data: readonly Line[]; others: Others | null };
  whole: number;
  nameOf: (line: Line) => string | null;
  show: (name: string | null) => React.ReactNode;
}) {
  const rows: Row[] = [
    ...data.map((line) => ({ ...line, name: nameOf(line), key: JSON.stringify(nameOf(line)) })),
    ...(others === null ? [] : [{ ...others, name: null, key: 'others' }]),
  ];
  const columns: readonly Column<Row>[] = [
    {
      label: heading,
      isHeading: true,
      narrow: 'first',
      render: ({ name, key }) => (key === 'others' ? 'All others' : show(name)),
    },
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
    <Section title={title}>
      <Rows label={title} rows={rows} columns={columns} keyOf={({ key }) => key} />
    </Section>
  );
}
