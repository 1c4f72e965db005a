import { IconAlertTriangle } from '@tabler/icons-react';
import type { DashboardWing } from '../../hooks/wing.ts';

export const anomalies: DashboardWing = {
  name: 'anomalies',
  pages: {
    '/anomalies': async () => (await import('./anomalies.tsx')).Anomalies,
  },
  destinations: [
    {
      after: '/budgets',
      path: '/anomalies',
      label: 'Anomalies',
      icon: IconAlertTriangle,
      question: 'What was unusual?',
      role: 'member',
      group: 'Usage',
    },
  ],
};
