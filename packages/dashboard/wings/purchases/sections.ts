import { lazy } from 'react';
import type { PageSection } from '../../hooks/wing.ts';

export const purchases: readonly PageSection[] = [
  {
    at: 'credits above',
    Content: lazy(async () => ({ default: (await import('./arriving.tsx')).Arriving })),
  },
  { at: 'credits', Content: lazy(async () => ({ default: (await import('./top-up.tsx')).TopUp })) },
];
