import { Text } from '@mantine/core';
import { PageLink } from '../text/page-link.tsx';
import { Page } from './page.tsx';

/** A path that has no page. The navigation stays around it. */
export function Unknown() {
  return (
    <Page title="There is no such page">
      <Text>
        Perhaps the address is mistyped. Choose a page of the navigation, or go to the{' '}
        <PageLink to="/">Overview</PageLink>.
      </Text>
    </Page>
  );
}
