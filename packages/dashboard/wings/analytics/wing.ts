import { IconChartBar } from '@tabler/icons-react';
import type { DashboardWing } from '../../hooks/wing.ts';

export const analytics: DashboardWing = {
  name: 'analytics',
  pages: {
    '/analytics': async () => (await import('./analytics.tsx')).Analytics,
  },
  destinations: [
    {
      after: '/budgets',
      path: '/analytics',
      label: 'Analytics',
      icon: IconChartBar,
      question: 'How does the organization work, without naming anyone?',
      role: 'admin',
      group: 'Usage',
    },
  ],
};
