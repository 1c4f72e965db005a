import { IconGitBranch, IconGitPullRequest } from '@tabler/icons-react';
import type { PaletteWing } from '../../hooks/wing.ts';

export const work: PaletteWing = {
  kinds: { pull_request: ['Pull request', IconGitPullRequest], branch: ['Branch', IconGitBranch] },
  actions: [
    {
      name: 'Add a code host',
      words: 'new create github gitlab bitbucket',
      icon: IconGitPullRequest,
      to: '/settings',
      search: { tab: 'code-hosts', open: 'code-host' },
      role: 'admin',
    },
    {
      name: 'Most expensive branches',
      words: 'rank cost by branch',
      icon: IconGitBranch,
      to: '/pull-requests',
      search: { tab: 'branches' },
      role: 'member',
    },
  ],
};
