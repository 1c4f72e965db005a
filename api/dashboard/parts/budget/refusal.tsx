import { Stack, Text } from '@mantine/core';
import { type AnswerOf, api, take } from '../../data/client.ts';
import type { Budget, UsageQuestion } from '../../data/queries.ts';
import { dateIn, plusDays } from '../../data/range.ts';
import { AlertDialog } from '../form/alert-dialog.tsx';
import { amount, exact } from '../text/format.ts';
import { UserName } from '../text/user-name.tsx';
import { Amount } from '../text/values.tsx';

/** A budget before it is written. */
export type Draft = Pick<
  Budget,
  'scope' | 'scope_id' | 'per' | 'metric' | 'threshold' | 'window' | 'timezone' | 'enforce'
>;

/** The use of a window that a hard budget would refuse calls in, from the moment it is written. */
export interface Refusal {
  used: number;
  /** How many people a template would refuse; null for another budget. */
  people: number | null;
  users: readonly { user_id: string; used: number }[];
}

type Usage = AnswerOf<'/api/v1/usage'>;

const MOST_USERS = 5;

/**
 * Returns the use of a budget that would refuse calls from now on; null when it refuses nothing yet. Usage knows no filters, so a
 * budget with one is asked itself.
 */
export async function readRefusal(draft: Draft, orgId: string, budget?: Budget): Promise<Refusal | null> {
  const { window } = draft;
  const isAsked = window === 'quarterly' || window === 'rolling' || window === 'total';
  if (isAsked || budget?.filter) return budget ? refusalNow(draft, budget) : null;
  const { totals, groups } = await readWindow(draft, orgId);
  const users = groups
    .map(({ key, ...measures }) => ({
      user_id: key?.user_id ?? '',
      used: usedOf(draft.metric, measures),
    }))
    .filter((user) => user.used > 0)
    .toSorted((a, b) => b.used - a.used);
  const refused = users.filter((user) => user.used >= draft.threshold);
  if (draft.per)
    return refused[0]
      ? { used: refused[0].used, people: refused.length, users: refused.slice(0, MOST_USERS) }
      : null;
  const used = usedOf(draft.metric, totals);
  return used < draft.threshold ? null : { used, people: null, users: users.slice(0, MOST_USERS) };
}

const COUNTED = ['scope', 'scope_id', 'per', 'metric', 'window', 'timezone'] as const;

/** By the amount that a budget shows; null too where the draft would count something else. Pure. */
function refusalNow(draft: Draft, budget: Budget): Refusal | null {
  const isSame = COUNTED.every((name) => draft[name] === budget[name]);
  return isSame && budget.current >= draft.threshold
    ? { used: budget.current, people: null, users: [] }
    : null;
}

/** The usage of the draft's scope in its open window, by user. */
async function readWindow({ scope, scope_id, window, timezone }: Draft, orgId: string): Promise<Usage> {
  const query = { from: windowStart(window, timezone, Date.now()), timezone, group_by: 'user_id' };
  if (scope === 'team')
    return take(
      api.GET('/api/v1/org/{orgId}/usage', {
        params: { path: { orgId }, query: { ...query, team: scope_id } },
      }),
    ) as Promise<Usage>;
  const filter = scope === 'org' ? {} : { [`${scope}_id`]: scope_id };
  return take(api.GET('/api/v1/usage', { params: { query: { ...query, ...filter } as UsageQuestion } }));
}

/** Where the open window of a calendar begins: a date of the timezone, or an hour. Pure. */
export function windowStart(window: Budget['window'], timezone: string, nowMs: number): string {
  if (window === 'hourly') {
    const minutes = Number(
      new Intl.DateTimeFormat('en-GB', { minute: 'numeric', timeZone: timezone }).format(nowMs),
    );
    const minuteMs = Math.floor(nowMs / 60_000) * 60_000;
    return new Date(minuteMs - minutes * 60_000).toISOString();
  }
  const today = dateIn(timezone, nowMs);
  if (window === 'monthly') return `${today.slice(0, 8)}01`;
  if (window === 'daily') return today;
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay();
  return plusDays(today, -((weekday + 6) % 7));
}

function usedOf(metric: Budget['metric'], totals: Omit<Usage['groups'][number], 'key'>): number {
  return metric === 'tokens' ? totals.tokens_in + totals.tokens_out : totals[metric];
}

const SPANS = {
  hourly: 'this hour',
  daily: 'today',
  weekly: 'this week',
  monthly: 'this month',
  quarterly: 'this quarter',
  rolling: 'in these days',
  total: 'in all',
} as const;

function peopleCounted(people: number): string {
  return people === 1 ? 'One person has' : `${exact(people)} people have`;
}

/** Asks before a budget is written that refuses calls from this moment on. */
export function RefusalDialog({
  draft: { metric, threshold, window },
  refusal: { used, people, users },
  act,
  onClose,
}: {
  draft: Draft;
  refusal: Refusal;
  act: React.ComponentProps<typeof AlertDialog>['act'];
  onClose: () => void;
}) {
  const pct = `${exact(Math.floor((used / threshold) * 100))} %`;
  return (
    <AlertDialog
      title="This budget refuses calls at once"
      yes="Refuse calls from now on"
      no="Back"
      act={act}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">
          {people === null ? '' : `${peopleCounted(people)} reached it, the furthest: `}
          {amount(metric, used)} of {amount(metric, threshold)} is used {SPANS[window]}: {pct}. So{' '}
          {people === null ? 'calls' : 'their calls'} are refused from now on, until the window ends.
        </Text>
        {users.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              Who used it {SPANS[window]}
            </Text>
            <ul className="plain">
              {users.map(({ user_id, used: own }) => (
                <li key={user_id}>
                  <span className="name">
                    <UserName id={user_id} />
                  </span>
                  <span className="number">
                    <Amount metric={metric} of={own} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Stack>
    </AlertDialog>
  );
}
