import type { Answer, ModelCall, Question } from './ledger.ts';
import { type Json, listOf, namesOf, type Reply, streamOf, textOf } from './reply.ts';

/** `POST /v1beta/models/MODEL:generateContent`, or `:streamGenerateContent`. */
export function readGemini(body: Json, model: string): Question {
  const text = JSON.stringify(body.contents ?? '');
  return {
    model,
    text,
    tools: listOf(body.tools).flatMap((tool) => namesOf(tool.functionDeclarations)),
    hasToolResult: text.includes('"functionResponse"'),
  };
}

export function writeGemini(answer: Answer, body: Json, isStream: boolean): Reply {
  if (answer.kind === 'error')
    return { status: 400, json: { error: { code: 400, message: 'Refused', status: 'INVALID_ARGUMENT' } } };
  const part =
    answer.kind === 'tool'
      ? { functionCall: { name: answer.tool, args: answer.input } }
      : { text: textFor(body, answer.text) };
  const response = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: usageOf(answer.call),
    modelVersion: answer.call.model,
  };
  return isStream ? { status: 200, stream: streamOf([response]) } : { status: 200, json: response };
}

/** Gemini CLI asks a smaller model which model shall answer, and checks what it says. */
function textFor(body: Json, text: string): string {
  const asked = JSON.stringify(body);
  if (textOf(body.responseMimeType) === '' && !asked.includes('application/json')) return text;
  return JSON.stringify({
    reasoning: text,
    model_choice: 'pro',
    complexity_reasoning: text,
    complexity_score: 80,
    next_speaker: 'user',
  });
}

function usageOf(call: ModelCall): Json {
  call.cacheWrite = 0;
  return {
    promptTokenCount: call.tokensIn,
    cachedContentTokenCount: call.cacheRead,
    candidatesTokenCount: call.tokensOut - call.reasoning,
    thoughtsTokenCount: call.reasoning,
    totalTokenCount: call.tokensIn + call.tokensOut,
  };
}
