import { z } from 'zod';
import { repositoryField } from '../../../../core/calls/signals/repository-field.ts';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { instant } from '../../../../platform/basics/text.ts';
import {
  branchField,
  numberField,
  type PullRequestReport,
  safeUrl,
  shortTitle,
} from '../../pull-requests/report.ts';

const repository = z.object({ links: z.object({ html: z.object({ href: repositoryField }) }) });
const branch = z.object({ name: branchField });

const STATES = { OPEN: 'open', DECLINED: 'closed', SUPERSEDED: 'closed', MERGED: 'merged' } as const;

/** The fields that are read of https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Pull-request-events */
const payload = z.object({
  pullrequest: z.object({
    id: numberField,
    title: z.unknown(),
    links: z.object({ html: z.object({ href: z.unknown() }) }).optional(),
    state: z.enum(['OPEN', 'DECLINED', 'SUPERSEDED', 'MERGED']),
    created_on: instant,
    updated_on: instant,
    source: z.object({ branch, repository: repository.nullish() }),
    destination: z.object({ branch, repository }),
  }),
});

/** Reads the body of an event of Bitbucket; null when it reports no pull request. It does not say when one ended. */
export function readBitbucketEvent(body: unknown): PullRequestReport | null {
  const parsed = payload.safeParse(body);
  if (!parsed.success) return null;
  const { id, title, links, state, created_on, updated_on, source, destination } = parsed.data.pullrequest;
  return {
    repository: destination.repository.links.html.href,
    number: id,
    title: shortTitle(title),
    url: safeUrl(links?.html.href),
    head_repository: source.repository?.links.html.href ?? null,
    branch: source.branch.name,
    base_branch: destination.branch.name,
    state: STATES[state],
    opened_at: dateAt(created_on),
    closed_at: null,
    updated_at: dateAt(updated_on),
  };
}
