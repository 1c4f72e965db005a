import { findProvider } from '@pydantic/genai-prices';
import { expect, it } from 'vitest';

import { listPriceQueries } from '../../../../shared/core/pricing/providers.ts';

function firstQuery(provider: string | undefined, model: string) {
  return listPriceQueries(provider, model)[0];
}

it.each([
  ['Anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['azure.ai.openai', 'azure'],
  ['az.ai.openai', 'azure'],
  ['azure.ai.inference', 'azure'],
  ['aws.bedrock', 'aws'],
  ['amazon-bedrock', 'aws'],
  ['gcp.gemini', 'google'],
  ['gcp.vertex_ai', 'google'],
  ['gcp.gen_ai', 'google'],
  ['Vertex AI', 'google'],
  ['x_ai', 'x-ai'],
  ['xai', 'x-ai'],
  ['mistral_ai', 'mistral'],
  ['groq', 'groq'],
  ['together_ai', 'together'],
  ['huggingface_together', 'huggingface_together'],
  ['github_copilot', 'github-copilot'],
  ['anthropic.messages', 'anthropic'],
  ['openai.responses', 'openai'],
  ['openrouter.chat', 'openrouter'],
  ['google.vertex.chat', 'google'],
])('knows the provider %s as %s', (name, id) => {
  expect(findProvider({ providerId: id })?.id).toBe(id);
  expect(firstQuery(name, 'some-model')).toEqual({ provider: id, model: 'some-model' });
});

it.each(['vllm', 'ollama', 'my-openai-compatible', '__proto__', 'constructor', 'toString', '💥', 'a/b'])(
  'asks nothing for the provider %s: what it charges is its own affair',
  (name) => {
    expect(listPriceQueries(name, 'gpt-5')).toEqual([]);
  },
);

it.each(['', '  ', 'litellm', 'unknown', 'github', 'opencode', 'opencode.chat', 'gateway'])(
  'goes by the model when the provider is %j',
  (name) => {
    expect(listPriceQueries(name, 'openai/gpt-5')).toEqual(listPriceQueries(undefined, 'openai/gpt-5'));
  },
);

it('asks GitHub Copilot’s own list before the model’s', () => {
  expect(listPriceQueries('github-copilot', 'claude-sonnet-4-5')).toEqual([
    { provider: 'github-copilot', model: 'claude-sonnet-4-5' },
    { provider: undefined, model: 'claude-sonnet-4-5' },
  ]);
});

it.each([
  ['anthropic/claude-sonnet-4-5', 'anthropic', 'claude-sonnet-4-5'],
  ['openai/gpt-5', 'openai', 'gpt-5'],
  ['openai:gpt-5', 'openai', 'gpt-5'],
  ['litellm/openai/gpt-5', 'openai', 'gpt-5'],
  ['gemini/gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
  ['publishers/google/models/gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
  ['projects/p/locations/l/publishers/anthropic/models/claude-opus-5', 'google', 'claude-opus-5'],
  ['vertex_ai/claude-opus-5@20260101', 'google', 'claude-opus-5-20260101'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  [
    'bedrock/us-east-1/anthropic.claude-3-haiku-20240307-v1:0',
    'aws',
    'anthropic.claude-3-haiku-20240307-v1:0',
  ],
  [
    'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'aws',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
  ['openrouter/anthropic/claude-sonnet-4.5', 'openrouter', 'anthropic/claude-sonnet-4.5'],
  ['gpt-oss:20b', undefined, 'gpt-oss:20b'],
  ['ft:gpt-4o-mini-2024-07-18:acme::abc', undefined, 'ft:gpt-4o-mini-2024-07-18:acme::abc'],
  ['unsloth/gpt-oss-20b', undefined, 'unsloth/gpt-oss-20b'],
  ['Claude-Opus-5[1m]', undefined, 'claude-opus-5'],
])('without a provider asks for %s as %s %s', (model, provider, id) => {
  expect(firstQuery(undefined, model)).toEqual({ provider, model: id });
});

it('with a provider asks for the id as it is first, then without its prefixes', () => {
  expect(listPriceQueries('azure', 'eu/team/gpt-4o')).toEqual([
    { provider: 'azure', model: 'eu/team/gpt-4o' },
    { provider: 'azure', model: 'team/gpt-4o' },
    { provider: 'azure', model: 'gpt-4o' },
  ]);
});
