import { useTimeout } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useDismissals } from '../data/dismissals.ts';
import { budgetsQuery, ownVerdictQuery, webhooksQuery } from '../data/queries.ts';
import { useUsageNow } from '../data/usage.tsx';
import { useMe } from '../data/use-me.ts';
import type { Concern } from '../hooks/concern.ts';
import { WATCHES } from '../wings/watches.ts';
import {
  budgetConcerns,
  byUrgency,
  noticeOf,
  refusalConcerns,
  signInConcerns,
  unpricedConcerns,
  webhookConcerns,
} from './concerns.ts';
import { Freshness } from './freshness.tsx';
import { Waiting } from './waiting.tsx';

/** For how long a page is held up. */
const PATIENCE_MS = 3_000;
/** The pages of budgets and webhooks ask oftener. */
const POLL_MS = { budgets: 60_000, webhooks: 120_000 };
/** The pages that show the cost of the range. */
const MONEY_PAGES = ['/', '/sessions', '/export'];

/**
 * The page below what needs somebody: the most urgent in one line, and the others behind "and N more". It waits a little for
 * them, so that they do not push it away under the pointer.
 */
export function Banners({ children }: { children: React.ReactNode }) {
  const { concerns, areKnown } = useConcerns();
  const { preferences, isDismissed, dismiss } = useDismissals();
  const [isLate, setLate] = useState(false);
  useTimeout(() => setLate(true), PATIENCE_MS, { autoInvoke: true });
  const isKnown = !preferences.isLoading || preferences.failureCount > 0;
  const shown = isKnown ? byUrgency(concerns).filter((concern) => !isDismissed(noticeOf(concern))) : [];
  const Notices = useNotices(shown.length > 0);
  if (!isLate && !(areKnown && isKnown && (Notices || shown.length === 0))) return <Waiting />;
  return (
    <>
      <div role="status" className="banners">
        {Notices && <Notices concerns={shown} onDismiss={dismiss} />}
      </div>
      <div role="status" className="freshness-place">
        <Freshness />
      </div>
      {children}
    </>
  );
}

type Shown = typeof import('./notices.tsx')['Notices'];

/** Draws notices, once there are some. It is no lazy component: one would hide the page while it is loaded. */
function useNotices(areSome: boolean): Shown | null {
  const [Notices, set] = useState<Shown | null>(null);
  useEffect(() => {
    // A file that is gone leaves the page without notices, and its next page asks for a reload.
    if (areSome && !Notices)
      import('./notices.tsx').then((loaded) => set(() => loaded.Notices)).catch(() => undefined);
  }, [areSome, Notices]);
  return Notices;
}

/** All that needs somebody, as far as the person may see it. */
function useConcerns(): { concerns: Concern[]; areKnown: boolean } {
  const { pathname } = useLocation();
  const { role, sign_in_problem, org } = useMe();
  const enabled = role === 'admin';
  const webhooks = useQuery({ ...webhooksQuery(), enabled, refetchInterval: POLL_MS.webhooks });
  const watched = useQueries({
    queries: WATCHES.map(({ queryKey, queryFn, pollMs }) => ({
      queryKey,
      queryFn,
      enabled,
      refetchInterval: pollMs,
    })),
  });
  const budgets = useQuery({ ...budgetsQuery(), refetchInterval: POLL_MS.budgets });
  const own = useQuery({ ...ownVerdictQuery(), enabled: !enabled, refetchInterval: POLL_MS.budgets });
  const isMoneyShown = MONEY_PAGES.includes(pathname);
  const usage = useQuery({ ...useUsageNow(), enabled: isMoneyShown });
  const concerns = [
    ...signInConcerns(sign_in_problem),
    ...refusalConcerns(own.data?.refused_by, org.timezone),
    ...budgetConcerns(budgets.data ?? []),
    ...webhookConcerns(webhooks.data?.data ?? []),
    ...WATCHES.flatMap(({ concernsOf }, at) => concernsOf(watched[at]?.data)),
    ...unpricedConcerns(isMoneyShown ? usage.data : undefined),
  ];
  const areKnown = [webhooks, budgets, own, ...watched].every(
    ({ isLoading, failureCount }) => !isLoading || failureCount > 0,
  );
  return { concerns, areKnown };
}
