import { z } from 'zod';

/** The outcome of a test run. Names are `file > suite > test`. */
export const outcome = z.object({
  passed: z.int(),
  failed: z.int(),
  /** The reason is what `ctx.skip(reason)` was given. */
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** Tests that did not pass at once; `passed` tells whether a later attempt did. */
  retried: z.array(z.object({ name: z.string(), attempts: z.int(), passed: z.boolean() })),
  /** False also when a file did not load or an error was caught by no test. */
  succeeded: z.boolean(),
});
export type Outcome = z.infer<typeof outcome>;

/**
 * The lines that end a run: one for each skipped test and why, one for each retried test, then the counts. Nothing else
 * is on the last line, so that a machine can read it.
 */
export function describeOutcome({ passed, failed, skipped, retried }: Omit<Outcome, 'succeeded'>): string[] {
  return [
    ...skipped.map(({ name, reason }) => `skipped: ${name} (${reason})`),
    ...retried.map(
      ({ name, attempts, passed: atLast }) =>
        `retried: ${name} (${atLast ? 'passed' : 'failed'} at attempt ${attempts})`,
    ),
    `${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  ];
}
