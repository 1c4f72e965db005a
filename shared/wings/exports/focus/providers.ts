import { findProvider } from '@pydantic/genai-prices';
import { findProviderId } from '../../../core/pricing/providers.ts';

/** The names of FOCUS for who sells a model, who made it and the service it is part of. */
export interface Seller {
  ProviderName: string;
  PublisherName: string;
  ServiceName: string;
}

/** Names by the price list's id of a provider. Without a publisher the model's maker is one of `MAKERS`, else the provider. */
const SELLERS: Record<string, { name: string; service: string; publisher?: string }> = {
  anthropic: { name: 'Anthropic', service: 'Claude API', publisher: 'Anthropic' },
  openai: { name: 'OpenAI', service: 'OpenAI API', publisher: 'OpenAI' },
  google: { name: 'Google', service: 'Gemini API' },
  aws: { name: 'Amazon Web Services', service: 'Amazon Bedrock' },
  azure: { name: 'Microsoft', service: 'Azure AI Foundry' },
  'github-copilot': { name: 'GitHub', service: 'GitHub Copilot' },
  openrouter: { name: 'OpenRouter', service: 'OpenRouter' },
  'x-ai': { name: 'xAI', service: 'xAI API', publisher: 'xAI' },
};

/** The makers of models, by how their names begin or by a part of them. */
const MAKERS: readonly [RegExp, string][] = [
  [/claude/, 'Anthropic'],
  [/(?:^|[/.])(?:gpt|o[1-9]|chatgpt|codex|text-embedding)/, 'OpenAI'],
  [/gemini|gemma/, 'Google'],
  [/llama/, 'Meta'],
  [/[cm]istral|codestral|ministral|pixtral|devstral/, 'Mistral AI'],
  [/(?:^|[/.])(?:nova|titan)/, 'Amazon'],
  [/(?:^|[/.])command/, 'Cohere'],
  [/deepseek/, 'DeepSeek'],
  [/qwen/, 'Alibaba Cloud'],
  [/grok/, 'xAI'],
  [/kimi/, 'Moonshot AI'],
  [/(?:^|[/.])glm/, 'Z.ai'],
  [/minimax/, 'MiniMax'],
];

/** The vendor behind an agent that says no provider. */
const VENDORS: Record<string, string> = {
  'claude-code': 'anthropic',
  codex: 'openai',
  'gemini-cli': 'google',
  copilot: 'github-copilot',
  'github-copilot': 'github-copilot',
};

/**
 * The id of who sells a call: the provider that it names, else the one of the price list, else the vendor of its agent, else what was
 * posted as provider or adapter. Never empty.
 */
export function sellerId(call: { provider: string | null; adapter: string }, listed: string | null): string {
  const { provider, adapter } = call;
  const named = provider === null ? undefined : findProviderId(provider);
  const posted = provider === null || /^unknown$/i.test(provider.trim()) ? adapter : provider;
  return named ?? listed ?? VENDORS[adapter] ?? posted;
}

export function sellerOf(id: string, model: string): Seller {
  const known = SELLERS[id];
  const ProviderName = known?.name ?? findProvider({ providerId: id })?.name ?? id;
  const maker = MAKERS.find(([pattern]) => pattern.test(model.toLowerCase()))?.[1];
  return {
    ProviderName,
    PublisherName: known?.publisher ?? maker ?? ProviderName,
    ServiceName: known?.service ?? `${ProviderName} API`,
  };
}
