import { z } from 'zod';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { FORMATS } from '../../../shared/wings/exports/encode.ts';
import { FOCUS_VERSIONS } from '../../../shared/wings/exports/focus/columns.ts';
import { describeFocus } from '../../../shared/wings/exports/focus/export-focus.ts';
import { route } from '../../basics/route.ts';
import { askedCalls } from '../../schemas/asked-usage.ts';
import { teamFilter } from '../../schemas/session-query.ts';
import { usageFilters, usageRange, workFilters } from '../../schemas/usage-query.ts';
import { focusOptions, focusQuestion } from './focus-query.ts';

const metadata = z.strictObject({
  DataGenerator: z.string(),
  Schema: z.strictObject({
    SchemaId: z.string().describe('Changes with the version and its columns'),
    FocusVersion: z.enum(FOCUS_VERSIONS),
    CreationDate: z.string(),
    DataGeneratorVersion: z.string(),
    ColumnDefinition: z
      .array(
        z.strictObject({
          ColumnName: z.string(),
          DataType: z.string(),
          NumericPrecision: z.int().optional(),
          NumberScale: z.int().optional(),
          StringEncoding: z.string().optional(),
        }),
      )
      .describe('In the order of the file'),
  }),
  x_From: z.string(),
  x_To: z.string(),
  x_Granularity: z.string(),
  x_Billed: z.string(),
  x_Signals: z.int().describe('Calls with a row'),
  x_UnpricedSignals: z.int().describe('Calls without a price, which have no row'),
  x_UnpricedTokens: z.int(),
  x_EffectiveCost: z.string().describe('The sum of EffectiveCost, in US dollars with nine decimals'),
  x_ClosedThrough: z
    .string()
    .meta({ examples: ['2026-01'] })
    .nullable()
    .describe('The last closed month. A download is what is known now: it has no corrections'),
});

export const describeExport = route({
  method: 'get',
  path: '/api/v1/usage/export/metadata',
  summary: 'Read the metadata of a FOCUS file',
  description:
    'The metadata that FOCUS wants beside the file of the same query: its columns, its range and its sums.',
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'export',
  query: z.strictObject({
    format: z.enum(FORMATS).default('csv').describe('The format of the file; its metadata is always JSON'),
    level: z.literal('focus').default('focus'),
    ...usageRange,
    ...usageFilters,
    ...workFilters,
    team: teamFilter,
    ...focusOptions,
  }),
  success: { status: 200, description: 'The metadata', body: metadata },
  errors: ['plan_required'],
  handle: async ({ principal, query }, ctx) => {
    const filter = await askedCalls(ctx, principal, query);
    const organization = await readOrganization(ctx, principal.orgId);
    return describeFocus(ctx, organization, { ...focusQuestion(query), filter });
  },
});
