import { Page } from '../parts/page.tsx';

export function Analytics() {
  return <Page title="Analytics">soon</Page>;
}
