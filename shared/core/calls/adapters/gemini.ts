import {
  baseOf,
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
import { countOf, entryOf, flagOf, textOf } from './fields.ts';
import type { OtlpRecord } from './otlp/record.ts';
import { type Decision, decidedBy, decidedByPerson, type PostedSignal } from './posted.ts';

/** Both tools write the same events, each under its own prefix. */
const ADAPTERS = [
  { adapter: 'gemini-cli', prefix: 'gemini_cli.' },
  { adapter: 'qwen-code', prefix: 'qwen-code.' },
] as const;

/** Attributes of the events of Gemini CLI (0.64) and Qwen Code that may be read. */
export const GEMINI_KEYS = [
  'prompt_id',
  'role',
  'model',
  'input_token_count',
  'output_token_count',
  'cached_content_token_count',
  'thoughts_token_count',
  'tool_token_count',
  'total_token_count',
  'duration_ms',
  'response_id',
  'status_code',
  'error.type',
  'error_type',
  'function_name',
  'success',
  'decision',
  'start_time',
  'verdict',
  'tool_name',
] as const;

interface Origin {
  adapter: string;
  record: OtlpRecord;
}

type Convert = (origin: Origin) => (PostedSignal | null)[];

const EVENTS: Readonly<Record<string, Convert>> = {
  api_response: (origin) => [callOf(origin)],
  api_error: (origin) => [failedCallOf(origin)],
  tool_call: (origin) => [toolCallOf(origin), permissionOf(origin)],
  'conseca.verdict': (origin) => [consecaOf(origin)],
};

/** Signals of an event of Gemini CLI or Qwen Code: empty for one that counts nothing, null for what is not theirs. */
export function adaptGemini(record: OtlpRecord): PostedSignal[] | null {
  if (record.kind === 'traces') return ADAPTERS.some(({ adapter }) => adapter === record.scope) ? [] : null;
  for (const { adapter, prefix } of ADAPTERS) {
    const named = record.names.find((name) => name.startsWith(prefix));
    if (named === undefined) continue;
    const event = named.slice(prefix.length);
    const convert = entryOf(EVENTS, event);
    return (convert?.({ adapter, record }) ?? []).filter((signal) => signal !== null);
  }
  return null;
}

function common({ record, adapter }: Origin) {
  return baseOf(record, adapter);
}

/** P: the session and the prompt. */
function place(record: OtlpRecord): [string | undefined, string | undefined] {
  return [textOf(record, 'session.id'), textOf(record, 'prompt_id')];
}

function metadata(record: OtlpRecord, more: Record<string, string | undefined> = {}) {
  return metadataOf({
    client_session_id: textOf(record, 'session.id'),
    ...pairsOf(record, ['role', 'prompt_id']),
    ...more,
  });
}

function callOf({ adapter, record }: Origin): PostedSignal {
  const { input, output, isOff } = countsOf(record);
  const cacheRead = countOf(record, 'cached_content_token_count');
  const { tokens, repaired } = tokensOf({ input, output, cacheRead, cacheWrite: 0 }, 'gemini');
  const own = uniqueTextOf(record, 'response_id');
  const derived = derivedFrom('api_response', ...place(record), stampOf(record), input, output, cacheRead);
  return {
    ...common({ adapter, record }),
    id: own === undefined ? derived : nativeId(own),
    ...modelOf(record, 'model'),
    ...tokens,
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record, { ...repaired, ...(isOff ? { usage_mismatch: 'total' } : {}) }),
  };
}

export interface GeminiCounts {
  input: number;
  output: number;
  thoughts: number;
  tool: number;
  /** 0: not reported. */
  total: number;
}

/**
 * Input with what tools gave, output with thoughts. Some versions count those inside already: then input and output make
 * the total. `isOff` says that the counts contradict the total either way.
 */
export function wholeCounts({ input, output, thoughts, tool, total }: GeminiCounts): {
  input: number;
  output: number;
  isOff: boolean;
} {
  if (total > 0 && input + output === total) return { input, output, isOff: false };
  const whole = { input: input + tool, output: output + thoughts };
  return { ...whole, isOff: total > 0 && whole.input + whole.output !== total };
}

function countsOf(record: OtlpRecord): ReturnType<typeof wholeCounts> {
  return wholeCounts({
    input: countOf(record, 'input_token_count'),
    output: countOf(record, 'output_token_count'),
    thoughts: countOf(record, 'thoughts_token_count'),
    tool: countOf(record, 'tool_token_count'),
    total: countOf(record, 'total_token_count'),
  });
}

function failedCallOf({ adapter, record }: Origin): PostedSignal {
  return {
    ...common({ adapter, record }),
    id: derivedFrom('api_error', ...place(record), stampOf(record)),
    ...modelOf(record, 'model'),
    ...errorOf(record, 'status_code', 'error.type', 'error_type'),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record),
  };
}

function toolId(record: OtlpRecord): string {
  const started = textOf(record, 'start_time') ?? stampOf(record);
  return derivedFrom('tool_call', ...place(record), textOf(record, 'function_name'), started);
}

function toolCallOf({ adapter, record }: Origin): PostedSignal {
  return {
    ...common({ adapter, record }),
    id: toolId(record),
    ...toolNameOf(record, 'function_name'),
    ...(flagOf(record, 'success') === false ? errorOf(record, 'error_type') : {}),
    ...latencyOf(record, 'duration_ms'),
    ...metadata(record),
  };
}

const DECISIONS: Readonly<Record<string, Decision>> = {
  accept: decidedByPerson('allow'),
  reject: decidedByPerson('block'),
  modify: decidedByPerson('modify'),
};

/**
 * A person's decision. Not stored are `auto_accept`, the configuration's yes, and Gemini CLI's `accept`, which it also
 * sends when nobody was asked (`--yolo`, a policy).
 */
function permissionOf({ adapter, record }: Origin): PostedSignal | null {
  const word = textOf(record, 'decision')?.toLowerCase();
  const decision = entryOf(DECISIONS, word);
  if (!decision || (word === 'accept' && adapter === 'gemini-cli')) return null;
  return {
    ...common({ adapter, record }),
    id: nativeId(toolId(record), 'decision'),
    ...toolNameOf(record, 'function_name'),
    ...interventionOf('tool_permission', decision),
    ...metadata(record),
  };
}

const VERDICTS: Readonly<Record<string, Decision>> = {
  allow: decidedBy('reviewer', true),
  deny: decidedBy('reviewer', false),
  ask_user: { verdict: 'escalate', action: 'escalate', source: 'reviewer' },
};

function consecaOf({ adapter, record }: Origin): PostedSignal | null {
  const verdict = entryOf(VERDICTS, textOf(record, 'verdict', 'decision')?.toLowerCase());
  if (!verdict) return null;
  return {
    ...common({ adapter, record }),
    id: derivedFrom('conseca.verdict', ...place(record), stampOf(record)),
    ...toolNameOf(record, 'tool_name'),
    ...interventionOf('conseca', verdict),
    ...metadata(record),
  };
}
