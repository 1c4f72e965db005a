import type { ApiWing } from '../../hooks/wing.ts';
import { listRefusals } from './list-refusals.ts';

export const refusals: ApiWing = {
  name: 'refusals',
  sections: [{ after: 'ANY /gate', routes: [listRefusals] }],
};
