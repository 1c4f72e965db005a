import { Page } from '../parts/page.tsx';

export function WebhookDetail() {
  return <Page title="WebhookDetail">soon</Page>;
}
