import { z } from 'zod';
import { repositoryField } from '../../../core/calls/signals/repository-field.ts';
import { instant, text } from '../../../platform/basics/text.ts';

/** One context as posted. Every other member is refused, so that a typing error is seen. */
export const contextInput = z
  .strictObject({
    client_session_id: text(256).describe(
      'The session of the client, as `metadata.client_session_id` of its signals',
    ),
    ts: instant.describe('From when on it holds: ISO 8601 with Z or an offset'),
    user_id: text(256)
      .optional()
      .describe("The user to whose calls it applies; a bound key's own user by default, else every user"),
    repository: repositoryField
      .nullable()
      .optional()
      .describe('The repository, by any address; null: from then on the session works in none'),
    branch: text(256).optional().describe('The branch; only beside a repository'),
    commit: z
      .string()
      .regex(/^[0-9a-f]{7,64}$/, 'must be 7 to 64 hexadecimal digits in lower case')
      .optional()
      .describe('The commit that is checked out; it is shown, and nothing depends on it'),
    worktree: text(128)
      .refine((name) => !/[/\\]/.test(name), 'must be a name, not a path')
      .optional()
      .describe('The name of the worktree; it is shown, and nothing depends on it'),
    renamed_from: text(256).optional().describe('The name that the branch had until `ts`'),
    task: text(128).nullable().optional().describe('The task; null: from then on the session works on none'),
  })
  .refine(({ repository, task }) => repository !== undefined || task !== undefined, {
    path: ['repository'],
    error: 'is needed, or a task is',
  })
  .refine(({ repository, branch }) => branch === undefined || typeof repository === 'string', {
    path: ['branch'],
    error: 'belongs beside a repository',
  })
  .refine(({ branch, renamed_from }) => renamed_from === undefined || branch !== undefined, {
    path: ['renamed_from'],
    error: 'belongs beside a branch',
  })
  .refine(({ branch, renamed_from }) => renamed_from === undefined || renamed_from !== branch, {
    path: ['renamed_from'],
    error: 'must be another name than that of the branch',
  });

export type ContextInput = z.output<typeof contextInput>;

export const contextResult = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('accepted') }),
  z.strictObject({ status: z.literal('duplicate') }),
  z.strictObject({
    status: z.literal('rejected'),
    code: z
      .string()
      .describe(
        '`invalid_context foreign_user ts_ahead ts_behind too_many_contexts too_many_values`; stable',
      ),
    detail: z.string(),
  }),
]);
export type ContextResult = z.output<typeof contextResult>;
