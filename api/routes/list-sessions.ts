import { z } from 'zod';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { narrowToReader } from '../../shared/core/accounts/organizations/reader.ts';
import { findWorked } from '../../shared/core/calls/sessions/dimension.ts';
import { listSessions as list } from '../../shared/core/calls/sessions/list-sessions.ts';
import { ORDERED_SESSIONS, SESSION_SORTS } from '../../shared/core/calls/sessions/order-sessions.ts';
import { listedSessionView, viewListedSession } from '../../shared/core/calls/sessions/view.ts';
import { countSessions } from '../../shared/core/calls/usage/count-sessions.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { usersOfNamedTeam } from '../auth/own-organization.ts';
import { route } from '../basics/route.ts';
import { answerPage, pageOf, pageQuery } from '../schemas/page.ts';
import { sessionFilters, sessionMatch, teamFilter } from '../schemas/session-query.ts';
import { listRange, timeOrDate } from '../schemas/time.ts';
import { workFilters } from '../schemas/usage-query.ts';

export const listSessions = route({
  method: 'get',
  path: '/api/v1/sessions',
  summary: 'List sessions',
  tag: 'Sessions',
  auth: { kind: 'api-key', scope: 'usage:read' },
  query: z.strictObject({
    user_id: text(256).optional().describe('Filter by user'),
    project_id: text(256).optional().describe('Filter by project'),
    model: text(256).optional().describe('Filter by primary model, exactly'),
    adapter: text(128).optional().describe('Filter by adapter'),
    from: timeOrDate
      .optional()
      .describe(
        "Sessions that started at or after this time; a date is its midnight in the organization's timezone",
      ),
    to: timeOrDate.optional().describe('Sessions that started before this time; a date likewise'),
    ...workFilters,
    ...sessionFilters,
    team: teamFilter,
    sort: z
      .enum(SESSION_SORTS)
      .default('started_at')
      .describe(
        `The value that orders the list. All but \`started_at\` and \`cost_usd\` order at most ${ORDERED_SESSIONS} sessions`,
      ),
    ...pageQuery,
  }),
  success: { status: 200, description: 'A page of sessions', body: pageOf(listedSessionView) },
  errors: ['invalid_cursor', 'plan_required'],
  handle: async ({ principal, query }, ctx) => {
    const { user_id, project_id, model, adapter, team, from, to, sort } = query;
    const { repository, branch, pull_request, task } = query;
    const { orgId, userId } = principal;
    const asked = {
      user_id,
      project_id,
      model,
      adapter,
      ...sessionMatch(query),
      ...(await listRange(ctx, orgId, { from, to })),
    };
    const users = await usersOfNamedTeam(ctx, principal, team);
    const named = { repository, branch, pull_request, task };
    const worked = await findWorked(ctx, orgId, named);
    const filter = { ...narrowToReader(principal, asked), users, ...worked };
    const count = async () => countSessions(ctx, await readOrganization(ctx, orgId), filter);
    return answerPage(
      ctx,
      ['sessions', orgId, userId, asked, team, sort, named],
      query,
      (page) => list(ctx, orgId, filter, { ...page, sort, total: page.total ?? count }),
      viewListedSession,
    );
  },
});
