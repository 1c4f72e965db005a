import { Facts } from '../../parts/text/facts.tsx';
import { Name } from '../../parts/text/name.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { Amount } from '../../parts/text/values.tsx';
import { When } from '../../parts/time/when.tsx';
import type { Raise } from './queries.ts';
import { RaiseState } from './state.tsx';

/** The facts about a raise. */
export function RaiseFacts({ of: raise }: { of: Raise }) {
  const { status, metric, granted_amount, ends_at, note, answer_note } = raise;
  return (
    <Facts
      of={{
        State: <RaiseState of={status} />,
        Who: <UserName id={raise.user_id} />,
        Budget: <RaisedBudget of={raise} />,
        'Asked for': <Amount metric={metric} of={raise.amount} />,
        Granted: granted_amount === null ? '–' : <Amount metric={metric} of={granted_amount} />,
        For: durationWords(raise),
        Asked: <When at={raise.created_at} />,
        ...(status === 'pending' ? { Expires: <When at={raise.expires_at} /> } : {}),
        ...(raise.answered_at === null ? {} : { Answered: <When at={raise.answered_at} /> }),
        ...(ends_at === null ? {} : { [status === 'approved' ? 'Ends' : 'Ended']: <When at={ends_at} /> }),
        ...(note === null ? {} : { Why: <Name of={note} /> }),
        ...(answer_note === null ? {} : { Answer: <Name of={answer_note} /> }),
      }}
    />
  );
}

/** The budget of a raise by its name, where the person sees it. */
export function RaisedBudget({ of: { budget_id, budget_name } }: { of: Raise }) {
  if (budget_name === null) return 'a budget of your organization';
  return (
    <PageLink to={`/budgets/${budget_id}`}>
      <Name of={budget_name} />
    </PageLink>
  );
}

/** For how long a raise is asked: 2 h, or to the end of the window. */
export function durationWords({ duration_s }: Raise): string {
  if (duration_s === null) return 'to the end of the window';
  const [size, unit] = UNITS.find(([seconds]) => duration_s % seconds === 0) ?? [1, 's'];
  return `${duration_s / size} ${unit}`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;
