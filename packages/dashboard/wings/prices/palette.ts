import { IconTag } from '@tabler/icons-react';
import type { PaletteWing } from '../../hooks/wing.ts';

export const prices: PaletteWing = {
  actions: [
    {
      name: 'New price rule',
      words: 'create add a discount model without price',
      icon: IconTag,
      to: '/settings',
      search: { tab: 'prices', open: 'price-rule' },
      role: 'admin',
    },
  ],
};
