import { Group } from '@mantine/core';
import { IconGitMerge, IconGitPullRequest, IconGitPullRequestClosed } from '@tabler/icons-react';
import type { PullRequest } from '../queries.ts';

const STATES = {
  open: ['Open', IconGitPullRequest, 'var(--good)'],
  merged: ['Merged', IconGitMerge, 'var(--mantine-color-anchor)'],
  closed: ['Closed', IconGitPullRequestClosed, 'var(--mantine-color-dimmed)'],
} as const satisfies Record<PullRequest['state'], readonly unknown[]>;

/** How far a pull request has come, as icon, word and colour. */
export function PullRequestState({ of }: { of: PullRequest['state'] }) {
  const [word, Icon, colour] = STATES[of];
  return (
    <Group
      gap={4}
      wrap="nowrap"
      component="span"
      display="inline-flex"
      style={{ color: colour, verticalAlign: 'middle' }}
    >
      <Icon size={16} aria-hidden style={{ flex: 'none' }} />
      {word}
    </Group>
  );
}
