import { Page } from '../parts/page.tsx';

export function Budgets() {
  return <Page title="Budgets">soon</Page>;
}
