import { Group, Paper, type PaperProps, Stack, Text, Title } from '@mantine/core';

/** A part of a page under its own heading; `aside` is at the other end of the heading. */
export function Section({
  title,
  aside,
  children,
  ...paper
}: PaperProps & { title: React.ReactNode; aside?: React.ReactNode; children: React.ReactNode }) {
  return (
    <Paper withBorder p="md" {...paper}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2}>{title}</Title>
          {aside}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

/** A page or section without rows: what would appear, and what to do about it. */
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
