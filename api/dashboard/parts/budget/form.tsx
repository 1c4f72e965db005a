import { NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { organizationQuery } from '../../data/queries.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { useMe } from '../../data/use-me.ts';
import { ActForm, changesOf, useDraft } from '../form/act-form.tsx';
import { NumberField } from '../form/number-field.tsx';
import { TimezoneInput } from '../form/timezone-input.tsx';
import { useMemberChoice } from '../text/user-name.tsx';
import type { Budget } from './bar.tsx';
import { EnforcementInputs } from './enforcement.tsx';
import { BudgetPreview } from './preview.tsx';
import { METRICS } from './words.ts';

const WINDOWS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
const SCOPES: Record<Budget['scope'], string> = {
  org: 'The whole organization',
  team: 'A team',
  project: 'A project',
  user: 'A user',
};
type Draft = Pick<
  Budget,
  'name' | 'scope' | 'scope_id' | 'metric' | 'threshold' | 'window' | 'timezone' | 'enforce' | 'on_error'
>;

const NEW: Omit<Draft, 'timezone'> = {
  name: '',
  scope: 'org',
  scope_id: '',
  metric: 'cost_usd',
  threshold: 100,
  window: 'monthly',
  enforce: 'none',
  on_error: 'allow',
};

/** Creates a budget, or changes one. Shows what was used lately, so that a threshold can be chosen. */
export function BudgetForm({ budget, onDone }: { budget?: Budget; onDone: () => void }) {
  // As it was when the form was opened: it is read again all the time.
  const { timezone } = useMe().org;
  const [before] = useState<Draft>(budget ?? { ...NEW, timezone });
  const [draft, set] = useDraft(before);
  const changes = changesOf(before, draft);
  const headers = useIdempotencyKey(draft);
  const save = useAct(
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
      onDone: onDone,
    },
  );
  return (
    <ActForm
      act={save}
      submit={budget ? 'Save' : 'Create'}
      onCancel={onDone}
      isReady={!budget || Object.keys(changes).length > 0}
    >
      <TextInput
        label="Name"
        required
        maxLength={256}
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: draft.scope === 'org' ? 1 : 2 }}>
        <NativeSelect
          label="Whose usage"
          value={draft.scope}
          onChange={(event) => set({ scope: event.currentTarget.value as Draft['scope'], scope_id: '' })}
          data={Object.entries(SCOPES).map(([value, label]) => ({ value, label }))}
        />
        {draft.scope !== 'org' && (
          <ScopeInput scope={draft.scope} value={draft.scope_id} onChange={(scope_id) => set({ scope_id })} />
        )}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NativeSelect
          label="What"
          value={draft.metric}
          onChange={(event) => set({ metric: event.currentTarget.value as Draft['metric'] })}
          data={Object.entries(METRICS).map(([value, label]) => ({ value, label }))}
        />
        <NumberField
          label="Threshold"
          min={0}
          prefix={draft.metric === 'cost_usd' ? '$' : ''}
          value={draft.threshold}
          onChange={(threshold) => set({ threshold })}
        />
        <NativeSelect
          label="Window"
          value={draft.window}
          onChange={(event) => set({ window: event.currentTarget.value as Draft['window'] })}
          data={[...WINDOWS]}
        />
        <TimezoneInput value={draft.timezone} onChange={(chosen) => set({ timezone: chosen })} />
      </SimpleGrid>
      <EnforcementInputs rule={draft} onChange={set} />
      <BudgetPreview draft={draft} />
      {budget && (
        <Text size="sm" c="dimmed">
          A change of anything but the name and what happens at the threshold begins a new revision: its
          levels may fire again.
        </Text>
      )}
    </ActForm>
  );
}

function ScopeInput({
  scope,
  value,
  onChange,
}: {
  scope: Exclude<Draft['scope'], 'org'>;
  value: string;
  onChange: (value: string) => void;
}) {
  const organization = useQuery({ ...organizationQuery(), enabled: scope === 'team' });
  const members = useMemberChoice(scope === 'user');
  if (scope === 'team')
    return (
      <NativeSelect
        label="Team"
        required
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={['', ...(organization.data?.teams ?? [])]}
      />
    );
  if (scope === 'user' && members)
    return (
      <NativeSelect
        label="User"
        required
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[{ value: '', label: '' }, ...members]}
      />
    );
  return (
    <TextInput
      label={scope === 'project' ? 'Project id' : 'User id'}
      required
      maxLength={256}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
