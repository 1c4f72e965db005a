import type { OtlpRecord } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

type Place = Pick<OtlpRecord, 'scope' | 'traceId' | 'spanId' | 'parentSpanId' | 'startMs' | 'durationMs'>;

/** The signal of a span, and where the span is in its trace and in time. */
export interface SpanSignal extends Place {
  signal: PostedSignal;
}

/** A span with the parts of it that are compared with every other span, read once. */
interface Compared extends SpanSignal {
  endMs: number;
  series: string | undefined;
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
  const byPlace = new Map<unknown, Compared>();
  for (const span of spans) {
    const endMs = (span.startMs ?? 0) + (span.durationMs ?? 0);
    byPlace.set(placeOf(span.traceId, span.spanId) ?? span, {
      ...span,
      endMs,
      series: seriesOf(span.signal.model),
    });
  }
  const unnested = [...byPlace.values()].filter(({ scope }) => NO_PARENTS.has(scope));
  const outerOf = new Map<Compared, Compared>();
  // An outer span repeats one inner span at most: two equal calls in it are two calls.
  const repeating = new Set<Compared>();
  for (const inner of byPlace.values()) {
    const parent = byPlace.get(placeOf(inner.traceId, inner.parentSpanId) ?? '');
    const isOuter = (span: Compared) => !repeating.has(span) && isSameCall(span, inner);
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
function isDuring(inner: Compared, outer: Compared): boolean {
  if (inner.startMs === null || outer.startMs === null) return false;
  return outer.startMs < inner.startMs && inner.endMs < outer.endMs;
}

/** One instrumentation reports a call once, so a span of its own in another is another call. */
function isSameCall(a: Compared, b: Compared): boolean {
  const { signal: one } = a;
  const { signal: two } = b;
  if (a.scope === b.scope || one.tool_name !== two.tool_name || !one.error !== !two.error) return false;
  if (one.id === two.id) return true;
  const isCountedOnce = one.tokens_in === null || two.tokens_in === null;
  const isAlike = isCountedOnce || (one.tokens_in === two.tokens_in && one.tokens_out === two.tokens_out);
  return isAlike && (a.series === undefined || b.series === undefined || a.series === b.series);
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
