import { readOrganization } from '../../../shared/core/accounts/organizations/read-organization.ts';
import { dateAt } from '../../../shared/platform/basics/clock.ts';
import { DomainError, invalid } from '../../../shared/platform/basics/errors.ts';
import { recordReport } from '../../../shared/wings/work/code-hosts/record-report.ts';
import { costPullRequest } from '../../../shared/wings/work/costs/list-pull-requests.ts';
import { reportedPullRequestView } from '../../../shared/wings/work/costs/view.ts';
import {
  faultOfTimes,
  pullRequestInput,
  safeUrl,
  shortTitle,
} from '../../../shared/wings/work/pull-requests/report.ts';
import { route } from '../../basics/route.ts';

export const reportPullRequest = route({
  method: 'post',
  path: '/api/v1/pull-requests',
  summary: 'Report a pull request',
  description:
    'For CI jobs, with a key that is not bound to a user. Reports the whole state of one pull request; a report that is older than ' +
    'the newest changes nothing, and repeating one neither.',
  tag: 'Pull requests',
  auth: { kind: 'api-key', scope: 'signals:write' },
  priority: 'ingest',
  body: pullRequestInput,
  success: {
    status: 200,
    description:
      'The id and the outcome; for keys that may read usage also the pull request as it is now, with its costs',
    body: reportedPullRequestView,
  },
  errors: ['missing_scope'],
  handle: async ({ principal, body }, ctx) => {
    if (principal.userId !== null)
      throw new DomainError(
        'missing_scope',
        'A pull request is everybody’s: report it with a key that is not bound to a user.',
      );
    const nowMs = ctx.clock.now();
    const report = {
      ...body,
      title: shortTitle(body.title),
      url: safeUrl(body.url),
      head_repository: body.head_repository ?? body.repository,
      base_branch: body.base_branch ?? null,
      closed_at: body.closed_at ?? null,
      updated_at: body.updated_at ?? dateAt(nowMs),
    };
    const fault = faultOfTimes(report, nowMs);
    if (fault !== null) {
      throw invalid('The body is not valid.', `/${fault.field}`, fault.detail);
    }
    const { orgId, scopes } = principal;
    const { outcome, row } = await recordReport(ctx, orgId, report, { signed: false });
    if (!scopes.includes('usage:read')) return { id: row._id, outcome };
    return { ...(await costPullRequest(ctx, await readOrganization(ctx, orgId), null, row)), outcome };
  },
});
