import { derivedFrom } from '../../../../shared/adapters/base.ts';
import { countOf, type Found, type Json, listOf, objectOf, parseObject, textOf, timeOf } from '../history.ts';
import { signalOf } from '../signal.ts';

/**
 * What `ccusage session --json` (20) prints: one signal per session and model, with its price. Throws when the text is
 * something else.
 */
export function readCcusage(text: string): Found[] {
  const report = parseObject(text);
  const sessions = report?.sessions ?? report?.session;
  if (!Array.isArray(sessions)) throw new Error('This is not the output of "ccusage session --json".');
  return sessions.flatMap((session) => readSession(objectOf(session) ?? {}));
}

function readSession(session: Json): Found[] {
  const agent = textOf(session.agent) ?? 'claude';
  const sessionId = textOf(session.sessionId) ?? textOf(session.period);
  const ts = timeOf(session.lastActivity ?? objectOf(session.metadata)?.lastActivity);
  if (sessionId === undefined || ts === undefined) return [{ leftOut: 'without a time or an id' }];
  const parts = listOf(session.modelBreakdowns).map((part) => objectOf(part) ?? {});
  return parts.map((part) => {
    const model = textOf(part.modelName) ?? 'unknown';
    const cacheRead = countOf(part.cacheReadTokens);
    const cacheWrite = countOf(part.cacheCreationTokens);
    const id = derivedFrom('ccusage', agent, sessionId, model);
    const signal = signalOf({
      id,
      ts,
      adapter: ADAPTERS[agent] ?? agent,
      model,
      sessionId,
      input: countOf(part.inputTokens) + cacheRead + cacheWrite,
      output: countOf(part.outputTokens),
      cacheRead,
      cacheWrite,
      costUsd: typeof part.cost === 'number' ? part.cost : undefined,
    });
    return { call: { key: id, rank: 0, sharesId: false, signal } };
  });
}

/** Its names of tools that are called otherwise here. */
const ADAPTERS: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  gemini: 'gemini-cli',
  qwen: 'qwen-code',
  copilot: 'github-copilot',
};
