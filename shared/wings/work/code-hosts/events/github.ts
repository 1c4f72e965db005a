import { z } from 'zod';
import { repositoryField } from '../../../../core/calls/signals/repository-field.ts';
import { instant } from '../../../../platform/basics/text.ts';
import {
  branchField,
  numberField,
  type PullRequestReport,
  safeUrl,
  shortTitle,
} from '../../pull-requests/report.ts';
import { dateOrNull } from './times.ts';

const repository = z.object({ html_url: repositoryField });

/** The fields that are read of https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request */
const payload = z.object({
  pull_request: z.object({
    number: numberField,
    title: z.unknown(),
    html_url: z.unknown(),
    state: z.enum(['open', 'closed']),
    created_at: instant,
    updated_at: instant,
    closed_at: instant.nullish(),
    merged_at: instant.nullish(),
    head: z.object({ ref: branchField, repo: repository.nullish() }),
    base: z.object({ ref: branchField, repo: repository }),
  }),
});

/** Reads the body of an event of GitHub; null when it reports no pull request. */
export function readGithubEvent(body: unknown): PullRequestReport | null {
  const parsed = payload.safeParse(body);
  if (!parsed.success) return null;
  const { number, title, html_url, state, created_at, updated_at, closed_at, merged_at, head, base } =
    parsed.data.pull_request;
  const isMerged = state === 'closed' && typeof merged_at === 'number';
  return {
    repository: base.repo.html_url,
    number,
    title: shortTitle(title),
    url: safeUrl(html_url),
    head_repository: head.repo?.html_url ?? null,
    branch: head.ref,
    base_branch: base.ref,
    state: isMerged ? 'merged' : state,
    opened_at: new Date(created_at),
    closed_at: state === 'open' ? null : dateOrNull(closed_at),
    updated_at: new Date(updated_at),
  };
}
