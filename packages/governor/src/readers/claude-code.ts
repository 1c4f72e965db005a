import { basename, join } from 'node:path';
import { derivedFrom, isUniqueId, nativeId } from '../../../../shared/core/calls/adapters/base.ts';
import { wholeInput } from '../../../../shared/core/calls/adapters/cached-input.ts';
import { nusdFromUsd } from '../../../../shared/core/pricing/money.ts';
import { priceCall } from '../../../../shared/core/pricing/price.ts';
import { findRates } from '../../../../shared/core/pricing/rates.ts';
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
  rankBy,
  signalOf,
  type Tool,
  WITHOUT_ID,
} from './history.ts';

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
  if (!entry) return [DAMAGED];
  const message = asObject(entry.message);
  const usage = asObject(message?.usage);
  // Tools' lines repeat what their agents' calls used.
  if (!message || !usage) return [{ leftOut: 'no call of a model' }];
  const model = asText(message.model);
  if (model === '<synthetic>' || entry.isApiErrorMessage === true) return [{ leftOut: 'no call of a model' }];
  const ts = asTime(entry.timestamp);
  const messageId = asText(message.id);
  if (ts === undefined || messageId === undefined) return [WITHOUT_ID];
  const requestId = uniqueText(entry.requestId);
  // Equal in all lines of one answer, and another one in the next, where a relay gives each the same id.
  const counts = INPUT_COUNTS.map((name) => asCount(usage[name]));
  const session = isUniqueId(messageId) ? '' : asText(entry.sessionId);
  const id =
    requestId === undefined ? derivedFrom('message', messageId, session, ...counts) : nativeId(requestId);
  const call = callOf(usage, { id, ts, model, entry });
  return [
    {
      call: {
        key: requestId === undefined ? id : JSON.stringify([messageId, requestId]),
        rank: rankBy(asCount(usage.output_tokens)),
        // Some gateways give none, or a short one: then OpenTelemetry has an id of its own making.
        sharesId: requestId !== undefined,
        signal: call,
        cwd: asText(entry.cwd),
        branch: branchOf(asText(entry.gitBranch)),
      },
    },
  ];
}

const INPUT_COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

function uniqueText(id: unknown): string | undefined {
  const own = asText(id);
  return own !== undefined && isUniqueId(own) ? own : undefined;
}

/** Claude Code names a commit without a branch `HEAD`. */
function branchOf(named: string | undefined): string | null | undefined {
  return named === 'HEAD' ? null : named;
}

function callOf(usage: Json, of: { id: string; ts: string; model: string | undefined; entry: Json }) {
  const { id, ts, model, entry } = of;
  const cacheRead = asCount(usage.cache_read_input_tokens);
  const cacheWrite = asCount(usage.cache_creation_input_tokens);
  const longCache = asCount(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens);
  const tokens = {
    input: wholeInput(ADAPTER, { input: asCount(usage.input_tokens), cacheRead, cacheWrite }),
    output: asCount(usage.output_tokens),
    cacheRead,
    cacheWrite,
  };
  return signalOf({
    id,
    ts,
    adapter: ADAPTER,
    model,
    sessionId: asText(entry.sessionId),
    ...tokens,
    costUsd: longCache > 0 ? longCacheCostUsd({ model, ts, longCache, ...tokens }) : undefined,
  });
}

interface Call {
  model: string | undefined;
  ts: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that is cached for an hour. */
  longCache: number;
}

/**
 * US dollars of a call that cached for an hour, which costs twice the input price; the price list knows only the five
 * minutes' price. Undefined when the model has no known price.
 */
function longCacheCostUsd(call: Call): number | undefined {
  const { model, ts, input, output, cacheRead, cacheWrite, longCache } = call;
  const at = Date.parse(ts);
  const { costNusd } = priceCall({
    model,
    at,
    tokens_in: input,
    tokens_out: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
  });
  const rates = model === undefined ? null : findRates(undefined, model, at);
  if (costNusd === null || !rates?.input || !rates.cacheWrite) return undefined;
  const extraPerToken = 2n * rates.input.base - rates.cacheWrite.base;
  const extraNusd = Number((BigInt(Math.min(longCache, cacheWrite)) * extraPerToken) / 1_000_000_000n);
  const usd = (costNusd + extraNusd) / 1e9;
  return nusdFromUsd(usd) === null ? undefined : usd;
}
