import { join } from 'node:path';
import { nativeId } from '../../../../shared/adapters/base.ts';
import {
  countOf,
  eachLine,
  type Found,
  type Json,
  objectOf,
  parseObject,
  type Tool,
  textOf,
  timeOf,
} from '../history.ts';
import { signalOf } from '../signal.ts';

/** opencode's messages: a file for each, newer versions in a database (`read-database.ts` gives its rows as lines). */
export const opencode: Tool = {
  name: 'opencode',
  adapter: 'opencode',
  homes: (home, env) => [join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode')],
  isHistory: (path) => /(?:^|\/)storage\/message\/[^/]+\/msg_[^/]+\.json$|(?:^|\/)opencode\.db$/.test(path),
  isWhole: true,
  open: () => eachLine(readMessage),
};

function readMessage(text: string): Found[] {
  const message = parseObject(text);
  const tokens = objectOf(message?.tokens);
  if (message?.role !== 'assistant' || !tokens) return [];
  const id = textOf(message.id);
  // It is written before the model answers, and again with what that took.
  const ts = timeOf(objectOf(message.time)?.completed);
  if (ts === undefined && timeOf(objectOf(message.time)?.created) !== undefined)
    return [{ leftOut: 'not finished' }];
  if (id === undefined || ts === undefined) return [{ leftOut: 'without a time or an id' }];
  const cwd = textOf(objectOf(message.path)?.cwd);
  const signal = signalOf({ id: nativeId(id), ts, adapter: 'opencode', ...usageOf(message, tokens) });
  return [{ call: { key: id, rank: signal.tokens_out ?? 0, sharesId: false, signal, cwd } }];
}

function usageOf(message: Json, tokens: Json) {
  const cache = objectOf(tokens.cache);
  const cacheRead = countOf(cache?.read);
  const cacheWrite = countOf(cache?.write);
  const cost = message.cost;
  return {
    model: textOf(message.modelID) ?? 'unknown',
    provider: textOf(message.providerID),
    sessionId: textOf(message.sessionID),
    // It counts the input without what was cached, and reasoning beside the output.
    input: countOf(tokens.input) + cacheRead + cacheWrite,
    output: countOf(tokens.output) + countOf(tokens.reasoning),
    cacheRead,
    cacheWrite,
    errorCode: errorCodeOf(message),
    costUsd: typeof cost === 'number' && cost > 0 ? cost : undefined,
  };
}

/** The HTTP status of a failed call, else the name of its error; undefined where there is none. Its text is not read. */
function errorCodeOf(message: Json): string | undefined {
  const error = objectOf(message.error);
  const status = objectOf(error?.data)?.statusCode;
  return error && (typeof status === 'number' ? String(status) : (textOf(error.name) ?? 'error'));
}
