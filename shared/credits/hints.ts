import type { Context } from '../platform/context/context.ts';
import type { Anchor, Bucket } from './model.ts';
import { monthAt, type Period } from './periods.ts';

/** What the last answer told about an account: enough to sign the next receipt before asking. It may be stale. */
export interface Hint {
  org: string;
  user: string;
  anchor: Anchor;
  month: Period | null;
  windowEndMs: number | null;
  /** The bucket from which the next credit will come while those periods run. */
  bucket: Bucket | null;
}

interface Hints {
  accounts: Map<string, Hint>;
  devices: Map<string, string>;
}

const LIMIT = 200_000;
const known = new WeakMap<Context['redis'], Hints>();

export function hintsOf(ctx: Context): Hints {
  const hints = known.get(ctx.redis) ?? { accounts: new Map(), devices: new Map() };
  known.set(ctx.redis, hints);
  if (hints.accounts.size > LIMIT) hints.accounts.clear();
  if (hints.devices.size > LIMIT) hints.devices.clear();
  return hints;
}

/** A period that is over is full again, so the next credit comes from the first of those. */
export function predictBucket(hint: Hint, nowMs: number): Bucket {
  if (hint.bucket === null || (hint.windowEndMs !== null && nowMs >= hint.windowEndMs)) return 'window';
  const monthIsOver = hint.month !== null && nowMs >= hint.month.endMs;
  return monthIsOver && hint.bucket !== 'window' ? 'monthly' : hint.bucket;
}

/** The month that holds `nowMs`, computed only when it turned. */
export function monthOf(hint: Hint, nowMs: number): Period {
  const { month } = hint;
  if (month && month.startMs <= nowMs && nowMs < month.endMs) return month;
  hint.month = monthAt(hint.anchor, nowMs);
  return hint.month;
}
