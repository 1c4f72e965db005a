import { z } from 'zod';
import { AUDIT_FORMATS, exportAudit as exportRows } from '../../../shared/people/export-audit.ts';
import { CONTENT_TYPES, encode } from '../../../shared/wings/exports/encode.ts';
import { reply, route } from '../../basics/route.ts';
import { auditFilter, auditFilters } from '../../schemas/audit-query.ts';

export const exportAudit = route({
  method: 'get',
  path: '/v1/audit/export',
  summary: 'Download the audit log as a file',
  description:
    'For admins: the changes that match, oldest first. `details` is JSON in one column. In CSV, text that a spreadsheet ' +
    'would take for a formula begins with an apostrophe.',
  tag: 'Organization',
  auth: { kind: 'idp', role: 'admin' },
  priority: 'export',
  query: z.strictObject({ format: z.enum(AUDIT_FORMATS).default('csv'), ...auditFilters }),
  success: {
    status: 200,
    description: 'The file, streamed',
    contentTypes: AUDIT_FORMATS.map((format) => CONTENT_TYPES[format]),
    headers: { 'Content-Disposition': 'The name of the file' },
  },
  errors: ['missing_scope'],
  handle: async ({ principal, query }, ctx) => {
    const { format } = query;
    const { orgId } = principal;
    const { columns, rows } = exportRows(ctx, orgId, await auditFilter(ctx, orgId, query));
    return reply(encode(format, columns, rows), {
      'Content-Type': CONTENT_TYPES[format],
      'Content-Disposition': `attachment; filename="audit.${format}"`,
    });
  },
});
