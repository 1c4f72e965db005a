import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/prices/actions.ts';
import type { AuditedWing } from '../../hooks/wing.ts';
import { counted, fixed, type Sentences, TARGET } from '../../words/sentence.ts';

const sentences: Sentences<AuditActions['prices']> = {
  'price-rule.create': fixed('created the price rule ', TARGET),
  'price-rule.change': fixed('changed the price rule ', TARGET),
  'price-rule.remove': fixed('deleted the price rule ', TARGET),
  'repricing.apply': ({ signals }) => [
    'gave new prices to ',
    counted(signals, 'recorded call', 'recorded calls'),
  ],
};

export const prices: AuditedWing = {
  sentences,
  groups: {
    'price-rule.': 'Price rules',
    'repricing.': 'New prices of recorded calls',
  },
};
