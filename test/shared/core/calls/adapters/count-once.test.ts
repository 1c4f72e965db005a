import { expect, it } from 'vitest';
import { countOnce, type SpanSignal } from '../../../../../shared/core/calls/adapters/count-once.ts';
import type { PostedSignal } from '../../../../../shared/core/calls/adapters/posted.ts';

const LANGCHAIN = 'openinference.instrumentation.langchain';
const OPENAI = 'openinference.instrumentation.openai';
const SDK = 'com.anthropic.sdk.python';
const NO_COUNTS = { tokens_in: null, tokens_out: null };

/** A span of a call of gpt-5 with 100 tokens in and 10 out, unless its fields say otherwise. */
function span(
  scope: string,
  spanId: string,
  parentSpanId: string,
  fields: Partial<PostedSignal> = {},
): SpanSignal {
  const counts = { tokens_in: 100, tokens_out: 10, cache_read_tokens: 0, cache_write_tokens: 0 };
  const call = { adapter: 'otel', ts: '2026-11-23T00:00:00Z', model: 'gpt-5', ...counts };
  // A signal has no fields that are undefined.
  const signal = JSON.parse(JSON.stringify({ id: `call-${spanId}`, ...call, ...fields }));
  return { scope, traceId: 't', spanId, parentSpanId, startMs: 0, durationMs: 1, signal };
}

const [OUTER, INNER] = [span(LANGCHAIN, 'a', ''), span(OPENAI, 'b', 'a')];

it.each([
  ['inner first', [INNER, OUTER]],
  ['outer first', [OUTER, INNER]],
  ['each of them twice in its request', [OUTER, OUTER, INNER, INNER]],
])('a call that two instrumentations report counts once, %s', (_, spans) => {
  expect(countOnce(spans)).toMatchObject([{ id: 'call-b', tokens_in: 100, tokens_out: 10 }]);
});

it('a call that three instrumentations report counts once, with all that they know of it', () => {
  const outer = { user_id: 'grace', project_id: 'shop', metadata: { client_session_id: 's-1' } };
  const answered = { id: 'resp_0123456789abcdef', model: 'gpt-5-2025-08-07' };
  const signals = countOnce([
    span(SDK, 'c', 'b', answered),
    span(OPENAI, 'b', 'a', { cost_usd: 0.5 }),
    span(LANGCHAIN, 'a', '', outer),
  ]);
  expect(signals).toMatchObject([{ ...outer, ...answered, cost_usd: 0.5 }]);
});

it('two equal calls count twice, beside each other or in a span that repeats one of them', () => {
  expect(countOnce([INNER, span(SDK, 'c', 'a')])).toHaveLength(2);
  expect(countOnce([INNER, span(OPENAI, 'c', 'a'), OUTER])).toHaveLength(2);
});

it.each([
  ['counts of the inner one', {}, NO_COUNTS, { tokens_in: 100, tokens_out: 10 }],
  ['counts of the outer one', NO_COUNTS, {}, { tokens_in: 100, tokens_out: 10 }],
  [
    'model of a failure',
    { error: { code: 'x' }, model: undefined },
    { error: { code: 'x' } },
    { model: 'gpt-5' },
  ],
])('the %s that only one of the two reports are the call’s', (_, ofInner, ofOuter, call) => {
  const [inner, outer] = [span(OPENAI, 'b', 'a', ofInner as object), span(LANGCHAIN, 'a', '', ofOuter)];
  for (const spans of [
    [inner, outer],
    [outer, inner],
  ])
    expect(countOnce(spans)).toMatchObject([call]);
});
