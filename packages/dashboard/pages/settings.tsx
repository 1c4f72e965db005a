import { Anchor, Tabs } from '@mantine/core';
import { useChangeSearch, useChoice } from '../data/use-range.ts';
import { Page } from '../parts/page/page.tsx';
import { TABS_OF_WINGS, type Tab } from '../wings/settings-tabs.ts';
import { AuditTab } from './settings/audit-tab.tsx';
import { KeysTab } from './settings/keys-tab.tsx';
import { MembersTab } from './settings/members-tab.tsx';
import { OrganizationTab } from './settings/organization-tab.tsx';

const TABS: Readonly<Record<string, Tab>> = {
  organization: ['Organization', OrganizationTab],
  members: ['Members', MembersTab],
  keys: ['Keys', KeysTab],
  ...Object.fromEntries(TABS_OF_WINGS),
  audit: ['Audit', AuditTab],
};

/** The organization's rules, members, keys and audit log. */
export function Settings() {
  const change = useChangeSearch();
  const chosen = useChoice('tab', TABS) ?? 'organization';
  return (
    <Page
      title="Settings"
      actions={
        <Anchor href="/docs" target="_blank">
          API documentation
        </Anchor>
      }
    >
      <Tabs value={chosen} onChange={(next) => change({ tab: next ?? undefined })} keepMounted={false}>
        <Tabs.List mb="md">
          {Object.entries(TABS).map(([name, [label]]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(TABS).map(([name, [, Content]]) => (
          <Tabs.Panel key={name} value={name}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
