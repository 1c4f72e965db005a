import { lazy, Suspense } from 'react';
import { useDismissals } from '../../data/dismissals.ts';
import { useIsAdmin } from '../../data/use-me.ts';

const Checklist = lazy(async () => ({ default: (await import('./checklist.tsx')).Checklist }));

const NOTICE = 'checklist overview first-steps';

/** The first steps of an organization, for an admin who has not dismissed them. */
export function FirstSteps() {
  const isAdmin = useIsAdmin();
  const { preferences, isDismissed, dismiss } = useDismissals();
  if (!isAdmin || !preferences.data || isDismissed(NOTICE)) return null;
  return (
    <Suspense>
      <Checklist onDismiss={() => dismiss({ id: NOTICE, until: null })} />
    </Suspense>
  );
}
