import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { meQuery } from '../data/queries.ts';
import { broadcastSession } from '../data/tabs.ts';
import { Frame } from './frame.tsx';
import { Plain } from './plain.tsx';

/**
 * The page that a tab whose session had ended opens: it broadcasts who is signed in now. It cannot close itself, since no page of
 * the identity provider may reach the tab that it came from.
 */
export function Renewed() {
  const { data: me } = useQuery(meQuery());
  useEffect(() => {
    if (me) broadcastSession(me);
  }, [me]);
  if (!me) return <Frame />;
  return (
    <Plain>
      <Stack>
        <Title order={1}>Signed in</Title>
        <Text>Close this tab and go back to the one that you came from. Nothing there was lost.</Text>
      </Stack>
    </Plain>
  );
}
