import { IconArrowBigUpLines } from '@tabler/icons-react';
import type { DashboardWing } from '../../hooks/wing.ts';

const raisesPage = async () => (await import('./raises.tsx')).Raises;

export const raises: DashboardWing = {
  name: 'raises',
  pages: {
    '/raise': raisesPage,
    '/raises/{-$id}': raisesPage,
  },
  destinations: [
    {
      after: '/budgets',
      path: '/raises',
      label: 'Raises',
      icon: IconArrowBigUpLines,
      question: 'Who asked for more of a budget?',
      role: 'member',
      group: 'Usage',
    },
  ],
};
