import { type AnomalyType, figure } from './anomaly-rules.ts';
import { Count } from './count.tsx';

/** A figure of an anomaly in the unit of its kind; hover and focus give a count exactly. */
export function AnomalyFigure({ type, of }: { type: AnomalyType; of: number }) {
  return type === 'cost_spike' || type === 'error_spike' ? figure(type, of) : <Count of={of} />;
}
