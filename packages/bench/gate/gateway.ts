import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ESTIMATE_USD, PRICE } from './model.ts';

/**
 * The smallest gateway that keeps a budget, a process of its own: it asks `/gate` before a call, and reports the call with its
 * reservation afterwards. `npm run bench -- gate` uses it where there is no LiteLLM.
 */
const { GOVERNOR_API = '', GOVERNOR_API_KEY = '', GOVERNOR_TTL_S = '', MODEL = '', PORT = '' } = process.env;
const key = { 'X-Governor-Key': GOVERNOR_API_KEY };
const sent = { Authorization: `Bearer ${GOVERNOR_API_KEY}`, 'Content-Type': 'application/json' };

createServer((req, res) => {
  pass(req, res).catch(() => res.writeHead(503).end());
}).listen(Number(PORT), '127.0.0.1');

async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method === 'GET') return void res.end();
  const body = await text(req);
  const call = {
    ...key,
    'X-Governor-User': 'ada',
    'X-Governor-Estimate-Usd': String(ESTIMATE_USD),
    'X-Governor-Ttl-S': GOVERNOR_TTL_S,
  };
  const gate = await fetch(`${GOVERNOR_API}/gate`, { headers: call, signal: AbortSignal.timeout(2_000) });
  await gate.text();
  if (!gate.ok) return void res.writeHead(gate.status === 403 ? 403 : 503).end();
  const answer = await fetch(`${MODEL}/v1/chat/completions`, { method: 'POST', body });
  const answered = await answer.text();
  res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answered);
  await report(JSON.parse(answered), gate.headers.get('X-Governor-Reservation'));
}

/** Reports a call until the service has taken it. */
async function report(
  { id, usage }: { id: string; usage: { prompt_tokens: number; completion_tokens: number } },
  reservation_id: string | null,
): Promise<void> {
  const { prompt_tokens: tokens_in, completion_tokens: tokens_out } = usage;
  const cost_usd = tokens_in * PRICE.in + tokens_out * PRICE.out;
  const ts = new Date().toISOString();
  const signal = { id, ts, user_id: 'ada', adapter: 'bench', model: 'm', tokens_in, tokens_out };
  const body = JSON.stringify({ ...signal, cost_usd, reservation_id });
  for (;;) {
    const url = `${GOVERNOR_API}/api/v1/signals`;
    const answer = await fetch(url, { method: 'POST', headers: sent, body }).catch(() => null);
    await answer?.text();
    if (answer?.ok) return;
    await sleep(250);
  }
}
