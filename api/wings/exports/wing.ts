import type { ApiWing } from '../../hooks/wing.ts';
import { describeExport } from './describe-export.ts';
import { exportAudit } from './export-audit.ts';
import { exportUsage } from './export-usage.ts';

export const exports: ApiWing = {
  name: 'exports',
  sections: [
    { after: 'GET /api/v1/usage', routes: [exportUsage, describeExport] },
    { after: 'GET /v1/audit', routes: [exportAudit] },
  ],
};
