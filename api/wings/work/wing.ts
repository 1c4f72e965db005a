import { z } from 'zod';
import { CODE_HOST_PROVIDERS } from '../../../shared/wings/work/code-hosts/model.ts';
import type { ApiWing } from '../../hooks/wing.ts';
import { addCodeHost } from './add-code-host.ts';
import { deleteCodeHost } from './delete-code-host.ts';
import { deletePullRequest } from './delete-pull-request.ts';
import { getPullRequest } from './get-pull-request.ts';
import { listBranches } from './list-branches.ts';
import { listCodeHosts } from './list-code-hosts.ts';
import { listPullRequests } from './list-pull-requests.ts';
import { recordContexts } from './record-contexts.ts';
import { reportPullRequest } from './report-pull-request.ts';
import { summarizePullRequests } from './summarize-pull-requests.ts';
import { takeCodeHostEvent } from './take-code-host-event.ts';

export const work: ApiWing = {
  name: 'work',
  made: {
    code_hosts: z
      .array(
        z.strictObject({
          id: z.string(),
          provider: z.enum(CODE_HOST_PROVIDERS),
          name: z.string().nullable(),
        }),
      )
      .describe('Code hosts'),
  },
  sections: [
    { after: 'POST /api/v1/signals', routes: [recordContexts] },
    {
      after: 'POST /api/v1/sessions/{id}/void',
      routes: [
        reportPullRequest,
        listPullRequests,
        summarizePullRequests,
        getPullRequest,
        deletePullRequest,
        listBranches,
      ],
    },
    {
      after: 'PATCH /v1/organization',
      routes: [addCodeHost, listCodeHosts, deleteCodeHost, takeCodeHostEvent],
    },
  ],
};
