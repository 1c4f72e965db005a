import { plusDays } from '../../../data/range.ts';
import type { PageOf } from '../../../parts/chart/content.ts';
import { costWords, exact, money, percent } from '../../../parts/text/format.ts';
import { dateWords } from '../../../words/time.ts';

interface Named {
  repository: string;
  number: number;
}

/** The reference of a pull request, as the API filters by it: github.com/acme/shop#12. */
export function referenceOf({ repository, number }: Named): string {
  return `${repository}#${number}`;
}

/** The same without the host, where there is little room: acme/shop#12. */
export function shortReference({ repository, number }: Named): string {
  return `${repository.slice(repository.indexOf('/') + 1)}#${number}`;
}

/** A pull request that somebody looks for: a number, or also a repository. */
interface Sought {
  number: string;
  repository?: string;
}

/**
 * Reads what people paste to find a pull request: 12, #12, github.com/acme/shop#12 or its address at GitHub, GitLab or
 * Bitbucket. Null for anything else. Pure.
 */
export function readReference(text: string): Sought | null {
  const alone = /^#?([1-9]\d{0,14})$/.exec(text.trim());
  if (alone?.[1]) return { number: alone[1] };
  const whole =
    /^(.+?)(?:#|\/pull\/|\/-\/merge_requests\/|\/pull-requests\/)([1-9]\d{0,14})(?:[/?#].*)?$/.exec(
      text.trim(),
    );
  const [, repository, number] = whole ?? [];
  return repository?.includes('/') && number ? { repository, number } : null;
}

interface Costs {
  signals: number;
  cost_usd: number;
  unpriced_signals: number;
}

/** A cost as a list shows it: exact, at least, or the reason why there is none. */
export function costOf({ signals, ...costs }: Costs): string {
  return signals === 0 ? 'no calls' : costWords(costs);
}

/**
 * The sentence that most people came for: "It has cost $4.20: 120 calls by 3 people, 10 – 15 Jan." A member, who sees own
 * calls only, reads "Your part: $1.20, 12 calls, 10 – 15 Jan."
 */
export function costSentence(
  pull: Costs & Days & { people: number; state: string; branch: string },
  isOwnPart = false,
): string {
  const { signals, people, cost_usd, unpriced_signals, state, branch } = pull;
  if (signals === 0 && isOwnPart) return 'Your part: no calls.';
  if (signals === 0)
    return state === 'open'
      ? `No call on the branch ${branch} is known yet.`
      : `No call on the branch ${branch} was reported before its end.`;
  const calls = `${exact(signals)} ${signals === 1 ? 'call' : 'calls'}`;
  const who = `${exact(people)} ${people === 1 ? 'person' : 'people'}`;
  const took = `${calls} by ${who}${daysOf(pull)}`;
  if (unpriced_signals === signals) return `The cost is not known: ${took}, none with a known price.`;
  const own = `Your part: ${money(cost_usd)}, ${calls}${daysOf(pull)}.`;
  const all = `${state === 'open' ? 'So far it has' : 'It has'} cost ${money(cost_usd)}: ${took}.`;
  const cost = isOwnPart ? own : all;
  if (unpriced_signals === 0) return cost;
  const have = unpriced_signals === 1 ? 'call has' : 'calls have';
  return `${cost} ${exact(unpriced_signals)} ${have} no known price and count as nothing.`;
}

/** The share of the most expensive session, where it is at least half of the cost: "All" or "70 %". Pure. */
export function shareOfTop({
  cost_usd,
  top_session: top,
}: {
  cost_usd: number;
  top_session: { cost_usd: number } | null;
}): string | null {
  if (top === null || cost_usd === 0 || top.cost_usd < cost_usd / 2) return null;
  const share = top.cost_usd / cost_usd;
  return share > 0.995 ? 'All' : percent(share, 0);
}

interface Tools {
  cost: string;
  by_tool: readonly { tool_name: string | null; calls: number; cost: string; rest?: true | undefined }[];
}

/**
 * The tool that took most of a session, by its calls; null where none did, and where some calls of the session were for something
 * else, since a breakdown is of all of them. Pure.
 */
export function mainTool(
  { cost, by_tool }: Tools,
  onItUsd: number,
): { tool_name: string; calls: number } | null {
  if (Math.abs(Number(cost) - onItUsd) > 0.00006) return null;
  const tool = by_tool.find((row) => !row.rest);
  if (!tool || tool.tool_name === null || Number(tool.cost) < Number(cost) / 2) return null;
  return { tool_name: tool.tool_name, calls: tool.calls };
}

interface Days {
  first_day: string | null;
  last_day: string | null;
}

/** The sessions with calls on a pull request that began on its days, or on some of them. Pure. */
export function sessionsOf(pull: Named & Days, days: Partial<Days> = {}): PageOf {
  const { first_day: from, last_day: to } = { ...pull, ...days };
  const range = from === null || to === null ? {} : { range: 'custom', from, to: plusDays(to, 1) };
  return { to: '/sessions', search: { ...range, pull_request: referenceOf(pull) } };
}

function daysOf({ first_day, last_day }: Days): string {
  if (first_day === null || last_day === null) return '';
  if (first_day === last_day) return `, on ${dateWords(first_day)}`;
  return `, from ${dateWords(first_day)} to ${dateWords(last_day)}`;
}
