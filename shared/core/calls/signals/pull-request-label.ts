import { z } from 'zod';
import { text } from '../../../platform/basics/text.ts';
import { normalRepository } from './repository.ts';

export interface PullRequestName {
  /** The base repository, in its normal form. */
  repository: string;
  number: number;
}

/** As it is shown: `github.com/acme/shop#12`. */
export function labelOf({ repository, number }: PullRequestName): string {
  return `${repository}#${number}`;
}

const LABEL = /^(.{1,512})#([1-9][0-9]{0,15})$/s;

/** The pull request that a text names, by any address of its repository; null where it names none. */
export function readLabel(text: string): PullRequestName | null {
  const [, address = '', digits] = LABEL.exec(text) ?? [];
  const [repository, number] = [normalRepository(address), Number(digits)];
  return repository !== null && Number.isSafeInteger(number) ? { repository, number } : null;
}

const LONGEST = 530;

/** A pull request as it is shown; parsed, its repository in its normal form. */
export const pullRequestField = text(LONGEST)
  .refine((label) => readLabel(label) !== null, {
    message: 'must be a repository and a number, such as github.com/acme/shop#12',
    abort: true,
  })
  .check(
    z.overwrite((label) => {
      const name = readLabel(label);
      return name ? labelOf(name) : label;
    }),
  );
