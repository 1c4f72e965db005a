import { Agent, request } from 'node:http';
import type { ClientSession } from 'mongoose';
import { checkSignal, type Draft } from '../../shared/core/calls/signals/check-signal.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { inTransaction } from '../../shared/platform/mongo/transaction.ts';
import { numberOption, quantile, report, round, runClients } from './bench.ts';
import { expectAll, makeKey, type Stage, setStage } from './stage.ts';

const BATCHES = [1, 100, 1_000];
const CLIENTS = [1, 16, 32, 256];
/** `Infinity`: every signal is a new user's, so each opens a session. */
const USERS = [Number.POSITIVE_INFINITY, 50, 1];
/** More signals than this at once have no answer within the deadline of a request. */
const MOST_AT_ONCE = 50_000;
/** How often the sides of a cell take turns, so that a noisy minute hits all. */
const TURNS = 4;

/**
 * Signals a second through `POST /api/v1/signals` (an api process of its own) against raw `insertMany` of the same
 * documents into the same MongoDB, batch by batch in one run: without a transaction, and in one transaction each.
 * `--seconds N` a side; `--batch N`, `--clients N`, `--users N` for one of them.
 */
export async function runIngestBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 5);
  const rows: Record<string, unknown>[] = [];
  const stage = await setStage();
  try {
    const { url } = await stage.startApi();
    for (const batch of chosen(args, 'batch', BATCHES)) {
      for (const clients of chosen(args, 'clients', CLIENTS)) {
        if (batch * clients > MOST_AT_ONCE) continue;
        for (const users of chosen(args, 'users', USERS))
          rows.push(await measureCell(stage, url, { batch, clients, users, seconds }));
      }
    }
  } finally {
    await stage.stop();
  }
  report('ingest', withHotRatio(rows));
}

/** All of them, or the one that `--name` names. */
function chosen(args: readonly string[], name: string, all: readonly number[]): readonly number[] {
  const one = numberOption(args, name, 0);
  return one ? [one] : all;
}

interface Cell {
  batch: number;
  clients: number;
  users: number;
  seconds: number;
}

/** One turn of each side is not counted: in it the api's code for this cell becomes fast. */
async function measureCell(stage: Stage, url: string, cell: Cell): Promise<Record<string, unknown>> {
  const { orgId, key } = await makeKey(stage);
  const agent = new Agent({ keepAlive: true, maxSockets: cell.clients });
  let made = 0;
  let posted = 0;
  const next = () => Array.from({ length: cell.batch }, () => signalAt(made++, cell.users));
  const plain = stage.ctx.db.connection.collection('bench_raw');
  await plain.createIndexes([
    { key: { session_id: 1, ts: 1, _id: 1 } },
    { key: { session_id: 1, type: 1, ts: 1, _id: 1 }, partialFilterExpression: { type: 'intervention' } },
    { key: { org_id: 1, ts: 1 } },
  ]);
  const post = () => {
    posted += cell.batch;
    return postSignals(agent, url, key, next());
  };
  const insert = (session?: ClientSession) => {
    const documents = next().map((signal) => documentOf(orgId, signal));
    return plain.insertMany(documents as never, session ? { session } : {});
  };
  const sides = {
    ours: newSide(post),
    raw: newSide(() => insert()),
    inTransaction: newSide(() => inTransaction(stage.ctx.db, insert)),
  };
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (const side of Object.values(sides)) {
      const { times, seconds } = await runClients(cell.clients, cell.seconds / TURNS, side.send);
      if (turn === 0) continue;
      side.times.push(...times);
      side.seconds += seconds;
    }
  agent.destroy();
  await plain.drop();
  const { ours, raw, inTransaction: alone } = sides;
  await expectAll(stage, orgId, posted);
  ours.times.sort((a, b) => a - b);
  const perSecond = (side: Side) => (side.times.length * cell.batch) / side.seconds;
  return {
    batch: cell.batch,
    clients: cell.clients,
    users: cell.users === Number.POSITIVE_INFINITY ? 'new' : cell.users,
    'signals/s': Math.round(perSecond(ours)),
    'raw/s': Math.round(perSecond(raw)),
    ratio: round(perSecond(ours) / perSecond(raw)),
    'in transactions/s': Math.round(perSecond(alone)),
    'ratio to these': round(perSecond(ours) / perSecond(alone)),
    'p50 ms': round(quantile(ours.times, 0.5)),
    'p99 ms': round(quantile(ours.times, 0.99)),
  };
}

interface Side {
  send: () => Promise<unknown>;
  seconds: number;
  /** Milliseconds of each request. */
  times: number[];
}

function newSide(send: Side['send']): Side {
  return { send, seconds: 0, times: [] };
}

function signalAt(index: number, users: number): Record<string, unknown> {
  return {
    id: `bench-${index}`,
    ts: new Date(systemClock.now()).toISOString(),
    user_id: `user-${users === Number.POSITIVE_INFINITY ? index : index % users}`,
    project_id: 'bench',
    adapter: 'claude-code',
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    tokens_in: 1_200,
    tokens_out: 300,
    cache_read_tokens: 800,
    latency_ms: 900,
  };
}

/** The very document that the write path stores. */
function documentOf(orgId: string, signal: unknown): Record<string, unknown> {
  const sender = { orgId, boundUserId: null, defaultProjectId: null };
  const draft = checkSignal(signal, sender, systemClock.now()) as Draft;
  return { ...draft, session_id: `ses_${draft.user_id}` };
}

function postSignals(agent: Agent, url: string, key: string, signals: unknown[]): Promise<void> {
  const body = JSON.stringify({ signals });
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const sent = request(`${url}/api/v1/signals`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** How a hot user fares against 50 users, cell by cell. */
function withHotRatio(rows: Record<string, unknown>[]): Record<string, unknown>[] {
  return rows.map((row) => {
    const many = rows.find(
      (other) => other.users === 50 && other.batch === row.batch && other.clients === row.clients,
    );
    return { ...row, 'vs 50 users': round(Number(row['signals/s']) / Number(many?.['signals/s'])) };
  });
}
