import type { Refusal } from '../../core/limits/enforcement/check/refused.ts';
import { derivedId } from '../../platform/basics/ids.ts';
import { MOST_ROWS } from './model.ts';

const MINUTE_MS = 60_000;
/** Rows with a person or an adapter that a process keeps at once, such as while MongoDB does not answer. */
const MOST_KEPT = 20_000;

/** Refused calls that belong into one row, as this process has counted them. */
export interface Tally {
  id: string;
  refusal: Refusal;
  /** The part of the row's counts that is this tally's alone. */
  part: string;
  count: number;
  firstMs: number;
  lastMs: number;
  largestNusd: number | null;
  session: { atMs: number; id: string } | null;
  /** As much of `count` as MongoDB has. */
  written: number;
  /** True when its row is one of the organization's minute, or names nobody. */
  isAdmitted: boolean;
}

/** The refused calls of an organization in one minute. */
export interface MinuteTally {
  orgId: string;
  startMs: number;
  /** By what makes a row. Several keys have the same tally where person and adapter were left out. */
  tallies: Map<string, Tally>;
  /** How many tallies with a person or an adapter it has had. */
  named: number;
}

export interface Tallies {
  /** Counts a call. */
  add(refusal: Refusal, nowMs: number): void;
  /** The minutes with calls that MongoDB does not have, of one organization or all. */
  unwritten(orgId?: string): MinuteTally[];
  /** Counts the calls of a tally, which was never written, without person and adapter, as those that follow. */
  leaveOut(minute: MinuteTally, tally: Tally): void;
  /** Forgets the minutes that are over and written. */
  forget(nowMs: number): void;
}

/** Tallies in the memory of a process. `name` is unique to the process. */
export function createTallies(name: string): Tallies {
  const minutes = new Map<string, MinuteTally>();
  let parts = 0;
  let named = 0;

  function minuteOf({ orgId }: Refusal, nowMs: number): MinuteTally {
    const startMs = nowMs - (nowMs % MINUTE_MS);
    const key = `${orgId} ${startMs}`;
    const known = minutes.get(key);
    if (known) return known;
    const minute = { orgId, startMs, tallies: new Map<string, Tally>(), named: 0 };
    minutes.set(key, minute);
    return minute;
  }

  function tallyOf(minute: MinuteTally, refusal: Refusal, nowMs: number): Tally {
    const key = keyOf(refusal);
    const known = minute.tallies.get(key);
    if (known) return known;
    if (!namesNobody(refusal) && (minute.named >= MOST_ROWS || named >= MOST_KEPT))
      return tallyOf(minute, withoutNames(refusal), nowMs);
    parts += 1;
    const isAdmitted = namesNobody(refusal);
    if (!isAdmitted) {
      named += 1;
      minute.named += 1;
    }
    const tally = {
      id: derivedId('rfs', minute.orgId, minute.startMs, key),
      refusal,
      part: `${name}${parts}`,
      count: 0,
      firstMs: nowMs,
      lastMs: nowMs,
      largestNusd: null,
      session: null,
      written: 0,
      isAdmitted,
    };
    minute.tallies.set(key, tally);
    return tally;
  }

  return {
    add: (refusal, nowMs) => {
      const { estimateNusd, clientSession } = refusal;
      const tally = tallyOf(minuteOf(refusal, nowMs), refusal, nowMs);
      const isLeftOut = namesNobody(tally.refusal) && !namesNobody(refusal);
      // The session of a person who was left out would name that person.
      const session = clientSession === null || isLeftOut ? null : { atMs: nowMs, id: clientSession };
      merge(tally, { count: 1, firstMs: nowMs, lastMs: nowMs, largestNusd: estimateNusd, session });
    },
    unwritten: (orgId) =>
      [...minutes.values()].filter(
        (minute) => (orgId === undefined || minute.orgId === orgId) && !isWritten(minute),
      ),
    leaveOut: (minute, tally) => {
      // A write that took too long may have left it out meanwhile.
      if (minute.tallies.get(keyOf(tally.refusal)) !== tally) return;
      const rest = tallyOf(minute, withoutNames(tally.refusal), tally.firstMs);
      merge(rest, { ...tally, session: null });
      minute.tallies.set(keyOf(tally.refusal), rest);
      named -= 1;
    },
    forget: (nowMs) => {
      for (const [key, minute] of minutes) {
        if (nowMs < minute.startMs + MINUTE_MS || !isWritten(minute)) continue;
        minutes.delete(key);
        for (const { refusal } of new Set(minute.tallies.values())) if (!namesNobody(refusal)) named -= 1;
      }
    },
  };
}

type Counted = Pick<Tally, 'count' | 'firstMs' | 'lastMs' | 'largestNusd' | 'session'>;

function merge(into: Tally, { count, firstMs, lastMs, largestNusd, session }: Counted): void {
  into.count += count;
  into.firstMs = Math.min(into.firstMs, firstMs);
  into.lastMs = Math.max(into.lastMs, lastMs);
  if (largestNusd !== null) into.largestNusd = Math.max(into.largestNusd ?? 0, largestNusd);
  if (session !== null) into.session = session;
}

/** Texts of calls hold no NUL. */
function keyOf({ userId, adapter, budgetId, way, cause }: Refusal): string {
  return `${userId ?? ''}\0${adapter ?? ''}\0${budgetId}\0${way}\0${cause}`;
}

function namesNobody({ userId, adapter }: Refusal): boolean {
  return userId === null && adapter === null;
}

function withoutNames(refusal: Refusal): Refusal {
  return { ...refusal, userId: null, adapter: null, clientSession: null };
}

function isWritten({ tallies }: MinuteTally): boolean {
  return tallies.values().every(({ count, written }) => written >= count);
}
