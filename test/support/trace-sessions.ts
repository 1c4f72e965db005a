import { dealUser, type TraceCall } from '../../scripts/traffic/trace.ts';
import { BASELINE, detectAnomalies, type Totals } from '../../shared/wings/anomalies/detect.ts';

/** A session of the trace, cut at gaps, with what detection needs. */
export interface TraceSession extends Totals {
  user: string;
  startMs: number;
  lastMs: number;
  /** Where a spike was planted. */
  planted: boolean;
}

/** List price of gpt-4o-mini in nano-USD a token. */
const PRICE = { in: 150, out: 600 } as const;

export function cutSessions(calls: readonly TraceCall[], users: number, timeoutMs: number): TraceSession[] {
  const open = new Map<string, TraceSession>();
  const sessions: TraceSession[] = [];
  for (const call of calls.toSorted((a, b) => a.atMs - b.atMs)) {
    const user = dealUser(call.row, users);
    let session = open.get(user);
    if (!session || call.atMs - session.lastMs > timeoutMs) {
      session = {
        user,
        startMs: call.atMs,
        lastMs: call.atMs,
        planted: false,
        tokens: 0,
        cost_nusd: 0,
        signals: 0,
        errors: 0,
      };
      open.set(user, session);
      sessions.push(session);
    }
    session.lastMs = call.atMs;
    session.tokens += call.tokensIn + call.tokensOut;
    session.cost_nusd += call.tokensIn * PRICE.in + call.tokensOut * PRICE.out;
    session.signals += 1;
  }
  return sessions;
}

export interface TraceResult {
  users: number;
  timeoutS: number;
  sessions: number;
  /** Sessions with at least five before them. */
  judged: number;
  median: number;
  planted: number;
  found: number;
  falseAlarms: number;
}

/**
 * Plants a spike of `times` the user's baseline, of at least 50,000 tokens, into every `every`th session that has
 * a baseline, and counts what is found there and elsewhere. A planted session stays in the baseline of later ones.
 */
export function runTrace(
  calls: readonly TraceCall[],
  options: { users: number; timeoutS: number; times: number; every: number },
): TraceResult {
  const timeoutMs = options.timeoutS * 1_000;
  const sessions = cutSessions(calls, options.users, timeoutMs).sort((a, b) => a.startMs - b.startMs);
  const result = { planted: 0, found: 0, falseAlarms: 0, judged: 0 };
  const past = new Map<string, TraceSession[]>();
  for (const session of sessions) {
    const mine = past.get(session.user) ?? [];
    past.set(session.user, mine);
    const baseline = mine
      .filter((before) => before.lastMs + timeoutMs < session.startMs)
      .slice(-BASELINE.sessions);
    mine.push(session);
    if (baseline.length >= 5) {
      result.judged += 1;
      const average = baseline.reduce((sum, { tokens }) => sum + tokens, 0) / baseline.length;
      session.planted = result.judged % options.every === 0;
      if (session.planted) session.tokens = Math.ceil(Math.max(options.times * average, 50_000));
    }
    const isFlagged = detectAnomalies(session, baseline, null).length > 0;
    result.planted += Number(session.planted);
    result.found += Number(session.planted && isFlagged);
    result.falseAlarms += Number(!session.planted && isFlagged);
  }
  const sizes = sessions
    .filter(({ planted }) => !planted)
    .map(({ tokens }) => tokens)
    .sort((a, b) => a - b);
  const { users, timeoutS } = options;
  return { users, timeoutS, sessions: sessions.length, median: sizes[sizes.length >> 1] ?? 0, ...result };
}
