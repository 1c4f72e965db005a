import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/raises/actions.ts';
import type { AuditedWing } from '../../hooks/wing.ts';
import { fixed, foreign, type Sentences, TARGET } from '../../words/sentence.ts';

const sentences: Sentences<AuditActions['raises']> = {
  'raise.ask': ({ amount }) => ['asked for ', foreign(amount), ' more of the budget ', TARGET],
  'raise.approve': ({ user_id, granted_amount }) => [
    'approved ',
    foreign(granted_amount),
    ' more of the budget ',
    TARGET,
    ' for ',
    foreign(user_id),
  ],
  'raise.deny': ({ user_id }) => ['denied ', foreign(user_id), ' more of the budget ', TARGET],
  'raise.withdraw': fixed('withdrew a request for more of the budget ', TARGET),
  'raise.revoke': ({ user_id }) => ['revoked the raise of the budget ', TARGET, ' for ', foreign(user_id)],
  'raise.expire': fixed('let a request for more of the budget ', TARGET, ' expire'),
  'raise.end': fixed('ended a raise of the budget ', TARGET),
};

export const raises: AuditedWing = {
  sentences,
  groups: {
    'raise.': 'Raises',
  },
};
