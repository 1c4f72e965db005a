import { SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import type { Budget } from '../../data/queries.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { useMe } from '../../data/use-me.ts';
import { ActForm, changesOf, useDraft } from '../form/act-form.tsx';
import { Choice, TextField, TimezoneField } from '../form/fields.tsx';
import { NumberField } from '../form/number-field.tsx';
import { EnforcementInputs, holdsReservations } from './enforcement.tsx';
import { FilterInputs, isEmptyFilter } from './filter-inputs.tsx';
import { RecentUsage } from './recent-usage.tsx';
import { ScopeInput } from './scope-input.tsx';
import { StopPreview, usePreview } from './stop-preview.tsx';
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

/** The change that leaves a rolling window, which counts no person apart. */
function withoutRolling({ window }: Pick<Budget, 'window'>): Partial<Draft> {
  return window === 'rolling' ? { window: 'monthly', rolling_days: null } : {};
}

const NEW = {
  name: '',
  scope: 'org',
  scope_id: '',
  filter: null,
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
  unpriced: null,
  reservation_share_pct: 25,
} as const satisfies Partial<Budget>;

type Draft = Pick<Budget, keyof typeof NEW>;

/** The fields of a budget that may be changed, of `budget` or of a new one. */
function draftOf(budget: Budget | undefined, from: Partial<Draft>, timezone: string): Draft {
  const fields: Draft = budget ?? { ...NEW, timezone, ...from };
  const names = Object.keys(NEW) as (keyof Draft)[];
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as unknown as Draft;
}

/** The scope of a body. The organization has no id here; every other scope goes with its own. */
function whoseOf({ scope, scope_id }: Draft) {
  return scope === 'org' ? { scope } : { scope, scope_id };
}

/** The fields as they are sent: what goes with another choice alone is gone with it. */
function settled(draft: Draft): Draft {
  return holdsReservations(draft) ? draft : { ...draft, unpriced: null };
}

/** The body that creates a budget. */
function bodyOf(draft: Draft) {
  const { scope: _, scope_id: __, ...rest } = draft;
  return { ...rest, ...whoseOf(draft) };
}

/** Creates the budget of a draft, or changes `budget` by its changes. */
function useSave(draft: Draft, changes: Partial<Draft>, budget: Budget | undefined, onDone: () => void) {
  const headers = useIdempotencyKey(draft);
  return useAct(
    async () => {
      if (!budget) return take(api.POST('/api/v1/budgets', { headers, body: bodyOf(draft) }));
      const isMoved = 'scope' in changes || 'scope_id' in changes;
      const { scope: _, scope_id: __, ...others } = changes;
      const body = { ...others, ...(isMoved ? whoseOf(draft) : {}) };
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
  const { draft: typed, set, field } = useDraft(before);
  const draft = settled(typed);
  const changes = changesOf(before, draft);
  const save = useSave(draft, changes, budget, onDone);
  const isComplete = (draft.scope === 'org' || draft.scope_id !== '') && !isEmptyFilter(draft.filter);
  // A name is not decisive.
  const previewed = { ...bodyOf(draft), name: 'Preview' };
  const { preview, isSettled } = usePreview(previewed, budget?.id, isComplete && draft.enforce === 'hard');
  const isStopping = preview?.refuses_now === true && budget?.refuses_now !== true;
  const isChanged = !budget || Object.keys(changes).length > 0;
  return (
    <ActForm
      act={save}
      submit={`${budget ? 'Save' : 'Create'}${isStopping ? ' and stop work now' : ''}`}
      onCancel={onDone}
      isReady={isChanged && isSettled && !isEmptyFilter(draft.filter)}
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
          onChange={(per) => set(per === 'all' ? { per: null } : { per, ...withoutRolling(draft) })}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Choice
          label="What"
          of={METRICS}
          value={draft.metric}
          // A session is not of one model.
          onChange={(metric) => set({ metric, ...(metric === 'sessions' ? { filter: null } : {}) })}
        />
        <NumberField
          label="Threshold"
          min={0}
          prefix={draft.metric === 'cost_usd' ? '$' : ''}
          {...field('threshold')}
        />
        <WindowInputs draft={draft} set={set} />
        <TimezoneField {...field('timezone')} />
      </SimpleGrid>
      {draft.metric !== 'sessions' && <FilterInputs {...field('filter')} />}
      <EnforcementInputs draft={draft} field={field} />
      {draft.filter === null && draft.per === null && <RecentUsage draft={draft} />}
      {preview && <StopPreview draft={draft} preview={preview} />}
      {budget && (
        <Text size="sm" c="dimmed">
          After a change of anything but the name and what happens at the threshold it may warn once more in
          this window.
        </Text>
      )}
    </ActForm>
  );
}
