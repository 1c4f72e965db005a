import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Prices of the model in US dollars per token, as the configuration of LiteLLM has them. */
export const PRICE = { in: 0.00001, out: 0.0001 };
export const TOKENS_IN = 1_000;
export const MOST_OUT = 100;
/** The prompt of a call; its tokens are counted as a few more than `TOKENS_IN`. */
export const PROMPT = 'word '.repeat(TOKENS_IN);
/** No call costs more, in US dollars. */
export const ESTIMATE_USD = 0.0205;

/** A model on loopback that counts its calls. */
export interface Model {
  url: string;
  /** Calls that were answered, and what they cost in billionths of a dollar. */
  served: number;
  nusd: number;
  close(): void;
}

/** Starts a model that takes 50 to 250 ms per call and answers 20 to 100 tokens: callers know the cost only afterwards. */
export async function startModel(): Promise<Model> {
  const model: Model = { url: '', served: 0, nusd: 0, close: () => server.close() };
  let calls = 0;
  const server = createServer((req, res) => {
    void answer(req, res);
  });
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const isCall = (await text(req)).includes('messages');
    if (!isCall) return void res.writeHead(404).end();
    calls += 1;
    const id = `chatcmpl-${calls}`;
    const tokensOut = 20 + ((calls * 37) % 81);
    await sleep(50 + ((calls * 53) % 201));
    model.served += 1;
    model.nusd += Math.round((TOKENS_IN * PRICE.in + tokensOut * PRICE.out) * 1e9);
    const usage = {
      prompt_tokens: TOKENS_IN,
      completion_tokens: tokensOut,
      total_tokens: TOKENS_IN + tokensOut,
    };
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }];
    const head = { id, object: 'chat.completion', created: 1, model: 'm' };
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ ...head, choices, usage }));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return model;
}
