import type { DashboardWing } from '../../hooks/wing.ts';

export const push: DashboardWing = {
  name: 'push',
  pages: {
    '/export/$id': async () => (await import('./destination.tsx')).DestinationDetail,
  },
};
