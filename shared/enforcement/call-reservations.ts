import { z } from 'zod';
import type { Context } from '../platform/context/context.ts';
import { sendScript } from '../platform/context/send-script.ts';
import { reservationKeys } from '../platform/redis/keys.ts';
import { IDENTITY, loadScript, type Script } from '../platform/redis/script.ts';

const scripts = {
  'read-state': reservationScript('read-state'),
  open: reservationScript('open'),
  reserve: reservationScript('reserve'),
  settle: reservationScript('settle'),
  release: reservationScript('release'),
  'release-matching': reservationScript('release-matching'),
};

function reservationScript(name: string): Script {
  const own = ['reservations', name].map((file) => new URL(`${file}.lua`, import.meta.url));
  return loadScript(IDENTITY, ...own);
}

/** The codes that each script may answer with. */
const CODES = {
  'read-state': ['open', 'shut'],
  open: ['open', 'shut'],
  reserve: ['shut', 'replay', 'reused', 'stale', 'refused', 'full', 'crowded', 'reserved'],
  settle: ['settled', 'shut'],
  release: ['released', 'shut'],
  'release-matching': ['released', 'shut'],
} as const;
type Codes = typeof CODES;

const reply = z.tuple([z.string(), z.int()], z.string());

/**
 * Calls a script of an organization's reservations. Throws `store_unavailable` when nothing was written and
 * `outcome_unknown` when no answer came.
 */
export async function callReservations<Name extends keyof Codes>(
  ctx: Context,
  name: Name,
  orgId: string,
  args: readonly (string | number)[],
  idk = '',
): Promise<{ code: Codes[Name][number]; redisMs: number; values: string[] }> {
  const { state, held, reservations, ends, people, record } = reservationKeys(orgId);
  const keys = [state, held, reservations, ends, people, ...(name === 'reserve' ? [record(idk)] : [])];
  const [code, redisMs, ...values] = reply.parse(await sendScript(ctx, scripts[name], keys, args));
  return { code: z.enum(CODES[name]).parse(code), redisMs, values };
}
