import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { InLink } from './in-link.ts';

/** A link to a page of the dashboard that stands alone, outside a sentence. */
export function PageLink({
  search,
  children,
  ...link
}: AnchorProps & {
  to: string;
  search?: object | undefined;
  hash?: string;
  title?: string;
  'aria-label'?: string;
  children: React.ReactNode;
}) {
  return (
    <InLink value={true}>
      {/* The router knows the search parameters of no page. */}
      <Anchor component={Link} size="sm" underline="hover" search={search as never} {...link}>
        {children}
      </Anchor>
    </InLink>
  );
}
