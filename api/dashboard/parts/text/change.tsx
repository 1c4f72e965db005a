import { Text, VisuallyHidden } from '@mantine/core';
import { compact } from './format.ts';

/** How much a number differs from the period before: sign, arrow and per cent. Nothing where there was nothing. */
export function Change({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return null;
  if (before === 0)
    return (
      <Text span size="xs" c="dimmed">
        {now === 0 ? '' : 'new'}
      </Text>
    );
  const pct = ((now - before) / before) * 100;
  const rounded = pct === 0 ? '0' : Math.abs(pct) < 10 ? pct.toFixed(1) : compact(Math.round(pct));
  const arrow = pct > 0 ? '▲' : pct < 0 ? '▼' : '=';
  return (
    <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
      {arrow} {pct > 0 ? '+' : ''}
      {rounded} % <VisuallyHidden>against the period before</VisuallyHidden>
    </Text>
  );
}
