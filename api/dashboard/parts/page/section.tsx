import { Group, Paper, type PaperProps, Stack, Title } from '@mantine/core';

/** A part of a page under its own heading; `aside` stands at the other end of the heading. */
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
