import { Option } from 'commander';
import { inOneLine } from '../../../packages/governor/src/output/cells.ts';
import type { MadeObjects } from '../../../shared/people/made-by.ts';
import { DomainError, isCode } from '../../../shared/platform/basics/errors.ts';

export interface MadeOptions {
  made?: 'keep' | 'revoke';
}

/** `--made`: what becomes of the things that a person made who is removed. */
export function madeOption(): Option {
  return new Option(
    '--made <choice>',
    'what the person made, such as keys and webhooks: keep it, or revoke the keys and delete the rest (needed where there is anything)',
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
    const lines = [
      'This person made what follows. Repeat the command with --made keep or --made revoke.',
      ...Object.entries(error.extra.made as MadeObjects).flatMap(([kind, things]) =>
        things.map((thing) => [wordOf(kind), ...Object.values(thing).filter(Boolean)].join(' ')),
      ),
    ];
    throw new DomainError(error.code, lines.map(inOneLine).join('\n  '));
  });
}

/** `code_hosts` is a code host. */
function wordOf(kind: string): string {
  return kind.replace('_', ' ').replace(/s$/, '');
}
