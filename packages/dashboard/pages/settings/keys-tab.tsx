import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { api, take } from '../../data/client.ts';
import { useAct } from '../../data/use-act.ts';
import { type Key, KeyTable } from '../../parts/access/key-table.tsx';
import { expiryOf, LIVES, type Life } from '../../parts/access/lives.ts';
import { exampleCall } from '../../parts/access/programs.ts';
import { ActForm, useDraft } from '../../parts/form/act-form.tsx';
import { Copyable, ShownOnce } from '../../parts/form/copyable.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Choice, TextField } from '../../parts/form/fields.tsx';
import { useMemberChoice } from '../../parts/text/user-name.tsx';

const SCOPES: Record<Key['scopes'][number], string> = {
  'signals:write': 'Report calls',
  'usage:read': 'Read sessions, usage, anomalies and budgets',
  'org:read': 'Read analytics',
  'webhooks:write': 'Manage webhooks',
  'budgets:write': 'Manage budgets',
  'budgets:check': 'Ask whether a call fits into its budgets',
  'signals:correct': 'Void calls, and release or discard held ones',
  'members:read': 'Read names, e-mails and teams of members',
  'exports:write': 'Manage export destinations',
  'prices:read': 'Read price rules and ask for a price',
  'prices:write': 'Manage price rules',
};

export function KeysTab() {
  return (
    <Stack>
      <Group justify="flex-end">
        <Dialog
          name="key"
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
  life: Life;
}

const NEW: Draft = { name: '', scopes: ['signals:write', 'usage:read'], userId: '', project: '', life: '' };

/** The key as the API takes it, without the fields that are empty. */
function bodyOf({ name, scopes, userId, project, life }: Draft) {
  return {
    name,
    scopes,
    ...(userId === '' ? {} : { user_id: userId }),
    ...(project === '' ? {} : { project_id: project }),
    ...expiryOf(life),
  };
}

function KeyForm({ onDone }: { onDone: () => void }) {
  const { draft, field } = useDraft(NEW);
  const create = useAct(() => take(api.POST('/v1/keys', { body: bodyOf(draft) })), { changes: ['keys'] });
  if (create.data)
    return (
      <ShownOnce words="The key is shown this once." label="Key" value={create.data.key} onDone={onDone}>
        <Text size="sm">Try it with this call:</Text>
        <Copyable label="Example call" value={exampleCall(window.location.origin, create.data)} />
      </ShownOnce>
    );
  return (
    <ActForm act={create} submit="Create" onCancel={onDone} isReady={draft.scopes.length > 0}>
      <KeyFields field={field} />
    </ActForm>
  );
}

function KeyFields({ field }: { field: ReturnType<typeof useDraft<Draft>>['field'] }) {
  const people = useMemberChoice() ?? {};
  const scopes = field('scopes');
  return (
    <>
      <TextField label="Name" required maxLength={128} data-autofocus {...field('name')} />
      <Checkbox.Group
        label="It may"
        required
        value={scopes.value}
        onChange={(chosen) => scopes.onChange(chosen as Key['scopes'])}
      >
        <Stack gap="sm" mt="sm">
          {Object.entries(SCOPES).map(([scope, meaning]) => (
            <Checkbox key={scope} value={scope} label={`${meaning} (${scope})`} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Choice
        label="Bound to"
        description="A bound key sees and reports only this user"
        of={{ '': 'nobody: the whole organization', ...people }}
        {...field('userId')}
      />
      <TextField label="Project of calls that name none" maxLength={256} {...field('project')} />
      <Choice label="Expires" of={LIVES} {...field('life')} />
    </>
  );
}
