import { join } from 'node:path';
import { derivedFrom } from '../../../../shared/adapters/base.ts';
import { wholeCounts } from '../../../../shared/adapters/gemini.ts';
import {
  countOf,
  eachLine,
  type Found,
  objectOf,
  parseObject,
  type Tool,
  textOf,
  timeOf,
} from '../history.ts';
import { signalOf } from '../signal.ts';

/** Qwen Code's chats. Lines of `ui_telemetry` repeat what the assistant's lines say. */
export const qwen: Tool = {
  name: 'qwen',
  adapter: 'qwen-code',
  homes: (home) => [join(home, '.qwen')],
  isHistory: (path) => /(?:^|\/)chats\/[^/]+\.jsonl$/.test(path),
  open: () => eachLine(readLine),
};

function readLine(line: string): Found[] {
  if (!line.includes('"usageMetadata"')) return [];
  const entry = parseObject(line);
  const usage = objectOf(entry?.usageMetadata);
  if (entry?.type !== 'assistant' || !usage) return [];
  const ts = timeOf(entry.timestamp);
  if (ts === undefined) return [{ leftOut: 'without a time or an id' }];
  const { input, output } = wholeCounts({
    input: countOf(usage.promptTokenCount),
    output: countOf(usage.candidatesTokenCount),
    thoughts: countOf(usage.thoughtsTokenCount),
    tool: countOf(usage.toolUsePromptTokenCount),
    total: countOf(usage.totalTokenCount),
  });
  const sessionId = textOf(entry.sessionId);
  const own = textOf(entry.uuid);
  const id = derivedFrom('chat', sessionId, own ?? ts, ...(own === undefined ? [input, output] : []));
  const signal = signalOf({
    id,
    ts,
    adapter: 'qwen-code',
    model: textOf(entry.model) ?? 'unknown',
    sessionId,
    input,
    output,
    cacheRead: countOf(usage.cachedContentTokenCount),
  });
  return [{ call: { key: id, rank: output, sharesId: false, signal, cwd: textOf(entry.cwd) } }];
}
