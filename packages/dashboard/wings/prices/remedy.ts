import { lazy } from 'react';
import type { Remedy } from '../../hooks/wing.ts';

export const prices: Remedy = {
  of: 'unpriced',
  Content: lazy(async () => ({ default: (await import('./price-dialog.tsx')).PriceDialog })),
};
