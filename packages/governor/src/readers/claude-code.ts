import { basename, join } from 'node:path';
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
import { longCacheCostUsd } from '../long-cache.ts';
import { signalOf } from '../signal.ts';

const ADAPTER = 'claude-code';

/** Claude Code's transcripts: one answer spans lines, and resumed sessions copy lines of others. */
export const claudeCode: Tool = {
  name: ADAPTER,
  adapter: ADAPTER,
  homes: (home, env) => {
    const given = (env.CLAUDE_CONFIG_DIR ?? '').split(',').flatMap((folder) => folder.trim() || []);
    const folders = given.length > 0 ? given : [join(home, '.claude'), join(home, '.config', 'claude')];
    return folders.map((folder) => join(folder, 'projects'));
  },
  isHistory: (path) => path.endsWith('.jsonl') && !/\.(?:orphaned|superseded)-/.test(basename(path)),
  open: () => eachLine(readLine),
};

function readLine(line: string): Found[] {
  // Most lines are prompts and tools' bodies: those are not even parsed.
  if (!line.includes('"usage"')) return [];
  const entry = parseObject(line);
  const message = objectOf(entry?.message);
  const usage = objectOf(message?.usage);
  if (!entry || !message || !usage) return [];
  const model = textOf(message.model);
  if (model === '<synthetic>' || entry.isApiErrorMessage === true) return [{ leftOut: 'no call of a model' }];
  const ts = timeOf(entry.timestamp);
  const messageId = textOf(message.id);
  if (ts === undefined || messageId === undefined) return [{ leftOut: 'without a time or an id' }];
  const requestId = textOf(entry.requestId);
  const call = callOf(usage, { id: nativeId(requestId ?? messageId), ts, model, entry });
  return [
    {
      call: {
        key: JSON.stringify([messageId, requestId]),
        rank: countOf(usage.output_tokens),
        // Some gateways give none: then OpenTelemetry has an id of its own making.
        sharesId: requestId !== undefined,
        signal: call,
        cwd: textOf(entry.cwd),
      },
    },
  ];
}

function callOf(usage: Json, of: { id: string; ts: string; model: string | undefined; entry: Json }) {
  const { id, ts, model, entry } = of;
  const cacheRead = countOf(usage.cache_read_input_tokens);
  const cacheWrite = countOf(usage.cache_creation_input_tokens);
  const longCache = countOf(objectOf(usage.cache_creation)?.ephemeral_1h_input_tokens);
  const tokens = {
    input: countOf(usage.input_tokens) + cacheRead + cacheWrite,
    output: countOf(usage.output_tokens),
    cacheRead,
    cacheWrite,
  };
  return signalOf({
    id,
    ts,
    adapter: ADAPTER,
    model,
    sessionId: textOf(entry.sessionId),
    ...tokens,
    costUsd: longCache > 0 ? longCacheCostUsd({ model, ts, longCache, ...tokens }) : undefined,
  });
}
