import { Group, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';

/** The result of something, good or bad by icon, word and colour. */
export function Outcome({ isGood, children }: { isGood: boolean; children: React.ReactNode }) {
  const Icon = isGood ? IconCircleCheck : IconCircleX;
  const colour = isGood ? 'var(--good)' : 'var(--bad)';
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex" style={{ color: colour }}>
      <Icon size={16} aria-hidden style={{ flex: 'none' }} />
      <Text span size="sm" inherit className="wrap">
        {children}
      </Text>
    </Group>
  );
}
