import { z } from 'zod';
import { repositoryField } from '../../../../core/calls/signals/repository-field.ts';
import { dateAt } from '../../../../platform/basics/clock.ts';
import {
  branchField,
  numberField,
  type PullRequestReport,
  safeUrl,
  shortTitle,
} from '../../pull-requests/report.ts';
import { gitlabInstant } from './times.ts';

const project = z.object({ web_url: repositoryField });

/** `locked`: it is being merged. */
const STATES = { opened: 'open', locked: 'open', closed: 'closed', merged: 'merged' } as const;

/** The fields that are read of https://docs.gitlab.com/user/project/integrations/webhook_events/#merge-request-events */
const payload = z.object({
  object_kind: z.literal('merge_request'),
  object_attributes: z.object({
    iid: numberField,
    title: z.unknown(),
    url: z.unknown(),
    state: z.enum(['opened', 'locked', 'closed', 'merged']),
    created_at: gitlabInstant,
    updated_at: gitlabInstant,
    source_branch: branchField,
    target_branch: branchField,
    source: project.nullish(),
    target: project,
  }),
});

/** Reads the body of an event of GitLab; null when it reports no merge request. It does not say when one ended. */
export function readGitlabEvent(body: unknown): PullRequestReport | null {
  const parsed = payload.safeParse(body);
  if (!parsed.success) return null;
  const { iid, title, url, state, created_at, updated_at, ...ends } = parsed.data.object_attributes;
  return {
    repository: ends.target.web_url,
    number: iid,
    title: shortTitle(title),
    url: safeUrl(url),
    head_repository: ends.source?.web_url ?? null,
    branch: ends.source_branch,
    base_branch: ends.target_branch,
    state: STATES[state],
    opened_at: dateAt(created_at),
    closed_at: null,
    updated_at: dateAt(updated_at),
  };
}
