import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { meQuery } from '../data/queries.ts';
import { Plain } from './plain.tsx';
import { SESSIONS_CHANNEL } from './renewal.tsx';

/** Opened by a tab whose session had ended: tells that tab who is signed in now, and closes. */
export function Renewed() {
  const { data: me } = useQuery(meQuery());
  useEffect(() => {
    if (!me) return;
    const channel = new BroadcastChannel(SESSIONS_CHANNEL);
    channel.postMessage({ user_id: me.user_id, org_id: me.org.id });
    channel.close();
    window.close();
  }, [me]);
  return (
    <Plain>
      <Stack>
        <Title order={1}>Signed in</Title>
        <Text>Go back to the tab that you came from; nothing there was lost.</Text>
      </Stack>
    </Plain>
  );
}
