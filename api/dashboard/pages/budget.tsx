import { Page } from '../parts/page.tsx';

export function BudgetDetail() {
  return <Page title="BudgetDetail">soon</Page>;
}
