import { Alert, Anchor, Button, List, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, take } from '../data/client.ts';
import { keysQuery, sessionsQuery } from '../data/queries.ts';
import { useAct } from '../data/use-act.ts';
import { useMe } from '../data/use-me.ts';
import { useChangeSearch } from '../data/use-range.ts';
import { ago } from '../parts/format.ts';
import { KeyTable } from '../parts/key-table.tsx';
import { Page } from '../parts/page.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Copyable } from '../parts/secret.tsx';
import { isTool, pasteFor, TOOLS, type Tool } from '../parts/tools.ts';

/** Connect a tool: make a key, take the settings over, wait for the first signal. */
export function Connect() {
  const search = useSearch({ strict: false }) as { tool?: string };
  const change = useChangeSearch();
  const tool: Tool = isTool(search.tool) ? search.tool : 'claude-code';
  const [made, setMade] = useState<{ id: string; key: string; created_at: number } | null>(null);
  const { user_id } = useMe();
  const create = useAct(
    () =>
      take(
        api.POST('/v1/keys', {
          body: { name: TOOLS[tool], scopes: ['signals:write', 'usage:read'], user_id },
        }),
      ),
    { changes: ['keys'], onDone: setMade },
  );
  return (
    <Page
      title="Connect"
      lead="Three steps until the first signal of a tool arrives. The key reports as you, and as nobody else."
    >
      <Paper withBorder p="md">
        <Stack>
          <Title order={2}>1. Choose the tool and create a key</Title>
          <NativeSelect
            label="Tool"
            maw={320}
            value={tool}
            onChange={(event) => change({ tool: event.currentTarget.value })}
            data={Object.entries(TOOLS).map(([value, label]) => ({ value, label }))}
          />
          <div>
            <Button onClick={() => create.mutate(undefined)} loading={create.isPending}>
              Create key
            </Button>
          </div>
          <ProblemNote error={create.error} />
        </Stack>
      </Paper>
      <Paper withBorder p="md">
        <Stack>
          <Title order={2}>2. Give it these settings</Title>
          {made ? (
            <Text>The key in them is shown this once. Copy them now.</Text>
          ) : (
            <Text c="dimmed">With a key in place of API_KEY, once you have created one.</Text>
          )}
          <Copyable label="Settings" value={pasteFor(tool, window.location.origin, made?.key ?? 'API_KEY')} />
        </Stack>
      </Paper>
      <Paper withBorder p="md">
        <Stack>
          <Title order={2}>3. Use it once</Title>
          {made ? (
            <Arrival key={made.id} keyId={made.id} sinceS={made.created_at} />
          ) : (
            <Text c="dimmed">Then its first signal appears here.</Text>
          )}
        </Stack>
      </Paper>
      <Paper withBorder p="md">
        <Title order={2} mb="sm">
          Your keys
        </Title>
        <KeyTable userId={user_id} />
      </Paper>
    </Page>
  );
}

const PATIENCE_MS = 30_000;

/**
 * Waits until the key was used and there was activity after it was made: another tool of the same person makes activity
 * too. A signal may join a session that is older, so its last activity counts; the clock of this browser may be wrong, so
 * it is held against that of the service.
 */
function Arrival({ keyId, sinceS }: { keyId: string; sinceS: number }) {
  const { user_id } = useMe();
  const [beganMs] = useState(Date.now);
  const sessions = useQuery({ ...sessionsQuery({ user_id, limit: 20 }), refetchInterval: 3_000 });
  const keys = useQuery({ ...keysQuery(), refetchInterval: 3_000 });
  const arrived = sessions.data?.data.find(
    ({ last_activity_at }) => Date.parse(last_activity_at) >= sinceS * 1_000,
  );
  const lastUsed = keys.data?.data.find(({ id }) => id === keyId)?.last_used_at ?? null;
  if (arrived && lastUsed !== null)
    return (
      <Alert color="green" variant="outline" title="It works" role="status">
        A signal has arrived.{' '}
        <Anchor component={Link} to={`/sessions/${arrived.id}`}>
          Look at its session
        </Anchor>
        .
      </Alert>
    );
  return (
    <Stack gap="sm" role="status">
      <Text>Waiting for the first signal … Use the tool for one prompt.</Text>
      <Text size="sm" c="dimmed">
        {lastUsed === null
          ? 'The key has not been used yet: nothing has reached this service with it.'
          : `The key was used ${ago(lastUsed * 1_000)}: the tool reaches this service, but no signal was taken yet.`}
      </Text>
      {Date.now() - beganMs > PATIENCE_MS && <Mistakes />}
    </Stack>
  );
}

function Mistakes() {
  return (
    <Alert variant="outline" color="gray" title="The three usual mistakes">
      <List size="sm" type="ordered">
        <List.Item>
          The tool still runs with its old settings. End it and start it again in the same shell.
        </List.Item>
        <List.Item>The key was cut off while copying. It begins with ugk_; create another one.</List.Item>
        <List.Item>The machine does not reach this address. Open it in a browser there.</List.Item>
      </List>
    </Alert>
  );
}
