import { systemClock } from '../../shared/platform/basics/clock.ts';
import { DAY_MS } from '../../shared/platform/basics/interval.ts';
import { numberOption, percentiles, type Row, report, round } from './bench.ts';
import { AUDIENCE, startIssuer } from './issuer.ts';
import { LIST_DAYS } from './list.ts';
import { seedTenant, sizeOf, type Tenant } from './seed-tenant.ts';
import { AS_SCRIPTS_UP, makeKey, setStage } from './stage.ts';

const GOAL_MS = 300;

/**
 * `first-pages [--sessions 1000000] [--rows 100000] [--signals 0] [--reads 30]`: the first page of every list, every question
 * about usage and the first byte of every export, as pages of the dashboard ask for them, one after the other. `signals` are
 * those of the sessions.
 */
export async function runFirstPagesBench(args: string[]): Promise<void> {
  const reads = numberOption(args, 'reads', 30);
  const size = sizeOf(args, { sessions: 1_000_000, rows: 100_000, signals: 0 });
  const { stage, issuer } = await setStageOfPeople();
  try {
    const { url } = await stage.startApi();
    const tenant = await seedTenant(stage, { url, ...(await makeKey(stage)) }, size, issuer.mint);
    report('first-pages', await timePages(tenant, reads));
  } finally {
    issuer.server.close();
    await stage.stop();
  }
}

/** A stage where people sign in. */
export async function setStageOfPeople() {
  const issuer = await startIssuer();
  const stage = await setStage({
    ...AS_SCRIPTS_UP,
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: AUDIENCE,
    OIDC_CLIENT_ID: 'bench',
  });
  return { stage, issuer };
}

/** Times every question so many times. */
export async function timePages(tenant: Tenant, reads: number): Promise<Row[]> {
  const figures: Row[] = [];
  for (const [page, path, credential = tenant.key] of questionsOf(tenant)) {
    const times = await timeFirstBytes(`${tenant.url}${path}`, credential, reads);
    const isExport = path.includes('export');
    const figure = {
      page,
      asks: path.replace(tenant.orgId, '{orgId}'),
      first_ms: round(times[0] ?? 0, 1),
      ...percentiles(times, 1),
    };
    const reached = isExport || figure.p50_ms <= GOAL_MS;
    figures.push({ ...figure, reached });
    console.error(JSON.stringify(figures.at(-1)));
  }
  return figures;
}

/** The page that asks, the question, and the credential where it is not the key. */
type Question = readonly [page: string, path: string, credential?: string];

function questionsOf({ orgId, admin, spender, webhook, budget }: Tenant): Question[] {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const today = systemClock.now();
  const month = `from=${dayOf(today - 30 * DAY_MS)}&to=${dayOf(today + DAY_MS)}`;
  const year = `from=${dayOf(today - LIST_DAYS * DAY_MS)}&to=${dayOf(today)}`;
  const sessions = '/api/v1/sessions?limit=50';
  const listed = (filter: string): Question => ['Sessions', `${sessions}${filter}`];
  const dimensions = 'user_id,project_id,model,adapter';
  return [
    listed(''),
    listed(`&${month}`),
    listed('&project_id=web'),
    listed('&model=gpt-5'),
    listed('&user_id=user-7'),
    listed('&adapter=codex&model=gpt-5'),
    listed('&errors=true'),
    listed('&errors=false'),
    listed('&anomalous=true'),
    listed('&anomalous=false'),
    listed('&state=open'),
    listed('&state=ended'),
    listed('&sort=cost_usd'),
    listed(`&sort=cost_usd&${month}`),
    listed('&sort=cost_usd&project_id=web'),
    listed('&sort=cost_usd&min_cost_usd=100'),
    listed('&sort=cost_usd&min_cost_usd=1&state=ended'),
    listed('&sort=tokens&user_id=user-7'),
    [
      'Overview',
      `/api/v1/org/${orgId}/usage?${month}&interval=day&series=each&top=8&group_by=${dimensions},team`,
    ],
    ['Overview', `/api/v1/usage?${year}&interval=month&series=each&top=20&group_by=user_id,project_id,model`],
    ['Overview', `/api/v1/usage?${month}`],
    ['Overview', `/api/v1/usage?${year}&group_by=user_id`],
    ['a person', `/api/v1/usage?${month}&interval=day&user_id=user-7`],
    ['Analytics', `/api/v1/org/${orgId}/analytics?dimension=model`],
    ['Ctrl K', '/api/v1/search?q=user-7'],
    ['Anomalies', '/api/v1/anomalies?limit=50'],
    ['held', '/api/v1/held-signals?limit=50'],
    ['Budgets', '/api/v1/budgets?limit=100'],
    ['Budget', `/api/v1/budgets/${budget}/usage`],
    ['Budget', `/api/v1/budgets/${budget}/windows`],
    ['Pull requests', '/api/v1/pull-requests?limit=20'],
    ['Webhook', `/api/v1/webhooks/${webhook}/deliveries?limit=50`],
    ['Webhook', `/api/v1/webhooks/${webhook}/deliveries?limit=50&status=exhausted`],
    ['Members', '/v1/members', admin],
    ['Audit', '/v1/audit?limit=50', admin],
    ['Audit', '/v1/audit?limit=50&action=member.', admin],
    ['Credits', '/v1/ledger?limit=50', spender],
    ['Export', `/api/v1/usage/export?${month}&level=daily&format=csv`],
    ['Export', `/api/v1/usage/export?${month}&level=sessions&format=csv`],
    ['Export', `/api/v1/usage/export?${month}&level=focus&format=csv`],
    ['Export', `/v1/audit/export?format=csv`, admin],
  ];
}

/** Milliseconds until the first byte of the body; a page's is all of it. An export is left there. */
async function timeFirstBytes(url: string, credential: string, reads: number): Promise<number[]> {
  const times: number[] = [];
  for (let read = 0; read < reads; read += 1) {
    const leaving = new AbortController();
    const began = performance.now();
    const answer = await fetch(url, {
      headers: { Authorization: `Bearer ${credential}` },
      signal: leaving.signal,
    });
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    if (url.includes('export')) {
      await answer.body?.getReader().read();
      leaving.abort();
    } else await answer.arrayBuffer();
    times.push(performance.now() - began);
  }
  return times;
}
