import { dealUser } from '../../scripts/traffic/trace.ts';

/**
 * The sessions that a replayed trace must give, computed from the CSV on a way of its own: sort, then scan for
 * gaps. Shares nothing with the product but the dealing of rows to users.
 */
export interface ExpectedSession {
  user_id: string;
  started_at: string;
  last_activity_at: string;
  signal_count: number;
  tokens_in: number;
  tokens_out: number;
  cost_nusd: number;
}

export interface OracleInput {
  csv: string;
  users: number;
  timeoutS: number;
  /** Epoch milliseconds of the last call after the move. */
  endMs: number;
}

interface Row {
  user: string;
  ms: number;
  tokensIn: number;
  tokensOut: number;
}

/** List price of gpt-4o-mini: $0.15 and $0.60 per million tokens, that is 150 and 600 nano-USD per token. */
const NUSD_PER_TOKEN_IN = 150;
const NUSD_PER_TOKEN_OUT = 600;

/** Ordered by start, then user. A gap longer than the timeout starts a session; an equal one does not. */
export function expectSessions({ csv, users, timeoutS, endMs }: OracleInput): ExpectedSession[] {
  const byUser = Map.groupBy(readRows(csv, users, endMs), (row) => row.user);
  const sessions = [...byUser.values()].flatMap((rows) => cutAtGaps(rows, timeoutS * 1_000).map(sumUp));
  return sessions.sort((a, b) => compare(a.started_at, b.started_at) || compare(a.user_id, b.user_id));
}

function readRows(csv: string, users: number, endMs: number): Row[] {
  const lines = csv.split(/[\r\n]+/).filter((line) => /^\d/.test(line));
  const rows = lines.map((line, index) => {
    const [time = '', tokensIn, tokensOut] = line.split(',');
    const ms = new Date(`${time.replace(' ', 'T').slice(0, 23)}Z`).getTime();
    return { user: dealUser(index + 1, users), ms, tokensIn: Number(tokensIn), tokensOut: Number(tokensOut) };
  });
  const lastMs = rows.reduce((latest, row) => Math.max(latest, row.ms), Number.NEGATIVE_INFINITY);
  return rows.map((row) => ({ ...row, ms: endMs - (lastMs - row.ms) }));
}

function cutAtGaps(rows: Row[], timeoutMs: number): Row[][] {
  const runs: Row[][] = [];
  let previousMs = Number.NEGATIVE_INFINITY;
  for (const row of rows.sort((a, b) => a.ms - b.ms)) {
    const run = runs.at(-1);
    if (run && row.ms - previousMs <= timeoutMs) run.push(row);
    else runs.push([row]);
    previousMs = row.ms;
  }
  return runs;
}

function sumUp(run: Row[]): ExpectedSession {
  const sum = (pick: (row: Row) => number) => run.reduce((total, row) => total + pick(row), 0);
  return {
    user_id: run[0]?.user ?? '',
    started_at: iso(run[0]?.ms),
    last_activity_at: iso(run.at(-1)?.ms),
    signal_count: run.length,
    tokens_in: sum((row) => row.tokensIn),
    tokens_out: sum((row) => row.tokensOut),
    cost_nusd: sum((row) => row.tokensIn * NUSD_PER_TOKEN_IN + row.tokensOut * NUSD_PER_TOKEN_OUT),
  };
}

function iso(ms = Number.NaN): string {
  return new Date(ms).toISOString();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
