import { z } from 'zod';
import { repositoryField } from '../../../core/calls/signals/repository-field.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { exactText, instant, text } from '../../../platform/basics/text.ts';

/** How far a pull request has come, in this order. */
export const PULL_REQUEST_STATES = ['open', 'closed', 'merged'] as const;
export type PullRequestState = (typeof PULL_REQUEST_STATES)[number];

/** A pull request as a code host or a CI job reports it, whole; its branches as they are written. */
export interface PullRequestReport {
  /** The base repository, in its normal form. */
  repository: string;
  number: number;
  title: string | null;
  url: string | null;
  /** Null: it is gone. */
  head_repository: string | null;
  branch: string;
  base_branch: string | null;
  state: PullRequestState;
  opened_at: Date;
  /** When it ended; null while it is open, and where the report does not say it. */
  closed_at: Date | null;
  /** When the code host had last changed it. */
  updated_at: Date;
}

const TITLE_LENGTH = 256;
const URL_LENGTH = 2_000;

export const branchField = text(256);
export const numberField = z.int().min(1);

/** The first 256 characters of a title; null where there is none. */
export function shortTitle(title: unknown): string | null {
  if (typeof title !== 'string') return null;
  const characters = Array.from(title.toWellFormed().replaceAll('\0', '').normalize('NFC'));
  return characters.slice(0, TITLE_LENGTH).join('') || null;
}

/** An address that a page may link to: http or https without credentials. Null for any other. */
export function safeUrl(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > URL_LENGTH) return null;
  const url = URL.parse(address);
  const isSafe = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isSafe && url.href.length <= URL_LENGTH ? url.href : null;
}

function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

/** The fault of the times of a report, or null. They are in the order of a pull request's life, and none is more than 5 minutes ahead. */
export function faultOfTimes(
  { opened_at, closed_at, updated_at }: Pick<PullRequestReport, 'opened_at' | 'closed_at' | 'updated_at'>,
  nowMs: number,
): { field: 'opened_at' | 'closed_at' | 'updated_at'; detail: string } | null {
  const latest = dateAt(nowMs + SIGNAL_AGE_MS.ahead);
  const times = { opened_at, closed_at: closed_at ?? opened_at, updated_at };
  for (const field of ['opened_at', 'closed_at', 'updated_at'] as const) {
    if (times[field] > latest) return { field, detail: 'is more than 5 minutes ahead' };
    if (times[field] < opened_at) return { field, detail: 'must not be before opened_at' };
    if (times[field].getTime() < 0) return { field, detail: 'must not be before 1970' };
  }
  return null;
}

const time = instant.transform(dateAt);

/** The body by which a CI job reports a pull request. */
export const pullRequestInput = z
  .strictObject({
    repository: repositoryField.describe('The base repository, by any address of it'),
    number: numberField.describe('Its number in the base repository'),
    branch: branchField.describe('The head branch'),
    state: z.enum(PULL_REQUEST_STATES).describe('How far it has come'),
    opened_at: time,
    closed_at: time.optional().describe('When it was closed or merged; needed unless it is open'),
    updated_at: time
      .optional()
      .describe('When it last changed; an older report than the newest changes nothing. Default: now'),
    head_repository: repositoryField
      .optional()
      .describe('The repository of the head branch; default: the base'),
    base_branch: branchField.optional(),
    title: exactText
      .max(4_096)
      .optional()
      .meta({ examples: ['Add a cart'] })
      .describe('Cut at 256 characters'),
    url: z
      .string()
      .refine(
        (address) => safeUrl(address) !== null,
        'must be an http or https URL of at most 2000 characters',
      )
      .optional()
      .describe('Its page at the code host'),
  })
  .refine(({ url, repository }) => url === undefined || hostOf(url) === hostOf(`https://${repository}`), {
    path: ['url'],
    message: 'must be on the host of the repository',
  })
  .refine(({ state, closed_at }) => (state === 'open') === (closed_at === undefined), {
    path: ['closed_at'],
    message: 'is needed unless the pull request is open, and only then',
  });
