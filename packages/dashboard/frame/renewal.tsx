import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { sessionEnded } from '../data/query-client.ts';
import { broadcastSession, onSessionBroadcast } from '../data/tabs.ts';
import { useMe } from '../data/use-me.ts';

const RenewalDialog = lazy(async () => ({ default: (await import('./renewal-dialog.tsx')).RenewalDialog }));

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
  return <Suspense>{ended && <RenewalDialog onClose={() => setEnded(false)} />}</Suspense>;
}
