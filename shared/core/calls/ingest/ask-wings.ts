import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import {
  type AssignedDrafts,
  type KeptOut,
  type RecordedFields,
  type RecordedPart,
  type Wing,
  wingsOf,
} from '../../hooks/wing.ts';
import { timeoutMsOf } from '../sessions/assign.ts';
import type { Draft, Say } from '../signals/check-signal.ts';

/** Gives posted signals the fields that all wings read from them. */
export function sayAll(ctx: Context, orgId: string, posting: { isTelemetry: boolean }): Say {
  const says = wingsOf(ctx).flatMap(({ calls }) => calls?.say?.(ctx, orgId, posting) ?? []);
  return (signal) => Object.assign({}, ...says.map((say) => say(signal)));
}

/** The judgement of drafts by the settings of their organization alone. */
export interface Judged {
  organization: Organization;
  /** Those of history that raise no events. */
  past: ReadonlySet<Draft>;
  /** Those that a wing may keep out of the count. A wing that doubts none is not listed. */
  doubted: ReadonlyMap<Wing, ReadonlySet<Draft>>;
}

/** Age beyond the session timeout from which a historical signal is past: it raises no events, and no wing keeps it out. */
const PAST_MS = 3_600_000;

/** Judges drafts by the settings of their organization; `historical` are those that were posted as history. */
export function judge(
  ctx: Context,
  { drafts, historical }: { drafts: readonly Draft[]; historical: ReadonlySet<Draft> },
  organization: Organization,
): Judged {
  const nowMs = ctx.clock.now();
  const timeoutMs = timeoutMsOf(organization);
  const past = new Set([...historical].filter(({ ts }) => ts.getTime() < nowMs - timeoutMs - PAST_MS));
  const present = past.size === 0 ? drafts : drafts.filter((draft) => !past.has(draft));
  const doubted = new Map<Wing, ReadonlySet<Draft>>();
  for (const wing of wingsOf(ctx)) {
    const own = wing.calls?.doubt?.(organization, present) ?? [];
    if (own.length > 0) doubted.set(wing, new Set(own));
  }
  return { organization, past, doubted };
}

/** The parts of the wings that keep drafts out of the count, and the drafts that are left. */
interface Sifted {
  parts: readonly KeptOut[];
  counting: readonly Draft[];
}

/**
 * Has the wings keep drafts out of the count, each among those that the ones before it have left. The first of several drafts with
 * one key is the signal, and the others go where it goes.
 */
export async function keepOut(
  ctx: Context,
  { organization, doubted }: Judged,
  drafts: readonly Draft[],
  transaction: ClientSession,
): Promise<Sifted> {
  let left: readonly Draft[] = firstOfEach(drafts);
  const parts: KeptOut[] = [];
  for (const wing of wingsOf(ctx)) {
    const batch = { drafts: left, doubted: doubted.get(wing) ?? NONE };
    const part = await wing.calls?.keepOut?.(ctx, organization, batch, transaction);
    if (!part) continue;
    parts.push(part);
    left = left.filter((draft) => !part.drafts.has(draft));
  }
  if (parts.length === 0) return { parts, counting: drafts };
  const counting = new Set(left.map(({ _id }) => _id));
  return { parts, counting: drafts.filter(({ _id }) => counting.has(_id)) };
}

export function firstOfEach(drafts: readonly Draft[]): Draft[] {
  const first = new Map<string, Draft>();
  for (const draft of drafts) if (!first.has(draft._id)) first.set(draft._id, draft);
  return [...first.values()];
}

const NONE: ReadonlySet<Draft> = new Set();

/** Has the wings take part in the recording of drafts that have found their sessions. */
export async function recordAll(
  ctx: Context,
  rules: { organization: Organization; contexts: number },
  batch: AssignedDrafts,
  transaction: ClientSession,
): Promise<readonly RecordedPart[]> {
  const parts: RecordedPart[] = [];
  for (const { calls } of wingsOf(ctx)) {
    const part = await calls?.record?.(ctx, rules, batch, transaction);
    if (part) parts.push(part);
  }
  return parts;
}

/** Joins the fields that several wings give signals. */
export function joinFields(parts: readonly RecordedPart[]): ReadonlyMap<string, RecordedFields> {
  const fields = new Map<string, RecordedFields>();
  for (const part of parts)
    for (const [key, own] of part.fields) fields.set(key, { ...fields.get(key), ...own });
  return fields;
}
