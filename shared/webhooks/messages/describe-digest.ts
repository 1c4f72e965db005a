import type { Payload } from './describe.ts';
import type { Envelope, Fact, Message } from './message.ts';
import { readable } from './text.ts';

/** A chat shows about ten facts at once. */
const SHOWN = 9;

/** What a digest collects: events without their organization, which is that of the digest. */
export type Collected = Omit<Envelope, 'org_id'>;

/** A digest in words: its first events, one per line as `describe` has them, and how many more there are. */
export function describeDigest(data: Payload, describe: (event: Envelope) => Message): Message {
  const events = (Array.isArray(data.events) ? data.events : []) as Collected[];
  const shown = events.slice(0, SHOWN).map((event): Fact => {
    const { title } = describe({ ...event, org_id: '' });
    return [event.ts.slice(0, 16).replace('T', ' '), title];
  });
  const more = events.length - shown.length;
  const rest: Fact[] = more === 0 ? [] : [['And', `${readable(more)} more`]];
  return {
    title: events.length === 1 ? 'Digest: 1 event' : `Digest: ${readable(events.length)} events`,
    urgency: 'low',
    facts: [...shown, ...rest],
  };
}
