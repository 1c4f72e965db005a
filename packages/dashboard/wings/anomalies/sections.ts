import { lazy } from 'react';
import type { PageSection } from '../../hooks/wing.ts';
import { AnomalyCard } from './card.tsx';

export const anomalies: readonly PageSection[] = [
  // Part of the first page, so it is loaded with it.
  { at: 'overview', Content: AnomalyCard },
  {
    at: 'session',
    Content: lazy(async () => ({ default: (await import('./of-session.tsx')).AnomaliesOfSession })),
  },
];
