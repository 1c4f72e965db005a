import { Tooltip } from '@mantine/core';
import { ago, dateTime } from './format.ts';

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
