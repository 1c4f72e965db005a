import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { api, take } from '../../data/client.ts';
import { useAct } from '../../data/use-act.ts';
import { type Key, KeyTable } from '../../parts/access/key-table.tsx';
import { ActForm, useDraft } from '../../parts/form/act-form.tsx';
import { Copyable } from '../../parts/form/copyable.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { useMemberChoice } from '../../parts/text/user-name.tsx';

const SCOPES: Record<Key['scopes'][number], string> = {
  'signals:write': 'Report signals',
  'usage:read': 'Read sessions, usage, anomalies and budgets',
  'org:read': 'Read analytics',
  'webhooks:write': 'Manage webhooks',
  'budgets:write': 'Manage budgets',
  'budgets:check': 'Ask whether a call fits into its budgets',
};

/** Days from now; '' is never. */
const LIVES = [
  { value: '', label: 'never' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
];
const DAY_S = 86_400;

export function KeysTab() {
  return (
    <Stack>
      <Group justify="flex-end">
        <Dialog
          label="Create a key"
          variant="filled"
          title="Create a key"
          size="lg"
          closeOnClickOutside={false}
        >
          {(close) => <KeyForm onDone={close} />}
        </Dialog>
      </Group>
      <KeyTable />
    </Stack>
  );
}

interface Draft {
  name: string;
  scopes: Key['scopes'];
  userId: string;
  project: string;
  /** Days; '' is for ever. */
  life: string;
}

const NEW: Draft = { name: '', scopes: ['signals:write', 'usage:read'], userId: '', project: '', life: '' };

/** As the API takes it: what was left empty is left out. */
function bodyOf({ name, scopes, userId, project, life }: Draft) {
  return {
    name,
    scopes,
    ...(userId === '' ? {} : { user_id: userId }),
    ...(project === '' ? {} : { project_id: project }),
    ...(life === '' ? {} : { expires_at: Math.floor(Date.now() / 1_000) + Number(life) * DAY_S }),
  };
}

function KeyForm({ onDone }: { onDone: () => void }) {
  const [draft, change] = useDraft(NEW);
  const create = useAct(() => take(api.POST('/v1/keys', { body: bodyOf(draft) })), { changes: ['keys'] });
  if (create.data)
    return (
      <Stack>
        <Text>The key is shown this once.</Text>
        <Copyable label="Key" value={create.data.key} />
        <Button onClick={onDone}>I have kept it</Button>
      </Stack>
    );
  return (
    <ActForm act={create} submit="Create" onCancel={onDone} isReady={draft.scopes.length > 0}>
      <KeyFields draft={draft} onChange={change} />
    </ActForm>
  );
}

function KeyFields({ draft, onChange }: { draft: Draft; onChange: (change: Partial<Draft>) => void }) {
  const people = useMemberChoice() ?? [];
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={128}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        data-autofocus
      />
      <Checkbox.Group
        label="It may"
        required
        value={draft.scopes}
        onChange={(chosen) => onChange({ scopes: chosen as Key['scopes'] })}
      >
        <Stack gap="sm" mt="sm">
          {Object.entries(SCOPES).map(([scope, meaning]) => (
            <Checkbox key={scope} value={scope} label={`${meaning} (${scope})`} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label="Bound to"
        description="A bound key sees and reports only this user"
        value={draft.userId}
        onChange={(event) => onChange({ userId: event.currentTarget.value })}
        data={[{ value: '', label: 'nobody: the whole organization' }, ...people]}
      />
      <TextInput
        label="Project of signals that name none"
        maxLength={256}
        value={draft.project}
        onChange={(event) => onChange({ project: event.currentTarget.value })}
      />
      <NativeSelect
        label="Expires"
        value={draft.life}
        onChange={(event) => onChange({ life: event.currentTarget.value })}
        data={LIVES}
      />
    </>
  );
}
