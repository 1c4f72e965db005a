import { lazy } from 'react';
import type { Remedy } from '../../hooks/wing.ts';

export const prices: Remedy = {
  of: 'unpriced',
  action: 'give it a price',
  Content: lazy(async () => ({ default: (await import('./price-dialog.tsx')).PriceDialog })),
};
