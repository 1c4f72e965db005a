import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import { type Budget, budgetQuery } from '../../data/queries.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { useMe } from '../../data/use-me.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { ActForm, useDraft } from '../../parts/form/act-form.tsx';
import { Choice, TextField } from '../../parts/form/fields.tsx';
import { NumberField } from '../../parts/form/number-field.tsx';
import { Load } from '../../parts/page/load.tsx';
import { RefusesYou } from '../../parts/refusal/refuses-you.tsx';
import { amount } from '../../parts/text/format.ts';
import { PageLink } from '../../parts/text/page-link.tsx';
import { RaiseFacts } from './facts.tsx';
import { type Raise, raisesQuery } from './queries.ts';

const TIMES = {
  '': 'To the end of the window',
  '3600': '1 hour',
  '14400': '4 hours',
  '86400': '1 day',
  '604800': '7 days',
} as const;

/** The form by which a person asks for more of a budget, and the state of what was asked for last. */
export function Asking({ id }: { id: string }) {
  const { user_id } = useMe();
  const raises = useQuery(raisesQuery({ budget_id: id, user_id, limit: 1 }));
  // Not everybody sees every budget: then the answer is that there is none.
  const budget = useQuery({ ...budgetQuery(id), retry: false });
  return (
    <Stack maw={640}>
      <RefusesYou of={id} />
      <Standing budget={budget.data} />
      <Load query={raises}>
        {({ data: [last] }) => (
          <>
            {last && <Last raise={last} />}
            {last?.status !== 'pending' && !budget.isLoading && <RaiseForm id={id} budget={budget.data} />}
          </>
        )}
      </Load>
    </Stack>
  );
}

function Standing({ budget }: { budget: Budget | undefined }) {
  if (!budget)
    return (
      <Text>
        A budget of your organization. You do not see its amounts. More of it counts for everybody whom it
        counts.
      </Text>
    );
  const { id, name, metric, current, threshold_now, scope, per } = budget;
  const isOwn = scope === 'user' || per !== null;
  return (
    <Text>
      <PageLink to={`/budgets/${id}`}>{name}</PageLink>: {amount(metric, current)} of{' '}
      {amount(metric, threshold_now)} are used.{' '}
      {isOwn ? 'More of it counts for you alone.' : 'More of it counts for everybody whom the budget counts.'}
    </Text>
  );
}

/** The unit of an amount, as far as the person may know it. */
function unitOf(budget: Budget | undefined): string {
  if (!budget) return 'US dollars, if the budget counts cost';
  return budget.metric === 'cost_usd' ? 'US dollars' : budget.metric.replaceAll('_', ' ');
}

function Last({ raise }: { raise: Raise }) {
  const withdraw = useAct(
    () => take(api.POST('/v1/raises/{id}/withdraw', { params: { path: { id: raise.id } } })),
    { changes: ['raises'], done: 'The request is withdrawn.' },
  );
  return (
    <Paper withBorder p="md" role="status" aria-label="What you asked for last">
      <Stack>
        <RaiseFacts of={raise} />
        {raise.status === 'pending' && (
          <div>
            <ActButton act={withdraw}>Withdraw</ActButton>
          </div>
        )}
      </Stack>
    </Paper>
  );
}

function RaiseForm({ id, budget }: { id: string; budget: Budget | undefined }) {
  const { draft, field } = useDraft({ amount: 0, time: '' as keyof typeof TIMES, note: '' });
  const body = {
    budget_id: id,
    amount: draft.amount,
    ...(draft.time === '' ? {} : { duration_s: Number(draft.time) }),
    ...(draft.note.trim() === '' ? {} : { note: draft.note }),
  };
  const headers = useIdempotencyKey(body);
  const ask = useAct(() => take(api.POST('/v1/raises', { body, headers })), {
    changes: ['raises'],
    done: 'Sent. An admin answers.',
  });
  const isMoney = budget === undefined || budget.metric === 'cost_usd';
  return (
    <Paper withBorder p="md">
      <ActForm act={ask} submit="Ask" isReady={draft.amount > 0}>
        <NumberField
          label="How much more"
          description={unitOf(budget)}
          decimalScale={isMoney ? 2 : 0}
          {...field('amount')}
        />
        <Choice label="For how long" of={TIMES} {...field('time')} />
        <TextField label="Why" maxLength={500} {...field('note')} />
      </ActForm>
    </Paper>
  );
}
