import type { AnswerOf } from '../../data/client.ts';
import { exact, money } from '../text/format.ts';

export type Breakdown = AnswerOf<'/api/v1/sessions/{id}/breakdown'>;

/** A signal as a session shows it. */
export type Signal = AnswerOf<'/api/v1/sessions/{id}'>['signals'][number];

/** A part of a session that belongs to one repository, branch, pull request and task. */
export type Work = AnswerOf<'/api/v1/sessions/{id}'>['attribution'][number];

/** Kinds of signals, by which the timeline draws them. */
export type Kind = 'gate' | 'error' | 'chat' | 'tool' | 'call';

/** The kind of a signal. A failure says more than what failed. */
export function kindOf({ type, error, tool_name }: Signal): Kind {
  if (type === 'intervention') return 'gate';
  if (error) return 'error';
  if (tool_name === undefined) return 'call';
  return tool_name === 'chat' ? 'chat' : 'tool';
}

/** A share in whole per cent; below one it says so. */
export function share(part: number, whole: number): string {
  const pct = whole === 0 ? 0 : (part / whole) * 100;
  return pct > 0 && pct < 1 ? '<1 %' : `${Math.round(pct)} %`;
}

/**
 * Says in one sentence where the cost of a session went: the most expensive tool, or the most expensive model where no tool is named, and how
 * much of the input came from cache. `unpriced` is the number of calls without a price.
 */
export function whereItWent(breakdown: Breakdown, signals: readonly Signal[], unpriced: number): string {
  const usd = Number(breakdown.cost);
  const cached = cacheWords(signals);
  const none = `${exact(unpriced)} ${unpriced === 1 ? 'call has' : 'calls have'} no known price`;
  if (usd === 0 && unpriced > 0) return `The cost of this session is not known: ${none}${cached}.`;
  if (usd === 0) return `This session cost nothing${cached}.`;
  const sentence = `${mostOf(breakdown, usd)}${cached}.`;
  return unpriced === 0
    ? sentence
    : `${sentence} ${none} and ${unpriced === 1 ? 'counts' : 'count'} as nothing.`;
}

/** The tool or the model that took most of a cost, in words: "12 calls of Bash took 60 % of $4.20". */
function mostOf({ by_tool, by_model }: Breakdown, usd: number): string {
  const tool = by_tool.find((row) => !row.rest);
  const model = by_model.find((row) => !row.rest);
  const isTool = tool !== undefined && tool.tool_name !== null;
  const name = isTool ? tool.tool_name : model?.model;
  const row = isTool ? tool : model;
  if (!row) return `The calls of this session took ${money(usd)}`;
  const calls = `${exact(row.calls)} ${row.calls === 1 ? 'call' : 'calls'}`;
  const of = name === null || name === undefined ? calls : `${calls} of ${name}`;
  return `${of} took ${share(Number(row.cost), usd)} of ${money(usd)}`;
}

function cacheWords(signals: readonly Signal[]): string {
  const sum = (name: 'tokens_in' | 'cache_read_tokens') => signals.reduce((all, one) => all + one[name], 0);
  const read = sum('cache_read_tokens');
  return read === 0 ? '' : `; ${share(read, sum('tokens_in'))} of tokens in came from cache`;
}

const VERDICTS = {
  allow: 'allowed it',
  deny: 'denied it',
  modify: 'changed it',
  warn: 'warned',
  escalate: 'asked somebody',
} as const;

const ACTIONS = {
  allow: 'it went on',
  block: 'it was blocked',
  modify: 'it went on changed',
  escalate: 'somebody was asked',
} as const;

/** A decision of a policy as a sentence: "The tool permission guard of config warned (edit), and it went on: too expensive." */
export function decisionWords({ intervention, tool_name }: Signal): string {
  if (!intervention) return '';
  const { kind, verdict, action, source, policy_id, reason } = intervention;
  const policy = policy_id === undefined ? `The ${words(kind)}` : `The ${words(kind)} ${policy_id}`;
  const about = tool_name === undefined ? '' : ` (${tool_name})`;
  const why = reason ? `: ${reason.replace(/\.$/, '')}` : '';
  return `${policy} of ${words(source)} ${VERDICTS[verdict as keyof typeof VERDICTS]}${about}, and ${
    ACTIONS[action as keyof typeof ACTIONS]
  }${why}.`;
}

/** A code as people read it. */
function words(code: string): string {
  return code.replaceAll('_', ' ');
}
