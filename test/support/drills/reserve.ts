import { makeSignal } from '../factories.ts';
import { until } from '../harness.ts';

/** The answers to clients. `0` is no answer at all. */
export interface Tally {
  allowed: number;
  unknown: number;
  statuses: Map<number, number>;
}

export function newTally(): Tally {
  return { allowed: 0, unknown: 0, statuses: new Map() };
}

/** The call that a client asks for and reports: whose it is, and what filters ask about. */
export const CALL = { user_id: 'ada', model: 'gpt-4o-mini', provider: 'openai' };

/** One request with a body, whatever becomes of it. */
export async function post(
  url: string,
  key: string,
  body: object,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
): Promise<{ status: number; body: any }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: 0, body: null };
  }
}

/**
 * A client that reserves a dollar at a time until the budget refuses. `pace` resolves when it may go on. With `isReporting`
 * each dollar is reported as spent, else it stays reserved.
 */
export async function reserveUntilRefused(
  url: string,
  key: string,
  tally: Tally,
  { pace, isReporting }: { pace: () => Promise<unknown>; isReporting: boolean },
): Promise<void> {
  for (;;) {
    await pace();
    const { status, body } = await post(`${url}/api/v1/budgets/reserve`, key, {
      ...CALL,
      estimate_usd: 1,
      ttl_s: 3_600,
    });
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (status === 0 || status === 504) tally.unknown += 1;
    if (status !== 200) continue;
    if (!body.allow) return;
    tally.allowed += 1;
    if (!isReporting) continue;
    const signal = makeSignal({ ...CALL, ts: Date.now(), cost_usd: 1, reservation_id: body.reservation_id });
    await until(async () => (await post(`${url}/api/v1/signals`, key, signal)).status === 200, {
      what: 'a signal to be taken',
    });
  }
}
