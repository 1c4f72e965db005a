import type { Answer, ModelCall, Question } from './ledger.ts';
import { type Json, listOf, namesOf, objectOf, type Reply, streamOf, textOf } from './reply.ts';

/** `POST /v1/messages`. */
export function readMessages(body: Json): Question {
  const messages = listOf(body.messages);
  return {
    model: textOf(body.model),
    text: JSON.stringify(messages),
    tools: namesOf(body.tools),
    hasToolResult: JSON.stringify(messages).includes('"tool_result"'),
  };
}

export function writeMessage(answer: Answer, body: Json, index: number): Reply {
  if (answer.kind === 'error')
    return {
      status: 400,
      json: { type: 'error', error: { type: 'invalid_request_error', message: 'Refused' } },
    };
  const block =
    answer.kind === 'text'
      ? { type: 'text', text: answer.text }
      : { type: 'tool_use', id: `toolu_mock${index}0000000000`, name: answer.tool, input: answer.input };
  const message = {
    id: `msg_mock${index}000000000000`,
    type: 'message',
    role: 'assistant',
    model: answer.call.model,
    content: [block],
    stop_reason: answer.kind === 'text' ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: usageOf(answer.call),
  };
  const headers = { 'request-id': `req_mock${index}000000000000` };
  return body.stream === true
    ? { status: 200, headers, stream: streamOf(eventsOf(message, block)) }
    : { status: 200, headers, json: message };
}

/** Anthropic counts the input without what was cached. */
function usageOf(call: ModelCall): Json {
  return {
    input_tokens: call.tokensIn - call.cacheRead - call.cacheWrite,
    cache_read_input_tokens: call.cacheRead,
    cache_creation_input_tokens: call.cacheWrite,
    output_tokens: call.tokensOut,
  };
}

function eventsOf(message: Json, block: Json): Json[] {
  const isText = block.type === 'text';
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  const usage = objectOf(message.usage);
  return [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { ...block, ...(isText ? { text: '' } : { input: {} }) },
    },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}
