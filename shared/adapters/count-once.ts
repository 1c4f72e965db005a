import type { OtlpRecord } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

type Place = Pick<OtlpRecord, 'scope' | 'traceId' | 'spanId' | 'parentSpanId' | 'startMs' | 'durationMs'>;

/** The signal of a span, and where the span is in its trace and in time. */
export interface SpanSignal extends Place {
  signal: PostedSignal;
}

/**
 * Instrumentations whose spans are not always parents of what they run. A span of another one lies in theirs by its time alone,
 * and often in another trace.
 */
const NO_PARENTS: ReadonlySet<string> = new Set([
  'openinference.instrumentation.anthropic',
  'openinference.instrumentation.langchain',
  'opentelemetry.instrumentation.anthropic',
]);

/**
 * The signals of one request's spans, each call once. Where two instrumentations report a call, the span of one is in the
 * span of the other. The inner span counts, and takes over what only the outer one knows, such as the user.
 */
export function countOnce(spans: readonly SpanSignal[]): PostedSignal[] {
  const byPlace = new Map(spans.map((span) => [placeOf(span.traceId, span.spanId) ?? span, span]));
  const unnested = [...byPlace.values()].filter(({ scope }) => NO_PARENTS.has(scope));
  const outerOf = new Map<SpanSignal, SpanSignal>();
  // An outer span repeats one inner span at most: two equal calls in it are two calls.
  const repeating = new Set<SpanSignal>();
  for (const inner of byPlace.values()) {
    const parent = byPlace.get(placeOf(inner.traceId, inner.parentSpanId) ?? '');
    const isOuter = (span: SpanSignal) => !repeating.has(span) && isSameCall(span, inner);
    const outer =
      parent && isOuter(parent) ? parent : unnested.find((span) => isDuring(inner, span) && isOuter(span));
    if (!outer) continue;
    outerOf.set(inner, outer);
    repeating.add(outer);
  }
  return [...byPlace.values()]
    .filter((span) => !repeating.has(span))
    .map((span) => {
      let { signal } = span;
      for (let outer = outerOf.get(span); outer; outer = outerOf.get(outer))
        signal = merged(signal, outer.signal);
      return signal;
    });
}

function placeOf(traceId: string, spanId: string): string | undefined {
  return traceId === '' || spanId === '' ? undefined : `${traceId}:${spanId}`;
}

/** True when a span began after another one and ended before it. */
function isDuring(inner: SpanSignal, outer: SpanSignal): boolean {
  if (inner.startMs === null || outer.startMs === null) return false;
  const endOf = ({ startMs, durationMs }: Place) => (startMs ?? 0) + (durationMs ?? 0);
  return outer.startMs < inner.startMs && endOf(inner) < endOf(outer);
}

/** One instrumentation reports a call once, so a span of its own in another is another call. */
function isSameCall({ scope, signal: one }: SpanSignal, { scope: other, signal: two }: SpanSignal): boolean {
  if (scope === other || one.tool_name !== two.tool_name || !one.error !== !two.error) return false;
  if (one.id === two.id) return true;
  const isOfModel = seriesOf(one.model ?? two.model) === seriesOf(two.model ?? one.model);
  const isCountedOnce = one.tokens_in === null || two.tokens_in === null;
  return (
    isOfModel && (isCountedOnce || (one.tokens_in === two.tokens_in && one.tokens_out === two.tokens_out))
  );
}

/** A model's name without its date: one instrumentation reports the model that was asked for, another the one that answered. */
function seriesOf(model: string | undefined): string | undefined {
  return model?.toLowerCase().replace(/-\d{4}-?\d\d-?\d\d$/, '');
}

function merged(inner: PostedSignal, outer: PostedSignal): PostedSignal {
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = outer;
  const tokens = { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens };
  return {
    ...outer,
    ...inner,
    ...(inner.tokens_in === null ? tokens : {}),
    metadata: Object.assign({}, outer.metadata, inner.metadata),
  };
}
