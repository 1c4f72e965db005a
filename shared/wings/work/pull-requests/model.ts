import { nameField } from '../../../core/calls/signals/model.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { derivedId } from '../../../platform/basics/ids.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import {
  hashed,
  kept,
  nullable,
  type ObjectOf,
  object,
  only,
  optional,
} from '../../../platform/mongo/fields.ts';
import type { PullRequestState } from './report.ts';

const SEEN = {
  /** When the code host had last changed the pull request. */
  at: Date,
  state: only<PullRequestState>(String),
  /** When it ended, where the report says so. */
  closed_at: optional(Date),
  /** Absent: the head repository is gone. */
  head_repository: optional(String),
  branch: nameField,
};

/** A report as far as the order of reports matters. */
export interface Seen extends ObjectOf<typeof SEEN> {}

const RENAME = { at: Date, repository: String, from: nameField, to: nameField };

/** A head branch got another name. */
export interface HeadRename extends ObjectOf<typeof RENAME> {}

/** The texts that a report may leave out. */
export type SaidField = 'title' | 'url' | 'base_branch';

/** The newest report that said a text. */
const SAID = optional(object({ at: Date, state: only<PullRequestState>(String) }));

export const pullRequestRows = collection('pull_requests', {
  about: 'A pull request, as its code host or a person has reported it.',
  fields: {
    _id: String,
    org_id: String,
    /** The base repository, in its normal form. */
    repository: String,
    number: Number,
    title: nullable(hashed(kept(String, 'it is the organization’s: no pull request names its author'))),
    url: nullable(String),
    /** The report that each text is from. */
    said: object({ title: SAID, url: SAID, base_branch: SAID }),
    /** Null where it was gone before anything was reported of it. */
    head_repository: nullable(String),
    branch: nameField,
    base_branch: nullable(nameField),
    state: only<PullRequestState>(String),
    opened_at: Date,
    /** True once a code host has signed a report of it: `opened_at` is then the code host's. */
    signed: Boolean,
    /** Null while it is open. */
    closed_at: nullable(Date),
    merged_at: nullable(Date),
    /** When the code host had last changed it, as far as is known. */
    updated_at: Date,
    /** Reports of it by `at`, at most `MOST_SEEN`: `closed_at`, the head and the renames follow from them. */
    seen: [object(SEEN)],
    renames: [object(RENAME)],
    /** `branchKey` of its head; null without a head repository. */
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

export interface PullRequest extends RowOf<typeof pullRequestRows> {}

/** The id of a pull request: it has one cause, so a repeat meets the primary key. */
export function pullRequestId(orgId: string, repository: string, number: number): string {
  return derivedId('pr', orgId, repository, number);
}

/** The refusal of a pull request that is not there, or not the reader's. */
export function noSuchPullRequest(): DomainError {
  return new DomainError('not_found', 'There is no such pull request.');
}
