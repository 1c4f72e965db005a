import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';
import { newId } from '../../shared/platform/basics/ids.ts';
import { type Host, wholeFixture } from './whole-tenant.ts';

/** A Wednesday in the middle of a month. Nothing that is said at this time depends on the day on which the test runs. */
export const SAME_TIME = '2031-01-15T12:00:00.000Z';

/**
 * The same in every run, so that what is shown of it may be compared as a whole: it is always the same time, each request and each job
 * comes a millisecond after the one before, and new ids are in the order in which they were made.
 */
export async function sameWholeFixture(more: Record<string, string> = {}): Promise<Host> {
  countIds();
  const host: Host = await wholeFixture(SAME_TIME, more);
  const { api, clock } = host;
  const call = api.call.bind(api);
  const tick = () => clock.advance(1);
  host.tick = tick;
  api.call = (...request) => {
    tick();
    return call(...request);
  };
  return host;
}

/** Has the ids that this file makes count up instead of being random. */
function countIds(): void {
  const { randomFillSync } = crypto;
  let count = 0;
  crypto.randomFillSync = (<T extends Buffer>(bytes: T) => {
    for (let at = 0; at < bytes.length; at += 16) {
      bytes.fill(64, at, at + 8);
      bytes.writeBigUInt64BE(BigInt(count), at + 8);
      count += 1;
    }
    return bytes;
  }) as typeof randomFillSync;
  syncBuiltinESMExports();
  afterAll(() => {
    crypto.randomFillSync = randomFillSync;
    syncBuiltinESMExports();
  });
  // Those that were drawn before are used up.
  while (count === 0) newId('org');
}

export type Masks = readonly (readonly [pattern: RegExp, replacement: string])[];

const RANDOM: Masks = [
  [/\b([a-z]{2,4})_[0-9A-Za-z]{16,}/g, '$1_…'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/person-\d+/g, 'person-…'],
  [/\.\d{3}Z/g, '.…Z'],
];

/** A text without what differs from run to run: what these masks match, then ids, ports, names of this process, and milliseconds. */
export function masked(text: string, masks: Masks): string {
  return [...masks, ...RANDOM].reduce((all, [pattern, mask]) => all.replaceAll(pattern, mask), text);
}
