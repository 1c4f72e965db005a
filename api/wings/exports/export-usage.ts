import { z } from 'zod';
import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { dimensionOf } from '../../../shared/core/calls/sessions/dimension.ts';
import { zonesOf } from '../../../shared/core/calls/usage/calendar.ts';
import { isoTime } from '../../../shared/platform/basics/clock.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { CONTENT_TYPES, encode, FORMATS } from '../../../shared/wings/exports/encode.ts';
import {
  type Export,
  exportUsage as exportRows,
  LEVELS,
} from '../../../shared/wings/exports/export-usage.ts';
import { exportFocus } from '../../../shared/wings/exports/focus/export-focus.ts';
import { withPeople } from '../../../shared/wings/exports/people.ts';
import { knowsMembers } from '../../auth/knows-members.ts';
import { reply, route } from '../../basics/route.ts';
import { askedCalls } from '../../schemas/asked-usage.ts';
import { flag } from '../../schemas/params.ts';
import { sessionFilters, sessionMatch, teamFilter } from '../../schemas/session-query.ts';
import { rangeIn } from '../../schemas/time.ts';
import { usageFilters, usageRange, workFilters } from '../../schemas/usage-query.ts';
import { focusOptions, focusQuestion } from './focus-query.ts';

export const exportUsage = route({
  method: 'get',
  path: '/api/v1/usage/export',
  summary: 'Download usage as a file',
  description:
    '`level=daily`: a row per day, user, project, model and adapter, which sum to `/api/v1/usage`. `level=attributed`: the ' +
    'same, also by repository, branch, pull request and task. `level=sessions`: ' +
    'a row per session that started in the range. `level=focus`: rows of the FinOps Open Cost and Usage Specification, whose ' +
    'EffectiveCost sums to the same with `timezone=UTC`; a date is then its midnight in UTC. Money has 9 decimals. In CSV, ' +
    'text that a spreadsheet would take ' +
    'for a formula begins with an apostrophe. `people=true` adds who each user is as the last columns: `user_name`, ' +
    '`user_email` and `teams`, joined by `; `. They are empty for users who are not members any more.',
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'export',
  query: z.strictObject({
    format: z.enum(FORMATS).default('csv'),
    level: z.enum([...LEVELS, 'focus']).default('daily'),
    ...usageRange,
    ...usageFilters,
    ...workFilters,
    ...sessionFilters,
    team: teamFilter,
    people: flag
      .optional()
      .describe(
        'Adds names, e-mails and teams of users, but to FOCUS files. Needs the scope `members:read` and a key that is bound to nobody',
      ),
    ...focusOptions,
  }),
  success: {
    status: 200,
    description: 'The file, streamed',
    contentTypes: Object.values(CONTENT_TYPES),
    headers: {
      'Content-Disposition': 'The name of the file: level, range and format',
      'X-Governor-Unpriced': 'With `level=focus`: calls without a price, which have no row',
      'X-Governor-Focus-Schema': 'With `level=focus`: the `SchemaId` of the metadata',
    },
  },
  errors: ['plan_required'],
  handle: async ({ principal, query }, ctx) => {
    const { format, level, from, to, timezone } = query;
    refuseMisplaced(query);
    if (query.people && !knowsMembers(principal))
      throw new DomainError(
        'missing_scope',
        'people=true needs the scope members:read and a key that is bound to nobody.',
      );
    const filter = await askedCalls(ctx, principal, query);
    const organization = await readOrganization(ctx, principal.orgId);
    const file = ({ columns, rows, fromMs, toMs }: Export, headers: Record<string, string> = {}) =>
      reply(encode(format, columns, rows), {
        ...headers,
        'Content-Type': CONTENT_TYPES[format],
        'Content-Disposition': `attachment; filename="${fileName(level, fromMs, toMs)}.${format}"`,
      });
    if (level === 'focus') {
      const table = await exportFocus(ctx, organization, { ...focusQuestion(query), filter });
      return file(table, {
        'X-Governor-Unpriced': String(table.unpriced.signals),
        'X-Governor-Focus-Schema': table.schemaId,
      });
    }
    const zones = zonesOf(organization, timezone, ctx.clock.now());
    const { works } = filter;
    const isWorked = level === 'sessions' && works !== undefined;
    const worked = isWorked ? await dimensionOf(ctx).sessions(ctx, principal.orgId, works) : {};
    const asked = { ...filter, ...sessionMatch(query), ...worked };
    const range = rangeIn(zones, { from, to });
    const table = exportRows(ctx, organization, { level, ...range, timezone, filter: asked });
    return file(query.people ? { ...table, ...withPeople(ctx, organization._id, table) } : table);
  },
});

/** Throws `invalid_request` for parameters of another level. */
function refuseMisplaced({ level, ...query }: Record<string, unknown>): void {
  const own = { sessions: Object.keys(sessionFilters), focus: Object.keys(focusOptions) };
  for (const [of, parameters] of Object.entries(own)) {
    const names = level === of ? [] : parameters.filter((name) => query[name] !== undefined);
    if (names.length === 0) continue;
    const errors = names.map((parameter) => ({ parameter, detail: `goes with level=${of}` }));
    throw new DomainError('invalid_request', `${names.join(', ')}: only with level=${of}.`, { errors });
  }
  if (level === 'focus' && query.people !== undefined)
    throw new DomainError('invalid_request', 'people: FOCUS files name no people.');
}

/** `usage-daily-20260101T0000Z-20260201T0000Z`. */
function fileName(level: string, fromMs: number, toMs: number): string {
  const compact = (epochMs: number) => `${isoTime(epochMs).slice(0, 16).replace(/[-:]/g, '')}Z`;
  return `usage-${level}-${compact(fromMs)}-${compact(toMs)}`;
}
