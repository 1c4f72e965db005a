import { type PricedFields, pricedFieldsOf, REGION_LENGTH } from '../../pricing/priced-fields.ts';
import {
  baseOf,
  costOf,
  errorOf,
  isUniqueId,
  latencyOf,
  metadataOf,
  modelOf,
  nativeId,
  tierOf,
  toolNameOf,
} from './base.ts';
import { tokensOf } from './cached-input.ts';
import { COPILOT_PREFIX, dialectOf, FIELDS } from './dialects.ts';
import { clip, countOf, RejectedRecord, textOf } from './fields.ts';
import type { OtlpRecord } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

type Work = 'call' | 'tool';

/** How one tool's spans differ from those of any application. */
interface Tool {
  adapter: string;
  isFromTool: (record: OtlpRecord) => boolean;
  /** Which of its spans are billed; without it, those that the dialects name. */
  workOf?: (record: OtlpRecord) => Work | null;
  modelKeys?: readonly string[];
  userKeys?: readonly string[];
  /** True when its reported cost is in dollars. */
  hasCost: boolean;
  metadata?: (record: OtlpRecord) => Record<string, string | undefined>;
}

const ANY_APPLICATION: Tool = { adapter: 'otel', isFromTool: () => true, hasCost: true };

const TOOLS: readonly Tool[] = [
  {
    adapter: 'github-copilot',
    isFromTool: (record) =>
      record.attributes.has(`${COPILOT_PREFIX}*`) ||
      record.attributes.has('github.copilot.nano_aiu') ||
      record.scope === 'github.copilot' ||
      textOf(record, ...FIELDS.provider) === 'github',
    hasCost: false,
    metadata: (record) => ({ nano_aiu: textOf(record, 'github.copilot.nano_aiu') }),
  },
  { adapter: 'opencode', isFromTool: (record) => record.scope === 'opencode', hasCost: true },
  {
    adapter: 'litellm',
    isFromTool: (record) => record.scope === 'litellm',
    workOf: (record) => (record.attributes.has('llm.request.type') ? 'call' : null),
    modelKeys: ['gen_ai.request.model', 'gen_ai.response.model'],
    // The proxy verifies these; callers write `metadata.team_id` and other user ids themselves.
    userKeys: ['metadata.user_api_key_user_email', 'metadata.user_api_key_user_id'],
    hasCost: true,
    metadata: (record) => ({ team_id: textOf(record, 'metadata.user_api_key_team_id') }),
  },
  ANY_APPLICATION,
];

/** Signals of a span of any instrumented application: empty for one that is not billed, null for one that is no AI work. */
export function adaptSpan(record: OtlpRecord): PostedSignal[] | null {
  if (record.kind !== 'traces') return null;
  const tool = TOOLS.find(({ isFromTool }) => isFromTool(record)) ?? ANY_APPLICATION;
  const work = tool.workOf ? tool.workOf(record) : workOf(record);
  if (work === 'call') return [callOf(record, tool)];
  if (work === 'tool') return [toolCallOf(record, tool)];
  return tool !== ANY_APPLICATION || isOfAiWork(record) ? [] : null;
}

const BILLED_OPERATIONS = new Set(['chat', 'generate_content', 'text_completion', 'embeddings']);

/** Spans around these (agents, workflows, chains, `ai.streamText`) repeat what their children used. */
function workOf(record: OtlpRecord): Work | null {
  const operation = textOf(record, 'gen_ai.operation.name');
  const aiOperation = textOf(record, 'ai.operationId', 'operation.name')?.split(' ')[0] ?? '';
  const kind = textOf(record, 'openinference.span.kind')?.toUpperCase();
  if (operation === 'execute_tool' || aiOperation === 'ai.toolCall' || kind === 'TOOL') return 'tool';
  const isBilled =
    BILLED_OPERATIONS.has(operation ?? '') ||
    /\.do(?:Generate|Stream|Embed)$/.test(aiOperation) ||
    kind === 'LLM' ||
    kind === 'EMBEDDING' ||
    record.attributes.has('llm.request.type');
  return isBilled ? 'call' : null;
}

function isOfAiWork(record: OtlpRecord): boolean {
  const marks = ['gen_ai.operation.name', 'ai.operationId', 'openinference.span.kind', ...FIELDS.provider];
  return marks.some((key) => record.attributes.has(key));
}

function common(record: OtlpRecord, { adapter, userKeys }: Tool) {
  if (!userKeys) return withUser(baseOf(record, adapter), textOf(record, ...FIELDS.user));
  const { user_id: _, ...base } = baseOf(record, adapter);
  return withUser(base, textOf(record, ...userKeys));
}

/** The tool's own attribute names the user where no common one does. opencode calls everybody `unknown`. */
function withUser(base: ReturnType<typeof baseOf>, reported = ''): ReturnType<typeof baseOf> {
  const user = reported.trim();
  return base.user_id !== undefined || user === '' || user === 'unknown'
    ? base
    : { ...base, user_id: clip(user, 256) };
}

function callOf(record: OtlpRecord, tool: Tool): PostedSignal {
  const { tokens, repaired } = usageOf(record);
  const provider = textOf(record, ...FIELDS.provider);
  const failure = failureOf(record);
  return {
    ...common(record, tool),
    id: callId(record),
    ...modelOf(record, ...(tool.modelKeys ?? FIELDS.model)),
    ...(provider === undefined ? {} : { provider: clip(provider, 128) }),
    ...tokens,
    ...servedAs(record),
    ...(failure.error || hasUsage(record) ? {} : NO_USAGE),
    ...(tool.hasCost ? costOf(record, ...FIELDS.cost) : {}),
    ...failure,
    ...latencyOf(record),
    ...metadataOf({ ...sessionOf(record), ...repaired, ...tool.metadata?.(record) }),
  };
}

/** The tokens of a call that succeeded without reporting them, as a stream does that was not asked for its usage. */
const NO_USAGE = { tokens_in: null, tokens_out: null };

function hasUsage(record: OtlpRecord): boolean {
  return textOf(record, ...FIELDS.input, ...FIELDS.output) !== undefined;
}

function usageOf(record: OtlpRecord): ReturnType<typeof tokensOf> {
  const input = countOf(record, ...FIELDS.input);
  const cacheRead = countOf(record, ...FIELDS.cacheRead);
  const cacheWrite = countOf(record, ...FIELDS.cacheWrite);
  const output = countOf(record, ...FIELDS.output);
  return tokensOf(
    { input, output, cacheRead, cacheWrite },
    dialectOf(record),
    textOf(record, ...FIELDS.provider),
  );
}

/** The fields of a call that its price depends on, where the span has them. */
function servedAs(record: OtlpRecord): PricedFields {
  const counted = (keys: readonly string[]) =>
    textOf(record, ...keys) === undefined ? undefined : countOf(record, ...keys);
  const web_search = countOf(record, ...FIELDS.webSearches);
  const web_fetch = countOf(record, ...FIELDS.webFetches);
  const region = textOf(record, ...FIELDS.region);
  const isFast = textOf(record, ...FIELDS.speed) === 'fast';
  return pricedFieldsOf({
    ...(isFast ? { service_tier: 'fast' } : tierOf(record, ...FIELDS.tier)),
    region: region && clip(region, REGION_LENGTH),
    cache_write_1h_tokens: counted(FIELDS.cacheWrite1h),
    output_image_tokens: counted(FIELDS.outputImage),
    output_audio_tokens: counted(FIELDS.outputAudio),
    tool_uses: web_search + web_fetch > 0 ? { web_search, web_fetch } : undefined,
  });
}

function toolCallOf(record: OtlpRecord, tool: Tool): PostedSignal {
  return {
    ...common(record, tool),
    id: uniqueId(record, textOf(record, ...FIELDS.toolCallId)),
    ...toolNameOf(record, ...FIELDS.toolName),
    ...failureOf(record),
    ...latencyOf(record),
    ...metadataOf({ ...sessionOf(record), ...tool.metadata?.(record) }),
  };
}

function failureOf(record: OtlpRecord): Pick<PostedSignal, 'error'> {
  const hasFailed = record.isFailed || record.attributes.has('error.type');
  return hasFailed ? errorOf(record, 'http.response.status_code', 'error.type') : {};
}

function sessionOf(record: OtlpRecord): Record<string, string | undefined> {
  return { client_session_id: textOf(record, ...FIELDS.session) };
}

function callId(record: OtlpRecord): string {
  return uniqueId(record, textOf(record, ...FIELDS.responseId));
}

/** The provider's id of an answer, unless it is so short that it repeats; else the span's own. */
function uniqueId(record: OtlpRecord, own: string | undefined): string {
  if (own !== undefined && isUniqueId(own)) return nativeId(own);
  if (record.traceId === '' || record.spanId === '')
    throw new RejectedRecord('the span has neither a response id nor ids of its own');
  return nativeId(record.traceId, record.spanId);
}
