import { Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { changeWords } from './change-words.ts';
import { compact, exact, money } from './format.ts';

/** A count in four digits at most; hover and focus give all of them. */
export function Count({ of }: { of: number }) {
  const short = compact(of);
  const whole = exact(of);
  if (short === whole) return short;
  return (
    <Tooltip label={whole} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact count is for the keyboard too. */}
      <span tabIndex={0}>{short}</span>
    </Tooltip>
  );
}

/** An amount of a budget in the unit of its metric. */
export function Amount({ metric, of }: { metric: string; of: number }) {
  return metric === 'cost_usd' ? money(of) : <Count of={of} />;
}

/** The difference of a number from that of another period. Eyes see the share alone: the page says once what it compares with. */
export function Change({ now, before, than }: { now: number; before: number | undefined; than: string }) {
  const words = before === undefined ? null : changeWords(now, before, than);
  if (words === null) return null;
  return (
    <Text span size="xs" c="dimmed">
      {words.seen}
      <VisuallyHidden>{words.heard}</VisuallyHidden>
    </Text>
  );
}

/** Says once for all changes of a page what they are from. */
export function ComparedWith({ than }: { than: string }) {
  return (
    <Text size="xs" c="dimmed" aria-hidden>
      ▲▼ compared with {than}
    </Text>
  );
}
