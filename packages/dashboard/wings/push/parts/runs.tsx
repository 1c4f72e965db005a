import { Text } from '@mantine/core';
import { PagedRows, usePages } from '../../../parts/page/pager.tsx';
import type { Column } from '../../../parts/page/rows.tsx';
import { exact } from '../../../parts/text/format.ts';
import { State } from '../../../parts/text/state.tsx';
import { When } from '../../../parts/time/when.tsx';
import { type Run, runsQuery } from './queries.ts';
import { FAILURES, RUN_STATES, size } from './words.ts';

const COLUMNS: readonly Column<Run>[] = [
  {
    label: 'Began',
    isShort: true,
    narrow: 'first',
    render: ({ started_at, created_at }) => <When at={started_at ?? created_at} precision="second" />,
  },
  {
    label: 'State',
    isShort: true,
    narrow: 'first',
    render: ({ state }) => {
      const [sign, word] = RUN_STATES[state];
      return <State of={sign}>{word}</State>;
    },
  },
  {
    label: 'By',
    isShort: true,
    narrow: 'hidden',
    render: ({ trigger }) => (trigger === 'manual' ? 'a person' : 'its hour'),
  },
  { label: 'Written', isShort: true, render: ({ partitions_written }) => partitionsText(partitions_written) },
  { label: 'Rows', isNumber: true, render: ({ rows }) => exact(rows) },
  { label: 'Size', isShort: true, narrow: 'hidden', render: ({ bytes }) => size(bytes) },
  {
    label: 'Result',
    narrow: 'third',
    isNameless: true,
    render: ({ state, code, partitions_written, partitions_unchanged }) => {
      if (code !== null) return FAILURES[code].cause;
      if (state !== 'succeeded') return '';
      if (partitions_written > 0) return 'Up to date';
      return partitions_unchanged > 0 ? 'All was there already' : 'There was nothing to write';
    },
  },
];

/** A partition is a day of a table. */
function partitionsText(count: number): string {
  if (count === 0) return 'nothing';
  return `${exact(count)} ${count === 1 ? 'partition' : 'partitions'}`;
}

/** The runs of a destination, the newest first. */
export function Runs({ id }: { id: string }) {
  const pages = usePages(id, (cursor) => runsQuery(id, { limit: 10, ...cursor }));
  return (
    <PagedRows
      pages={pages}
      height={160}
      label="Runs"
      columns={COLUMNS}
      keyOf={(row) => row.id}
      empty={<Text c="dimmed">None yet. The first one comes at its hour, or with “Run now”.</Text>}
    />
  );
}
