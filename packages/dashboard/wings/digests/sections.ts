import { lazy } from 'react';
import type { PageSection } from '../../hooks/wing.ts';

export const digests: readonly PageSection[] = [
  { at: 'alerts', Content: lazy(async () => ({ default: (await import('./own-digest.tsx')).OwnDigest })) },
];
