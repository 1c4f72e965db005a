import type { AnomalyType } from './anomaly-rules.ts';
import { Count } from './count.tsx';
import { money, percent } from './format.ts';

/** A figure of an anomaly in the unit of its kind; hover and focus give a count exactly. */
export function AnomalyFigure({ type, of }: { type: AnomalyType; of: number }) {
  if (type === 'cost_spike') return money(of);
  return type === 'error_spike' ? percent(of) : <Count of={of} />;
}
