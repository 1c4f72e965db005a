import { lazy } from 'react';
import type { PageSection } from '../../hooks/wing.ts';

export const refusals: readonly PageSection[] = [
  {
    at: 'budget',
    Content: lazy(async () => ({ default: (await import('./lists.tsx')).BudgetRefusals })),
  },
  {
    at: 'person',
    Content: lazy(async () => ({ default: (await import('./lists.tsx')).PersonRefusals })),
  },
];
