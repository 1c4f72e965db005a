import { Paper, SimpleGrid, Text } from '@mantine/core';

export interface Figure {
  label: string;
  value: React.ReactNode;
  /** The change from another period, or what the figure is made of. */
  notes?: readonly React.ReactNode[];
}

/** Figures side by side, each under its name. */
export function Figures({ label, of }: { label: string; of: readonly Figure[] }) {
  return (
    <SimpleGrid cols={{ base: 2, lg: of.length }} spacing="sm" component="section" aria-label={label}>
      {of.map(({ label: name, value, notes = [] }) => (
        <Paper key={name} withBorder p="sm">
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <Text className="tile" component="div">
            {value}
          </Text>
          {notes.map((note, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a figure keep their places.
            <Text key={index} size="xs" c="dimmed" component="div" mih={18}>
              {note}
            </Text>
          ))}
        </Paper>
      ))}
    </SimpleGrid>
  );
}
