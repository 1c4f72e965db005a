import { join } from 'node:path';
import { derivedFrom, isUniqueId, nativeId } from '../../../../shared/core/calls/adapters/base.ts';
import { wholeInput } from '../../../../shared/core/calls/adapters/cached-input.ts';
import {
  asCount,
  asObject,
  asText,
  asTime,
  DAMAGED,
  eachLine,
  type Found,
  type Json,
  parseObject,
  signalOf,
  type Tool,
  WITHOUT_ID,
} from './history.ts';

/** opencode's messages: a file for each, newer versions in a database (`read-database.ts` gives its rows as lines). */
export const opencode: Tool = {
  name: 'opencode',
  adapter: 'opencode',
  homes: (home, env) => [join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode')],
  isHistory: (path) => /(?:^|\/)storage\/message\/[^/]+\/msg_[^/]+\.json$|(?:^|\/)opencode\.db$/.test(path),
  isWhole: () => true,
  open: () => eachLine(readMessage),
};

function readMessage(text: string): Found[] {
  const message = parseObject(text);
  if (!message) return text.includes('"tokens"') ? [DAMAGED] : [];
  const tokens = asObject(message.tokens);
  if (!tokens) return [];
  if (message.role !== 'assistant') return [{ leftOut: 'no call of a model' }];
  const id = asText(message.id);
  // It is written before the model answers, and again with what that took.
  const ts = asTime(asObject(message.time)?.completed);
  if (ts === undefined && asTime(asObject(message.time)?.created) !== undefined)
    return [{ leftOut: 'not finished' }];
  if (id === undefined || ts === undefined) return [WITHOUT_ID];
  const cwd = asText(asObject(message.path)?.cwd);
  const isUnique = isUniqueId(id);
  const ownId = isUnique ? nativeId(id) : derivedFrom('message', asText(message.sessionID), id, ts);
  const signal = signalOf({ id: ownId, ts, adapter: 'opencode', ...usageOf(message, tokens) });
  return [
    { call: { key: isUnique ? id : ownId, rank: signal.tokens_out ?? 0, sharesId: false, signal, cwd } },
  ];
}

function usageOf(message: Json, tokens: Json) {
  const cache = asObject(tokens.cache);
  const cacheRead = asCount(cache?.read);
  const cacheWrite = asCount(cache?.write);
  const cost = message.cost;
  return {
    model: asText(message.modelID) ?? 'unknown',
    provider: asText(message.providerID),
    sessionId: asText(message.sessionID),
    input: wholeInput('opencode', { input: asCount(tokens.input), cacheRead, cacheWrite }),
    // Reasoning is beside the output.
    output: asCount(tokens.output) + asCount(tokens.reasoning),
    cacheRead,
    cacheWrite,
    errorCode: errorCodeOf(message),
    costUsd: typeof cost === 'number' && cost > 0 ? cost : undefined,
  };
}

/** The HTTP status of a failed call, else the name of its error; undefined where there is none. Its text is not read. */
function errorCodeOf(message: Json): string | undefined {
  const error = asObject(message.error);
  const status = asObject(error?.data)?.statusCode;
  return error && (typeof status === 'number' ? String(status) : (asText(error.name) ?? 'error'));
}

interface Row {
  id: string;
  session_id: string;
  data: string;
}

/** opencode's messages as its files had them, a line each. */
export async function* rowsOf(path: string): AsyncGenerator<string> {
  // Imported here, because Node 22 prints a warning on import.
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare('SELECT id, session_id, data FROM message ORDER BY id').iterate();
    for (const row of rows as Iterable<unknown>) {
      const { id, session_id, data } = row as Row;
      const message = parseObject(data);
      yield message ? JSON.stringify({ ...message, id, sessionID: session_id }) : data;
    }
  } finally {
    database.close();
  }
}
