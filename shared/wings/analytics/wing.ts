import type { Wing } from '../../core/hooks/wing.ts';
import * as jobs from './jobs.ts';
import { frozenCellRows, frozenWeekRows } from './model.ts';

export const analytics: Wing = {
  name: 'analytics',
  collections: [frozenWeekRows, frozenCellRows],
  jobs: Object.values(jobs),
};
