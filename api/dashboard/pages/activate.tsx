import { Page } from '../parts/page.tsx';

export function Activate() {
  return <Page title="Activate">soon</Page>;
}
