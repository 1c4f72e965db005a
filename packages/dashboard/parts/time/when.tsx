import { useContext } from 'react';
import { useMe } from '../../data/use-me.ts';
import { ago, dateTime, type Precision, placeOf } from '../../words/time.ts';
import { InLink } from '../text/in-link.ts';

/** The zone of every time and day of a page: the organization's. */
export function useZone(): string {
  return useMe().org.timezone;
}

/** Names the zone of a page's times. */
export function TimesIn() {
  return <>Times in {placeOf(useZone())}</>;
}

/**
 * A time in the organization's zone, or how long ago it was. `TimeHint` gives it by the viewer's own clock and in UTC. A number
 * is Unix seconds; null is `never`.
 */
export function When({
  at,
  relative = false,
  precision = 'minute',
}: {
  at: string | number | null;
  relative?: boolean;
  precision?: Precision;
}) {
  const zone = useZone();
  const isInLink = useContext(InLink);
  if (at === null) return <>never</>;
  const ms = typeof at === 'number' ? at * 1_000 : Date.parse(at);
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      data-precision={precision}
      // A link has the focus itself.
      {...(isInLink ? {} : { tabIndex: 0 })}
      style={{ whiteSpace: 'nowrap' }}
    >
      {relative ? ago(ms) : dateTime(ms, zone, { precision })}
    </time>
  );
}
