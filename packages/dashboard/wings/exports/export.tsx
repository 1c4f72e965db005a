import { Anchor, Button, Checkbox, Group, Paper, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Preview, previewOfExport } from '../../data/preview.ts';
import { useIsAdmin, useMe } from '../../data/use-me.ts';
import { useChangeSearch, useChoice, useFilters, useRange } from '../../data/use-range.ts';
import { Copyable } from '../../parts/form/copyable.tsx';
import { optionsOf, SearchSelect } from '../../parts/form/search-select.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Page } from '../../parts/page/page.tsx';
import { RangeBar } from '../../parts/page/range-bar.tsx';
import { Section } from '../../parts/page/section.tsx';
import { exact } from '../../parts/text/format.ts';
import { When } from '../../parts/time/when.tsx';
import { WorkButton } from '../../parts/work/button.tsx';
import { BELOW_EXPORT } from '../export-sections.ts';

const FORMATS = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' } as const;
const LEVELS = {
  sessions: 'One row per session that began in the range',
  daily: 'One row per day, user, project, model and tool',
  attributed: 'The same, also by branch, pull request and task',
  focus: 'FOCUS, for FinOps tools: one row per charge',
} as const;
const NOTES = {
  sessions: 'A session’s row has all that it cost, also after the range.',
  daily: 'These rows add up to the cost that Overview shows.',
  attributed: 'These rows add up to the cost that Overview shows. A cell that is empty is not attributed.',
  focus: 'EffectiveCost adds up to the cost that Overview shows. Calls without a price have no row.',
} as const;
const FOCUS_CHOICES = {
  focus_version: { label: 'Version of FOCUS', values: { '1.2': '1.2', '1.3': '1.3' } },
  granularity: { label: 'Charge period (UTC)', values: { day: 'Day', hour: 'Hour' } },
  billed: {
    label: 'BilledCost',
    values: { computed: 'The computed cost', invoice: '0, since the vendor’s invoice has it' },
  },
} as const;

/** The figures as a file: a plain link, and the same as a command. */
export function Export() {
  const range = useRange();
  const filters = useFilters();
  const isAdmin = useIsAdmin();
  const format = useChoice('format', FORMATS) ?? 'csv';
  const level = useChoice('level', LEVELS) ?? 'sessions';
  const isFocus = level === 'focus';
  const withPeople = useChoice('people', ['true']) === 'true' && isAdmin && !isFocus;
  const focus = useFocusChoices();
  const options = isFocus ? focus : withPeople ? { people: 'true' } : {};
  const query = new URLSearchParams({ format, level, ...range.query, ...filters, ...options });
  const path = `/api/v1/usage/export?${query}`;
  const preview = useQuery(previewOfExport(query));
  return (
    <Page title="Export" lead={isAdmin ? <AdminLead /> : 'Your own usage as a file'}>
      <RangeBar>
        <WorkButton />
      </RangeBar>
      <Paper withBorder p="md">
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <SearchSelect name="format" label="Format" value={format} data={optionsOf(FORMATS)} />
            <SearchSelect name="level" label="Rows" value={level} data={optionsOf(LEVELS)} />
          </SimpleGrid>
          {isFocus && <FocusChoices chosen={focus} />}
          {isAdmin && !isFocus && <PeopleChoice checked={withPeople} />}
          <Text size="sm" c="dimmed">
            {NOTES[level]} {isFocus && <DaysOfFocus />}Money has nine decimals.
          </Text>
          <Group>
            <Button component="a" href={`/dashboard${path}`} download>
              Download
            </Button>
            {isFocus && (
              <Anchor
                href={`/dashboard/api/v1/usage/export/metadata?${query}`}
                download="focus_metadata.json"
              >
                Its metadata (focus_metadata.json)
              </Anchor>
            )}
          </Group>
        </Stack>
      </Paper>
      <Section title="Preview">
        <Load query={preview} height={200}>
          {(data) => <FirstRows {...data} />}
        </Load>
      </Section>
      <Section title="The same from a script">
        {withPeople && (
          <Text size="sm" c="dimmed">
            The key needs the scopes usage:read and members:read, and is bound to nobody.
          </Text>
        )}
        <Copyable
          label="Command"
          value={`curl -OJ '${window.location.origin}${path}' \\\n  -H "Authorization: Bearer $API_KEY"`}
        />
      </Section>
      {isAdmin && BELOW_EXPORT.map(({ wing, Content }) => <Content key={wing} />)}
    </Page>
  );
}

function AdminLead() {
  return (
    <>
      Usage of the organization as a file, or each day in{' '}
      <Anchor href="#destinations" inherit>
        a bucket or a folder
      </Anchor>
    </>
  );
}

/** Says whose days the file has where Overview has others. */
function DaysOfFocus() {
  const { timezone } = useMe().org;
  if (timezone === 'UTC') return null;
  return <>The file has days of UTC, and Overview days of {timezone}, so a range may differ at its ends. </>;
}

type FocusChoice = keyof typeof FOCUS_CHOICES;
type ChosenFocus = Record<FocusChoice, string>;

function useFocusChoices(): ChosenFocus {
  const { focus_version, granularity, billed } = FOCUS_CHOICES;
  return {
    focus_version: useChoice('focus_version', focus_version.values) ?? '1.2',
    granularity: useChoice('granularity', granularity.values) ?? 'day',
    billed: useChoice('billed', billed.values) ?? 'computed',
  };
}

/** The options of a FOCUS file (docs/focus.md). */
function FocusChoices({ chosen }: { chosen: ChosenFocus }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      {(Object.keys(FOCUS_CHOICES) as FocusChoice[]).map((name) => (
        <SearchSelect
          key={name}
          name={name}
          label={FOCUS_CHOICES[name].label}
          value={chosen[name]}
          data={optionsOf(FOCUS_CHOICES[name].values)}
        />
      ))}
    </SimpleGrid>
  );
}

/** Only admins may know names; the file has the ids of users in any case. */
function PeopleChoice({ checked }: { checked: boolean }) {
  const change = useChangeSearch();
  return (
    <Checkbox
      label="Names, e-mails and teams of users, as the last columns"
      checked={checked}
      onChange={(event) => change({ people: event.currentTarget.checked ? 'true' : undefined })}
    />
  );
}

function FirstRows({ first, rows, isMore }: Preview) {
  const [row] = first;
  if (!row) return <Text c="dimmed">No row in this range with these filters.</Text>;
  const names = Object.keys(row);
  return (
    <>
      <Text data-rows={rows}>
        {isMore ? 'More than ' : ''}
        {exact(rows)} {rows === 1 ? 'row' : 'rows'}
        {rows > first.length ? `; the first ${first.length}:` : ':'}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard. */}
      <section aria-label="The first rows" tabIndex={0} style={{ overflowX: 'auto' }}>
        <Table verticalSpacing={4} style={{ whiteSpace: 'nowrap' }} w="max-content">
          <Table.Thead>
            <Table.Tr>
              {names.map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {first.map((cells, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows may be alike, so one is known by its place.
              <Table.Tr key={index}>
                {names.map((name) => (
                  <Table.Td
                    key={name}
                    className={typeof cells[name] === 'number' ? 'number' : 'clip'}
                    maw={240}
                  >
                    <Cell of={cells[name]} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </>
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A value of a row. A time is one of the page; the file has it as ISO 8601. */
function Cell({ of }: { of: unknown }) {
  if (typeof of === 'string' && INSTANT.test(of)) return <When at={of} precision="second" />;
  return <bdi>{wordsOf(of)}</bdi>;
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
