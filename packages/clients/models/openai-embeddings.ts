import type { Answer, Question } from './ledger.ts';
import { type Json, type Reply, textOf } from './reply.ts';

/** `POST /v1/embeddings`. */
export function readEmbeddings(body: Json): Question {
  return {
    model: textOf(body.model),
    text: JSON.stringify(body.input ?? ''),
    tools: [],
    hasToolResult: false,
  };
}

/** Embeddings have no output, and none of their input is cached. */
export function writeEmbeddings(answer: Answer): Reply {
  if (answer.kind === 'error')
    return {
      status: 400,
      json: { error: { message: 'Refused', type: 'invalid_request_error', code: 'bad' } },
    };
  const { call } = answer;
  Object.assign(call, { tokensOut: 0, cacheRead: 0, cacheWrite: 0 });
  const usage = { prompt_tokens: call.tokensIn, total_tokens: call.tokensIn };
  const data = [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }];
  return { status: 200, json: { object: 'list', model: call.model, data, usage } };
}
