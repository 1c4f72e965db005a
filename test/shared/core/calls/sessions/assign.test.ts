import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignSignals } from '../../../../../shared/core/calls/sessions/assign.ts';
import type { Session } from '../../../../../shared/core/calls/sessions/model.ts';
import type { Draft } from '../../../../../shared/core/calls/signals/check-signal.ts';

const T0 = Date.parse('2026-03-01T10:00:00Z');
const MINUTE = 60_000;
const TIMEOUT = 30 * MINUTE;
const LATER = T0 + 365 * 86_400_000;

let made = 0;
function signalAt(minutes: number, extra: Partial<Draft> = {}): Draft {
  made += 1;
  return {
    _id: `s${made}`,
    org_id: 'org',
    id: `s${made}`,
    type: 'call',
    ts: new Date(T0 + minutes * MINUTE),
    user_id: 'u',
    project_id: 'p',
    adapter: 'a',
    model: 'm',
    provider: null,
    tokens_in: 1,
    tokens_out: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cost_nusd: 1,
    cost_source: 'computed',
    received_at: new Date(T0),
    ...extra,
  };
}

let ids = 0;
function assign(existing: readonly Session[], signals: readonly Draft[], nowMs = LATER) {
  return assignSignals({
    key: 'k',
    existing,
    signals,
    timeoutMs: TIMEOUT,
    nowMs,
    mostModels: 100,
    newSessionId: () => `ses${++ids}`,
  });
}

/** Keeps the sessions of one key as the store would. */
function keep(sessions: readonly Session[], signals: readonly Draft[], nowMs = LATER): Session[] {
  const byId = new Map(sessions.map((session) => [session._id, session]));
  for (const { after } of assign(sessions, signals, nowMs).changed) byId.set(after._id, after);
  return [...byId.values()].sort((a, b) => a.started_at.getTime() - b.started_at.getTime());
}

function close(session: Session, atMs: number): Session {
  return { ...session, state: 'ended', end_reason: 'closed', ended_at: new Date(atMs) };
}

function minutesOf(session: Session): [number, number] {
  return [(session.started_at.getTime() - T0) / MINUTE, (session.last_activity_at.getTime() - T0) / MINUTE];
}

describe('sessions in event time', () => {
  it('puts a signal between two sessions into the nearer one, and the earlier of two equally near', () => {
    const two = keep([], [signalAt(0), signalAt(50)]);
    expect(keep(two, [signalAt(25)]).map(minutesOf)).toEqual([
      [0, 25],
      [50, 50],
    ]);
    expect(keep(two, [signalAt(25.001)]).map(minutesOf)).toEqual([
      [0, 0],
      [25.001, 50],
    ]);
  });

  it('begins a session after a gap longer than the timeout, and joins at exactly the timeout', () => {
    const sessions = keep([], [signalAt(0), signalAt(30), signalAt(60.001)]);
    expect(sessions.map(minutesOf)).toEqual([
      [0, 30],
      [60.001, 60.001],
    ]);
  });

  it('leaves only the newest open, and ends it at birth when its silence has lasted already', () => {
    const now = T0 + 100 * MINUTE;
    const open = keep([], [signalAt(0), signalAt(40), signalAt(80)], now);
    expect(open.map((session) => session.state)).toEqual(['ended', 'ended', 'open']);
    const past = keep([], [signalAt(0)], T0 + 31 * MINUTE);
    expect(past[0]).toMatchObject({ state: 'ended', end_reason: 'timeout' });
  });

  it('lets a newer session end the open one in the same change', () => {
    const first = keep([], [signalAt(0)], T0);
    const { changed } = assign(first, [signalAt(31)], T0 + 31 * MINUTE);
    expect(changed.map(({ before, after }) => [before?.state ?? null, after.state])).toEqual([
      ['open', 'ended'],
      [null, 'open'],
    ]);
  });

  it('puts a late signal into the nearer of two sessions that reach it, and never merges them', () => {
    const two = keep([], [signalAt(0), signalAt(50)]);
    const late = keep(two, [signalAt(29)]);
    expect(late.map(minutesOf)).toEqual([
      [0, 0],
      [29, 50],
    ]);
    const bridged = keep(late, [signalAt(14)]);
    expect(bridged.map(minutesOf)).toEqual([
      [0, 14],
      [29, 50],
    ]);
  });

  it('gives a late signal that no session reaches a session of its own, born ended', () => {
    const kept = keep([], [signalAt(100)], T0 + 100 * MINUTE);
    const sessions = keep(kept, [signalAt(10)], T0 + 100 * MINUTE);
    expect(sessions.map((session) => session.state)).toEqual(['ended', 'open']);
  });

  it('takes signals into a session that a timeout has ended, without opening it again', () => {
    const ended = keep([], [signalAt(0)]);
    const [session] = keep(ended, [signalAt(20)]);
    expect(session).toMatchObject({ state: 'ended', signal_count: 2 });
    expect(session?.ended_at).toEqual(session?.last_activity_at);
  });

  it('takes nothing after the close into a session that was closed by hand', () => {
    const [open] = keep([], [signalAt(0)], T0);
    const closed = close(open as Session, T0 + 5 * MINUTE);
    const sessions = keep([closed], [signalAt(5), signalAt(6)], T0 + 6 * MINUTE);
    expect(sessions.map((session) => session.signal_count)).toEqual([2, 1]);
    expect(sessions[0]?.ended_at).toEqual(closed.ended_at);
  });

  it('leaps over no session that was closed by hand, though an older one is within the timeout', () => {
    const [older, newer] = keep(keep([], [signalAt(0), signalAt(41)]), [signalAt(20)], T0 + 41 * MINUTE);
    const closed = close(newer as Session, T0 + 42 * MINUTE);
    const sessions = keep([older as Session, closed], [signalAt(45)], T0 + 45 * MINUTE);
    expect(sessions.map(minutesOf)).toEqual([
      [0, 20],
      [41, 41],
      [45, 45],
    ]);
  });

  it('names the model with most tokens, the first used of equals, and lists models by first use', () => {
    const [session] = keep(
      [],
      [
        signalAt(2, { model: 'b', tokens_in: 5 }),
        signalAt(1, { model: 'a', tokens_in: 5 }),
        signalAt(3, { model: null, tokens_in: 50 }),
      ],
    );
    expect(session?.model).toBe('a');
    expect(session?.model_tokens.map((entry) => entry.model)).toEqual(['a', 'b']);
    expect(keep([], [signalAt(0, { model: null })])[0]?.model).toBe('unknown');
  });

  it('moves a model forward when a late signal used it before the others', () => {
    const kept = keep([], [signalAt(2, { model: 'a' }), signalAt(3, { model: 'b' })]);
    const [session] = keep(kept, [signalAt(1, { model: 'b' })]);
    expect(session?.model_tokens.map((entry) => entry.model)).toEqual(['b', 'a']);
  });

  it('equals a plain gap scan for in-order input, however it is cut into batches', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 45 }), { minLength: 1, maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (gaps, cuts) => {
          let at = 0;
          const signals = gaps.map((gap) => {
            at += gap;
            return signalAt(at);
          });
          let sessions: Session[] = [];
          let from = 0;
          for (let turn = 0; from < signals.length; turn += 1) {
            const size = cuts[turn % cuts.length] ?? 1;
            sessions = keep(sessions, signals.slice(from, from + size));
            from += size;
          }
          expect(sessions.map(minutesOf)).toEqual(gapScan(signals));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never overlaps sessions and never loses a signal, in any order of arrival', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 40 }), (minutes) => {
        let sessions: Session[] = [];
        for (const minute of minutes) sessions = keep(sessions, [signalAt(minute)]);
        const count = sessions.reduce((sum, session) => sum + session.signal_count, 0);
        expect(count).toBe(minutes.length);
        for (let index = 1; index < sessions.length; index += 1) {
          const [before, after] = [sessions[index - 1], sessions[index]];
          expect(before && after && before.ended_at < after.started_at).toBe(true);
        }
        expect(sessions.filter((session) => session.state === 'open').length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });
});

function gapScan(signals: readonly Draft[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const signal of signals) {
    const at = (signal.ts.getTime() - T0) / MINUTE;
    const last = runs.at(-1);
    if (last && at - last[1] <= 30) last[1] = at;
    else runs.push([at, at]);
  }
  return runs;
}
