import { z } from 'zod';
import { isoTime } from '../platform/basics/clock.ts';
import { hashedKey } from '../platform/basics/ids.ts';
import { within } from '../platform/basics/within.ts';
import { boundedCache } from '../platform/context/cache.ts';
import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import { valuesKey } from '../platform/redis/keys.ts';
import { loadScript, runScript } from '../platform/redis/script.ts';
import { sessionKey } from '../sessions/assign.ts';
import { sessionHeadRows } from '../sessions/model.ts';
import type { Draft } from '../signals/check-signal.ts';
import { findKnown } from './find-known.ts';

const FIELDS = ['model', 'user_id', 'project_id'] as const;
/** A field of which an organization may have only so many values per day. */
export type Field = (typeof FIELDS)[number];
type ValuesByField = Record<Field, Set<string>>;

/** A count outlives its day by a day, so that processes whose clocks differ share it. */
const LIFETIME_S = 2 * 86_400;
/** How long signals wait for Redis, and how long they do not ask it again after it failed. */
const WAIT_MS = 250;
const PAUSE_MS = 5_000;

/** What this process knows to be counted, over all organizations: at 256 characters each, 50 MB. */
const seenValues = boundedCache<string, true>({ max: 100_000 });
/** Until when Redis is not asked, by `elapsed`. */
const pause = perContext(() => ({ endsMs: 0 }));
const script = loadScript(new URL('count-values.lua', import.meta.url));
const reply = z.array(z.array(z.int().min(0)));

/**
 * The signals that would bring their organization more distinct users, projects or models on this UTC day of receipt than
 * it may have, each with the field. Only values that this process has not seen today cost anything: one call of Redis.
 * Counts are those of a HyperLogLog: exact while they are small, within about 1 % at a million. When Redis cannot
 * be asked, nothing is refused.
 */
export async function findExcess(
  ctx: Context,
  orgId: string,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<Draft, Field>> {
  const excess = new Map<Draft, Field>();
  const nowMs = ctx.clock.now();
  if (!ctx.config.rateLimits || ctx.clock.elapsed() < pause(ctx).endsMs) return excess;
  const day = isoTime(nowMs).slice(0, 'YYYY-MM-DD'.length);
  const seen = seenValues(ctx);
  const nameOf = (field: Field, value: string) => `${day} ${orgId} ${field} ${value}`;
  const unseen = unseenValues(drafts, (field, value) => seen.get(nameOf(field, value)) === true);
  const full = unseen && (await countValues(ctx, orgId, day, unseen));
  if (full === null) return excess;
  for (const draft of drafts) {
    const field = FIELDS.find((each) => full[each].has(draft[each] ?? ''));
    if (field) excess.set(draft, field);
  }
  await forgiveKnown(ctx, orgId, excess);
  for (const draft of drafts)
    for (const field of FIELDS) {
      const value = draft[field];
      if (value !== null && !excess.has(draft)) seen.set(nameOf(field, value), true);
    }
  return excess;
}

/** The values of these signals that were not seen; null when all were. */
function unseenValues(
  drafts: readonly Draft[],
  isSeen: (field: Field, value: string) => boolean,
): ValuesByField | null {
  let unseen: ValuesByField | null = null;
  for (const draft of drafts)
    for (const field of FIELDS) {
      const value = draft[field];
      if (value === null || isSeen(field, value)) continue;
      unseen ??= noValues();
      unseen[field].add(value);
    }
  return unseen;
}

/** Counts the values in Redis, as hashes. The answer is those that found no room; null when they were not counted. */
async function countValues(
  ctx: Context,
  orgId: string,
  day: string,
  unseen: ValuesByField,
): Promise<ValuesByField | null> {
  const keys = FIELDS.map((field) => valuesKey(orgId, day, field));
  const args = FIELDS.flatMap((field) => {
    const hashes = [...unseen[field]].map((value) => hashedKey(12, value));
    return [ctx.config.valuesPerDay, hashes.length, ...hashes];
  });
  try {
    const full = noValues();
    const answer = await within(
      WAIT_MS,
      'Counting values',
      runScript(ctx.redis.queues, script, keys, [LIFETIME_S, ...args]),
    );
    for (const [index, positions] of reply.parse(answer).entries()) {
      const field = FIELDS[index] as Field;
      const values = [...unseen[field]];
      for (const position of positions) full[field].add(values[position] ?? '');
    }
    return full;
  } catch (error) {
    ctx.log.debug({ err: error }, 'distinct values were not counted');
    pause(ctx).endsMs = ctx.clock.elapsed() + PAUSE_MS;
    return null;
  }
}

/**
 * What another process counted, or this one before it began anew, is no new value: a user who has worked in this project
 * with this tool before, and all of a signal that was recorded before. Only a batch of an organization that has reached
 * a limit gets here.
 */
async function forgiveKnown(ctx: Context, orgId: string, excess: Map<Draft, Field>): Promise<void> {
  await forgiveRepeats(ctx, orgId, excess);
  const keys = new Map<Draft, string>();
  for (const [draft, field] of excess)
    if (field !== 'model')
      keys.set(draft, sessionKey(draft.org_id, draft.user_id, draft.project_id, draft.adapter));
  if (keys.size === 0) return;
  const heads = await sessionHeadRows(ctx)
    .find({ _id: { $in: [...new Set(keys.values())] } })
    .toArray();
  const known = new Set(heads.map(({ _id }) => _id));
  for (const [draft, key] of keys) if (known.has(key)) excess.delete(draft);
}

async function forgiveRepeats(ctx: Context, orgId: string, excess: Map<Draft, Field>): Promise<void> {
  if (excess.size === 0) return;
  const recorded = await findKnown(ctx, orgId, [...excess.keys()]);
  for (const draft of excess.keys()) if (recorded.has(draft._id)) excess.delete(draft);
}

function noValues(): ValuesByField {
  return { model: new Set(), user_id: new Set(), project_id: new Set() };
}
