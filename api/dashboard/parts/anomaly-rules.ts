import type { operations } from '../../docs/client.d.ts';

export type Anomaly =
  operations['get_api_v1_anomalies']['responses'][200]['content']['application/json']['data'][number];
export type AnomalyType = Anomaly['anomaly_type'];

/** What each kind means, in words; the numbers are those of docs/anomalies.md. */
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
