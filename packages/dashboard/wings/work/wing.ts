import { IconGitPullRequest } from '@tabler/icons-react';
import type { DashboardWing } from '../../hooks/wing.ts';

export const work: DashboardWing = {
  name: 'work',
  pages: {
    '/pull-requests': async () => (await import('./pull-requests.tsx')).PullRequests,
    '/pull-requests/$id': async () => (await import('./pull-request.tsx')).PullRequestDetail,
  },
  destinations: [
    {
      after: '/sessions',
      path: '/pull-requests',
      label: 'Pull requests',
      icon: IconGitPullRequest,
      question: 'What has a pull request cost?',
      role: 'member',
      group: 'Usage',
    },
  ],
};
