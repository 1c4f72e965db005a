import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sessionEnded } from '../data/query-client.ts';
import { useMe } from '../data/use-me.ts';

export const SESSIONS_CHANNEL = 'usage-governor-sessions';

/** When the session has ended: offers to sign in again in another tab, so that nothing typed here is lost. */
export function Renewal() {
  const me = useMe();
  const client = useQueryClient();
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const notice = () => setEnded(true);
    sessionEnded.addEventListener('ended', notice);
    return () => sessionEnded.removeEventListener('ended', notice);
  }, []);
  useEffect(() => {
    const channel = new BroadcastChannel(SESSIONS_CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<{ user_id: string; org_id: string }>) => {
      // Somebody else's page must not stay on the screen.
      if (data.user_id !== me.user_id || data.org_id !== me.org.id) window.location.reload();
      setEnded(false);
      void client.invalidateQueries();
    };
    return () => channel.close();
  }, [me, client]);
  const renew = `/dashboard/login?${new URLSearchParams({ return_to: '/dashboard/renewed' })}`;
  return (
    <Modal opened={ended} onClose={() => setEnded(false)} title="Your session has ended" centered>
      <Stack>
        <Text>Sign in again in a new tab. What you have typed here stays.</Text>
        <Button component="a" href={renew} target="_blank" rel="opener">
          Sign in again
        </Button>
      </Stack>
    </Modal>
  );
}
