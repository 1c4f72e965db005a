import { join } from 'node:path';
import { derivedFrom, isUniqueId } from '../../../../shared/core/calls/adapters/base.ts';
import { type GeminiCounts, wholeCounts } from '../../../../shared/core/calls/adapters/gemini.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  asTime,
  DAMAGED,
  eachLine,
  type FileReader,
  type Found,
  type Json,
  parseObject,
  REPEATED,
  rankBy,
  signalOf,
  type Tool,
  WITHOUT_ID,
} from './history.ts';

/** Gemini CLI's chats: a line per message, written again when it grows; older versions one document. */
export const gemini: Tool = {
  name: 'gemini',
  adapter: 'gemini-cli',
  homes: (home) => [join(home, '.gemini', 'tmp')],
  isHistory: (path) => /(?:^|\/)chats\/session-[^/]+\.jsonl?$/.test(path),
  isWhole: isDocument,
  open: (path) => (isDocument(path) ? eachLine(readDocument) : openLines()),
};

function isDocument(path: string): boolean {
  return path.endsWith('.json');
}

function openLines(): FileReader {
  let sessionId = '';
  return {
    line: (line) => {
      const entry = parseObject(line);
      if (!entry) return line.includes('"tokens"') ? [DAMAGED] : [];
      sessionId ||= asText(entry.sessionId) ?? '';
      return readMessage(entry, sessionId);
    },
    end: () => [],
  };
}

function readDocument(document: string): Found[] {
  const chat = parseObject(document);
  if (!chat) return document.includes('"tokens"') ? [DAMAGED] : [];
  const messages = asList(chat.messages).map((message) => asObject(message) ?? {});
  return messages.flatMap((message) => readMessage(message, asText(chat.sessionId) ?? ''));
}

function readMessage(message: Json, sessionId: string): Found[] {
  const tokens = asObject(message.tokens);
  if (!tokens) return [];
  if (message.type !== 'gemini') return [{ leftOut: 'no call of a model' }];
  const counts = {
    input: asCount(tokens.input),
    output: asCount(tokens.output),
    thoughts: asCount(tokens.thoughts),
    tool: asCount(tokens.tool),
    total: asCount(tokens.total),
  };
  return chatCall(message, {
    adapter: 'gemini-cli',
    own: asText(message.id),
    sessionId,
    counts,
    cacheRead: asCount(tokens.cached),
  });
}

/** Qwen Code's chats. Lines of `ui_telemetry` repeat what the assistant's lines say. */
export const qwen: Tool = {
  name: 'qwen',
  adapter: 'qwen-code',
  homes: (home) => [join(home, '.qwen')],
  isHistory: (path) => /(?:^|\/)chats\/[^/]+\.jsonl$/.test(path),
  open: () => eachLine(readQwenLine),
};

function readQwenLine(line: string): Found[] {
  if (!line.includes('"usageMetadata"'))
    return line.includes('"input_token_count":') ? [{ leftOut: REPEATED }] : [];
  const entry = parseObject(line);
  if (!entry) return [DAMAGED];
  const usage = asObject(entry.usageMetadata);
  if (!usage) return [];
  if (entry.type !== 'assistant') return [{ leftOut: 'no call of a model' }];
  const counts = {
    input: asCount(usage.promptTokenCount),
    output: asCount(usage.candidatesTokenCount),
    thoughts: asCount(usage.thoughtsTokenCount),
    tool: asCount(usage.toolUsePromptTokenCount),
    total: asCount(usage.totalTokenCount),
  };
  return chatCall(entry, {
    adapter: 'qwen-code',
    own: asText(entry.uuid),
    sessionId: asText(entry.sessionId) ?? '',
    counts,
    cacheRead: asCount(usage.cachedContentTokenCount),
  });
}

interface ChatUsage {
  adapter: string;
  /** The message's own id. */
  own: string | undefined;
  sessionId: string;
  counts: GeminiCounts;
  cacheRead: number;
}

/** The call of a message in a chat. Both tools write its time, model and folder alike. */
function chatCall(message: Json, { adapter, own, sessionId, counts, cacheRead }: ChatUsage): Found[] {
  const ts = asTime(message.timestamp);
  if (ts === undefined) return [WITHOUT_ID];
  const { input, output } = wholeCounts(counts);
  const id = derivedFrom('chat', sessionId, ...idParts(own, ts, [input, output]));
  const signal = signalOf({
    id,
    ts,
    adapter,
    model: asText(message.model) ?? 'unknown',
    sessionId: sessionId || undefined,
    input,
    output,
    cacheRead,
  });
  return [{ call: { key: id, rank: rankBy(output), sharesId: false, signal, cwd: asText(message.cwd) } }];
}

/** The parts that distinguish a message in its chat. One that is written again keeps its id and its time. */
function idParts(own: string | undefined, ts: string, counts: readonly number[]): (string | number)[] {
  if (own === undefined) return [ts, ...counts];
  return isUniqueId(own) ? [own] : [own, ts];
}
