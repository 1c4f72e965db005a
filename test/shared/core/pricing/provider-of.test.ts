import { expect, it } from 'vitest';
import { providerOf } from '../../../../shared/core/pricing/provider-of.ts';

const NOW = Date.UTC(2026, 10, 24);

it.each([
  ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic'],
  ['aws.bedrock', 'claude-sonnet-4-5', 'aws'],
  ['Azure-OpenAI', 'gpt-5', 'azure'],
  ['openai', 'nobody-knows-it', 'openai'],
  ['openai', null, 'openai'],
  ['ollama-of-mine', 'gpt-5', 'unknown'],
  ['litellm', 'gpt-5', 'openai'],
  ['gateway', 'anthropic/claude-sonnet-4-5', 'anthropic'],
  [null, 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws'],
  [null, 'gemini-2.5-pro', 'google'],
  [null, 'nobody-knows-it', 'unknown'],
  [null, null, 'unknown'],
  ['gateway', '', 'unknown'],
])('a call of provider %s and model %s counts under %s', (provider, model, counted) => {
  expect(providerOf({ provider, model }, NOW)).toBe(counted);
});
