import { Paper, Stack, Text } from '@mantine/core';

/** Nothing here yet: what would appear, and what to do about it. */
export function Empty({ children, action }: { children: React.ReactNode; action?: React.ReactNode }) {
  return (
    <Paper withBorder p="lg">
      <Stack align="center" gap="md">
        <Text ta="center" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
