import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { keysQuery, sessionsQuery } from '../../data/queries.ts';
import { When } from '../time/when.tsx';

const PATIENCE_MS = 30_000;

/**
 * Waits until the key was used and there was activity after it was made: another tool of the same person makes activity
 * too. A signal may join a session that is older, so its last activity counts; the clock of this browser may be wrong, so
 * it is compared with that of the service.
 */
export function Arrival({
  keyId,
  sinceS,
  userId,
}: {
  keyId: string;
  sinceS: number;
  /** The user of the key; null for a key that is bound to nobody. */
  userId: string | null;
}) {
  const [beganMs] = useState(Date.now);
  const of = userId === null ? {} : { user_id: userId };
  const sessions = useQuery({ ...sessionsQuery({ ...of, limit: 20 }), refetchInterval: 3_000 });
  const keys = useQuery({ ...keysQuery(of), refetchInterval: 3_000 });
  const arrived = sessions.data?.data.find(
    ({ last_activity_at }) => Date.parse(last_activity_at) >= sinceS * 1_000,
  );
  const lastUsed = keys.data?.data.find(({ id }) => id === keyId)?.last_used_at ?? null;
  if (arrived && lastUsed !== null)
    return (
      <Alert color="green" variant="outline" title="It works" role="status">
        A call has arrived.{' '}
        <Anchor component={Link} to={`/sessions/${arrived.id}`}>
          Look at its session
        </Anchor>
        .
      </Alert>
    );
  return (
    <Stack gap="sm" role="status">
      <Text>Waiting for the first call … Use the tool for one prompt.</Text>
      <Text size="sm" c="dimmed">
        {lastUsed === null ? (
          'The key has not been used yet: nothing has reached this service with it.'
        ) : (
          <>
            The key was used <When at={lastUsed} relative precision="second" />: the tool reaches this
            service, but no call was taken yet.
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
