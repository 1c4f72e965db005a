import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/work/actions.ts';
import type { AuditedWing } from '../../hooks/wing.ts';
import { type Details, fixed, foreign, type Part, type Sentences, TARGET } from '../../words/sentence.ts';

const sentences: Sentences<AuditActions['work']> = {
  'code_host.create': fixed('added the code host ', TARGET),
  'code_host.delete': fixed('deleted the code host ', TARGET),
  'pull_request.report': (details) => ['was the first to report the pull request ', pullRequest(details)],
  'pull_request.delete': (details) => ['deleted the pull request ', pullRequest(details)],
};

function pullRequest({ repository, number }: Details): Part {
  return foreign(typeof repository === 'string' ? `${repository}#${Number(number)}` : undefined);
}

export const work: AuditedWing = {
  sentences,
  groups: {
    'code_host.': 'Code hosts',
    'pull_request.': 'Pull requests',
  },
};
