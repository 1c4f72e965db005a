import { Button, Checkbox, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { membersQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { type Key, KeyTable } from '../../parts/key-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Copyable } from '../../parts/secret.tsx';

const SCOPES: Record<Key['scopes'][number], string> = {
  'signals:write': 'Report signals',
  'usage:read': 'Read sessions, usage, anomalies and budgets',
  'org:read': 'Read analytics',
  'webhooks:write': 'Manage webhooks',
  'budgets:write': 'Manage budgets',
  'budgets:check': 'Ask whether a call fits into its budgets',
};

export function KeysTab() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={open}>Create a key</Button>
      </Group>
      <KeyTable />
      <Modal opened={isOpen} onClose={close} title="Create a key" size="lg">
        <KeyForm onDone={close} />
      </Modal>
    </Stack>
  );
}

function KeyForm({ onDone }: { onDone: () => void }) {
  const members = useQuery(membersQuery());
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Key['scopes']>(['signals:write', 'usage:read']);
  const [userId, setUserId] = useState('');
  const [project, setProject] = useState('');
  const create = useAct(
    () =>
      take(
        api.POST('/v1/keys', {
          body: {
            name,
            scopes,
            ...(userId === '' ? {} : { user_id: userId }),
            ...(project === '' ? {} : { project_id: project }),
          },
        }),
      ),
    { changes: ['keys'] },
  );
  if (create.data)
    return (
      <Stack>
        <Text>The key is shown this once.</Text>
        <Copyable label="Key" value={create.data.key} />
        <Button onClick={onDone}>I have kept it</Button>
      </Stack>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(undefined);
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={128}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <Checkbox.Group
          label="It may"
          required
          value={scopes}
          onChange={(chosen) => setScopes(chosen as Key['scopes'])}
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
          value={userId}
          onChange={(event) => setUserId(event.currentTarget.value)}
          data={[
            { value: '', label: 'nobody: the whole organization' },
            ...(members.data?.data ?? []).map(({ user_id, name: shown }) => ({
              value: user_id,
              label: shown ?? user_id,
            })),
          ]}
        />
        <TextInput
          label="Project of signals that name none"
          maxLength={256}
          value={project}
          onChange={(event) => setProject(event.currentTarget.value)}
        />
        <ProblemNote error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={scopes.length === 0}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
