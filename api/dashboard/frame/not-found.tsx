import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Plain } from './plain.tsx';

export function NotFound() {
  return (
    <Plain>
      <Stack>
        <Title order={1}>There is no such page</Title>
        <Text>
          Go to the <Anchor href="/dashboard/">Overview</Anchor>.
        </Text>
      </Stack>
    </Plain>
  );
}
