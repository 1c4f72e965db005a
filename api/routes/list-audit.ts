import { z } from 'zod';
import { listAudit as list } from '../../shared/core/accounts/audit/list-audit.ts';
import { namedAuditView, nameEntries } from '../../shared/people/name-audit.ts';
import { route } from '../basics/route.ts';
import { auditFilter, auditFilters } from '../schemas/audit-query.ts';
import { answerLongPage, longPageOf, pageQuery } from '../schemas/page.ts';

export const listAudit = route({
  method: 'get',
  path: '/v1/audit',
  summary: 'List who changed what',
  description: 'For admins: every change of the organization by a person, a key or an operator.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  query: z.strictObject({ ...auditFilters, ...pageQuery }),
  success: { status: 200, description: 'A page of changes, newest first', body: longPageOf(namedAuditView) },
  errors: ['missing_scope', 'invalid_cursor'],
  handle: async ({ principal, query }, ctx) => {
    const { orgId } = principal;
    const filter = await auditFilter(ctx, orgId, query);
    return answerLongPage(
      ctx,
      ['audit', orgId, filter],
      query,
      async (page) => {
        const found = await list(ctx, orgId, filter, page);
        return { ...found, rows: await nameEntries(ctx, orgId, found.rows) };
      },
      (entry) => entry,
    );
  },
});
