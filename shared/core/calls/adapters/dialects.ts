import type { Dialect } from './cached-input.ts';
import type { OtlpRecord } from './otlp/record.ts';

/**
 * The attributes of a call of a model in each dialect, best first. Dialects: OpenTelemetry's GenAI conventions, new and old
 * (with OpenLLMetry's and Sentry's variants); the Vercel AI SDK up to 6, or 7 with its legacy integration; OpenInference.
 */
export const FIELDS = {
  model: [
    'gen_ai.response.model',
    'gen_ai.request.model',
    'ai.response.model',
    'ai.model.id',
    'llm.model_name',
    'embedding.model_name',
  ],
  provider: ['gen_ai.provider.name', 'gen_ai.system', 'ai.model.provider', 'llm.provider', 'llm.system'],
  input: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'ai.usage.tokens',
    'llm.token_count.prompt',
  ],
  output: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
    'llm.token_count.completion',
  ],
  cacheRead: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.input_tokens.cached',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.cache_read_tokens',
    'gen_ai.usage.input_cached_tokens',
    'gen_ai.usage.cached_input_tokens',
    'gen_ai.usage.cached_tokens',
    'gen_ai.usage.input_cache_read',
    'gen_ai.usage.details.cache_read_tokens',
    'gen_ai.usage.details.cache_read_input_tokens',
    'gen_ai.usage.details.cached_tokens',
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
    'llm.token_count.prompt_details.cache_read',
  ],
  cacheWrite: [
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.input_tokens.cache_write',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.cache_write_tokens',
    'gen_ai.usage.cache_write_input_tokens',
    'gen_ai.usage.cache_creation_tokens',
    'gen_ai.usage.input_cache_creation',
    'gen_ai.usage.input_cache_write',
    'gen_ai.usage.details.cache_write_tokens',
    'gen_ai.usage.details.cache_creation_input_tokens',
    'gen_ai.usage.details.cache_creation_tokens',
    'ai.usage.inputTokenDetails.cacheWriteTokens',
    'llm.token_count.prompt_details.cache_write',
  ],
  cacheWrite1h: [
    'gen_ai.usage.cache_creation.ephemeral_1h_input_tokens',
    'gen_ai.usage.details.ephemeral_1h_input_tokens',
    'gen_ai.usage.details.cache_creation.ephemeral_1h_input_tokens',
  ],
  outputImage: [
    'gen_ai.usage.output_image_tokens',
    'gen_ai.usage.details.output_image_tokens',
    'llm.token_count.completion_details.image',
  ],
  outputAudio: [
    'gen_ai.usage.output_audio_tokens',
    'gen_ai.usage.details.output_audio_tokens',
    'llm.token_count.completion_details.audio',
  ],
  webSearches: [
    'gen_ai.usage.server_tool_use.web_search_requests',
    'gen_ai.usage.details.web_search_requests',
    'gen_ai.usage.web_search_requests',
  ],
  webFetches: [
    'gen_ai.usage.server_tool_use.web_fetch_requests',
    'gen_ai.usage.details.web_fetch_requests',
    'gen_ai.usage.web_fetch_requests',
  ],
  // The tier that answered, before the one that was asked for.
  tier: [
    'openai.response.service_tier',
    'gen_ai.openai.response.service_tier',
    'gen_ai.response.service_tier',
    'gen_ai.usage.service_tier',
    'openai.request.service_tier',
    'gen_ai.openai.request.service_tier',
    'gen_ai.request.service_tier',
  ],
  speed: ['gen_ai.usage.speed', 'gen_ai.response.speed'],
  region: ['gen_ai.usage.inference_geo', 'gen_ai.response.inference_geo'],
  cost: ['gen_ai.usage.cost', 'gen_ai.cost.total_cost', 'litellm.cost.total', 'llm.cost.total'],
  toolName: ['gen_ai.tool.name', 'ai.toolCall.name', 'tool.name'],
  toolCallId: ['gen_ai.tool.call.id', 'ai.toolCall.id', 'tool.id'],
  session: ['gen_ai.conversation.id', 'session.id', 'traceloop.association.properties.session_id'],
  user: ['ai.telemetry.metadata.userId', 'traceloop.association.properties.user_id'],
  responseId: ['gen_ai.response.id', 'ai.response.id'],
} as const;

/** Attributes that show the kind of work of a span, or which tool wrote it. */
export const TOOL_SIGNATURES = [
  'gen_ai.operation.name',
  'ai.operationId',
  'operation.name',
  'openinference.span.kind',
  'llm.request.type',
  'error.type',
  'http.response.status_code',
  'github.copilot.nano_aiu',
  'metadata.user_api_key_user_id',
  'metadata.user_api_key_user_email',
  'metadata.user_api_key_team_id',
] as const;

/** The parts of an input that version 6 of the Vercel AI SDK writes, and earlier ones do not. */
const AI_SDK_6_PARTS = ['noCacheTokens', 'cacheReadTokens', 'cacheWriteTokens'].map(
  (part) => `ai.usage.inputTokenDetails.${part}`,
);

/** The dialect of a span whose input may leave out what was cached. */
export function dialectOf({ attributes }: OtlpRecord): Dialect {
  const has = (keys: readonly string[]) => keys.some((key) => attributes.has(key));
  if (has(['gen_ai.usage.cache_read_input_tokens', 'gen_ai.usage.cache_creation_input_tokens']))
    return 'openllmetry';
  const hasCached = has(['ai.usage.cachedInputTokens']);
  const hasParts = has(AI_SDK_6_PARTS);
  if (hasCached && !hasParts) return 'ai-sdk-5';
  return hasParts && !hasCached && !has(AI_SDK_6_PARTS.slice(0, 1)) ? 'ai-sdk-6-beta' : 'other-spans';
}

export const SPAN_KEYS: readonly string[] = [
  ...Object.values(FIELDS).flat(),
  ...TOOL_SIGNATURES,
  ...AI_SDK_6_PARTS,
];

export const COPILOT_PREFIX = 'github.copilot.';
