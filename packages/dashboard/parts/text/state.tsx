import { Group, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconHandStop,
  IconPlayerPause,
} from '@tabler/icons-react';

const GOOD = 'var(--good)';
const CAUTION = 'var(--caution)';
const BAD = 'var(--bad)';
const PLAIN = 'var(--mantine-color-dimmed)';

const STATES: Record<string, readonly [typeof IconClock, string]> = {
  open: [IconCircleDashed, GOOD],
  ended: [IconCircleCheck, PLAIN],
  ok: [IconCircleCheck, GOOD],
  warning: [IconAlertTriangle, CAUTION],
  exceeded: [IconCircleX, BAD],
  active: [IconCircleCheck, GOOD],
  failing: [IconCircleX, BAD],
  paused: [IconPlayerPause, CAUTION],
  revoked: [IconHandStop, PLAIN],
  expired: [IconClock, PLAIN],
  pending: [IconClock, CAUTION],
  succeeded: [IconCircleCheck, GOOD],
  held: [IconPlayerPause, CAUTION],
  exhausted: [IconCircleX, BAD],
  cancelled: [IconHandStop, PLAIN],
  error: [IconCircleX, BAD],
  invited: [IconClock, CAUTION],
  declined: [IconHandStop, PLAIN],
  joined: [IconCircleCheck, GOOD],
};

/** A state as icon, word and colour, so that none of them is needed alone. */
export function State({ of, children }: { of: string; children?: React.ReactNode }) {
  const [Icon, colour] = STATES[of] ?? [IconCircleDashed, PLAIN];
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex" style={{ verticalAlign: 'middle' }}>
      <Icon size={16} color={colour} aria-hidden />
      <Text span size="sm" inherit style={{ color: colour, whiteSpace: 'nowrap' }}>
        {children ?? of}
      </Text>
    </Group>
  );
}
