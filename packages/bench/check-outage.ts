import { percentiles, type Row, runClients } from './bench.ts';
import type { Stage } from './stage.ts';

const CLIENTS = 8;
const SECONDS = 5;
/** By then amounts are older than a second, and `on_error` decides. */
const UNTIL_OLD_MS = 1_500;

/**
 * Checks of one organization with a hard budget while a store is frozen (SIGSTOP): `on_error` decides, which may take
 * 100 ms. The first row is without an outage.
 */
export async function measureOutages(stage: Stage, url: string, key: string): Promise<Row[]> {
  const rows = [await measure('none', url, key)];
  for (const store of ['mongo', 'redis'] as const) {
    const { pid } = stage[store];
    process.kill(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, UNTIL_OLD_MS));
    rows.push(await measure(store, url, key));
    process.kill(pid, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, UNTIL_OLD_MS));
  }
  return rows;
}

async function measure(frozen: string, url: string, key: string): Promise<Row> {
  const statuses = new Map<number, number>();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { times } = await runClients(CLIENTS, SECONDS, async () => {
    const answer = await fetch(`${url}/api/v1/budgets/check`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ estimate_usd: 0.01 }),
    });
    await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  });
  return {
    frozen,
    answers: [...statuses].map(([status, count]) => `${status}: ${count}`).join(', '),
    ...percentiles(times, 1),
  };
}
