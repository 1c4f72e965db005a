import { Group, Paper, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import { type Budget, budgetQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { ActForm, useDraft } from '../../parts/form/act-form.tsx';
import { Choice, TextField } from '../../parts/form/fields.tsx';
import { NumberField } from '../../parts/form/number-field.tsx';
import { amount, percent } from '../../parts/text/format.ts';
import { UserName } from '../../parts/text/user-name.tsx';
import type { Raise } from './queries.ts';
import { standingOf } from './standing.ts';

const TIMES = { '900': '15 minutes', '3600': '1 hour', '14400': '4 hours' } as const;

/** An approval may be shorter than what was asked for; null is to the end of the window. */
function timesUpTo(askedS: number | null): Record<string, string> {
  const shorter = Object.entries(TIMES).filter(([seconds]) => askedS === null || Number(seconds) < askedS);
  return { '': 'As asked for', ...Object.fromEntries(shorter) };
}

const CHANGES = ['raises', 'budgets'];

/** The answer of an admin: what would change, then approve or deny; one in force may be revoked. */
export function RaiseAnswer({ raise, isOwn }: { raise: Raise; isOwn: boolean }) {
  const budget = useQuery({ ...budgetQuery(raise.budget_id), retry: false });
  if (raise.status !== 'pending' && raise.status !== 'approved') return null;
  if (isOwn) return <Text>You asked for this yourself: another admin has to answer.</Text>;
  return (
    <Stack maw={640}>
      {budget.data && <Change raise={raise} budget={budget.data} />}
      {raise.status === 'pending' ? <Decision key={raise.id} raise={raise} /> : <Revoke raise={raise} />}
    </Stack>
  );
}

/** Says how much is used and what would change: of a template for this person alone, else for everybody in the budget. */
function Change({ raise, budget }: { raise: Raise; budget: Budget }) {
  const isOwn = budget.per !== null;
  const person = useQuery({ ...personQuery(budget.id, raise.user_id), enabled: isOwn, retry: false });
  if (isOwn && !person.data) return null;
  const { current, threshold_now } = standingOf(budget, person.data?.data ?? []);
  if (threshold_now === null) return <Text>The budget does not count for this person.</Text>;
  const words = (limit: number) => amount(budget.metric, limit);
  const used = `${words(current)} of ${words(threshold_now)} are used now (${percent(current / threshold_now, 0)}).`;
  if (raise.status !== 'pending') return <Text>{used}</Text>;
  const after = threshold_now + raise.amount;
  return (
    <Text>
      {used} With the raise the threshold is {words(after)} for{' '}
      {isOwn ? (
        <>
          <UserName id={raise.user_id} /> alone
        </>
      ) : (
        'everybody in this budget'
      )}{' '}
      ({percent(current / after, 0)} used).
    </Text>
  );
}

function personQuery(id: string, user_id: string) {
  return queryOptions({
    queryKey: ['budgets', id, 'people', user_id],
    queryFn: () =>
      take(api.GET('/api/v1/budgets/{id}/people', { params: { path: { id }, query: { user_id } } })),
  });
}

function Decision({ raise: { id, amount: asked, duration_s, metric } }: { raise: Raise }) {
  const { draft, field } = useDraft({ amount: asked, time: '', note: '' });
  const path = { params: { path: { id } } };
  const approval = { amount: draft.amount, ...(draft.time === '' ? {} : { duration_s: Number(draft.time) }) };
  const approve = useAct(() => take(api.POST('/v1/raises/{id}/approve', { ...path, body: approval })), {
    changes: CHANGES,
    done: 'Approved. It decides from now on.',
  });
  const body = draft.note.trim() === '' ? {} : { note: draft.note };
  const deny = useAct(() => take(api.POST('/v1/raises/{id}/deny', { ...path, body })), {
    changes: CHANGES,
    done: 'Denied.',
  });
  return (
    <Paper withBorder p="md">
      <ActForm
        act={approve}
        submit="Approve"
        isReady={draft.amount > 0 && draft.amount <= asked}
        aside={<ActButton act={deny}>Deny</ActButton>}
      >
        <NumberField
          label="Amount"
          description={`At most ${amount(metric, asked)}, as asked for`}
          max={asked}
          {...field('amount')}
        />
        <Choice label="For how long" of={timesUpTo(duration_s)} {...field('time')} />
        <TextField label="A word to the person, with a denial" maxLength={500} {...field('note')} />
      </ActForm>
    </Paper>
  );
}

function Revoke({ raise: { id } }: { raise: Raise }) {
  const revoke = useAct(
    () => take(api.POST('/v1/raises/{id}/revoke', { params: { path: { id } }, body: {} })),
    { changes: CHANGES, done: 'Revoked. The threshold is as before.' },
  );
  return (
    <Group>
      <ActButton
        act={revoke}
        question={{
          title: 'Revoke the raise?',
          text: 'The threshold is as before from now on. Calls beyond it are refused.',
          yes: 'Revoke',
        }}
      >
        Revoke
      </ActButton>
    </Group>
  );
}
