import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/push/actions.ts';
import type { AuditedWing } from '../../hooks/wing.ts';
import { fixed, foreign, list, type Sentences, TARGET } from '../../words/sentence.ts';

const sentences: Sentences<AuditActions['push']> = {
  'destination.create': fixed('added the export destination ', TARGET),
  'destination.update': ({ changed }) => [
    'changed ',
    foreign(list(changed)),
    ' of the export destination ',
    TARGET,
  ],
  'destination.delete': fixed('deleted the export destination ', TARGET),
  'destination.run': fixed('started a run of the export destination ', TARGET),
  'destination.test': fixed('tested the export destination ', TARGET),
  'focus.close': ({ month }) => ['closed the exported month ', foreign(month)],
};

export const push: AuditedWing = {
  sentences,
  groups: {
    'destination.': 'Export destinations',
  },
};
