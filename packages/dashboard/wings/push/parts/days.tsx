import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Load } from '../../../parts/page/load.tsx';
import { type Column, Rows } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { exact } from '../../../parts/text/format.ts';
import { When } from '../../../parts/time/when.tsx';
import { counted } from '../../../words/sentence.ts';
import { dateWords } from '../../../words/time.ts';
import './days.css';
import { type Destination, type Partition, partitionsQuery } from './queries.ts';
import { costOf, daysOfMonth, LEVELS, lastFinishedDay, monthBeside, size, throughOf } from './words.ts';

const STATES = {
  there: 'there',
  final: 'there, and final',
  behind: 'behind',
  empty: 'no rows',
} as const;
type DayState = keyof typeof STATES;

/** The days of a month: which of them are there, table by table. */
export function Days({ destination }: { destination: Destination }) {
  const { id, since } = destination;
  const last = lastFinishedDay();
  const [month, setMonth] = useState(last.slice(0, 7));
  const [asTable, setAsTable] = useState(false);
  const query = useQuery(partitionsQuery(id, month));
  const turn = (by: 1 | -1) => () => setMonth(monthBeside(month, by));
  return (
    <Section
      title="Days"
      aside={
        <Group gap="sm">
          <Button
            size="compact-sm"
            variant="default"
            onClick={turn(-1)}
            disabled={month <= since.slice(0, 7)}
            aria-label="The month before"
          >
            ‹
          </Button>
          <Text size="sm" role="status">
            {monthWords(month)}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={turn(1)}
            disabled={month >= last.slice(0, 7)}
            aria-label="The month after"
          >
            ›
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Show as strip' : 'Show as table'}
          </Button>
        </Group>
      }
    >
      <Load query={query} height={80}>
        {(data) =>
          asTable ? (
            <DayTable partitions={data} />
          ) : (
            <Strips destination={destination} month={month} partitions={data} />
          )
        }
      </Load>
    </Section>
  );
}

function Strips({
  destination,
  month,
  partitions,
}: {
  destination: Destination;
  month: string;
  partitions: readonly Partition[];
}) {
  const days = daysOfMonth(month, destination.since, lastFinishedDay());
  const through = throughOf(destination) ?? '';
  if (days.length === 0) return <Text c="dimmed">No day of this month is over yet.</Text>;
  const rows = destination.levels.map(({ level }) => ({
    level,
    shown: days.map((day) => {
      const partition = partitions.find((each) => each.level === level && each.charge_date === day);
      return { day, partition, state: stateOf(partition, day > through) };
    }),
  }));
  return (
    <Stack gap="sm">
      {rows.map(({ level, shown }) => (
        <div key={level}>
          <Text size="sm">{LEVELS[level]}</Text>
          <ul className="days" aria-label={LEVELS[level]}>
            {shown.map((each) => (
              <Day key={each.day} {...each} />
            ))}
          </ul>
        </div>
      ))}
      <Group gap="md" aria-hidden>
        {(Object.keys(STATES) as DayState[])
          .filter((state) => rows.some(({ shown }) => shown.some((each) => each.state === state)))
          .map((state) => (
            <Group key={state} gap={6}>
              <span className={`day day-${state}`} />
              <Text size="xs">{STATES[state]}</Text>
            </Group>
          ))}
      </Group>
    </Stack>
  );
}

interface ShownDay {
  day: string;
  partition: Partition | undefined;
  state: DayState;
}

function Day({ day, partition, state }: ShownDay) {
  const figures = partition ? `, ${counted(partition.rows, 'row', 'rows')}, ${size(partition.bytes)}` : '';
  const words = `${dateWords(day)}: ${STATES[state]}${figures}`;
  return (
    <li className={`day day-${state}`} title={words} data-day={day} data-state={state}>
      <span aria-hidden>{Number(day.slice(8))}</span>
      <VisuallyHidden>{words}</VisuallyHidden>
    </li>
  );
}

function stateOf(partition: Partition | undefined, isBehind: boolean): DayState {
  if (partition === undefined) return isBehind ? 'behind' : 'empty';
  return partition.state === 'final' ? 'final' : 'there';
}

const COLUMNS: readonly Column<Partition>[] = [
  { label: 'Day', isShort: true, narrow: 'first', render: ({ charge_date }) => dateWords(charge_date) },
  {
    label: 'Table',
    isShort: true,
    narrow: 'first',
    render: ({ level }) => (level === 'focus' ? 'FOCUS' : LEVELS[level]),
  },
  {
    label: 'State',
    isShort: true,
    narrow: 'hidden',
    render: ({ state, charge_date, billing_period }) =>
      charge_date.startsWith(billing_period) ? state : `correction, ${state}`,
  },
  { label: 'Rows', isNumber: true, render: ({ rows }) => exact(rows) },
  { label: 'Size', isShort: true, render: ({ bytes }) => size(bytes) },
  { label: 'Cost', isNumber: true, render: costOf },
  {
    label: 'Written',
    isShort: true,
    narrow: 'hidden',
    render: ({ written_at }) => <When at={written_at} />,
  },
  {
    label: 'Manifest',
    share: 34,
    narrow: 'third',
    isNameless: true,
    render: ({ manifest_key }) => <span title={manifest_key}>{manifest_key}</span>,
  },
];

function DayTable({ partitions }: { partitions: readonly Partition[] }) {
  if (partitions.length === 0) return <Text c="dimmed">No day of this month is there.</Text>;
  return (
    <Rows
      label="Days"
      rows={partitions.toSorted(byDay)}
      columns={COLUMNS}
      keyOf={({ manifest_key }) => manifest_key}
    />
  );
}

/** The newest day first, and the tables of a day in their order. */
function byDay(a: Partition, b: Partition): number {
  const order = Object.keys(LEVELS);
  return b.charge_date.localeCompare(a.charge_date) || order.indexOf(a.level) - order.indexOf(b.level);
}

function monthWords(month: string): string {
  return new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}
