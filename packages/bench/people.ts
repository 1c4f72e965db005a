import { Pool } from 'undici';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { sessionKey } from '../../shared/core/calls/sessions/assign.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { checkSignal, type Draft } from '../../shared/core/calls/signals/check-signal.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { derivedId } from '../../shared/platform/basics/ids.ts';
import {
  askJson,
  memoryMib,
  numberOption,
  onStage,
  percentiles,
  type Row,
  report,
  round,
  runClients,
  timed,
} from './bench.ts';
import { LIST_DAYS, seedSessions, sessionAt } from './list.ts';
import { callOf, makeKey, postSignals, type Stage } from './stage.ts';

interface Figure {
  figure: string;
  value: number;
  unit: string;
  goal: string;
  reached: boolean;
}

interface Tenant {
  url: string;
  pid: number;
  orgId: string;
  key: string;
}

const WALKS = 5;
const WALK_PAGES = 31;
const SEARCHES = 200;
const VOIDS = 20;
const VOIDED = 100;
const BREAKDOWNS = 3;
const SHORT_SESSIONS = 20;
const CLIENTS = 16;

/**
 * `people [--sessions 1000000] [--signals 50000] [--turns 10]`: pages by cost, search, one session's breakdown, voids, and
 * signals per second with and without the indexes by which sessions are ordered.
 */
export async function runPeopleBench(args: string[]): Promise<void> {
  const sessions = numberOption(args, 'sessions', 1_000_000);
  const signals = numberOption(args, 'signals', 50_000);
  const turns = numberOption(args, 'turns', 10);
  const figures: Figure[] = [];
  await onStage(async (stage) => {
    const { url, pid } = await stage.startApi();
    const tenant: Tenant = { url, pid, ...(await makeKey(stage)) };
    await seed(stage, tenant, sessions);
    figures.push(...(await measurePages(tenant)));
    figures.push(await measureSearch(tenant, sessions));
    figures.push(await measureVoids(stage, url));
    figures.push(...(await measureBreakdown(stage, tenant, signals)));
  });
  figures.push(await measureIndexes(turns));
  report('people', figures);
}

async function seed(stage: Stage, { orgId }: Tenant, sessions: number): Promise<void> {
  const created_at = new Date(systemClock.now() - LIST_DAYS * 86_400_000);
  await organizationRows(stage.ctx).updateOne({ _id: orgId }, { $set: { created_at } });
  await seedSessions(stage, orgId, 0, sessions);
  const began = performance.now();
  await reconcileUsage(stage.ctx, await readOrganization(stage.ctx, orgId), { fromMs: 0, repair: true });
  console.error(`rollups in ${round((performance.now() - began) / 1_000, 0)} s`);
}

function figureOf(figure: string, value: number, unit: string, goal: number, atLeast = false): Figure {
  const reached = atLeast ? value >= goal : value <= goal;
  const made = { figure, value: round(value), unit, goal: `${atLeast ? '≥' : '≤'} ${goal}`, reached };
  console.error(made);
  return made;
}

function read({ url, key }: Pick<Tenant, 'url' | 'key'>, path: string): Promise<Row> {
  return askJson(`${url}${path}`, key);
}

/** Pages of 50 by cost of all sessions, one after the other; the first page of each walk counts them too. */
async function measurePages(tenant: Tenant): Promise<Figure[]> {
  const first: number[] = [];
  const pages: number[] = [];
  for (let walk = 0; walk < WALKS; walk += 1) {
    let cursor = '';
    for (let number = 1; number <= WALK_PAGES; number += 1) {
      const began = performance.now();
      const page = await read(tenant, `/api/v1/sessions?sort=cost_usd&limit=50${cursor}`);
      (number === 1 ? first : pages).push(performance.now() - began);
      if (page.has_more !== true) break;
      cursor = `&cursor=${encodeURIComponent(String(page.cursor))}`;
    }
  }
  const counted = await timed(() =>
    read(tenant, '/api/v1/sessions?sort=cost_usd&min_cost_usd=1&state=ended'),
  );
  return [
    figureOf('a page by cost, p99', percentiles(pages).p99_ms, 'ms', 100),
    figureOf('a first page with its count, slowest', Math.max(...first), 'ms', 1_500),
    figureOf('the same by two filters that no index has together', counted, 'ms', 1_500),
  ];
}

/** Searches for each kind in turns, also for what is not there. */
async function measureSearch(tenant: Tenant, sessions: number): Promise<Figure> {
  const texts = (at: number) => {
    const { _id } = sessionAt(tenant.orgId, (at * 7_919) % sessions, 0);
    return [_id, _id.slice(0, 20), `user-${at % 1_000}`, 'web', `signal-${at}`, 'nobody knows it'];
  };
  await read(tenant, '/api/v1/search?q=user-1');
  const times: number[] = [];
  for (let at = 0; at < SEARCHES; at += 1) {
    const q = encodeURIComponent(texts(at)[at % 6] ?? '');
    times.push(await timed(() => read(tenant, `/api/v1/search?q=${q}`)));
  }
  return figureOf('a search, p99', percentiles(times).p99_ms, 'ms', 100);
}

/** Sessions of 100 signals, recorded and then voided, beside ten budgets. */
async function measureVoids(stage: Stage, url: string): Promise<Figure> {
  const { orgId, key } = await makeKey(stage);
  for (let at = 0; at < 10; at += 1) {
    const fields = {
      name: `b${at}`,
      scope: 'org',
      metric: 'cost_usd',
      threshold: 1e6,
      window: 'monthly',
    } as const;
    await createBudget(stage.ctx, orgId, fields);
  }
  const pool = new Pool(url);
  const times: number[] = [];
  for (let at = 0; at < VOIDS; at += 1) {
    const ids = Array.from({ length: VOIDED }, (_, index) => `void-${at}-${index}`);
    const [first] = await postSignals(
      pool,
      key,
      ids.map((id) => callOf(id, `user-${at}`)),
    );
    const path = `${url}/api/v1/sessions/${first?.session_id}/void`;
    times.push(
      await timed(async () => {
        const { voided } = await askJson(path, key, { signal_ids: ids, reason: 'bench' });
        if (voided.length !== VOIDED) throw new Error(`Of ${VOIDED} signals ${voided.length} were voided`);
      }),
    );
  }
  await pool.close();
  return figureOf(`a void of ${VOIDED} signals, slowest of ${VOIDS}`, Math.max(...times), 'ms', 500);
}

/**
 * One session of many signals, from an api that has broken down as many signals in short sessions: what its memory grows by is
 * due to the length. It is sampled meanwhile.
 */
async function measureBreakdown(stage: Stage, tenant: Tenant, count: number): Promise<Figure[]> {
  const long = await seedLongSession(stage, tenant.orgId, count);
  const short = await seedLongSession(stage, tenant.orgId, Math.ceil(count / SHORT_SESSIONS));
  const { url, pid } = await stage.startApi();
  const breakDown = (session: string) =>
    timed(() => read({ ...tenant, url }, `/api/v1/sessions/${session}/breakdown`));
  for (let turn = 0; turn < SHORT_SESSIONS; turn += 1) await breakDown(short);
  const before = memoryMib(pid, 'VmRSS');
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryMib(pid, 'VmRSS'));
  }, 5);
  const times: number[] = [];
  for (let turn = 0; turn < BREAKDOWNS; turn += 1) times.push(await breakDown(long));
  clearInterval(sampling);
  return [
    figureOf(`/breakdown of ${count} signals, slowest`, Math.max(...times), 'ms', 1_000),
    figureOf('its growth of memory', peak - before, 'MiB', 64),
  ];
}

const BATCH = 5_000;

async function seedLongSession(stage: Stage, orgId: string, count: number): Promise<string> {
  const nowMs = systemClock.now();
  const sender = { orgId, boundUserId: null, defaultProjectId: null };
  const session: Session = {
    ...sessionAt(orgId, 0, nowMs),
    _id: derivedId('ses', orgId, 'breakdown', count),
    user_id: `user-of-${count}`,
  };
  Object.assign(session, { key: sessionKey(orgId, session.user_id, 'web', 'codex'), adapter: 'codex' });
  Object.assign(session, { tokens_in: 0, tokens_out: 0, cost_nusd: 0, signal_count: count });
  for (let from = 0; from < count; from += BATCH) {
    const drafts = Array.from({ length: Math.min(BATCH, count - from) }, (_, offset) => {
      const index = from + offset;
      const named = callOf(`of-${count}-${index}`, session.user_id);
      const call = { ...named, adapter: 'codex', tool_name: `tool-${index % 40}` };
      return checkSignal({ ...call, cache_read_tokens: index % 90 }, sender, nowMs) as Draft;
    });
    for (const { tokens_in, tokens_out, cost_nusd } of drafts) {
      session.tokens_in += tokens_in;
      session.tokens_out += tokens_out;
      session.cost_nusd += cost_nusd ?? 0;
    }
    await signalRows(stage.ctx).insertMany(drafts.map((draft) => ({ ...draft, session_id: session._id })));
  }
  await sessionRows(stage.ctx).insertOne(session);
  return session._id;
}

const SECONDS = 2;
const ORDERS = ['{"org_id":1,"cost_nusd":1,"_id":1}', '{"org_id":1,"error_count":1,"started_at":1}'];

/**
 * Signals per second of new users and of fifty, with the indexes by which sessions are ordered and without them: in short
 * turns, each pair in the other order than the one before, of a store of its own.
 */
async function measureIndexes(turns: number): Promise<Figure> {
  return onStage(async (stage) => {
    const { url } = await stage.startApi();
    const { key } = await makeKey(stage);
    const pool = new Pool(url, { connections: CLIENTS });
    const indexes = sessionRows.indexes.filter(({ key: fields }) => ORDERS.includes(JSON.stringify(fields)));
    if (indexes.length !== ORDERS.length) throw new Error('The indexes have other fields now');
    let made = 0;
    const load = async () => {
      const { times, seconds } = await runClients(CLIENTS, SECONDS, () => {
        made += 1;
        const user = made % 2 === 0 ? `new-${made}` : `user-${made % 50}`;
        return postSignals(pool, key, [callOf(`s-${made}`, user)]);
      });
      return times.length / seconds;
    };
    await load();
    const ratios: number[] = [];
    const sums = { with: 0, without: 0 };
    for (let turn = 0; turn < turns; turn += 1) {
      const rates = { with: 0, without: 0 };
      for (const side of turn % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        await setIndexes(stage, indexes, side === 'with');
        rates[side] = await load();
        sums[side] += rates[side];
      }
      ratios.push(rates.with / rates.without);
    }
    await pool.close();
    console.error(`signals/s with ${round(sums.with / turns, 0)}, without ${round(sums.without / turns, 0)}`);
    return figureOf(
      'signals/s with the new indexes, of without, median',
      percentiles(ratios, 4).p50_ms,
      '×',
      0.97,
      true,
    );
  });
}

async function setIndexes(
  stage: Stage,
  indexes: typeof sessionRows.indexes,
  isWanted: boolean,
): Promise<void> {
  const rows = sessionRows(stage.ctx);
  const present = new Set((await rows.indexes()).map(({ key }) => JSON.stringify(key)));
  for (const index of indexes) {
    const isThere = present.has(JSON.stringify(index.key));
    if (isWanted && !isThere) await rows.createIndexes([{ ...index }]);
    if (!isWanted && isThere) await rows.dropIndex(index.key as never);
  }
}
