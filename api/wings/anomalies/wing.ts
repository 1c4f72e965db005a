import type { ApiWing } from '../../hooks/wing.ts';
import { acknowledgeAnomaly } from './acknowledge-anomaly.ts';
import { events } from './events.ts';
import { expectAnomaly } from './expect-anomaly.ts';
import { listAnomalies } from './list-anomalies.ts';
import { listAnomaliesTool } from './list-anomalies-tool.ts';

export const anomalies: ApiWing = {
  name: 'anomalies',
  sections: [{ after: 'ANY /gate', routes: [listAnomalies, acknowledgeAnomaly, expectAnomaly] }],
  tools: [listAnomaliesTool],
  events,
};
