import { z } from 'zod';
import { dateAt, isoTime } from '../../../../platform/basics/clock.ts';
import { isDuplicateKey } from '../../../../platform/basics/errors.ts';
import { DAY_MS } from '../../../../platform/basics/interval.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { boundedCache } from '../../../../platform/context/per-context.ts';
import { type AskWay, askedRows } from '../state/model.ts';

const time = z.string().nullable();

export const askedView = z
  .strictObject({ check: time, reserve: time, hook: time, gate: time })
  .describe('The last time within 7 days, by each way, that anybody asked before a call, to the minute');

const WRITTEN_EACH_MS = 60_000;
const KNOWN_MS = 7 * DAY_MS;

/** The moments at which this process last wrote, epoch ms. */
const written = boundedCache<string, number>({ max: 10_000 });

/**
 * Records that somebody asked about a call: at most once per minute, organization and way. The answer does not wait for it, and
 * a write that fails is made a minute later.
 */
export function noteAsked(ctx: Context, orgId: string, way: AskWay): void {
  const nowMs = ctx.clock.now();
  const name = `${way} ${orgId}`;
  if (nowMs - (written(ctx).get(name) ?? 0) < WRITTEN_EACH_MS) return;
  written(ctx).set(name, nowMs);
  record(ctx, orgId, way, nowMs).catch((error: unknown) => {
    // Another process has written within the minute: the row is there, and the filter does not match it.
    if (!isDuplicateKey(error)) ctx.log.debug({ err: error }, 'a question about a call was not recorded');
  });
}

async function record(ctx: Context, orgId: string, way: AskWay, nowMs: number): Promise<void> {
  const isOlder = { [way]: { $not: { $gt: dateAt(nowMs - WRITTEN_EACH_MS) } } };
  await askedRows(ctx).updateOne(
    { _id: orgId, ...isOlder },
    { $set: { [way]: dateAt(nowMs) } },
    { upsert: true },
  );
}

/** Reads when anybody last asked about a call of an organization. */
export async function readAsked(ctx: Context, orgId: string): Promise<z.output<typeof askedView>> {
  const row = await askedRows(ctx).findOne({ _id: orgId });
  const sinceMs = ctx.clock.now() - KNOWN_MS;
  const shown = (at: Date | undefined) => (at && at.getTime() >= sinceMs ? isoTime(at.getTime()) : null);
  return {
    check: shown(row?.check),
    reserve: shown(row?.reserve),
    hook: shown(row?.hook),
    gate: shown(row?.gate),
  };
}
