import { Option } from 'commander';
import { inOneLine } from '../../../packages/governor/src/output/cells.ts';
import type { MadeObjects } from '../../../shared/people/made-by.ts';
import { DomainError, isCode } from '../../../shared/platform/basics/errors.ts';

export interface MadeOptions {
  made?: 'keep' | 'revoke';
}

/** `--made`: what becomes of the keys and webhooks that a person made who is removed. */
export function madeOption(): Option {
  return new Option(
    '--made <choice>',
    'the keys and webhooks that the person made: keep them, or revoke the keys and delete the webhooks (needed where there are any)',
  ).choices(['keep', 'revoke']);
}

/** The choice as the domain takes it: undefined while nobody has decided. */
export function revokeMade(made: MadeOptions['made']): boolean | undefined {
  return made && made === 'revoke';
}

/** Runs a removal, and explains on the command line's terms what has to be decided first. */
export async function explainMade<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!isCode(error, 'revoke_made_needed')) throw error;
    const { keys, webhooks } = error.extra.made as MadeObjects;
    const lines = [
      'This person made what follows. Repeat the command with --made keep or --made revoke.',
      ...keys.map(({ id, name }) => `key ${id} ${name}`),
      ...webhooks.map(({ id, url }) => `webhook ${id} ${url}`),
    ];
    throw new DomainError(error.code, lines.map(inOneLine).join('\n  '));
  });
}
