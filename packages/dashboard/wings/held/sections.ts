import { lazy } from 'react';
import type { PageSection } from '../../hooks/wing.ts';

export const held: readonly PageSection[] = [
  { at: 'sessions', Content: lazy(async () => ({ default: (await import('./list.tsx')).HeldSignals })) },
  { at: 'settings', Content: lazy(async () => ({ default: (await import('./limits.tsx')).HoldLimits })) },
];
