import { Text } from '@mantine/core';
import { Page } from './page.tsx';

/** In place of a page of admins, for a member. */
export function AdminsOnly({ title }: { title: string }) {
  return (
    <Page title={title}>
      <Text>Only admins of your organization see this page.</Text>
    </Page>
  );
}
