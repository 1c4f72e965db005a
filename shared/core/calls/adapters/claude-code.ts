import {
  attemptOf,
  baseOf,
  costOf,
  derivedFrom,
  errorOf,
  interventionOf,
  latencyOf,
  metadataOf,
  modelOf,
  nativeId,
  pairsOf,
  stampOf,
  toolNameOf,
  uniqueTextOf,
} from './base.ts';
import { tokensOf } from './cached-input.ts';
import { countOf, entryOf, flagOf, numberOf, textOf } from './fields.ts';
import type { OtlpRecord } from './otlp/record.ts';
import { type Decision, decidedBy, decidedByConfig, decidedByPerson, type PostedSignal } from './posted.ts';

const ADAPTER = 'claude-code';
const PREFIX = 'claude_code.';
const SCOPE = 'com.anthropic.claude_code.events';
const ACCOUNT_KEYS = ['user.account_uuid', 'user.account_id'] as const;

export const CLAUDE_CODE_KEYS = [
  ...ACCOUNT_KEYS,
  'prompt.id',
  'event.sequence',
  'model',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'cost_usd',
  'cost_usd_micros',
  'duration_ms',
  'request_id',
  'client_request_id',
  'agent.name',
  'skill.name',
  'mcp_server.name',
  'query_source',
  'speed',
  'effort',
  'status_code',
  'attempt',
  'tool_name',
  'tool_use_id',
  'success',
  'error_type',
  'decision_source',
  'decision',
  'source',
  'num_blocking',
  'hook_event',
  'hook_name',
  'total_duration_ms',
  'from_mode',
  'to_mode',
  'trigger',
] as const;

type Convert = (record: OtlpRecord) => PostedSignal | null;

const EVENTS: Readonly<Record<string, Convert>> = {
  api_request: callOf,
  api_error: failedCallOf,
  api_refusal: refusalOf,
  tool_result: toolCallOf,
  tool_decision: permissionOf,
  hook_execution_complete: hookOf,
  permission_mode_changed: modeChangeOf,
};

/** Signals of an event of Claude Code: empty for one that counts nothing, null for what is not Claude Code's. */
export function adaptClaudeCode(record: OtlpRecord): PostedSignal[] | null {
  const named = record.names.find((name) => name.startsWith(PREFIX));
  if (record.kind === 'traces') return named === undefined && record.scope !== SCOPE ? null : [];
  const event = named?.slice(PREFIX.length) ?? (record.scope === SCOPE ? record.names[0] : undefined);
  if (event === undefined) return record.scope === SCOPE ? [] : null;
  const convert = entryOf(EVENTS, event);
  const signal = convert?.(record);
  return signal ? [signal] : [];
}

function common(record: OtlpRecord) {
  return baseOf(record, ADAPTER, ACCOUNT_KEYS);
}

function metadata(record: OtlpRecord, ...keys: readonly string[]) {
  return metadataOf({
    client_session_id: textOf(record, 'session.id'),
    ...pairsOf(record, ['prompt.id', ...keys]),
  });
}

/** The model's name. Claude Code marks a long context in failed calls only: `claude-opus-4-8[1m]`. */
function model(record: OtlpRecord): Pick<PostedSignal, 'model'> {
  const reported = modelOf(record, 'model');
  return reported.model === undefined ? {} : { model: reported.model.replace(/\[1m\]$/, '') };
}

/** R: the request's own id, else one of the session, the event's number and its time. */
function requestId(record: OtlpRecord, event: string): string {
  const own = textOf(record, 'request_id', 'client_request_id');
  return uniqueTextOf(record, 'request_id', 'client_request_id') ?? sequenceId(record, event, own);
}

function toolUseId(record: OtlpRecord, event: string): string {
  return uniqueTextOf(record, 'tool_use_id') ?? sequenceId(record, event, textOf(record, 'tool_use_id'));
}

/** `own`: an id that is too short to count alone. */
function sequenceId(record: OtlpRecord, event: string, own?: string): string {
  const sequence = [textOf(record, 'session.id'), textOf(record, 'event.sequence'), stampOf(record)];
  return derivedFrom(event, ...sequence, ...(own === undefined ? [] : [own]));
}

function callOf(record: OtlpRecord): PostedSignal {
  const usage = {
    input: countOf(record, 'input_tokens'),
    output: countOf(record, 'output_tokens'),
    cacheRead: countOf(record, 'cache_read_tokens'),
    cacheWrite: countOf(record, 'cache_creation_tokens'),
  };
  return {
    ...common(record),
    id: nativeId(requestId(record, 'api_request')),
    ...model(record),
    ...tokensOf(usage, ADAPTER).tokens,
    ...(textOf(record, 'speed') === 'fast' ? { service_tier: 'fast' } : {}),
    ...reportedCost(record),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record, 'query_source', 'speed', 'effort', 'agent.name', 'skill.name', 'mcp_server.name'),
  };
}

/** An estimate at list prices; versions between write it in millionths of a dollar. */
function reportedCost(record: OtlpRecord): Pick<PostedSignal, 'cost_usd'> {
  const cost = costOf(record, 'cost_usd');
  if (cost.cost_usd !== undefined) return cost;
  const micros = numberOf(record, 'cost_usd_micros');
  return micros ? { cost_usd: micros / 1e6 } : {};
}

/** Reported once, after the last attempt; `attempt` is the number of attempts. */
function failedCallOf(record: OtlpRecord): PostedSignal {
  const attempt = attemptOf(record);
  return {
    ...common(record),
    id: nativeId(requestId(record, 'api_error'), attempt),
    ...model(record),
    ...errorOf(record, 'status_code', 'error_type'),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record, 'attempt', 'query_source'),
  };
}

/** Its tokens are in the request's own event. */
function refusalOf(record: OtlpRecord): PostedSignal {
  return {
    ...common(record),
    id: nativeId(requestId(record, 'api_refusal'), 'refusal'),
    ...model(record),
    ...interventionOf('model_refusal', decidedBy('provider', false)),
    ...metadata(record),
  };
}

function toolCallOf(record: OtlpRecord): PostedSignal {
  return {
    ...common(record),
    id: nativeId(toolUseId(record, 'tool_result')),
    ...toolNameOf(record, 'tool_name'),
    ...(flagOf(record, 'success') === false ? errorOf(record, 'error_type') : {}),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record, 'decision_source'),
  };
}

function permissionOf(record: OtlpRecord): PostedSignal | null {
  const decision = decisionOf(textOf(record, 'decision'), textOf(record, 'source'));
  if (!decision) return null;
  return {
    ...common(record),
    id: nativeId(toolUseId(record, 'tool_decision'), 'decision'),
    ...toolNameOf(record, 'tool_name'),
    ...interventionOf('tool_permission', decision),
    ...metadata(record, 'source'),
  };
}

function decisionOf(decision: string | undefined, source = ''): Decision | null {
  if (decision !== 'accept' && decision !== 'reject') return null;
  const isAllowed = decision === 'accept';
  if (source === 'config') return decidedByConfig(isAllowed);
  if (source === 'hook') return decidedBy('hook', isAllowed);
  return decidedByPerson(isAllowed ? 'allow' : 'block');
}

/** The tool's own decision repeats that of a hook before it. */
function hookOf(record: OtlpRecord): PostedSignal | null {
  if (countOf(record, 'num_blocking') === 0 || textOf(record, 'hook_event') === 'PreToolUse') return null;
  return {
    ...common(record),
    id: sequenceId(record, 'hook_execution_complete'),
    ...interventionOf('hook', decidedBy('hook', false)),
    ...latencyOf(record, 'total_duration_ms'),
    ...metadata(record, 'hook_event', 'hook_name'),
  };
}

function modeChangeOf(record: OtlpRecord): PostedSignal | null {
  if (textOf(record, 'to_mode') !== 'bypassPermissions') return null;
  return {
    ...common(record),
    id: sequenceId(record, 'permission_mode_changed'),
    ...interventionOf('permission_mode', { verdict: 'warn', action: 'allow', source: 'user' }, 'high'),
    ...metadata(record, 'from_mode', 'to_mode', 'trigger'),
  };
}
