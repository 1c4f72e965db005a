import { SimpleGrid, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import type { Budget } from '../../data/queries.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { useMe } from '../../data/use-me.ts';
import { ActForm, changesOf, useDraft } from '../form/act-form.tsx';
import { Choice, TextField, TimezoneField } from '../form/fields.tsx';
import { NumberField } from '../form/number-field.tsx';
import { EnforcementInputs } from './enforcement.tsx';
import { BudgetPreview } from './preview.tsx';
import { type Refusal, RefusalDialog, readRefusal } from './refusal.tsx';
import { ScopeInput } from './scope-input.tsx';
import { WindowInputs } from './window-inputs.tsx';
import { METRICS } from './words.ts';

const SCOPES: Record<Budget['scope'], string> = {
  org: 'The whole organization',
  team: 'A team',
  project: 'A project',
  user: 'A user',
};

const PERS = { all: 'All together', user: 'Each person for themselves, also new ones' } as const;

/** True for scopes of which a budget may count each person apart. */
function hasPeople(scope: Budget['scope']): boolean {
  return scope === 'org' || scope === 'team';
}

const NEW = {
  name: '',
  scope: 'org',
  scope_id: '',
  per: null,
  metric: 'cost_usd',
  threshold: 100,
  window: 'monthly',
  fiscal_start_month: null,
  rolling_days: null,
  starts_on: null,
  timezone: '',
  enforce: 'none',
  on_error: 'allow',
  reservation_share_pct: 25,
} as const satisfies Partial<Budget>;

type Draft = Pick<Budget, keyof typeof NEW>;

/** The fields of a budget that may be changed, of `budget` or of a new one. */
function draftOf(budget: Budget | undefined, from: Partial<Draft>, timezone: string): Draft {
  const fields: Draft = budget ?? { ...NEW, timezone, ...from };
  const names = Object.keys(NEW) as (keyof Draft)[];
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as unknown as Draft;
}

/** Creates the budget of a draft, or changes `budget` by its changes. */
function useSave(draft: Draft, changes: Partial<Draft>, budget: Budget | undefined, onDone: () => void) {
  const headers = useIdempotencyKey(draft);
  return useAct(
    async () => {
      const { scope, scope_id, ...rest } = draft;
      // The organization has no id here; every other scope goes with its own.
      const whose = scope === 'org' ? { scope } : { scope, scope_id };
      if (!budget) return take(api.POST('/api/v1/budgets', { headers, body: { ...rest, ...whose } }));
      const isMoved = 'scope' in changes || 'scope_id' in changes;
      const { scope: _, scope_id: __, ...others } = changes;
      const body = { ...others, ...(isMoved ? whose : {}) };
      return take(api.PATCH('/api/v1/budgets/{id}', { params: { path: { id: budget.id } }, body }));
    },
    {
      changes: ['budgets'],
      done: budget ? 'The budget is changed.' : 'The budget is created.',
      onDone,
    },
  );
}

/** Creates a budget, or changes one. Shows recent usage, so that a threshold can be chosen. */
export function BudgetForm({
  budget,
  from = {},
  onDone,
}: {
  budget?: Budget;
  /** The fields that a new one begins with. */
  from?: Partial<Draft>;
  onDone: () => void;
}) {
  const { timezone } = useMe().org;
  // The budget when the form was opened: it is polled meanwhile.
  const [before] = useState(() => draftOf(budget, from, timezone));
  const { draft, set, field } = useDraft(before);
  const changes = changesOf(before, draft);
  const save = useSave(draft, changes, budget, onDone);
  const { act, refusal, forget } = useQuestion(draft, changes, { save, budget });
  return (
    <>
      <ActForm
        act={act}
        submit={budget ? 'Save' : 'Create'}
        onCancel={onDone}
        isReady={!budget || Object.keys(changes).length > 0}
      >
        <TextField label="Name" required maxLength={256} data-autofocus {...field('name')} />
        <SimpleGrid cols={{ base: 1, xs: draft.scope === 'org' ? 1 : 2 }}>
          <Choice
            label="Whose usage"
            of={SCOPES}
            value={draft.scope}
            onChange={(scope) => set({ scope, scope_id: '', ...(hasPeople(scope) ? {} : { per: null }) })}
          />
          {draft.scope !== 'org' && <ScopeInput scope={draft.scope} {...field('scope_id')} />}
        </SimpleGrid>
        {hasPeople(draft.scope) && (
          <Choice
            label="Counted"
            of={PERS}
            value={draft.per ?? 'all'}
            onChange={(per) => set({ per: per === 'all' ? null : per })}
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Choice label="What" of={METRICS} {...field('metric')} />
          <NumberField
            label="Threshold"
            min={0}
            prefix={draft.metric === 'cost_usd' ? '$' : ''}
            {...field('threshold')}
          />
          <WindowInputs draft={draft} set={set} />
          <TimezoneField {...field('timezone')} />
        </SimpleGrid>
        <EnforcementInputs draft={draft} field={field} />
        {!budget?.filter && draft.per === null && <BudgetPreview draft={draft} />}
        {budget && (
          <Text size="sm" c="dimmed">
            After a change of anything but the name and what happens at the threshold it may warn once more in
            this window.
          </Text>
        )}
      </ActForm>
      {refusal && <RefusalDialog draft={draft} refusal={refusal} act={save} onClose={forget} />}
    </>
  );
}

/** The fields by which a hard budget may begin to refuse calls. */
const DECISIVE: readonly (keyof Draft)[] = [
  'enforce',
  'threshold',
  'metric',
  'scope',
  'scope_id',
  'per',
  'window',
  'fiscal_start_month',
  'rolling_days',
  'starts_on',
  'timezone',
];

/** Saves a budget at once, unless it would refuse calls from then on: that is asked before anything is written. */
function useQuestion(
  draft: Draft,
  changes: Partial<Draft>,
  { save, budget }: { save: ReturnType<typeof useSave>; budget: Budget | undefined },
) {
  const { org } = useMe();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const mayRefuse = draft.enforce === 'hard' && DECISIVE.some((name) => name in changes);
  const look = useMutation({
    mutationFn: async () => (mayRefuse ? readRefusal(draft, org.id, budget) : null),
    onSuccess: (found) => {
      setRefusal(found);
      if (found === null) save.mutate(undefined);
    },
  });
  const act = {
    mutate: () => {
      save.reset();
      look.mutate();
    },
    error: look.error ?? (refusal ? null : save.error),
    isPending: look.isPending || save.isPending,
  };
  return { act, refusal, forget: () => setRefusal(null) };
}
