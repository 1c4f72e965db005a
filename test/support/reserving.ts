import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestApi } from './harness.ts';
import { toolCall } from './mcp.ts';

/** The cost of a call, the user whom it names, and the key by which a repeat of it is known. */
interface Wanted {
  estimate_usd: number;
  user_id?: string;
  idempotency_key?: string;
}

type Reserve = (api: TestApi, key: string, wanted: Wanted) => Promise<string | null>;

/** The ways to reserve the cost of a call. Each returns the id of the reservation, or null where a budget refuses it. */
export const WAYS_TO_RESERVE: Readonly<Record<string, Reserve>> = {
  'POST /api/v1/budgets/reserve': async (api, key, { idempotency_key, ...call }) => {
    const headers: Record<string, string> = idempotency_key ? { 'Idempotency-Key': idempotency_key } : {};
    const body = { ttl_s: 300, ...call };
    const answer = await api.call('/api/v1/budgets/reserve', { key, headers, body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.reservation_id;
  },
  'the gate': async (api, key, { estimate_usd, user_id, idempotency_key }) => {
    const headers = {
      'X-Governor-Estimate-Usd': String(estimate_usd),
      ...(user_id ? { 'X-Governor-User': user_id } : {}),
      ...(idempotency_key ? { 'X-Governor-Request-Id': idempotency_key } : {}),
    };
    const answer = await api.call('/gate', { key, headers });
    expect(answer.body.code ?? answer.status, answer.text).toBeOneOf([200, 'budget_refused']);
    return answer.headers.get('x-governor-reservation');
  },
  'the tool reserve_spend': async (api, key, wanted) => {
    const args = { idempotency_key: randomUUID(), ...wanted };
    const answer = await api.call('/mcp', { key, ...toolCall('reserve_spend', args) });
    expect(answer.status, answer.text).toBe(200);
    const { isError, content, structuredContent } = answer.body.result;
    if (!isError) return structuredContent.reservation_id;
    expect(content[0].text).toMatch(/budget/i);
    return null;
  },
};
