import type { Signal } from '../../../parts/session/words.ts';
import type { QuotedCall } from '../queries.ts';

const TEXTS = ['ts', 'model', 'provider', 'project_id', 'service_tier', 'region'] as const;
/** Counts that are left out where nobody gives them. */
const COUNTS = [
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'output_image_tokens',
  'output_audio_tokens',
] as const;
/** Counts of which none at all means that nobody has counted. */
const TOKENS = ['tokens_in', 'tokens_out'] as const;

/** A call as people type it: all of it is text. */
export type Draft = Record<
  (typeof TEXTS | typeof COUNTS | typeof TOKENS)[number] | 'tool_uses' | 'cost_usd',
  string
>;

export const NO_CALL: Draft = draftOf({ tokens_in: 0, tokens_out: 0 });

export function draftOf(call: QuotedCall): Draft {
  const names = [...TEXTS, ...COUNTS, ...TOKENS, 'cost_usd'] as const;
  const written = names.map((name) => [name, String(call[name] ?? '')]);
  const tool_uses = Object.entries(call.tool_uses ?? {}).map(([tool, uses]) => `${tool} ${uses}`);
  return { ...(Object.fromEntries(written) as Draft), tool_uses: tool_uses.join(', ') };
}

/** The call as the API takes it, without what is not typed. */
export function bodyOf(draft: Draft): QuotedCall {
  const texts = TEXTS.map((name) => [name, draft[name].trim()]).filter(([, text]) => text !== '');
  const counts = [...COUNTS, 'cost_usd' as const].flatMap((name) =>
    draft[name].trim() === '' ? [] : [[name, Number(draft[name])]],
  );
  const tokens = TOKENS.map((name) => [name, draft[name].trim() === '' ? null : Number(draft[name])]);
  const uses = [...draft.tool_uses.matchAll(/([A-Za-z][\w-]*) +(\d+)/g)].map(([, tool, count]) => [
    tool,
    Number(count),
  ]);
  return {
    ...Object.fromEntries([...texts, ...counts, ...tokens]),
    ...(uses.length === 0 ? {} : { tool_uses: Object.fromEntries(uses) }),
  };
}

/** The part of a signal that decides its price. A cost counts where the tool has reported it. */
export function quotedOf(signal: Signal): QuotedCall {
  const { ts, model, provider, project_id, cost_usd, cost_source, tokens_in, tokens_out } = signal;
  const { service_tier, region, tool_uses } = signal;
  const isUncounted = cost_source === 'unknown' && tokens_in === 0 && tokens_out === 0;
  const counts = COUNTS.flatMap((name) => (signal[name] ? [[name, signal[name]]] : []));
  return {
    ts,
    project_id,
    ...(model === null ? {} : { model }),
    ...(provider === null ? {} : { provider }),
    ...(service_tier === undefined ? {} : { service_tier }),
    ...(region === undefined ? {} : { region }),
    ...(tool_uses === undefined ? {} : { tool_uses }),
    tokens_in: isUncounted ? null : tokens_in,
    tokens_out: isUncounted ? null : tokens_out,
    ...Object.fromEntries(counts),
    ...(cost_source === 'reported' && cost_usd !== null ? { cost_usd } : {}),
  };
}

/** The call that an address gives, or null. The service refuses values that are not valid. */
export function readQuoted(text: string): Draft | null {
  try {
    const call: unknown = JSON.parse(text);
    return typeof call === 'object' && call !== null && !Array.isArray(call)
      ? draftOf(call as QuotedCall)
      : null;
  } catch {
    return null;
  }
}
