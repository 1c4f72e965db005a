import { z } from 'zod';
import { auditView, listAudit, viewAudit } from '../../shared/audit/list-audit.ts';
import { answerPage, pageOf, pageQuery } from '../page.ts';
import { requireAdmin } from '../require-admin.ts';
import { route } from '../route.ts';

export const listAuditRoute = route({
  method: 'get',
  path: '/v1/audit',
  summary: 'List who changed what',
  description: 'For admins: every change of the organization by a person, a key or an operator.',
  tag: 'Organization',
  auth: { kind: 'idp' },
  priority: 'read',
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of changes, newest first', body: pageOf(auditView) },
  errors: ['missing_scope', 'invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const orgId = requireAdmin(principal);
    return answerPage(ctx, ['audit', orgId], query, (page) => listAudit(ctx, orgId, page), viewAudit);
  },
});
