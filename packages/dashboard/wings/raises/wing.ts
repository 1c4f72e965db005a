import type { DashboardWing } from '../../hooks/wing.ts';

const raisesPage = async () => (await import('./raises.tsx')).Raises;

export const raises: DashboardWing = {
  name: 'raises',
  pages: {
    '/raise': raisesPage,
    '/raises/{-$id}': raisesPage,
  },
};
