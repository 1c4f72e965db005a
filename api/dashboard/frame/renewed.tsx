import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { meQuery } from '../data/queries.ts';
import { tellTabs } from '../data/tabs.ts';
import { Frame } from './frame.tsx';
import { Plain } from './plain.tsx';

/** Opened by a tab whose session had ended: tells that tab who is signed in now, and closes. Else says why it cannot. */
export function Renewed() {
  const { data: me } = useQuery(meQuery());
  useEffect(() => {
    if (!me) return;
    tellTabs(me);
    window.close();
  }, [me]);
  if (!me) return <Frame />;
  return (
    <Plain>
      <Stack>
        <Title order={1}>Signed in</Title>
        <Text>Go back to the tab that you came from; nothing there was lost.</Text>
      </Stack>
    </Plain>
  );
}
