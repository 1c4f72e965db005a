import { nameField } from '../../../core/calls/signals/model.ts';
import type { Name } from '../../../core/calls/signals/place.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { derivedId } from '../../../platform/basics/ids.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import { hashed, kept, nullable, object, optional } from '../../../platform/mongo/fields.ts';
import type { PullRequestState } from './report.ts';

/** A report as far as the order of reports matters. */
export interface Seen {
  /** When the code host had last changed the pull request. */
  at: Date;
  state: PullRequestState;
  /** When it ended, where the report says so. */
  closed_at?: Date;
  /** Absent: the head repository is gone. */
  head_repository?: string;
  branch: Name;
}

/** A head branch got another name. */
export interface HeadRename {
  at: Date;
  repository: string;
  from: Name;
  to: Name;
}

/** The texts that a report may leave out. */
export type SaidField = 'title' | 'url' | 'base_branch';

export interface PullRequest {
  _id: string;
  org_id: string;
  /** The base repository, in its normal form. */
  repository: string;
  number: number;
  title: string | null;
  url: string | null;
  /** The report that each text is from. */
  said: Readonly<Partial<Record<SaidField, Pick<Seen, 'at' | 'state'>>>>;
  /** Null where it was gone before anything was reported of it. */
  head_repository: string | null;
  branch: Name;
  base_branch: Name | null;
  state: PullRequestState;
  opened_at: Date;
  /** True once a code host has signed a report of it: `opened_at` is then the code host's. */
  signed: boolean;
  /** Null while it is open. */
  closed_at: Date | null;
  merged_at: Date | null;
  /** When the code host had last changed it, as far as is known. */
  updated_at: Date;
  /** Reports of it by `at`, at most `MOST_SEEN`: `closed_at`, the head and the renames follow from them. */
  seen: readonly Seen[];
  renames: readonly HeadRename[];
  /** `branchKey` of its head; null without a head repository. */
  head: string | null;
}

/** The newest report that said a text. */
const SAID = object({ at: Date, state: String });

export const pullRequestRows = collection<PullRequest>('pull_requests', {
  about: 'A pull request, as its code host or a person has reported it.',
  fields: {
    _id: String,
    org_id: String,
    repository: String,
    number: Number,
    title: nullable(hashed(kept(String, 'it is the organization’s: no pull request names its author'))),
    url: nullable(String),
    said: object({ title: optional(SAID), url: optional(SAID), base_branch: optional(SAID) }),
    head_repository: nullable(String),
    branch: nameField,
    base_branch: nullable(nameField),
    state: String,
    opened_at: Date,
    signed: Boolean,
    closed_at: nullable(Date),
    merged_at: nullable(Date),
    updated_at: Date,
    seen: [
      object({
        at: Date,
        state: String,
        closed_at: optional(Date),
        head_repository: optional(String),
        branch: nameField,
      }),
    ],
    renames: [
      object({
        at: Date,
        repository: String,
        from: nameField,
        to: nameField,
      }),
    ],
    head: nullable(String),
  },
  shardKey: { org_id: 1, _id: 1 },
  indexes: [
    { key: { org_id: 1, opened_at: 1, _id: 1 } },
    { key: { org_id: 1, repository: 1, opened_at: 1, _id: 1 } },
    { key: { org_id: 1, head: 1 } },
    { key: { org_id: 1, merged_at: 1 } },
  ],
});

/** The id of a pull request: it has one cause, so a repeat meets the primary key. */
export function pullRequestId(orgId: string, repository: string, number: number): string {
  return derivedId('pr', orgId, repository, number);
}

/** The refusal of a pull request that is not there, or not the reader's. */
export function noSuchPullRequest(): DomainError {
  return new DomainError('not_found', 'There is no such pull request.');
}
