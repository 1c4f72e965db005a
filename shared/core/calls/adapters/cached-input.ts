import type { PostedSignal } from './posted.ts';

/** The writer of the counts of a call, in the version that writes them so. */
export type Dialect =
  | 'claude-code'
  | 'codex'
  | 'gemini'
  | 'opencode'
  | 'copilot'
  | 'ccusage'
  | 'gateway'
  | 'openllmetry'
  | 'ai-sdk-5'
  | 'ai-sdk-6-beta'
  | 'other-spans';

/**
 * The dialects whose input leaves out the tokens of a cache: always, never, or for calls of these providers. Counts that
 * contradict it stay as they are, and the call has no price.
 */
const LEAVES_OUT_CACHED: Readonly<Record<Dialect, boolean | RegExp>> = {
  // Claude Code, opencode and ccusage count as Anthropic's API does: three counts beside each other.
  'claude-code': true,
  opencode: true,
  ccusage: true,
  codex: false,
  gemini: false,
  copilot: false,
  gateway: false,
  // OpenLLMetry adds them up, but not those of Bedrock.
  openllmetry: /^(?:aws|amazon|bedrock)/,
  // The Vercel AI SDK up to 5 hands on the counts of the provider, as did betas of 6; 6 adds them up.
  'ai-sdk-5': /anthropic|bedrock/,
  'ai-sdk-6-beta': /anthropic|bedrock/,
  // OpenTelemetry's conventions, OpenInference and the AI SDK from 6 on.
  'other-spans': false,
};

interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Token counts as signals have them: the input includes cached tokens. `repaired` says that they were added to it. */
export function tokensOf(
  { input, output, cacheRead, cacheWrite }: Usage,
  dialect: Dialect,
  provider = '',
): {
  tokens: Pick<PostedSignal, 'tokens_in' | 'tokens_out' | 'cache_read_tokens' | 'cache_write_tokens'>;
  repaired: { usage_repaired?: string };
} {
  const isAdded = cacheRead + cacheWrite > 0 && leavesOutCached(dialect, provider);
  return {
    tokens: {
      tokens_in: isAdded ? input + cacheRead + cacheWrite : input,
      tokens_out: output,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
    },
    repaired: isAdded ? { usage_repaired: 'exclusive' } : {},
  };
}

/** The input of a call with the tokens of a cache, as `tokensOf` counts it. */
export function wholeInput(
  dialect: Dialect,
  counts: { input: number; cacheRead: number; cacheWrite: number },
) {
  return leavesOutCached(dialect, '') ? counts.input + counts.cacheRead + counts.cacheWrite : counts.input;
}

function leavesOutCached(dialect: Dialect, provider: string): boolean {
  const rule = LEAVES_OUT_CACHED[dialect];
  return typeof rule === 'boolean' ? rule : rule.test(provider.toLowerCase());
}
