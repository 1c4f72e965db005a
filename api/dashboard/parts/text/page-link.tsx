import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** A link to a page of the dashboard that stands alone, outside a sentence. */
export function PageLink({
  search,
  ...link
}: AnchorProps & {
  to: string;
  search?: object | undefined;
  title?: string;
  'aria-label'?: string;
  children: React.ReactNode;
}) {
  // The router knows the search parameters of no page.
  return <Anchor component={Link} size="sm" underline="hover" search={search as never} {...link} />;
}
