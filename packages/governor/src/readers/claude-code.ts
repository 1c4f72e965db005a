import { basename, join } from 'node:path';
import { derivedFrom, isUniqueId, nativeId } from '../../../../shared/core/calls/adapters/base.ts';
import { wholeInput } from '../../../../shared/core/calls/adapters/cached-input.ts';
import { clip } from '../../../../shared/core/calls/adapters/fields.ts';
import {
  MOST_TOOLS,
  type PricedFields,
  REGION_LENGTH,
  TIER_LENGTH,
} from '../../../../shared/core/pricing/priced-fields.ts';
import {
  asCount,
  asList,
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
  // The answer's own counts do not have those of the compactions that it needed.
  const parts = asList(usage.iterations).map((part) => asObject(part) ?? {});
  const counted = [usage, ...parts.filter(({ type }) => type === 'compaction')];
  const sum = (name: string) => counted.reduce((total, part) => total + asCount(part[name]), 0);
  const cacheRead = sum('cache_read_input_tokens');
  const cacheWrite = sum('cache_creation_input_tokens');
  return signalOf({
    id,
    ts,
    adapter: ADAPTER,
    model,
    sessionId: asText(entry.sessionId),
    input: wholeInput(ADAPTER, { input: sum('input_tokens'), cacheRead, cacheWrite }),
    output: sum('output_tokens'),
    cacheRead,
    cacheWrite,
    priced: servedAs(usage),
  });
}

function servedAs(usage: Json): PricedFields {
  const longCache = asCount(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens);
  const tier = asText(usage.service_tier);
  return {
    service_tier: usage.speed === 'fast' ? fastTier(tier) : tier && clip(tier, TIER_LENGTH),
    region: clip(asText(usage.inference_geo) ?? '', REGION_LENGTH) || undefined,
    cache_write_1h_tokens: longCache === 0 ? undefined : longCache,
    tool_uses: toolsOf(asObject(usage.server_tool_use) ?? {}),
  };
}

/** No price is known of a call in fast mode that was also in another tier. */
function fastTier(tier = 'standard'): string {
  return tier === 'standard' ? 'fast' : clip(`${tier}+fast`, TIER_LENGTH);
}

/** `web_search_requests` counts the uses of `web_search`. */
function toolsOf(counts: Json): Record<string, number> | undefined {
  const uses = Object.entries(counts)
    .filter(([name]) => /^[a-z]\w{0,50}_requests$/.test(name))
    .map(([name, count]) => [name.replace(/_requests$/, ''), asCount(count)] as const)
    .filter(([, count]) => count !== 0);
  return uses.length === 0 ? undefined : Object.fromEntries(uses.slice(0, MOST_TOOLS));
}
