import type { Wing } from '../../core/hooks/wing.ts';
import * as metrics from './metrics.ts';
import { refusalMinuteRows, refusalRetention, refusalRows } from './model.ts';
import { eraseRefusals, exportRefusals } from './people.ts';
import { noteRefused } from './record-refusals.ts';

export const refusals: Wing = {
  name: 'refusals',
  collections: [refusalRows, refusalMinuteRows],
  metrics: Object.values(metrics),
  retention: [refusalRetention],
  enforcement: { refused: noteRefused },
  person: { erase: eraseRefusals, export: exportRefusals },
};
