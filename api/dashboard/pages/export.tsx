import { Page } from '../parts/page.tsx';

export function Export() {
  return <Page title="Export">soon</Page>;
}
