import { findProvider } from '@pydantic/genai-prices';
import { gatewayNamed } from './gateways.ts';

/** A question to the price list: one of its provider ids (or none: it then goes by the model), and a model id. */
export interface PriceQuery {
  readonly provider: string | undefined;
  readonly model: string;
}

/**
 * Names that adapters, OpenTelemetry (`gen_ai.provider.name`, and the older `gen_ai.system`) and LiteLLM use
 * for a provider → the price list's id. Keys are lower case, with `-` for any of `. _ -` and spaces.
 */
const PROVIDER_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    anthropic: ['claude'],
    aws: ['aws-bedrock', 'bedrock', 'bedrock-converse', 'amazon', 'amazon-bedrock', 'sagemaker'],
    azure: [
      'az-ai-inference',
      'az-ai-openai',
      'azure-ai',
      'azure-ai-inference',
      'azure-ai-openai',
      'azure-openai',
      'azureopenai',
      'azure-anthropic',
      'azure-ai-foundry',
      'azure-foundry',
      'foundry',
      'microsoft',
      'microsoft-foundry',
    ],
    cohere: ['cohere-chat'],
    fireworks: ['fireworks-ai'],
    google: [
      'gcp',
      'gcp-gemini',
      'gcp-gen-ai',
      'gcp-vertex-ai',
      'gemini',
      'google-genai',
      'google-gla',
      'google-generative-ai',
      'google-vertex',
      'vertex',
      'vertex-ai',
      'vertex-ai-beta',
      'vertexai',
    ],
    mistral: ['codestral', 'mistral-ai', 'mistralai'],
    moonshotai: ['moonshot', 'moonshot-ai'],
    openai: ['open-ai', 'openai-chat', 'openai-responses', 'text-completion-openai'],
    openrouter: ['open-router'],
    perplexity: ['perplexity-ai'],
    together: ['together-ai', 'togetherai'],
    voyageai: ['voyage', 'voyage-ai'],
    'x-ai': ['grok', 'xai'],
    zai: ['z-ai'],
    zhipuai: ['zhipu', 'zhipu-ai'],
  }).flatMap(([id, names]) => names.map((name) => [name, id] as const)),
);

const BEDROCK_ID =
  /^(?:[a-z-]+\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|nvidia|openai|qwen|stability|writer|zai)\.[a-z]/;

/**
 * The questions for a call, best guess first. Ids come with prefixes that the price list does not know
 * (`anthropic/claude-…`, `models/gemini-…`, `bedrock/us.anthropic.claude-…`), so each is also asked without.
 * Nothing to ask when the provider is named but not known: what it charges for a model of that name is its
 * own affair (a local `vllm` or `ollama` serves `gpt-oss` for nothing).
 */
export function listPriceQueries(provider: string | undefined, model: string): PriceQuery[] {
  const modelId = cleanModelId(model);
  const byModel = () => [...queriesFromPrefix(modelId), { provider: undefined, model: modelId }];
  if (provider === undefined) return byModel();
  const providerId = findProviderId(provider);
  // A gateway that the price list knows (GitHub Copilot) may set prices of its own for some models.
  const own = providerId === undefined ? [] : queriesFor(providerId, modelId);
  if (isGateway(provider)) return [...own, ...byModel()];
  return providerId === undefined ? [] : [...own, ...queriesFromPrefix(modelId)];
}

/**
 * True when a model is an OpenRouter variant that costs nothing
 * (https://openrouter.ai/docs/guides/routing/model-variants/free). The price list has some of them; for the others it would
 * give their vendor's price.
 */
export function isFreeVariant(provider: string | undefined, model: string): boolean {
  if (!cleanModelId(model).endsWith(':free')) return false;
  return provider === undefined || isGateway(provider) || findProviderId(provider) === 'openrouter';
}

/**
 * The price list's id of a provider by the name that a call gives it: null for none and for a gateway, which set no price, and
 * `unknown` for one that the list does not have.
 */
export function namedProvider(provider: string | undefined): string | null {
  if (provider === undefined || isGateway(provider)) return null;
  return findProviderId(provider) ?? UNKNOWN_PROVIDER;
}

/**
 * One name for all that calls write for the same provider: its id in the price list, the gateway's, else its own in lower case
 * with `-` for punctuation and spaces.
 */
export function oneProviderName(name: string): string {
  const gateway = gatewayNamed(foldName(name)) ?? gatewayNamed(foldName(beforeDot(name) ?? ''));
  return gateway || (findProviderId(name) ?? foldName(name));
}

/** True for a provider of the price list and for a gateway, by any of their names. */
export function isKnownProvider(name: string): boolean {
  return foldName(name) !== '' && (isGateway(name) || findProviderId(name) !== undefined);
}

/** A model's name, and what it is without its context variant and what gateways and clouds put before it. */
export function modelNames(model: string): string[] {
  const clean = cleanModelId(model);
  const [, afterColon = clean] = /^[a-z-]+:([a-z].*)$/.exec(clean) ?? [];
  const last = lastSegment(afterColon);
  const bare = BEDROCK_ID.test(last) ? last.replace(/^(?:[a-z-]+\.)*/, '') : last;
  return [...new Set([model, clean, afterColon, last, bare])];
}

/** The provider of a call that names none, and whose model no list has. */
export const UNKNOWN_PROVIDER = 'unknown';

/** Without what says nothing about the price: context variant (`…[1m]`), Vertex's `@20250929` and `@default`. */
function cleanModelId(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replace(/\[\d+[km]\]$/, '')
    .replace(/@(\d{8})$/, '-$1')
    .replace(/@default$/, '');
}

/** Also by the part before the first dot: the Vercel AI SDK names a provider's API after it (`opencode.chat`). */
function isGateway(provider: string): boolean {
  const names = [provider, beforeDot(provider) ?? provider];
  return names.some((name) => gatewayNamed(foldName(name)) !== undefined);
}

/** The price list's id of a provider that is named exactly or by an alias. */
export function findProviderId(name: string): string | undefined {
  const alias = PROVIDER_ALIASES.get(foldName(name));
  if (alias !== undefined) return alias;
  // The list also matches loosely ("contains openai"): that would price a gateway of one's own as the vendor.
  const id = name.trim().toLowerCase();
  const exactId = [id, foldName(name)].find((exact) => findProvider({ providerId: exact })?.id === exact);
  const vendor = beforeDot(name);
  return exactId ?? (vendor === undefined ? undefined : findProviderId(vendor));
}

/** `anthropic` of `anthropic.messages`. */
function beforeDot(name: string): string | undefined {
  const dot = name.indexOf('.');
  return dot > 0 ? name.slice(0, dot) : undefined;
}

function foldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s._-]+/g, '-');
}

function queriesFromPrefix(modelId: string): PriceQuery[] {
  const last = lastSegment(modelId);
  if (modelId.startsWith('arn:aws') || BEDROCK_ID.test(last)) return [{ provider: 'aws', model: last }];
  if (/^(?:projects|publishers)\//.test(modelId)) return [{ provider: 'google', model: last }];
  if (modelId.startsWith('models/')) return [{ provider: undefined, model: last }];
  const [, prefix, rest] = /^([^/:]+)[/:](.+)$/.exec(modelId) ?? [];
  if (prefix === undefined || rest === undefined) return [];
  if (gatewayNamed(foldName(prefix)) !== undefined) return listPriceQueries(undefined, rest);
  const providerId = findProviderId(prefix);
  return providerId === undefined ? [] : queriesFor(providerId, rest);
}

function queriesFor(provider: string, modelId: string): PriceQuery[] {
  const withoutFirst = modelId.slice(modelId.indexOf('/') + 1);
  const ids = new Set([modelId, withoutFirst, lastSegment(modelId)]);
  return [...ids].filter((id) => id !== '').map((model) => ({ provider, model }));
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
