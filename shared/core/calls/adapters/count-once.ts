import { firstEnclosing } from './first-enclosing.ts';
import type { OtlpRecord } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

type Place = Pick<OtlpRecord, 'scope' | 'traceId' | 'spanId' | 'parentSpanId' | 'startMs' | 'durationMs'>;

export interface SpanSignal extends Place {
  signal: PostedSignal;
}

/** A span with the parts of it that are compared with other spans, read once, and its place among all of them. */
interface Compared extends SpanSignal {
  order: number;
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
    const place = placeOf(span.traceId, span.spanId) ?? span;
    const order = byPlace.get(place)?.order ?? byPlace.size;
    const endMs = (span.startMs ?? 0) + (span.durationMs ?? 0);
    byPlace.set(place, { ...span, order, endMs, series: seriesOf(span.signal.model) });
  }
  const all = [...byPlace.values()];
  const unnested = indexUnnested(all.filter(({ scope }) => NO_PARENTS.has(scope)));
  const outerOf = new Map<Compared, Compared>();
  // An outer span repeats one inner span at most: two equal calls in it are two calls.
  const repeating = new Set<Compared>();
  for (const inner of all) {
    const parent = byPlace.get(placeOf(inner.traceId, inner.parentSpanId) ?? '');
    const isOuter = parent && !repeating.has(parent) && isSameCall(parent, inner);
    const outer = isOuter ? parent : unnested.firstAround(inner);
    if (!outer) continue;
    outerOf.set(inner, outer);
    repeating.add(outer);
    unnested.remove(outer);
  }
  return all
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

/** Any counts, or any model. */
const ANY = 0;

/**
 * The spans without children, to find the first of them that another span repeats: one that began before it, ended after it and
 * is of the same call. They are in groups by all that `isSameCall` compares, so that only their times are left to compare.
 */
function indexUnnested(spans: readonly Compared[]) {
  const groups = new Map<string, Group>();
  const scopes = new Set(spans.map(({ scope }) => scope));
  for (const span of spans.filter(({ startMs }) => startMs !== null))
    for (const key of keysOfOuter(span)) {
      const group: Group = groups.get(key) ?? { members: [], places: new Map(), times: null };
      groups.set(key, group);
      group.places.set(span, group.members.push(span) - 1);
    }
  return {
    firstAround: (inner: Compared): Compared | undefined => {
      if (inner.startMs === null) return undefined;
      const time = { startMs: inner.startMs, endMs: inner.endMs };
      const around = keysAround(scopes, inner).flatMap((key) => {
        const group = groups.get(key);
        const place = group && timesOf(group).find(time);
        return group?.members[place ?? -1] ?? [];
      });
      return around.toSorted((a, b) => a.order - b.order)[0];
    },
    remove: (span: Compared): void => {
      for (const key of keysOfOuter(span)) {
        const group = groups.get(key);
        const place = group?.places.get(span);
        if (group && place !== undefined) timesOf(group).remove(place);
      }
    },
  };
}

interface Group {
  members: Compared[];
  places: Map<Compared, number>;
  /** Made when it is first asked. */
  times: ReturnType<typeof firstEnclosing> | null;
}

function timesOf(group: Group): ReturnType<typeof firstEnclosing> {
  group.times ??= firstEnclosing(
    group.members.map(({ startMs, endMs }) => ({ startMs: startMs ?? 0, endMs })),
  );
  return group.times;
}

function keysOfOuter(span: Compared): string[] {
  return keysOf(span.scope, span, [countsOf(span), ANY], [span.series ?? null, ANY]);
}

/** The groups whose spans, of these scopes, are of the same call as an inner one. */
function keysAround(scopes: ReadonlySet<string>, inner: Compared): string[] {
  const counts = countsOf(inner);
  // An outer span may know the output alone, and says 0 for the input.
  const alike = counts === null ? [ANY] : [counts, [0, counts[1]], null];
  const series = inner.series === undefined ? [ANY] : [inner.series, null];
  return [...scopes]
    .filter((scope) => scope !== inner.scope)
    .flatMap((scope) => keysOf(scope, inner, alike, series));
}

function countsOf({ signal: { tokens_in, tokens_out } }: Compared): readonly unknown[] | null {
  return tokens_in === null ? null : [tokens_in, tokens_out];
}

function keysOf(
  scope: string,
  { signal: { id, tool_name, error } }: Compared,
  counts: readonly unknown[],
  series: readonly unknown[],
): string[] {
  const call = [scope, tool_name, !error];
  const alike = counts.flatMap((count) => series.map((name) => [...call, count, name]));
  return [[...call, id], ...alike].map((parts) => JSON.stringify(parts));
}

/**
 * One instrumentation reports a call once, so a span of its own in another is another call; but an outer one without counts
 * repeats what it is around.
 */
function isSameCall(a: Compared, b: Compared): boolean {
  const { signal: one } = a;
  const { signal: two } = b;
  const isAround = one.tokens_in === null && typeof two.tokens_in === 'number';
  if ((a.scope === b.scope && !isAround) || one.tool_name !== two.tool_name || !one.error !== !two.error)
    return false;
  if (one.id === two.id) return true;
  const isCountedOnce = one.tokens_in === null || two.tokens_in === null;
  const isInputAlike = one.tokens_in === two.tokens_in || one.tokens_in === 0;
  const isAlike = isCountedOnce || (isInputAlike && one.tokens_out === two.tokens_out);
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
