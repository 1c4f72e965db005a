import { Agent } from 'node:http';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { contextAt, get, nextNumber, post, SESSIONS, type Service, signalAt } from './attribution-client.ts';
import { numberOption, onStage, quantile, type Row, report, round, runClients } from './bench.ts';
import { measurePullRequests } from './pull-request-pages.ts';
import { makeKey, type Stage } from './stage.ts';

const CLIENTS = 16;
const BRANCHES = ['main', 'cart', 'search'];
const TURNS = 4;
const DAY_MS = 86_400_000;
/** Calls that one late context moves. */
const MOVED = 10_000;

/**
 * Signals of client sessions with contexts in force against the same without, in turns; single contexts beside signals; a context
 * that moves 10,000 calls; a month by branch; and pages of pull requests. `--seconds N` a side; `--only single`, `batches`, `contexts`,
 * `move`, `month` or `pulls`.
 */
export async function runAttributionBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 4);
  const only = args[args.indexOf('--only') + 1];
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (args.includes('--only') && only !== name) continue;
    const row = await measureApart((stage, service) => measure(stage, service, seconds));
    console.table([row]);
    rows.push(row);
  }
  report('attribution', rows);
}

type Measure = (stage: Stage, service: Service, seconds: number) => Promise<Row>;

const PARTS: Readonly<Record<string, Measure>> = {
  single: (stage, service, seconds) => measureRecording(stage, service, { batch: 1, seconds }),
  batches: (stage, service, seconds) => measureRecording(stage, service, { batch: 100, seconds }),
  contexts: measureContexts,
  move: measureMove,
  month: measureMonth,
  pulls: measurePullRequests,
};

/** Each part has stores of its own: the embedded store becomes slow once its cache is full (docs/stores.md). */
function measureApart(measure: (stage: Stage, service: Service) => Promise<Row>): Promise<Row> {
  return onStage(async (stage) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 * CLIENTS });
    const { url } = await stage.startApi();
    await stage.startWorker();
    return measure(stage, { agent, url }).finally(() => agent.destroy());
  });
}

/**
 * Three sides in turns: metadata that names no client session, which is recorded as before there were contexts; client sessions
 * without contexts; and with one in force.
 */
async function measureRecording(
  stage: Stage,
  service: Service,
  { batch, seconds }: { batch: number; seconds: number },
): Promise<Row> {
  const names = ['plain', 'sessions', 'contexts'] as const;
  const sides = await Promise.all(
    names.map(async (name) => ({ name, ...(await makeKey(stage)), calls: 0, seconds: 0 })),
  );
  const [, , told] = sides;
  const now = systemClock.now();
  const contexts = Array.from({ length: SESSIONS }, (_, session) =>
    contextAt(now - 60_000, session, BRANCHES[session % BRANCHES.length] as string),
  );
  await post(service, told?.key ?? '', 'contexts', { contexts });
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (const side of sides) {
      const send = (client: number) => {
        const signals = Array.from({ length: batch }, (_, index) => {
          const session = (client + index) % SESSIONS;
          const plain = { user_id: `user-${session}`, metadata: { some_other_number: `session-${session}` } };
          if (side.name === 'plain') return signalAt(systemClock.now(), null, plain);
          return signalAt(systemClock.now(), session);
        });
        return post(service, side.key, 'signals', { signals });
      };
      const ran = await runClients(CLIENTS, seconds / TURNS, send);
      if (turn === 0) continue;
      side.calls += ran.times.length * batch;
      side.seconds += ran.seconds;
    }
  const [plain = 0, sessions = 0, inForce = 0] = sides.map((side) => side.calls / side.seconds);
  return {
    what: `signals, batches of ${batch}`,
    'plain/s': Math.round(plain),
    'with client sessions/s': Math.round(sessions),
    'with contexts/s': Math.round(inForce),
    'sessions to plain': round(sessions / plain),
    'contexts to sessions': round(inForce / sessions),
  };
}

/** Single contexts of 16 clients beside single signals of 16 others. */
async function measureContexts(stage: Stage, service: Service, seconds: number): Promise<Row> {
  const { key } = await makeKey(stage);
  const signal = (client: number) =>
    post(service, key, 'signals', { signals: [signalAt(systemClock.now(), client % SESSIONS)] });
  const context = (client: number) => {
    const branch = BRANCHES[nextNumber() % BRANCHES.length] as string;
    return post(service, key, 'contexts', { contexts: [contextAt(systemClock.now(), client, branch)] });
  };
  const alone = await runClients(CLIENTS, seconds, signal);
  const [signals, contexts] = await Promise.all([
    runClients(CLIENTS, seconds, signal),
    runClients(CLIENTS, seconds, context),
  ]);
  return {
    what: 'contexts beside signals',
    'signal alone p99 ms': round(quantile(alone.times, 0.99)),
    'signal p99 ms': round(quantile(signals.times, 0.99)),
    'context p99 ms': round(quantile(contexts.times, 0.99)),
    'context to signal': round(quantile(contexts.times, 0.99) / quantile(signals.times, 0.99)),
  };
}

/** One context that moves 10,000 calls, while others go on recording signals. */
async function measureMove(stage: Stage, service: Service): Promise<Row> {
  const { key } = await makeKey(stage);
  const other = await makeKey(stage);
  const begin = systemClock.now() - 2 * DAY_MS;
  for (let from = 0; from < MOVED; from += 500) {
    const signals = Array.from({ length: 500 }, (_, index) => signalAt(begin + (from + index) * 1_000, 0));
    await post(service, key, 'signals', { signals });
  }
  const signal = () => post(service, other.key, 'signals', { signals: [signalAt(systemClock.now(), 1)] });
  const alone = await runClients(4, 3, signal);
  const beganMs = performance.now();
  const contexts = [contextAt(begin - 60_000, 0, 'main')];
  const answered = post(service, key, 'contexts', { contexts }).then(() => performance.now() - beganMs);
  let doneMs = Number.NaN;
  const moving = waitUntilMoved(service, key).then(() => {
    doneMs = performance.now() - beganMs;
  });
  const beside = await runClients(4, 3, signal);
  await moving;
  return {
    what: `a context that moves ${MOVED} calls`,
    'answered ms': Math.round(await answered),
    'done ms': Math.round(doneMs),
    'others alone p99 ms': round(quantile(alone.times, 0.99)),
    'others p99 ms': round(quantile(beside.times, 0.99)),
  };
}

async function waitUntilMoved(service: Service, key: string): Promise<void> {
  const from = new Date(systemClock.now() - 5 * DAY_MS).toISOString();
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const usage = (await get(service, key, `usage?branch=main&from=${from}`)) as {
      totals: { signals: number };
    };
    if (usage.totals.signals === MOVED) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('The calls have not moved in two minutes');
}

/** A month of 50 users with three branches a day, by branch and by other dimensions. */
async function measureMonth(stage: Stage, service: Service, seconds: number): Promise<Row> {
  const [withWorks, without] = [await makeKey(stage), await makeKey(stage)];
  const now = systemClock.now();
  for (let day = 1; day <= 30; day += 1)
    for (const [index, { key }] of [withWorks, without].entries()) {
      const signals = Array.from({ length: 150 }, (_, at) =>
        signalAt(now - day * DAY_MS + at * 60_000, null, {
          user_id: `user-${at % 50}`,
          ...(index === 0 ? { repository: 'github.com/acme/shop', branch: `b${day}-${at % 3}` } : {}),
        }),
      );
      await post(service, key, 'signals', { signals });
    }
  for (const { orgId } of [withWorks, without]) {
    const organization = await readOrganization(stage.ctx, orgId);
    await makeSnapshots(stage.ctx, organization, { fromMs: now - 40 * DAY_MS, toMs: now });
  }
  const from = new Date(now - 30 * DAY_MS).toISOString();
  const timed = async (key: string, by: string) => {
    const ran = await runClients(1, seconds / 4, () =>
      get(service, key, `usage?from=${from}&group_by=${by}`),
    );
    return quantile(ran.times, 0.99);
  };
  await timed(withWorks.key, 'branch');
  const byBranch = await timed(withWorks.key, 'branch');
  const byUser = await timed(withWorks.key, 'user_id');
  const byUserWithout = await timed(without.key, 'user_id');
  return {
    what: 'a month, 50 users × 3 branches a day',
    'by branch p99 ms': round(byBranch),
    'by user p99 ms': round(byUser),
    'by user without works p99 ms': round(byUserWithout),
    'by user to without': round(byUser / byUserWithout),
  };
}
