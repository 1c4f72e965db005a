import { derivedFrom } from '../../../../shared/core/calls/adapters/base.ts';
import { wholeInput } from '../../../../shared/core/calls/adapters/cached-input.ts';
import type { PostedSignal } from '../../../../shared/core/calls/adapters/posted.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  asTime,
  type Found,
  type Json,
  parseObject,
  signalOf,
  WITHOUT_ID,
} from './history.ts';

/**
 * Reads the output of `ccusage session --json` (20): one signal per session and model, with its price. Throws for any other
 * text.
 */
export function readCcusage(text: string): Found[] {
  const report = parseObject(text);
  const sessions = report?.sessions ?? report?.session;
  if (!Array.isArray(sessions)) throw new Error('This is not the output of "ccusage session --json".');
  return sessions.flatMap((session) => readSession(asObject(session) ?? {}));
}

function readSession(session: Json): Found[] {
  const agent = asText(session.agent) ?? 'claude';
  const sessionId = asText(session.sessionId) ?? asText(session.period);
  const ts = asTime(session.lastActivity ?? asObject(session.metadata)?.lastActivity);
  if (sessionId === undefined || ts === undefined) return [WITHOUT_ID];
  const parts = asList(session.modelBreakdowns).map((part) => asObject(part) ?? {});
  if (parts.length === 0) return [{ leftOut: 'without its models' }];
  return parts.map((part) => {
    const model = asText(part.modelName) ?? 'unknown';
    const cacheRead = asCount(part.cacheReadTokens);
    const cacheWrite = asCount(part.cacheCreationTokens);
    const id = derivedFrom('ccusage', agent, sessionId, model);
    const signal = signalOf({
      id,
      ts,
      adapter: ADAPTERS[agent] ?? agent,
      model,
      sessionId,
      input: wholeInput('ccusage', { input: asCount(part.inputTokens), cacheRead, cacheWrite }),
      output: asCount(part.outputTokens),
      cacheRead,
      cacheWrite,
      costUsd: typeof part.cost === 'number' ? part.cost : undefined,
    });
    return { call: { key: id, rank: 0, sharesId: false, signal } };
  });
}

/** Its names of tools that have another name here. */
const ADAPTERS: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  gemini: 'gemini-cli',
  qwen: 'qwen-code',
  copilot: 'github-copilot',
};

/** A line that is a signal as `POST /api/v1/signals` takes it; the api judges it. */
export function readNdjsonLine(line: string): Found[] {
  if (line.trim() === '') return [];
  const signal = parseObject(line);
  if (!signal) return [{ leftOut: 'no JSON object' }];
  const key = typeof signal.id === 'string' ? JSON.stringify([signal.adapter, signal.id]) : line;
  return [{ call: { key, rank: 0, sharesId: true, signal: signal as unknown as PostedSignal } }];
}
