import { Pool } from 'undici';
import { askJson, numberOption, onStage, percentiles, type Row, repeat, report, round } from './bench.ts';
import { AS_IN_PRODUCTION } from './consume.ts';
import { callOf, makeKey, type Stage } from './stage.ts';

const APIS = 3;
const POSTERS = 24;
const SHOP = 'github.com/acme/shop';

/** Changes of what an organization's signals are recorded by: a name, how often (milliseconds), and one of them. */
interface Changes {
  name: string;
  everyMs: number;
  /** `index` counts them from 0. */
  make: (url: string, key: string, index: number) => Promise<unknown>;
}

const WARM_UP: Changes = { name: 'nothing', everyMs: 500, make: async () => undefined };
const CHANGES: readonly Changes[] = [
  WARM_UP,
  { name: 'a budget made or removed, 2/s', everyMs: 500, make: changeBudget },
  { name: 'a context, 4/s', everyMs: 250, make: tellContext },
];

/** The budget that the last change made and the next one removes. */
let madeBudget: string | null = null;

async function changeBudget(url: string, key: string): Promise<void> {
  if (madeBudget === null) {
    const budget = {
      name: 'Bench',
      scope: 'org',
      metric: 'cost_usd',
      threshold: 1_000_000,
      window: 'monthly',
    };
    madeBudget = (await askJson(`${url}/api/v1/budgets`, key, budget)).id;
    return;
  }
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/budgets/${madeBudget}`, { method: 'DELETE', headers });
  if (!answer.ok) throw new Error(`A budget was not removed: ${answer.status}`);
  madeBudget = null;
}

async function tellContext(url: string, key: string, index: number): Promise<void> {
  const client_session_id = sessionOf(index % POSTERS);
  const branch = `branch-${index % 5}`;
  const ts = new Date().toISOString();
  await askJson(`${url}/api/v1/contexts`, key, {
    contexts: [{ client_session_id, ts, repository: SHOP, branch }],
  });
}

const sessionOf = (poster: number) => `session-${poster}`;

/**
 * `conflicts [--seconds 15] [--mongodb URL]`: single signals of one organization through 3 apis, and how long they and changes
 * of its rules and contexts wait for each other. `--mongodb` measures on that server instead of one of its own.
 */
export async function runConflictsBench(args: string[]): Promise<void> {
  const seconds = numberOption(args, 'seconds', 15);
  const url = args.includes('--mongodb') ? (args[args.indexOf('--mongodb') + 1] ?? '') : '';
  const env = url === '' ? AS_IN_PRODUCTION : { ...AS_IN_PRODUCTION, MONGODB_URL: url };
  const rows = await onStage(async (stage) => {
    const apis = await Promise.all(Array.from({ length: APIS }, () => stage.startApi()));
    const pools = apis.map((api) => new Pool(api.url, { connections: POSTERS / APIS }));
    const measured: Row[] = [];
    await measure(stage, { apis, pools, changes: WARM_UP, seconds: 3 });
    for (const changes of CHANGES) measured.push(await measure(stage, { apis, pools, changes, seconds }));
    await Promise.all(pools.map((pool) => pool.close()));
    return measured;
  }, env);
  report('conflicts', rows);
}

interface Run {
  apis: readonly { url: string }[];
  pools: readonly Pool[];
  changes: Changes;
  seconds: number;
}

async function measure(stage: Stage, { apis, pools, changes, seconds }: Run): Promise<Row> {
  const { key } = await makeKey(stage);
  const posts = Array.from({ length: POSTERS }, (_, poster) => ({
    pool: pools[poster % APIS] as Pool,
    user: `user-${poster}`,
    session: sessionOf(poster),
  }));
  await Promise.all(posts.map((post) => postOne(post, key)));
  const [posted, changed] = [newTimes(), newTimes()];
  const untilMs = performance.now() + seconds * 1_000;
  let index = 0;
  const making = repeat(changes.everyMs, untilMs, () => {
    const { url } = apis[index % APIS] as { url: string };
    return timeOf(changed, () => changes.make(url, key, index++));
  });
  const posting = posts.map(async (post) => {
    while (performance.now() < untilMs) await timeOf(posted, () => postOne(post, key));
  });
  await Promise.all([making, ...posting]);
  return {
    beside: changes.name,
    posts_per_s: round(posted.waits.length / seconds, 0),
    ...percentiles(posted.waits, 0),
    failed: posted.failed,
    changes: changed.waits.length,
    ...named('change', percentiles(changed.waits, 0)),
    changes_failed: changed.failed,
  };
}

interface Times {
  /** Milliseconds of those that passed. */
  waits: number[];
  failed: number;
}

function newTimes(): Times {
  return { waits: [], failed: 0 };
}

async function timeOf(times: Times, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  try {
    await work();
    times.waits.push(performance.now() - began);
  } catch {
    times.failed += 1;
  }
}

function named(prefix: string, figures: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}_${name}`, value]));
}

let posts = 0;

async function postOne({ pool, user, session }: { pool: Pool; user: string; session: string }, key: string) {
  const signal = { ...callOf(`call-${posts++}`, user), metadata: { client_session_id: session } };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ signals: [signal] });
  const answer = await pool.request({ path: '/api/v1/signals', method: 'POST', headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`A signal was answered ${answer.statusCode}: ${text}`);
}
