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

const signalsAt = (...minutes: number[]) => minutes.map((minute) => signalAt(minute));

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

/** The minutes of the first and the last signal of each session. */
function minutesOf(sessions: readonly Session[]): string {
  const minute = (at: Date) => (at.getTime() - T0) / MINUTE;
  return sessions
    .map(({ started_at, last_activity_at }) => `${minute(started_at)}-${minute(last_activity_at)}`)
    .join(' ');
}

describe('sessions in event time', () => {
  it.each([
    ['joins the nearer of two', '0 50, 25.001', '0-0 25.001-50'],
    ['joins the earlier of two equally near', '0 50, 25', '0-25 50-50'],
    ['begins another after a gap longer than the timeout, not at it', '0 30 60.001', '0-30 60.001-60.001'],
    ['never merges two', '0 50, 29, 14', '0-14 29-50'],
  ])('a signal %s: %s', (_, arrivals, expected) => {
    let sessions: Session[] = [];
    for (const minutes of arrivals.split(', '))
      sessions = keep(sessions, signalsAt(...minutes.split(' ').map(Number)));
    expect(minutesOf(sessions)).toBe(expected);
  });

  it('leaves only the newest open, and ends it at birth when its silence has lasted already', () => {
    const now = T0 + 100 * MINUTE;
    const open = keep([], signalsAt(0, 40, 80), now);
    expect(open.map((session) => session.state)).toEqual(['ended', 'ended', 'open']);
    const past = keep([], [signalAt(0)], T0 + 31 * MINUTE);
    expect(past[0]).toMatchObject({ state: 'ended', end_reason: 'timeout' });
  });

  it('takes signals into a session that a timeout has ended, without opening it again', () => {
    const ended = keep([], [signalAt(0)]);
    const [session] = keep(ended, [signalAt(20)]);
    expect(session).toMatchObject({ state: 'ended', signal_count: 2 });
    expect(session?.ended_at).toEqual(session?.last_activity_at);
  });

  it.each([4, 5])(
    'takes minute %d, and nothing after the close, into a session that was closed by hand in minute 5',
    (minute) => {
      const [open] = keep([], [signalAt(0)], T0);
      const closed = close(open as Session, T0 + 5 * MINUTE);
      const sessions = keep([closed], signalsAt(minute, 6), T0 + 6 * MINUTE);
      expect(sessions.map((session) => session.signal_count)).toEqual([2, 1]);
      expect(sessions[0]?.ended_at).toEqual(closed.ended_at);
    },
  );

  it('leaps over no session that was closed by hand, though an older one is within the timeout', () => {
    const [older, newer] = keep(keep([], signalsAt(0, 41)), signalsAt(20), T0 + 41 * MINUTE);
    const closed = close(newer as Session, T0 + 42 * MINUTE);
    const sessions = keep([older as Session, closed], [signalAt(45)], T0 + 45 * MINUTE);
    expect(minutesOf(sessions)).toBe('0-20 41-41 45-45');
  });

  it('names the model with most tokens, the first used of equals, and lists models by first use', () => {
    const [b, none] = [
      signalAt(2, { model: 'b', tokens_in: 5 }),
      signalAt(3, { model: null, tokens_in: 50 }),
    ];
    const [session] = keep(keep([], [b, none]), [signalAt(1, { model: 'a', tokens_in: 5 })]);
    expect(session?.model).toBe('a');
    expect(session?.model_tokens.map((entry) => entry.model)).toEqual(['a', 'b']);
    expect(keep([], [signalAt(0, { model: null })])[0]?.model).toBe('unknown');
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
          expect(minutesOf(sessions)).toBe(gapScan(signals));
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

function gapScan(signals: readonly Draft[]): string {
  const runs: [number, number][] = [];
  for (const signal of signals) {
    const at = (signal.ts.getTime() - T0) / MINUTE;
    const last = runs.at(-1);
    if (last && at - last[1] <= 30) last[1] = at;
    else runs.push([at, at]);
  }
  return runs.map((run) => run.join('-')).join(' ');
}
