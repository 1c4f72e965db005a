import { z } from 'zod';
import { isoTime } from '../../../platform/basics/clock.ts';
import { hashedKey } from '../../../platform/basics/ids.ts';
import { within } from '../../../platform/basics/within.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache, perContext } from '../../../platform/context/per-context.ts';
import { valuesKey } from '../../../platform/redis/keys.ts';
import { loadScript, runScript } from '../../../platform/redis/script.ts';
import type { Draft } from '../signals/check-signal.ts';

const FIELDS = ['model', 'user_id', 'project_id', 'work'] as const;
/** A field with a limit on an organization's distinct values per day. */
export type Field = (typeof FIELDS)[number];
type ValuesByField = Record<Field, Set<string>>;

/** A signal as its values count, or a context. A work counts as it is said: the rest of it follows from the time. */
export type Counted = Record<'model' | 'user_id' | 'project_id', string | null> & Pick<Draft, 'parts'>;

function valueIn(counted: Counted, field: Field): string | null {
  if (field !== 'work') return counted[field];
  const { place, task } = counted.parts ?? {};
  if (!place && !task) return null;
  return hashedKey(12, place?.repository ?? '', place?.branch?.hash ?? '', task?.hash ?? '');
}

/** A count outlives its day by a day, so that processes whose clocks differ share it. */
const LIFETIME_S = 2 * 86_400;
/** How long signals wait for Redis, and how long they skip it after it failed. */
const WAIT_MS = 250;
const PAUSE_MS = 5_000;

/** Values of all organizations that are counted already: at 256 characters each, 50 MB. */
const seenValues = boundedCache<string, true>({ max: 100_000 });
/** The end of the pause after a failure of Redis, by `elapsed`. */
const pause = perContext(() => ({ endsMs: 0 }));
const script = loadScript(new URL('count-values.lua', import.meta.url));
const reply = z.array(z.array(z.int().min(0)));

/**
 * Finds the signals with a new user, project, model or work of which the organization has as many as it may have on this UTC day of
 * receipt, each with the field. Only values that this process has not seen today cost anything: one call of Redis. The counts
 * are those of a HyperLogLog: exact while they are small, within about 1 % at a million. When Redis does not answer, nothing
 * is refused.
 */
export async function findOverLimit<Each extends Counted>(
  ctx: Context,
  orgId: string,
  drafts: readonly Each[],
): Promise<ReadonlyMap<Each, Field>> {
  const overLimit = new Map<Each, Field>();
  if (!ctx.config.rateLimits || ctx.clock.elapsed() < pause(ctx).endsMs) return overLimit;
  const day = dayOf(ctx);
  const unseen: [Each, Value[]][] = [];
  for (const draft of drafts) {
    const own = unseenIn(ctx, orgId, day, draft);
    if (own.length > 0) unseen.push([draft, own]);
  }
  if (unseen.length === 0) return overLimit;
  const full = await countValues(
    ctx,
    orgId,
    day,
    unseen.flatMap(([, own]) => own),
  );
  if (full === null) return overLimit;
  for (const [draft, own] of unseen) {
    const first = own.find(({ field, value }) => full[field].has(value));
    if (first) overLimit.set(draft, first.field);
    else remember(ctx, own);
  }
  return overLimit;
}

/** Remembers the values of signals that are recorded although they were over the limit: today they are not refused again. */
export function rememberValues(ctx: Context, orgId: string, drafts: readonly Counted[]): void {
  const day = dayOf(ctx);
  for (const draft of drafts) remember(ctx, unseenIn(ctx, orgId, day, draft));
}

function remember(ctx: Context, values: readonly Value[]): void {
  for (const { name } of values) seenValues(ctx).set(name, true);
}

function dayOf(ctx: Context): string {
  return isoTime(ctx.clock.now()).slice(0, 'YYYY-MM-DD'.length);
}

interface Value {
  field: Field;
  value: string;
  name: string;
}

/** The values of a signal that this process has not seen today. */
function unseenIn(ctx: Context, orgId: string, day: string, counted: Counted): Value[] {
  const unseen: Value[] = [];
  for (const field of FIELDS) {
    const value = valueIn(counted, field);
    if (value === null) continue;
    const name = `${day} ${orgId} ${field} ${value}`;
    if (!seenValues(ctx).get(name)) unseen.push({ field, value, name });
  }
  return unseen;
}

/** Counts the values in Redis, as hashes. Returns those that found no room; null when they were not counted. */
async function countValues(
  ctx: Context,
  orgId: string,
  day: string,
  values: readonly Value[],
): Promise<ValuesByField | null> {
  const unseen = noValues();
  for (const { field, value } of values) unseen[field].add(value);
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
      const asked = [...unseen[field]];
      for (const position of positions) full[field].add(asked[position] ?? '');
    }
    return full;
  } catch (error) {
    ctx.log.debug({ err: error }, 'distinct values were not counted');
    pause(ctx).endsMs = ctx.clock.elapsed() + PAUSE_MS;
    return null;
  }
}

function noValues(): ValuesByField {
  return { model: new Set(), user_id: new Set(), project_id: new Set(), work: new Set() };
}
