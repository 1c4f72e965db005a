import { z } from 'zod';
import type { Context } from '../../../../platform/context/context.ts';
import { sendScript } from '../../../../platform/context/send-script.ts';
import { reservationKeys } from '../../../../platform/redis/keys.ts';
import { IDENTITY, loadScript, type Script } from '../../../../platform/redis/script.ts';

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

/** The answers of each script, by the codes that they begin with. */
const REPLIES = {
  'read-state': replyOf(['open', 'shut']),
  open: replyOf(['open', 'shut']),
  reserve: replyOf(['shut', 'replay', 'reused', 'stale', 'refused', 'full', 'crowded', 'reserved']),
  settle: replyOf(['settled', 'shut']),
  release: replyOf(['released', 'shut']),
  'release-matching': replyOf(['released', 'shut']),
};
type Code<Name extends keyof typeof REPLIES> = z.output<(typeof REPLIES)[Name]>[0];

function replyOf<const Codes extends readonly string[]>(codes: Codes) {
  return z.tuple([z.enum(codes), z.int()], z.string());
}

/**
 * Calls a script of an organization's reservations. Throws `store_unavailable` when nothing was written and
 * `outcome_unknown` when no answer came.
 */
export async function callReservations<Name extends keyof typeof REPLIES>(
  ctx: Context,
  name: Name,
  orgId: string,
  args: readonly (string | number)[],
  idk = '',
): Promise<{ code: Code<Name>; redisMs: number; values: string[] }> {
  const { state, held, reservations, ends, people, record } = reservationKeys(orgId);
  const keys = [state, held, reservations, ends, people, ...(name === 'reserve' ? [record(idk)] : [])];
  const reply = REPLIES[name].parse(await sendScript(ctx, scripts[name], keys, args));
  const [code, redisMs, ...values] = reply;
  return { code, redisMs, values };
}
