import { Page } from '../parts/page.tsx';

export function SessionDetail() {
  return <Page title="SessionDetail">soon</Page>;
}
