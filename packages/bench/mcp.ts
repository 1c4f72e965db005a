import { Pool } from 'undici';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { numberOption, onStage, percentiles, report, round, runClients } from './bench.ts';
import { insertBudgets, makeBudget } from './budgets.ts';
import { makeKey, type Stage } from './stage.ts';

const PEOPLE = 50;
const WARM_UP_S = 2;
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

/**
 * `mcp [--seconds 10] [--clients 64]`: agents of 50 people ask `get_budget` by `POST /mcp`, each with the bound key of its
 * person, who has a budget beside the organization's.
 */
export async function runMcpBench(args: string[]): Promise<void> {
  const seconds = Math.min(60, numberOption(args, 'seconds', 10));
  const clients = Math.min(256, numberOption(args, 'clients', 64));
  await onStage(async (stage) => {
    const { url } = await stage.startApi();
    const keys = await makePeople(stage);
    await drive(url, keys, clients, WARM_UP_S);
    const { times, seconds: took, failed } = await drive(url, keys, clients, seconds);
    const calls = { tool: 'get_budget', clients, 'calls/s': round(times.length / took, 0) };
    report('mcp', [{ ...calls, ...percentiles(times), failed }]);
  });
}

/** People with a hard budget each, beside one of the organization. Returns a bound key of each. */
async function makePeople(stage: Stage): Promise<string[]> {
  const { ctx } = stage;
  const { orgId } = await makeKey(stage);
  const people = Array.from({ length: PEOPLE }, (_, index) => `user-${index}`);
  const make = (scope: 'org' | 'user', scope_id: string) =>
    makeBudget(ctx, orgId, { name: scope_id, scope, scope_id });
  await insertBudgets(ctx, orgId, [make('org', orgId), ...people.map((id) => make('user', id))]);
  const keys: string[] = [];
  for (const user_id of people)
    keys.push((await createApiKey(ctx, { org_id: orgId, scopes: ['budgets:check'], user_id })).key);
  return keys;
}

async function drive(url: string, keys: readonly string[], clients: number, seconds: number) {
  const pool = new Pool(url, { connections: clients, pipelining: 1 });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_budget', arguments: {} },
  });
  let failed = 0;
  const driven = await runClients(clients, seconds, async (client) => {
    const headers = { ...HEADERS, authorization: `Bearer ${keys[client % keys.length]}` };
    const answer = await pool.request({ path: '/mcp', method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || !text.includes('remaining')) failed += 1;
  });
  await pool.close();
  return { ...driven, failed };
}
