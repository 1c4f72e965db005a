import { IconArrowBigUpLines } from '@tabler/icons-react';
import type { PaletteWing } from '../../hooks/wing.ts';

export const raises: PaletteWing = {
  actions: [
    {
      name: 'Raises of budgets',
      words: 'ask for more answer approve',
      icon: IconArrowBigUpLines,
      to: '/raises',
      role: 'member',
    },
  ],
};
