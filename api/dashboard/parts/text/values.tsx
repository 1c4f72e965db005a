import { Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { ago, compact, dateTime, exact, money } from './format.ts';

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

/** A time in the viewer's zone; hover and focus give it in UTC. `never` where there is none. */
export function When({ at, relative = false }: { at: string | number | null; relative?: boolean }) {
  if (at === null) return <>never</>;
  const ms = typeof at === 'number' ? at * 1_000 : Date.parse(at);
  const utc = new Date(ms).toISOString();
  return (
    <Tooltip label={utc} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is for the keyboard too. */}
      <time dateTime={utc} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {relative ? ago(ms) : dateTime(ms)}
      </time>
    </Tooltip>
  );
}

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
