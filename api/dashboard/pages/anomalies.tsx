import { Page } from '../parts/page.tsx';

export function Anomalies() {
  return <Page title="Anomalies">soon</Page>;
}
