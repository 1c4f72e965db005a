import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/anomalies/actions.ts';
import type { AuditedWing } from '../../hooks/wing.ts';
import { foreign, type Sentences } from '../../words/sentence.ts';

const sentences: Sentences<AuditActions['anomalies']> = {
  'anomaly.acknowledge': ({ user_id }) => ['acknowledged an anomaly of ', foreign(user_id)],
  'anomaly.expect': ({ user_id, of, until }) => [
    of === 'session' ? 'expects anomalies in a session of ' : 'expects anomalies of ',
    foreign(user_id),
    ' until ',
    foreign(until),
  ],
};

export const anomalies: AuditedWing = {
  sentences,
  groups: {
    'anomaly.': 'Anomalies',
  },
};
