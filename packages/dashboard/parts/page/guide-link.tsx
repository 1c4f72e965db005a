import { Anchor, Group } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';

/** The page of the guide that explains a page of the dashboard, by the first part of its path; `…/` is a page below it. */
const PAGES: Readonly<Record<string, string>> = {
  '': 'dashboard',
  sessions: 'sessions',
  'pull-requests': 'pull-requests',
  budgets: 'budgets',
  raise: 'budgets#raises',
  raises: 'budgets#raises',
  anomalies: 'anomalies',
  analytics: 'analytics',
  export: 'usage#exports',
  'export/': 'push',
  credits: 'credits',
  devices: 'devices',
  activate: 'devices',
  connect: 'how-to/connect-your-team',
  alerts: 'channels',
  webhooks: 'webhooks',
  settings: 'organizations',
};

/** Links a page to its guide. Pages without navigation are about signing in. */
export function GuideLink() {
  const [, first = '', second] = useLocation().pathname.split('/');
  const page = PAGES[second ? `${first}/` : first] ?? PAGES[first] ?? 'dashboard#signing-in';
  return (
    <Anchor href={`/guide/${page}`} size="sm" underline="hover" data-guide>
      <Group gap={4} wrap="nowrap" component="span" className="short">
        <IconBook2 size={16} aria-hidden />
        Guide
      </Group>
    </Anchor>
  );
}
