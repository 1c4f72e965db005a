import { z } from 'zod';
import { auditView, listAudit as list, viewAudit } from '../../shared/audit/list-audit.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';

export const listAudit = route({
  method: 'get',
  path: '/v1/audit',
  summary: 'List who changed what',
  description: 'For admins: every change of the organization by a person, a key or an operator.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of changes, newest first', body: pageOf(auditView) },
  errors: ['missing_scope', 'invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { orgId } = principal;
    return answerPage(ctx, ['audit', orgId], query, (page) => list(ctx, orgId, page), viewAudit);
  },
});
