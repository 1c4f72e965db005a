import { Page } from '../parts/page.tsx';

export function Connect() {
  return <Page title="Connect">soon</Page>;
}
