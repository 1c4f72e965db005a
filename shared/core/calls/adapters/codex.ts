import {
  attemptOf,
  baseOf,
  derivedFrom,
  errorOf,
  interventionOf,
  latencyOf,
  metadataOf,
  modelOf,
  pairsOf,
  stampOf,
  tierOf,
  toolNameOf,
} from './base.ts';
import { tokensOf } from './cached-input.ts';
import { countOf, entryOf, flagOf, textOf } from './fields.ts';
import type { OtlpRecord } from './otlp/record.ts';
import { type Decision, decidedBy, decidedByConfig, decidedByPerson, type PostedSignal } from './posted.ts';

const ADAPTER = 'codex';
const PREFIX = 'codex.';

/** Attributes of Codex's events (0.159 to 0.162) that may be read. */
export const CODEX_KEYS = [
  'conversation.id',
  'user.account_id',
  'model',
  'slug',
  'auth_mode',
  'originator',
  'event.kind',
  'input_token_count',
  'cached_token_count',
  'cache_write_token_count',
  'output_token_count',
  'service_tier',
  'ttft_ms',
  'model_reasoning_effort',
  'http.response.status_code',
  'attempt',
  'success',
  'tool_name',
  'call_id',
  'duration_ms',
  'decision',
  'source',
  'outcome',
  'risk_level',
] as const;

/** Attributes of which only the presence counts. */
export const CODEX_PRESENT_KEYS = ['error.message'] as const;

type Convert = (record: OtlpRecord) => PostedSignal | null;

const EVENTS: Readonly<Record<string, Convert>> = {
  sse_event: streamEventOf,
  api_request: requestOf,
  websocket_request: socketRequestOf,
  tool_result: toolCallOf,
  tool_decision: permissionOf,
  sandbox_outcome: sandboxOf,
  guardian_assessment: guardianOf,
};

/** Signals of an event of Codex: empty for one that counts nothing, null for what is not Codex's. */
export function adaptCodex(record: OtlpRecord): PostedSignal[] | null {
  const named = record.names.find((name) => name.startsWith(PREFIX));
  // Spans repeat the events, without the account.
  if (record.kind === 'traces')
    return named !== undefined || /^codex(?:[_-]|$)/.test(record.scope) ? [] : null;
  if (named === undefined) return null;
  const event = named.slice(PREFIX.length);
  const convert = entryOf(EVENTS, event);
  const signal = convert?.(record);
  return signal ? [signal] : [];
}

function common(record: OtlpRecord) {
  return baseOf(record, ADAPTER, ['user.account_id']);
}

function conversation(record: OtlpRecord): string | undefined {
  return textOf(record, 'conversation.id');
}

function metadata(record: OtlpRecord, more: Record<string, string | undefined> = {}) {
  return metadataOf({
    client_session_id: conversation(record),
    ...pairsOf(record, ['auth_mode', 'originator']),
    ...more,
  });
}

function streamEventOf(record: OtlpRecord): PostedSignal | null {
  if (record.attributes.has('error.message')) return failedCallOf(record, 'sse_event');
  // Over HTTP there are two completed events per call; only the second has the token counts.
  const isCall =
    textOf(record, 'event.kind') === 'response.completed' && record.attributes.has('input_token_count');
  return isCall ? callOf(record) : null;
}

function callOf(record: OtlpRecord): PostedSignal {
  const input = countOf(record, 'input_token_count');
  const cacheRead = countOf(record, 'cached_token_count');
  const cacheWrite = countOf(record, 'cache_write_token_count');
  const output = countOf(record, 'output_token_count');
  const { tokens, repaired } = tokensOf({ input, output, cacheRead, cacheWrite }, 'codex');
  const counts = [input, cacheRead, cacheWrite, output];
  return {
    ...common(record),
    id: derivedFrom('sse_event', conversation(record), stampOf(record), ...counts),
    ...modelOf(record, 'model', 'slug'),
    ...tokens,
    ...tierOf(record, 'service_tier'),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record, {
      ...pairsOf(record, ['service_tier', 'ttft_ms', 'model_reasoning_effort']),
      ...repaired,
    }),
  };
}

function requestOf(record: OtlpRecord): PostedSignal | null {
  const status = countOf(record, 'http.response.status_code');
  const hasFailed = status >= 400 || record.attributes.has('error.message');
  return hasFailed ? failedCallOf(record, 'api_request') : null;
}

function socketRequestOf(record: OtlpRecord): PostedSignal | null {
  return flagOf(record, 'success') === false ? failedCallOf(record, 'websocket_request') : null;
}

/** One per attempt. */
function failedCallOf(record: OtlpRecord, event: string): PostedSignal {
  return {
    ...common(record),
    id: derivedFrom(event, conversation(record), stampOf(record), attemptOf(record)),
    ...modelOf(record, 'model', 'slug'),
    ...errorOf(record, 'http.response.status_code'),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record, pairsOf(record, ['attempt'])),
  };
}

/** Codex numbers tool calls within a conversation. */
function toolId(record: OtlpRecord, event: string): string {
  return derivedFrom(event, conversation(record), textOf(record, 'call_id') ?? stampOf(record));
}

function toolCallOf(record: OtlpRecord): PostedSignal {
  return {
    ...common(record),
    id: toolId(record, 'tool_result'),
    ...toolNameOf(record, 'tool_name'),
    ...(flagOf(record, 'success') === false ? errorOf(record) : {}),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record),
  };
}

function permissionOf(record: OtlpRecord): PostedSignal | null {
  const decision = decisionOf(textOf(record, 'decision'), textOf(record, 'source'));
  if (!decision) return null;
  return {
    ...common(record),
    id: toolId(record, 'tool_decision'),
    ...toolNameOf(record, 'tool_name'),
    ...interventionOf('tool_permission', decision),
    ...metadata(record, pairsOf(record, ['decision'])),
  };
}

const ALLOWING = ['approved', 'network_policy_amendment'];
const BLOCKING = ['denied', 'timed_out', 'abort'];

function decisionOf(decision = '', source = 'user'): Decision | null {
  const word = decision.toLowerCase();
  const isAllowed = ALLOWING.some((begin) => word.startsWith(begin));
  if (!isAllowed && !BLOCKING.some((begin) => word.startsWith(begin))) return null;
  const by = source.toLowerCase();
  if (by === 'config') return decidedByConfig(isAllowed);
  if (/^automated_?reviewer$/.test(by)) return decidedBy('reviewer', isAllowed);
  return decidedByPerson(isAllowed ? 'allow' : 'block');
}

const SANDBOX_OUTCOMES: Readonly<Record<string, Decision>> = {
  denied: decidedBy('sandbox', false),
  escalated: { verdict: 'escalate', action: 'escalate', source: 'sandbox' },
};

function sandboxOf(record: OtlpRecord): PostedSignal | null {
  const decision = entryOf(SANDBOX_OUTCOMES, textOf(record, 'outcome')?.toLowerCase());
  if (!decision) return null;
  return {
    ...common(record),
    id: toolId(record, 'sandbox_outcome'),
    ...toolNameOf(record, 'tool_name'),
    ...interventionOf('sandbox', decision),
    ...metadata(record),
  };
}

const GUARDIAN_OUTCOMES: Readonly<Record<string, Decision>> = {
  allow: decidedBy('reviewer', true),
  deny: decidedBy('reviewer', false),
};

function guardianOf(record: OtlpRecord): PostedSignal | null {
  const decision = entryOf(GUARDIAN_OUTCOMES, textOf(record, 'outcome')?.toLowerCase());
  if (!decision) return null;
  return {
    ...common(record),
    id: derivedFrom('guardian_assessment', conversation(record), stampOf(record)),
    ...interventionOf('guardian', decision, textOf(record, 'risk_level')),
    ...metadata(record),
  };
}
