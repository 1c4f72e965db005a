import { join } from 'node:path';
import { adaptRecord, KEY_RULES } from '../../../../shared/adapters/adapt.ts';
import { pickJson } from '../../../../shared/adapters/otlp/json.ts';
import { type OtlpRecord, UnreadableOtlp } from '../../../../shared/adapters/otlp/record.ts';
import { eachLine, type Found, type Json, parseObject, type Tool } from '../history.ts';

/** GitHub Copilot CLI's own telemetry files: a request of OTLP/JSON per line, read as if it had been sent. */
export const copilot: Tool = {
  name: 'copilot',
  adapter: 'github-copilot',
  homes: (home) => [join(home, '.copilot', 'otel')],
  isHistory: (path) => path.endsWith('.jsonl'),
  open: () => eachLine(readLine),
};

function readLine(line: string): Found[] {
  if (line.trim() === '') return [];
  const request = parseObject(line);
  if (!request || !('resourceSpans' in request)) return [{ leftOut: 'no spans' }];
  return spansOf(request).flatMap((record): Found[] => {
    const { signals, rejected } = adaptRecord(record);
    if (rejected !== undefined) return [{ leftOut: rejected }];
    // Whose it is, the key or `--user-id` says, as for every other history.
    return signals.map(({ user_id: _, ...signal }) => {
      return { call: { key: signal.id, rank: signal.tokens_out ?? 0, sharesId: true, signal } };
    });
  });
}

/** No spans for a line that is damaged. */
function spansOf(request: Json): OtlpRecord[] {
  try {
    return [...pickJson(request, 'traces', KEY_RULES)];
  } catch (error) {
    if (error instanceof UnreadableOtlp) return [];
    throw error;
  }
}
