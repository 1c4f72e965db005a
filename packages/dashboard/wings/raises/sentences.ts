import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/raises/actions.ts';
import type { AuditedWing } from '../../hooks/wing.ts';
import { amountOf, fixed, foreign, PERSON, type Sentences, TARGET } from '../../words/sentence.ts';

const sentences: Sentences<AuditActions['raises']> = {
  'raise.ask': ({ metric, amount }) => [
    'asked for ',
    foreign(amountOf(metric, amount)),
    ' more of the budget ',
    TARGET,
  ],
  'raise.approve': ({ metric, granted_amount }) => [
    'approved ',
    foreign(amountOf(metric, granted_amount)),
    ' more of the budget ',
    TARGET,
    ' for ',
    PERSON,
  ],
  'raise.deny': fixed('denied ', PERSON, ' more of the budget ', TARGET),
  'raise.withdraw': fixed('withdrew a request for more of the budget ', TARGET),
  'raise.revoke': fixed('revoked the raise of the budget ', TARGET, ' for ', PERSON),
  'raise.expire': fixed('let a request for more of the budget ', TARGET, ' expire'),
  'raise.end': fixed('ended a raise of the budget ', TARGET),
};

export const raises: AuditedWing = {
  sentences,
  groups: {
    'raise.': 'Raises',
  },
};
