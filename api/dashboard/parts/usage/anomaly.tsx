import type { AnswerOf } from '../../data/client.ts';
import { money, percent } from '../text/format.ts';
import { Count } from '../text/values.tsx';

export type Anomaly = AnswerOf<'/api/v1/anomalies'>['data'][number];
type AnomalyType = Anomaly['anomaly_type'];

/** The meaning of each kind, in words; the numbers are those of docs/anomalies.md. */
export const RULES: Record<AnomalyType, { name: string; rule: string }> = {
  token_spike: {
    name: 'Token spike',
    rule: 'A session with far more tokens than the same user’s last sessions',
  },
  cost_spike: { name: 'Cost spike', rule: 'A session that cost far more than the same user’s last sessions' },
  error_spike: {
    name: 'Error spike',
    rule: 'A session with far more failed calls than the user usually has',
  },
  runaway_session: { name: 'Runaway session', rule: '5 million tokens or $100 within one hour' },
};

/** A figure of an anomaly in the unit of its kind; hover and focus give a count exactly. */
export function AnomalyFigure({ type, of }: { type: AnomalyType; of: number }) {
  if (type === 'cost_spike') return money(of);
  return type === 'error_spike' ? percent(of) : <Count of={of} />;
}
