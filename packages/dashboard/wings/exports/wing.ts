import { IconDownload } from '@tabler/icons-react';
import type { DashboardWing } from '../../hooks/wing.ts';

export const exports: DashboardWing = {
  name: 'exports',
  pages: {
    '/export': async () => (await import('./export.tsx')).Export,
  },
  destinations: [
    {
      after: '/budgets',
      path: '/export',
      label: 'Export',
      icon: IconDownload,
      question: 'Where do I get the figures as a file?',
      role: 'member',
      group: 'Usage',
    },
  ],
};
