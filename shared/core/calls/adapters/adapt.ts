import { COMMON_KEYS, RESERVATION_KEY } from './base.ts';
import { adaptClaudeCode, CLAUDE_CODE_KEYS } from './claude-code.ts';
import { adaptCodex, CODEX_KEYS, CODEX_PRESENT_KEYS } from './codex.ts';
import { COPILOT_PREFIX, SPAN_KEYS } from './dialects.ts';
import { clip, RejectedRecord, textOf } from './fields.ts';
import { adaptGateway, GATEWAY_KEYS } from './gateway.ts';
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
  /** The reservation of a call that was not made. */
  releases?: string;
}

/** Every attribute that any adapter may read. Attributes with content are not among them. */
export const KEY_RULES: KeyRules = {
  keys: new Map<string, KeyRule>([
    ...[
      ...COMMON_KEYS,
      ...CLAUDE_CODE_KEYS,
      ...CODEX_KEYS,
      ...GEMINI_KEYS,
      ...GATEWAY_KEYS,
      ...SPAN_KEYS,
    ].map((key) => [key, 'value'] as const),
    ...CODEX_PRESENT_KEYS.map((key) => [key, 'presence'] as const),
  ]),
  presentPrefixes: [COPILOT_PREFIX],
};

/** In this order: tools by the names of their events, then spans of any application. A gateway's access log is what none of them knows. */
const ADAPTERS = [adaptClaudeCode, adaptCodex, adaptGemini, adaptSpan];

/** Log events that repeat a tool's spans. */
const DUPLICATE_EVENT_PREFIXES = ['gen_ai.client.inference.operation.details', 'copilot_chat.'];

/** The signals of one record. Pure; never throws, whatever the record holds. */
export function adaptRecord(record: OtlpRecord): Adapted {
  try {
    for (const adapt of ADAPTERS) {
      const signals = adapt(record);
      if (signals) return { signals: settled(record, signals), isKnown: true };
    }
    const logged = adaptGateway(record);
    if (logged && 'releases' in logged) return { signals: [], isKnown: true, releases: logged.releases };
    if (logged) return { signals: settled(record, [logged.signal]), isKnown: true };
  } catch (error) {
    if (error instanceof RejectedRecord) return { signals: [], isKnown: true, rejected: error.message };
    throw error;
  }
  const isDuplicate = record.names.some((name) =>
    DUPLICATE_EVENT_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  return { signals: [], isKnown: isDuplicate };
}

/** The reservation that a record names is settled by its call. A call is before the interventions of the same record. */
function settled(record: OtlpRecord, signals: PostedSignal[]): PostedSignal[] {
  const reservation = textOf(record, RESERVATION_KEY);
  const [first, ...others] = signals;
  if (reservation === undefined || !first || first.type === 'intervention') return signals;
  return [{ ...first, reservation_id: clip(reservation, RESERVATION_ID_LENGTH) }, ...others];
}

/** Characters of a reservation's id in a signal. */
const RESERVATION_ID_LENGTH = 128;
