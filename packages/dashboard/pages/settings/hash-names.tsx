import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { api, take } from '../../data/client.ts';
import { useAct } from '../../data/use-act.ts';
import { ActButton } from '../../parts/form/act-button.tsx';

/** Names of branches and tasks as people write them, or as hashes. */
export function HashNames({ areHashed }: { areHashed: boolean }) {
  const turn = useAct(() => take(api.PATCH('/v1/organization', { body: { hash_names: !areHashed } })), {
    changes: ['organization', 'pull-requests', 'session', 'sessions', 'usage'],
    done: areHashed ? 'Names are plain from now on.' : 'Names are hashed from now on.',
  });
  return (
    <Paper withBorder p="md" maw={640} mt="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2}>Names of branches and tasks</Title>
          <Text fw={600}>{areHashed ? 'Hashed' : 'Plain'}</Text>
        </Group>
        <Text size="sm">
          {areHashed
            ? 'Branches, tasks and worktrees are kept and shown as hashes, such as h_3Kf9XqLm2TzVb7Rw8YcN1p, and pull requests have no title. The costs are the same, and filters also take the plain name.'
            : 'Branches, tasks and titles of pull requests are shown as people wrote them, to everybody who may read the usage.'}{' '}
          Repositories are plain in either case.{' '}
          <Anchor href="/guide/attribution#names-as-hashes" inherit>
            What that hides
          </Anchor>
        </Text>
        <div>
          <ActButton
            act={turn}
            question={
              areHashed
                ? {
                    title: 'Show names again?',
                    text: 'A name is plain once it is seen anew. Hashes that are kept stay hashes, and titles that were dropped do not come back until their pull request is reported again.',
                    yes: 'Show names',
                    no: 'Cancel',
                  }
                : {
                    title: 'Hash the names?',
                    text: 'Names that are kept are replaced by hashes within minutes, and titles of pull requests are deleted. That cannot be undone for them.',
                    yes: 'Hash them',
                    no: 'Cancel',
                  }
            }
          >
            {areHashed ? 'Show names again' : 'Hash the names'}
          </ActButton>
        </div>
      </Stack>
    </Paper>
  );
}
