import { join } from 'node:path';
import { derivedFrom } from '../../../../shared/adapters/base.ts';
import { wholeCounts } from '../../../../shared/adapters/gemini.ts';
import {
  countOf,
  type FileReader,
  type Found,
  type Json,
  listOf,
  objectOf,
  parseObject,
  type Tool,
  textOf,
  timeOf,
} from '../history.ts';
import { signalOf } from '../signal.ts';

/** Gemini CLI's chats: a line per message, written again when it grows; older versions one document. */
export const gemini: Tool = {
  name: 'gemini',
  adapter: 'gemini-cli',
  homes: (home) => [join(home, '.gemini', 'tmp')],
  isHistory: (path) => /(?:^|\/)chats\/session-[^/]+\.jsonl?$/.test(path),
  open: (path) => (path.endsWith('.json') ? openDocument() : openLines()),
};

function openLines(): FileReader {
  let sessionId = '';
  return {
    line: (line) => {
      const entry = parseObject(line);
      if (!entry) return [];
      sessionId ||= textOf(entry.sessionId) ?? '';
      return readMessage(entry, sessionId);
    },
    end: () => [],
  };
}

/** An older file is one document over many lines. */
function openDocument(): FileReader {
  const lines: string[] = [];
  return {
    line: (line) => {
      lines.push(line);
      return [];
    },
    end: () => {
      const chat = parseObject(lines.join('\n'));
      const messages = listOf(chat?.messages).map((message) => objectOf(message) ?? {});
      return messages.flatMap((message) => readMessage(message, textOf(chat?.sessionId) ?? ''));
    },
  };
}

function readMessage(message: Json, sessionId: string): Found[] {
  const tokens = objectOf(message.tokens);
  if (message.type !== 'gemini' || !tokens) return [];
  const ts = timeOf(message.timestamp);
  if (ts === undefined) return [{ leftOut: 'without a time or an id' }];
  const { input, output } = wholeCounts({
    input: countOf(tokens.input),
    output: countOf(tokens.output),
    thoughts: countOf(tokens.thoughts),
    tool: countOf(tokens.tool),
    total: countOf(tokens.total),
  });
  const cacheRead = countOf(tokens.cached);
  const own = textOf(message.id);
  const id = derivedFrom('chat', sessionId, own ?? ts, ...(own === undefined ? [input, output] : []));
  const signal = signalOf({
    id,
    ts,
    adapter: 'gemini-cli',
    model: textOf(message.model) ?? 'unknown',
    sessionId: sessionId || undefined,
    input,
    output,
    cacheRead,
  });
  return [{ call: { key: id, rank: output, sharesId: false, signal } }];
}
