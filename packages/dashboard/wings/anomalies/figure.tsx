import type { AnswerOf } from '../../data/client.ts';
import { money, percent } from '../../parts/text/format.ts';
import { Count } from '../../parts/text/values.tsx';

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

/** Limits of a runaway session: as many dollars are few tokens. */
const LEAST_TOKENS = 10_000;

/** A figure of an anomaly in its unit; hover and focus give a count exactly. */
export function AnomalyFigure({ of: { anomaly_type, baseline_avg }, value }: { of: Anomaly; value: number }) {
  if (anomaly_type === 'error_spike') return <>{percent(value)} errors</>;
  const isMoney =
    anomaly_type === 'cost_spike' || (anomaly_type === 'runaway_session' && baseline_avg < LEAST_TOKENS);
  if (isMoney) return money(value);
  return (
    <>
      <Count of={value} /> tokens
    </>
  );
}
