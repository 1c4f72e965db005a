import type { ApiWing } from '../../hooks/wing.ts';
import { events } from './events.ts';
import { listAnomalies } from './list-anomalies.ts';
import { listAnomaliesTool } from './list-anomalies-tool.ts';

export const anomalies: ApiWing = {
  name: 'anomalies',
  sections: [{ after: 'ANY /gate', routes: [listAnomalies] }],
  tools: [listAnomaliesTool],
  events,
};
