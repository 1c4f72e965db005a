/** A call of $0.75 by the list. */
export const LISTED = {
  provider: 'anthropic',
  model: 'claude-opus-4-8',
  tokens_in: 100_000,
  tokens_out: 10_000,
};

/** A call of a model that no list has. */
export const OWN = { provider: 'vllm', model: 'llama-4-70b', tokens_in: 1_000_000, tokens_out: 100_000 };

/** The rule by which that call costs $0.26. */
export const GPUS = {
  name: 'Our own GPUs',
  from: '2026-10-01',
  match: { provider: 'vllm' },
  usd_per_million: { input: 0.2, output: 0.6 },
};
