import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/push/actions.ts';
import { fixed, foreign, list, type Sentences, TARGET } from '../../words/sentence.ts';

export const sentences: Sentences<AuditActions['push']> = {
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
