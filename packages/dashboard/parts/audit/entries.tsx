import './audit.css';
import { Box, Code, Group, Text } from '@mantine/core';
import type { AnswerOf } from '../../data/client.ts';
import { type Part, PERSON, TARGET } from '../../words/sentence.ts';
import { PageLink } from '../text/page-link.tsx';
import { plainName } from '../text/plain-name.ts';
import { UserName } from '../text/user-name.tsx';
import { When } from '../time/when.tsx';
import { sentenceOf } from './sentences.ts';

type Entry = AnswerOf<'/v1/audit'>['data'][number];

/** As many entries of one kind in a row are shown as one. */
const MANY = 4;

/** Entries of the audit log, each as a sentence with names; of many like it in a row the others are closed below the first. */
export function AuditEntries({ entries }: { entries: readonly Entry[] }) {
  return (
    <Box component="ul" aria-label="Audit" className="audit">
      {inRuns(entries).map(([first, ...others]) =>
        others.length + 1 < MANY ? (
          [first, ...others].map((entry) => <Line key={entry.id} of={entry} />)
        ) : (
          <Line key={first.id} of={first}>
            <Box component="details" fz={14}>
              <summary>and {others.length} more like it</summary>
              <Box component="ul" className="audit" pl="md">
                {others.map((entry) => (
                  <Line key={entry.id} of={entry} />
                ))}
              </Box>
            </Box>
          </Line>
        ),
      )}
    </Box>
  );
}

type Run = [Entry, ...Entry[]];

/** Entries by the same actor that did the same, as far as they follow each other. Pure. */
function inRuns(entries: readonly Entry[]): Run[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last?.[0].action === entry.action && last[0].actor === entry.actor) last.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function Line({ of: entry, children }: { of: Entry; children?: React.ReactNode }) {
  return (
    <Box component="li" py={6}>
      <Text size="sm" className="wrap">
        <Actor entry={entry} /> <Sentence entry={entry} />.
      </Text>
      <Group gap="md" fz={12} c="dimmed" align="flex-start">
        <When at={entry.at} precision="second" />
        <Box component="details" flex={1}>
          <summary>Details</summary>
          <Code block className="answer">
            {JSON.stringify({ action: entry.action, actor: entry.actor, ...entry.details }, null, 1)}
          </Code>
        </Box>
      </Group>
      {children}
    </Box>
  );
}

const PROCESSES: Readonly<Record<string, string>> = {
  cli: 'An operator',
  api: 'The service',
  worker: 'The service',
};

function Actor({ entry: { actor, actor_name } }: { entry: Entry }) {
  const process = PROCESSES[actor];
  if (process !== undefined) return <b>{process}</b>;
  const isKey = !actor.startsWith('usr_');
  return (
    <b>
      {isKey ? 'The key ' : ''}
      <bdi>{plainName(actor_name ?? actor)}</bdi>
    </b>
  );
}

function Sentence({ entry }: { entry: Entry }) {
  return sentenceOf(entry).map((part, index) => {
    const key = `part ${index}`;
    if (part === TARGET) return <Target key={key} of={entry.target} />;
    if (part === PERSON) return <Person key={key} of={entry} />;
    return typeof part === 'string' ? part : <Value key={key} of={part} />;
  });
}

function Value({ of }: { of: Extract<Part, { value: string }> }) {
  return <bdi>{plainName(of.value)}</bdi>;
}

function Person({ of: { person_name, details } }: { of: Entry }) {
  if (person_name === null || person_name === undefined) return 'somebody who has left';
  if (typeof details.user_id === 'string') return <UserName id={details.user_id} />;
  return <bdi>{plainName(person_name)}</bdi>;
}

/** The pages of objects that have one. */
const PLACES: Readonly<Record<string, (id: string) => { to: string; search?: object }>> = {
  user: (user_id) => ({ to: '/', search: { user_id } }),
  key: () => ({ to: '/settings', search: { tab: 'keys' } }),
  code_host: () => ({ to: '/settings', search: { tab: 'code-hosts' } }),
  price_rule: () => ({ to: '/settings', search: { tab: 'prices' } }),
  destination: (id) => ({ to: `/export/${encodeURIComponent(id)}` }),
  webhook: (id) => ({ to: `/webhooks/${encodeURIComponent(id)}` }),
  budget: (id) => ({ to: `/budgets/${encodeURIComponent(id)}` }),
  session: (id) => ({ to: `/sessions/${encodeURIComponent(id)}` }),
};

function Target({ of: target }: { of: Entry['target'] }) {
  if (!target) return 'that is gone';
  const shown = <bdi>{plainName(target.name ?? target.id)}</bdi>;
  const place = PLACES[target.kind];
  // An object without a name now is gone, but sessions never have one.
  const isThere = target.kind === 'session' || target.name !== null;
  if (place === undefined || !isThere) return shown;
  return <PageLink {...place(target.id)}>{shown}</PageLink>;
}
