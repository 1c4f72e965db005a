import { SimpleGrid, Text } from '@mantine/core';

/** The facts about one object, each under its name; `lg` is their number per line on a wide screen. */
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
