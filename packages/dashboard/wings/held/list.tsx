import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import { RECOUNTED } from '../../data/usage-questions.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsAdmin } from '../../data/use-me.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { type Column, Rows } from '../../parts/page/rows.tsx';
import { Section } from '../../parts/page/section.tsx';
import { FilterLink } from '../../parts/text/filter-link.tsx';
import { exact, money } from '../../parts/text/format.ts';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { decidedWords } from './decided-words.ts';
import { type HeldSignal, heldQuery } from './queries.ts';

/** Rows that are shown at one time. Once they are decided about, the next ones follow. */
const SHOWN = 20;

const COLUMNS: readonly Column<HeldSignal>[] = [
  { label: 'Time', isShort: true, narrow: 'first', render: ({ signal }) => <When at={signal.ts} /> },
  { label: 'User', share: 15, render: ({ signal }) => <UserName id={signal.user_id} /> },
  {
    label: 'Tool',
    share: 12,
    narrow: 'hidden',
    render: ({ signal }) => <FilterLink by="adapter" of={signal.adapter} />,
  },
  {
    label: 'Model',
    share: 14,
    narrow: 'hidden',
    render: ({ signal: { model } }) => (model == null ? 'not named' : <FilterLink by="model" of={model} />),
  },
  { label: 'Reported', narrow: 'first', render: (held) => reported(held).join(', ') },
  { label: 'Deleted', isShort: true, narrow: 'hidden', render: ({ expires_at }) => <When at={expires_at} /> },
];
const DECISION: Column<HeldSignal> = {
  label: 'Decision',
  isShort: true,
  render: ({ id, signal }) => (
    <Group gap="xs" wrap="nowrap" component="span">
      <Decide verb="release" ids={[id]} label="Release" of={signal.id} />
      <Decide verb="discard" ids={[id]} label="Discard" of={signal.id} />
    </Group>
  ),
};

/** Signals that nothing counts, because each is above a limit of the organization. An admin decides about them. */
export function HeldSignals() {
  const isAdmin = useIsAdmin();
  const { data: page } = useQuery(heldQuery(SHOWN));
  if (!page || page.data.length === 0) return null;
  const { data: rows, total } = page;
  const ids = rows.map(({ id }) => id);
  const isAll = rows.length === total;
  return (
    <Section
      title={`Held calls, ${exact(total)}`}
      aside={
        isAdmin &&
        rows.length > 1 && (
          <Group gap="xs">
            <Decide verb="release" ids={ids} label={`Release ${isAll ? 'all' : 'these'} ${rows.length}`} />
            <Decide verb="discard" ids={ids} label={`Discard ${isAll ? 'all' : 'these'} ${rows.length}`} />
          </Group>
        )
      }
    >
      <Text size="sm" c="dimmed">
        These calls are above a limit for implausible calls. No figure counts them until an admin releases
        them.
        {isAll ? '' : ` The newest ${rows.length} are shown.`}
      </Text>
      <Rows
        label="Held calls"
        rows={rows}
        columns={isAdmin ? [...COLUMNS, DECISION] : COLUMNS}
        keyOf={({ id }) => id}
      />
    </Section>
  );
}

/** The figures of a held signal that are above a limit, each with the limit. Pure. */
function reported({ above, hold_above, signal }: HeldSignal): string[] {
  const { tokens_in, tokens_out, cost_usd } = signal;
  const words = {
    tokens: `${exact(tokens_in + tokens_out)} tokens (limit ${exact(hold_above.tokens ?? 0)})`,
    cost_usd: `${money(cost_usd ?? 0)} (limit ${money(hold_above.cost_usd ?? 0)})`,
  };
  return above.map((limit) => words[limit]);
}

/** A button that decides about held signals. Several, or what cannot be undone, are asked about first. */
function Decide({
  verb,
  ids,
  label,
  of,
}: {
  verb: 'release' | 'discard';
  ids: readonly string[];
  label: string;
  /** The signal's own id, where the button is about one. */
  of?: string;
}) {
  const body = { ids: [...ids] };
  const act = useAct(
    () =>
      take(
        verb === 'release'
          ? api.POST('/api/v1/held-signals/release', { body })
          : api.POST('/api/v1/held-signals/discard', { body }),
      ),
    {
      changes: ['held', ...RECOUNTED],
      done: ({ results }) => decidedWords(verb, results),
    },
  );
  const many = ids.length === 1 ? 'this call' : `these ${ids.length} calls`;
  const question = {
    release: {
      title: `Release ${many}?`,
      text: 'Sessions, usage and budgets then count them, each at its own time. Hard budgets may refuse calls from then on.',
      yes: 'Release',
      no: 'Keep held',
    },
    discard: {
      title: `Discard ${many}?`,
      text: 'Nothing will ever count them. They cannot be brought back, and a repeat is rejected.',
      yes: 'Discard',
      no: 'Keep held',
    },
  }[verb];
  const isAsked = verb === 'discard' || ids.length > 1;
  return (
    <ActButton
      act={act}
      size="compact-sm"
      {...(of === undefined ? {} : { 'aria-label': `${label} ${of}` })}
      {...(isAsked ? { question } : {})}
    >
      {label}
    </ActButton>
  );
}
