import type { Answer, ModelCall, Question } from './ledger.ts';
import { type Json, listOf, namesOf, objectOf, type Reply, streamOf, textOf } from './reply.ts';

/** `POST /v1/chat/completions`. */
export function readChat(body: Json): Question {
  const messages = listOf(body.messages);
  return {
    model: textOf(body.model),
    text: JSON.stringify(messages),
    tools: namesOf(body.tools),
    hasToolResult: messages.some(({ role }) => role === 'tool'),
  };
}

export function writeChat(answer: Answer, body: Json, index: number): Reply {
  if (answer.kind === 'error')
    return {
      status: 400,
      json: { error: { message: 'Refused', type: 'invalid_request_error', code: 'bad' } },
    };
  const message = { role: 'assistant', ...contentOf(answer, index) };
  const finish_reason = answer.kind === 'text' ? 'stop' : 'tool_calls';
  const head = { id: `chatcmpl-mock${index}000000000000`, created: 1, model: answer.call.model };
  const usage = usageOf(answer.call);
  if (body.stream !== true)
    return {
      status: 200,
      json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
    };
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    // As OpenAI does: usage comes only when it is asked for.
    ...(objectOf(body.stream_options).include_usage === true ? [{ ...chunk, choices: [], usage }] : []),
  ];
  return { status: 200, stream: streamOf(chunks, 'data: [DONE]\n\n') };
}

function contentOf(answer: Exclude<Answer, { kind: 'error' }>, index: number): Json {
  if (answer.kind === 'text') return { content: answer.text };
  const name = { name: answer.tool, arguments: JSON.stringify(answer.input) };
  return {
    content: null,
    tool_calls: [{ index: 0, id: `call_mock${index}0000000000`, type: 'function', function: name }],
  };
}

/** OpenAI does not count what was written to its cache. */
function usageOf(call: ModelCall): Json {
  call.cacheWrite = 0;
  return {
    prompt_tokens: call.tokensIn,
    completion_tokens: call.tokensOut,
    total_tokens: call.tokensIn + call.tokensOut,
    prompt_tokens_details: { cached_tokens: call.cacheRead },
    completion_tokens_details: { reasoning_tokens: call.reasoning },
  };
}
