import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, take } from '../data/client.ts';
import { keysQuery, sessionsQuery } from '../data/queries.ts';
import { useAct } from '../data/use-act.ts';
import { useMe } from '../data/use-me.ts';
import { useChoice } from '../data/use-range.ts';
import { KeyTable } from '../parts/access/key-table.tsx';
import { pasteFor, TOOLS } from '../parts/access/tools.ts';
import { ActButton } from '../parts/form/act-button.tsx';
import { Copyable } from '../parts/form/copyable.tsx';
import { optionsOf, SearchSelect } from '../parts/form/search-select.tsx';
import { Page } from '../parts/page/page.tsx';
import { Section } from '../parts/page/section.tsx';
import { When } from '../parts/time/when.tsx';

/** Connect a tool: make a key, take the settings over, wait for the first signal. */
export function Connect() {
  const tool = useChoice('tool', TOOLS) ?? 'claude-code';
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
      <Section title="1. Choose the tool and create a key">
        <SearchSelect name="tool" label="Tool" maw={320} value={tool} data={optionsOf(TOOLS)} />
        <div>
          <ActButton act={create} variant="filled">
            Create key
          </ActButton>
        </div>
      </Section>
      <Section title="2. Give it these settings">
        {made ? (
          <Text>The key in them is shown this once. Copy them now.</Text>
        ) : (
          <Text c="dimmed">With a key in place of API_KEY, once you have created one.</Text>
        )}
        <Copyable label="Settings" value={pasteFor(tool, window.location.origin, made?.key ?? 'API_KEY')} />
      </Section>
      <Section title="3. Use it once">
        {made ? (
          <Arrival key={made.id} keyId={made.id} sinceS={made.created_at} />
        ) : (
          <Text c="dimmed">Then its first signal appears here.</Text>
        )}
      </Section>
      <Section title="Your keys">
        <KeyTable userId={user_id} />
      </Section>
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
  const keys = useQuery({ ...keysQuery({ user_id }), refetchInterval: 3_000 });
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
        {lastUsed === null ? (
          'The key has not been used yet: nothing has reached this service with it.'
        ) : (
          <>
            The key was used <When at={lastUsed} relative precision="second" />: the tool reaches this
            service, but no signal was taken yet.
          </>
        )}
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
