import { Page } from '../parts/page.tsx';

export function Credits() {
  return <Page title="Credits">soon</Page>;
}
