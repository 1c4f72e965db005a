import { Button, getDefaultZIndex, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sessionEnded } from '../data/query-client.ts';
import { broadcastSession, onSessionBroadcast } from '../data/tabs.ts';
import { useMe } from '../data/use-me.ts';

/** Offers to sign in again in another tab when the session has ended, so that nothing typed here is lost. */
export function Renewal() {
  const me = useMe();
  const client = useQueryClient();
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const notice = () => setEnded(true);
    sessionEnded.addEventListener('ended', notice);
    return () => sessionEnded.removeEventListener('ended', notice);
  }, []);
  useEffect(() => broadcastSession(me), [me]);
  useEffect(
    () =>
      onSessionBroadcast(me, () => {
        if (!ended) return;
        setEnded(false);
        void client.invalidateQueries();
      }),
    [me, client, ended],
  );
  const renew = `/dashboard/login?${new URLSearchParams({ return_to: '/dashboard/renewed' })}`;
  return (
    // Above the dialog in which something was being typed, whichever of the two was mounted first.
    <Modal
      opened={ended}
      onClose={() => setEnded(false)}
      title="Your session has ended"
      centered
      zIndex={getDefaultZIndex('overlay')}
    >
      <Stack>
        <Text>Sign in again in a new tab. What you have typed here stays.</Text>
        <Button component="a" href={renew} target="_blank" rel="noopener">
          Sign in again
        </Button>
      </Stack>
    </Modal>
  );
}
