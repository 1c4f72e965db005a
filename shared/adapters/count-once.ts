import type { OtlpRecord } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

/** The signal of a span, and where the span is in its trace. */
export interface SpanSignal extends Pick<OtlpRecord, 'scope' | 'traceId' | 'spanId' | 'parentSpanId'> {
  signal: PostedSignal;
}

/**
 * The signals of one request's spans, each call once. Where two instrumentations report a call, the span of one is in the
 * span of the other. The inner span counts, and takes over what only the outer one knows, such as the user.
 */
export function countOnce(spans: readonly SpanSignal[]): PostedSignal[] {
  const byPlace = new Map(spans.map((span) => [placeOf(span), span]));
  const outerOf = (span: SpanSignal) =>
    span.parentSpanId === '' ? undefined : byPlace.get(placeOf({ ...span, spanId: span.parentSpanId }));
  // An outer span repeats one inner span at most: two equal calls in it are two calls.
  const innerOf = new Map<string, SpanSignal>();
  for (const inner of spans) {
    const outer = outerOf(inner);
    if (outer && !innerOf.has(placeOf(outer)) && isSameCall(outer, inner)) innerOf.set(placeOf(outer), inner);
  }
  return spans
    .filter((span) => !innerOf.has(placeOf(span)))
    .map((span) => {
      let { signal } = span;
      let inner = span;
      for (
        let outer = outerOf(span);
        outer && innerOf.get(placeOf(outer)) === inner;
        outer = outerOf(outer)
      ) {
        signal = merged(signal, outer.signal);
        inner = outer;
      }
      return signal;
    });
}

function placeOf({ traceId, spanId }: Pick<SpanSignal, 'traceId' | 'spanId'>): string {
  return `${traceId}:${spanId}`;
}

/** One instrumentation reports a call once, so a span of its own in another is another call. */
function isSameCall(outer: SpanSignal, inner: SpanSignal): boolean {
  const [one, other] = [outer.signal, inner.signal];
  return (
    outer.scope !== inner.scope &&
    one.tool_name === other.tool_name &&
    seriesOf(one.model) === seriesOf(other.model) &&
    (one.error === undefined) === (other.error === undefined) &&
    (one.tokens_in === null ||
      other.tokens_in === null ||
      (one.tokens_in === other.tokens_in && one.tokens_out === other.tokens_out))
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
