import { SimpleGrid, Text } from '@mantine/core';

/** What is to be known of one thing, each fact under its name; `lg` is how many stand beside each other on a wide screen. */
export function Facts({ of, lg = 5 }: { of: Readonly<Record<string, React.ReactNode>>; lg?: number }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg }} spacing="md" verticalSpacing="sm">
      {Object.entries(of).map(([label, value]) => (
        <div key={label}>
          <Text size="xs" c="dimmed">
            {label}
          </Text>
          <Text size="sm" component="div" className="wrap">
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
