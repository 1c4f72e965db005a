import type { ApiWing } from '../../hooks/wing.ts';
import { getOrgAnalytics } from './get-org-analytics.ts';

export const analytics: ApiWing = {
  name: 'analytics',
  sections: [{ after: 'GET /api/v1/org/{orgId}/usage', routes: [getOrgAnalytics] }],
};
