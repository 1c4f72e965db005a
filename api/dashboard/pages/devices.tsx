import { Page } from '../parts/page.tsx';

export function Devices() {
  return <Page title="Devices">soon</Page>;
}
