import type { Words } from '../../record/new-event.ts';
import { momentOf, nameOf, type Payload, personOf, textOf } from './describe.ts';
import { callsOf } from './describe-budget.ts';
import type { Fact, Message } from './message.ts';
import { sayAmount, sayCount, sayMoney, sayShare } from './say.ts';
import { readable } from './text.ts';

/** An anomaly with what was kept beside it. */
export interface Told {
  data: Payload;
  words: Words;
}

/** Sessions that one message names. */
const SHOWN = 5;

/** Anomalies in words: those of one session together, of several sessions the first five. */
export function describeAnomalies(told: readonly Told[]): Message {
  const sessions = [...Map.groupBy(told, ({ data }) => data.session_id).values()];
  const [first = []] = sessions;
  return sessions.length > 1 ? describeSeveral(sessions) : describeOne(first);
}

function describeOne(told: readonly Told[]): Message {
  const newest = newestOf(told);
  const [{ data, words }] = [newest.at(-1) ?? { data: {}, words: {} }];
  const cause: Fact[] = words.cause?.session ? [['Mostly', callsOf(words.cause.session)]] : [];
  return {
    title: `Unusual usage of “${personOf(nameOf(data, 'user_id'), words)}”`,
    urgency: 'medium',
    facts: [...newest.map(({ data, words }) => factOf(data, words)), ...cause, ...sessionOf(words)],
    link: 'Open the session',
  };
}

/** The last report of each kind: a kind is reported again when what was observed has doubled. */
function newestOf(told: readonly Told[]): Told[] {
  return [...new Map(told.map((each) => [each.data.anomaly_type, each])).values()];
}

function describeSeveral(sessions: readonly (readonly Told[])[]): Message {
  const people = new Set(sessions.flat().map(({ data }) => data.user_id));
  const of = people.size === 1 ? personOf(...personIn(sessions)) : `${readable(people.size)} people`;
  const shown = sessions.slice(0, SHOWN).map((own): Fact => {
    const newest = newestOf(own);
    const facts = newest.map(({ data, words }) => factOf(data, words)[1]);
    return [personOf(...personIn([own])), facts.join('; ')];
  });
  const more = sessions.length - shown.length;
  return {
    title: `Unusual usage in ${readable(sessions.length)} sessions of ${people.size === 1 ? `“${of}”` : of}`,
    urgency: 'medium',
    facts: [...shown, ...(more === 0 ? [] : [['And', `${readable(more)} more`] as const])],
    link: 'Open anomalies',
  };
}

function personIn(sessions: readonly (readonly Told[])[]): [string, Words] {
  const told = sessions[0]?.[0];
  return [nameOf(told?.data ?? {}, 'user_id'), told?.words ?? {}];
}

const LABELS: Readonly<Record<string, string>> = {
  token_spike: 'Tokens',
  cost_spike: 'Cost',
  error_spike: 'Errors',
  runaway_session: 'Runaway',
};

/** The figures of an anomaly: "999 tokens, usually 50". */
function factOf(data: Payload, { metric }: Words): Fact {
  const kind = textOf(data, 'anomaly_type');
  const [observed, usual] = [Number(data.observed), Number(data.baseline_avg)];
  return [LABELS[kind] ?? kind.replaceAll('_', ' '), figuresOf(kind, observed, usual, metric)];
}

function figuresOf(kind: string, observed: number, usual: number, metric: string | undefined): string {
  switch (kind) {
    case 'token_spike':
      return `${sayAmount('tokens', observed)}, usually ${sayCount(usual)}`;
    case 'cost_spike':
      return `${sayMoney(observed)}, usually ${sayMoney(usual)}`;
    case 'error_spike':
      return `${sayShare(observed)} of the calls failed, usually ${sayShare(usual)}`;
    case 'runaway_session':
      return `${sayAmount(metric, observed)} within an hour, limit ${metric === 'cost_usd' ? sayMoney(usual) : sayCount(usual)}`;
    default:
      return `${readable(observed)}, usually ${readable(usual)}`;
  }
}

function sessionOf(words: Words): Fact[] {
  if (!words.session) return [];
  const { project_id } = words.session;
  const began = momentOf({ ...words.session }, 'started_at', words);
  return [['Session', `of ${textOf({ project_id }, 'project_id')}, began ${began}`]];
}
