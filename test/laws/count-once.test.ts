import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOnce, type SpanSignal } from '../../shared/core/calls/adapters/count-once.ts';
import { firstEnclosing } from '../../shared/core/calls/adapters/first-enclosing.ts';

const RUNS = Number(process.env.LAW_RUNS ?? 300);

const NO_PARENTS = ['openinference.instrumentation.langchain', 'opentelemetry.instrumentation.anthropic'];
const scopes = fc.constantFrom(
  ...NO_PARENTS,
  'com.anthropic.sdk.python',
  'opentelemetry.instrumentation.openai',
);
const digit = fc.nat(9);
const counts = fc.constantFrom(null, 0, 1, 2);

const drawn = fc.record({
  scope: scopes,
  traceId: fc.constantFrom('a', 'b'),
  spanId: digit,
  parent: digit,
  startMs: fc.option(fc.nat(20), { freq: 9 }),
  durationMs: fc.option(fc.nat(20), { freq: 9 }),
  id: fc.nat(30),
  counts,
  model: fc.constantFrom(undefined, 'gpt-5', 'gpt-5-2025-08-07', 'o3'),
  tool: fc.constantFrom(undefined, undefined, 'bash'),
  isFailed: fc.constantFrom(false, false, true),
});

function spanOf({
  spanId,
  parent,
  id,
  counts: tokens,
  model,
  tool,
  isFailed,
  ...place
}: typeof drawn extends fc.Arbitrary<infer T> ? T : never): SpanSignal {
  const ids = { spanId: String(spanId), parentSpanId: String(parent) };
  const signal = {
    id: `call-${id}`,
    adapter: 'otel',
    ts: '2026-11-23T00:00:00Z',
    tokens_in: tokens,
    tokens_out: tokens,
    ...(model === undefined ? {} : { model }),
    ...(tool === undefined ? {} : { tool_name: tool }),
    ...(isFailed ? { error: { code: 'failed' } } : {}),
  };
  return { ...place, ...ids, signal };
}

/** Which spans count, by comparing each one with every other. */
function countedOf(spans: readonly SpanSignal[]): string[] {
  const all = [...new Map(spans.map((span) => [span.spanId, span])).values()];
  const repeating = new Set<SpanSignal>();
  for (const inner of all) {
    const parent = all.find(
      ({ traceId, spanId }) => traceId === inner.traceId && spanId === inner.parentSpanId,
    );
    const around = all.filter(
      (outer) => NO_PARENTS.includes(outer.scope) && outer.scope !== inner.scope && isAround(outer, inner),
    );
    const outer = [...(parent ? [parent] : []), ...around].find(
      (candidate) => !repeating.has(candidate) && isSameCall(candidate, inner),
    );
    if (outer) repeating.add(outer);
  }
  return all.filter((span) => !repeating.has(span)).map(({ signal }) => signal.id);
}

function isAround(outer: SpanSignal, inner: SpanSignal): boolean {
  if (outer.startMs === null || inner.startMs === null) return false;
  const endOf = (span: SpanSignal) => (span.startMs ?? 0) + (span.durationMs ?? 0);
  return outer.startMs < inner.startMs && endOf(inner) < endOf(outer);
}

function isSameCall({ scope, signal: one }: SpanSignal, { scope: other, signal: two }: SpanSignal): boolean {
  const series = ({ model }: { model?: string | undefined }) => model?.replace(/-2025-08-07$/, '');
  const repeats = one.tokens_in === null && typeof two.tokens_in === 'number';
  if ((scope === other && !repeats) || one.tool_name !== two.tool_name || !one.error !== !two.error)
    return false;
  if (one.id === two.id) return true;
  const isCountedOnce = one.tokens_in === null || two.tokens_in === null;
  const isInputAlike = one.tokens_in === 0 || one.tokens_in === two.tokens_in;
  const isAlike = isCountedOnce || (isInputAlike && one.tokens_out === two.tokens_out);
  return isAlike && (!series(one) || !series(two) || series(one) === series(two));
}

test('the spans of a request count as a comparison of all pairs would have it', () => {
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 40 }), (drawnSpans) => {
      const spans = drawnSpans.map((span, at) => ({ ...spanOf(span), spanId: String(at) }));
      expect(countOnce(spans).map(({ id }) => id)).toEqual(countedOf(spans));
    }),
    { numRuns: RUNS },
  );
});

test('the first time around another is found, whatever was removed', () => {
  const time = fc.record({ startMs: fc.nat(20), length: fc.nat(20) });
  const question = fc.record({ startMs: fc.nat(20), length: fc.nat(20), isRemoved: fc.boolean() });
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 40 }), fc.array(question), (list, questions) => {
      const times = list.map(({ startMs, length }) => ({ startMs, endMs: startMs + length }));
      const index = firstEnclosing(times);
      const removed = new Set<number>();
      for (const { startMs, length, isRemoved } of questions) {
        const endMs = startMs + length;
        const naive = times.findIndex(
          (one, at) => !removed.has(at) && one.startMs < startMs && endMs < one.endMs,
        );
        expect(index.find({ startMs, endMs })).toBe(naive === -1 ? null : naive);
        if (naive === -1 || !isRemoved) continue;
        index.remove(naive);
        removed.add(naive);
      }
    }),
    { numRuns: RUNS },
  );
});

test('spans that all lie in each other are not compared pair by pair', () => {
  const LENGTH = 4_096;
  let reads = 0;
  const times = Array.from({ length: LENGTH }, (_, at) => ({
    get startMs() {
      reads += 1;
      return at;
    },
    endMs: 2 * LENGTH - at,
  }));
  const index = firstEnclosing(times);
  for (let at = 1; at < LENGTH; at += 1) {
    expect(index.find({ startMs: at, endMs: 2 * LENGTH - at })).toBe(at - 1);
    index.remove(at - 1);
  }
  expect(reads).toBeLessThan(LENGTH * Math.log2(LENGTH) ** 2 * 4);
});
