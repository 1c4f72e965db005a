import { Pool } from 'undici';
import { newId } from '../../shared/platform/basics/ids.ts';
import { cpuSeconds, type Row, round, runClients } from './bench.ts';
import { insertBudgets, makeBudget, makeTemplate } from './budgets.ts';
import { callOf, makeKey, postSignals, type Stage } from './stage.ts';

const PEOPLE = 300;
const CLIENTS = 16;
/** The sides take turns, so that what else the machine does in the meantime meets each of them. */
const ROUNDS = 4;
const WARM_UP_S = 2;

interface Side {
  budget: string;
  key: string;
  signals: number;
  seconds: number;
  cpuS: { api: number; mongo: number; redis: number };
}

/**
 * Signals of 300 people, one a request, of an organization with one plain budget and of one with a template, in turns of one run:
 * signals per second, and the CPU of each process per signal.
 */
export async function measureRecording(stage: Stage, seconds: number): Promise<Row[]> {
  const { ctx } = stage;
  const plain = await makeKey(stage);
  const { orgId: org_id } = plain;
  await insertBudgets(ctx, org_id, [
    makeBudget(ctx, org_id, { name: 'all', scope: 'org', scope_id: org_id }),
  ]);
  const each = await makeKey(stage);
  await makeTemplate(ctx, each.orgId, PEOPLE);
  const api = await stage.startApi();
  const side = (budget: string, key: string): Side => {
    return { budget, key, signals: 0, seconds: 0, cpuS: { api: 0, mongo: 0, redis: 0 } };
  };
  const sides = [side('plain', plain.key), side('template', each.key)];
  const pool = new Pool(api.url, { connections: CLIENTS, pipelining: 1 });
  const pids = { api: api.pid, mongo: stage.mongo.pid, redis: stage.redis.pid };
  for (const one of sides) await drive({ ...one, cpuS: { ...one.cpuS } }, WARM_UP_S, pool, pids);
  for (let turn = 0; turn < ROUNDS; turn += 1) for (const one of sides) await drive(one, seconds, pool, pids);
  await pool.close();
  await api.end();
  const rates = sides.map(({ signals, seconds: s }) => signals / s);
  return sides.map(({ budget, signals, cpuS }, index) => ({
    budget,
    per_s: Math.round(rates[index] ?? 0),
    of_plain: round((rates[index] ?? 0) / (rates[0] ?? 1)),
    api_us: perSignal(cpuS.api, signals),
    mongo_us: perSignal(cpuS.mongo, signals),
    redis_us: perSignal(cpuS.redis, signals),
  }));
}

function perSignal(cpuS: number, signals: number): number {
  return Math.round((cpuS / signals) * 1e6);
}

async function drive(side: Side, seconds: number, pool: Pool, pids: Record<keyof Side['cpuS'], number>) {
  const names = ['api', 'mongo', 'redis'] as const;
  const before = names.map((name) => cpuSeconds([pids[name]]));
  let turn = 0;
  const { times, seconds: took } = await runClients(CLIENTS, seconds, async () => {
    turn += 1;
    await postSignals(pool, side.key, [callOf(newId('evt'), `user-${turn % PEOPLE}`)]);
  });
  for (const [index, name] of names.entries())
    side.cpuS[name] += cpuSeconds([pids[name]]) - (before[index] ?? 0);
  side.signals += times.length;
  side.seconds += took;
}
