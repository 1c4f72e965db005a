import { COMMON_KEYS } from './base.ts';
import { adaptClaudeCode, CLAUDE_CODE_KEYS } from './claude-code.ts';
import { adaptCodex, CODEX_KEYS, CODEX_PRESENT_KEYS } from './codex.ts';
import { COPILOT_PREFIX, SPAN_KEYS } from './dialects.ts';
import { RejectedRecord } from './fields.ts';
import { adaptGemini, GEMINI_KEYS } from './gemini.ts';
import type { KeyRule, KeyRules, OtlpRecord } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';
import { adaptSpan } from './spans.ts';

/** The result of one record. `isKnown` is true when an adapter recognized it. */
export interface Adapted {
  signals: PostedSignal[];
  isKnown: boolean;
  /** Why an adapter refused it; the attribute is named, its value is not. */
  rejected?: string;
}

/** Every attribute that any adapter may read. Attributes with content are not among them. */
export const KEY_RULES: KeyRules = {
  keys: new Map<string, KeyRule>([
    ...[...COMMON_KEYS, ...CLAUDE_CODE_KEYS, ...CODEX_KEYS, ...GEMINI_KEYS, ...SPAN_KEYS].map(
      (key) => [key, 'value'] as const,
    ),
    ...CODEX_PRESENT_KEYS.map((key) => [key, 'presence'] as const),
  ]),
  presentPrefixes: [COPILOT_PREFIX],
};

/** In this order: tools by the names of their events, then spans of any application. */
const ADAPTERS = [adaptClaudeCode, adaptCodex, adaptGemini, adaptSpan];

/** Log events that repeat a tool's spans. */
const DUPLICATE_EVENT_PREFIXES = ['gen_ai.client.inference.operation.details', 'copilot_chat.'];

/** The signals of one record. Pure; never throws, whatever the record holds. */
export function adaptRecord(record: OtlpRecord): Adapted {
  try {
    for (const adapt of ADAPTERS) {
      const signals = adapt(record);
      if (signals) return { signals, isKnown: true };
    }
  } catch (error) {
    if (error instanceof RejectedRecord) return { signals: [], isKnown: true, rejected: error.message };
    throw error;
  }
  const isDuplicate = record.names.some((name) =>
    DUPLICATE_EVENT_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  return { signals: [], isKnown: isDuplicate };
}
