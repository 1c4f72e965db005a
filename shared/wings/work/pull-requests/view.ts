import { z } from 'zod';
import { isoTime } from '../../../platform/basics/clock.ts';
import type { PullRequest } from './model.ts';
import { PULL_REQUEST_STATES } from './report.ts';

/** A pull request without its costs. */
export const pullRequestView = z.strictObject({
  id: z
    .string()
    .meta({ examples: ['pr_3Kf9XqLm2TzVb7Rw8YcN1p'] })
    .describe('The pull request'),
  repository: z.string().describe('The base repository, such as `github.com/acme/shop`'),
  number: z.int().describe('Its number in the repository'),
  title: z
    .string()
    .nullable()
    .meta({ examples: ['Add a cart'] })
    .describe('Its first 256 characters'),
  url: z.string().nullable().describe('Its page at the code host'),
  head_repository: z
    .string()
    .nullable()
    .describe('The repository of the head branch; null where it was gone before anything was known of it'),
  branch: z.string().describe('The head branch'),
  base_branch: z.string().nullable(),
  state: z.enum(PULL_REQUEST_STATES).describe('How far it has come'),
  opened_at: z.string(),
  closed_at: z.string().nullable(),
  merged_at: z.string().nullable(),
});

export function viewPullRequest(row: PullRequest): z.output<typeof pullRequestView> {
  const { opened_at, closed_at, merged_at } = row;
  return {
    id: row._id,
    repository: row.repository,
    number: row.number,
    title: row.title,
    url: row.url,
    head_repository: row.head_repository,
    branch: row.branch.text,
    base_branch: row.base_branch?.text ?? null,
    state: row.state,
    opened_at: isoTime(opened_at.getTime()),
    closed_at: closed_at && isoTime(closed_at.getTime()),
    merged_at: merged_at && isoTime(merged_at.getTime()),
  };
}
