import type { Answer, ModelCall, Question } from './ledger.ts';
import { type Json, listOf, namesOf, type Reply, streamOf, textOf } from './reply.ts';

/** `POST /v1/responses`. */
export function readResponses(body: Json): Question {
  const input = listOf(body.input);
  return {
    model: textOf(body.model),
    text: JSON.stringify(body.input ?? ''),
    tools: namesOf(body.tools),
    hasToolResult: input.some(({ type }) => type === 'function_call_output'),
  };
}

export function writeResponse(answer: Answer, body: Json, index: number): Reply {
  if (answer.kind === 'error')
    return {
      status: 400,
      json: { error: { message: 'Refused', type: 'invalid_request_error', code: 'bad' } },
    };
  const item =
    answer.kind === 'text'
      ? {
          id: `msg_mock${index}`,
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: answer.text, annotations: [] }],
        }
      : {
          id: `fc_mock${index}`,
          type: 'function_call',
          status: 'completed',
          call_id: `call_mock${index}0000000000`,
          name: answer.tool,
          arguments: JSON.stringify(answer.input),
        };
  const response = {
    id: `resp_mock${index}000000000000`,
    object: 'response',
    created_at: 1,
    model: answer.call.model,
    status: 'completed',
    output: [item],
    tools: [],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    usage: usageOf(answer.call),
  };
  if (body.stream !== true) return { status: 200, json: response };
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  return {
    status: 200,
    stream: streamOf(events.map((event, sequence_number) => ({ ...event, sequence_number }))),
  };
}

function usageOf(call: ModelCall): Json {
  call.cacheWrite = 0;
  return {
    input_tokens: call.tokensIn,
    input_tokens_details: { cached_tokens: call.cacheRead },
    output_tokens: call.tokensOut,
    output_tokens_details: { reasoning_tokens: call.reasoning },
    total_tokens: call.tokensIn + call.tokensOut,
  };
}
