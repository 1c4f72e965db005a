import { z } from 'zod';
import type { Scope } from '../../../shared/platform/basics/contract.ts';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../../shared/platform/basics/faults.ts';
import { text } from '../../../shared/platform/basics/text.ts';
import type { Context } from '../../../shared/platform/context/context.ts';
import type { ApiKeyPrincipal } from '../../basics/route.ts';
import { timeOrDate } from '../../schemas/time.ts';

/** A tool: its schemas, what it needs, and the function that answers a call. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The scope that the credential must hold; null: any credential will do. */
  scope: Scope | null;
  /** A reader changes nothing. The others have the same effect once as many times. */
  isReader: boolean;
  input: z.ZodObject;
  output: z.ZodObject;
  /** Throws DomainErrors, which a model reads. */
  run: (ctx: Context, principal: ApiKeyPrincipal, args: unknown) => Promise<object>;
}

/** Keeps the types of one tool together. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'output' | 'run'> & {
    input: I;
    output: O;
    run: (ctx: Context, principal: ApiKeyPrincipal, args: z.output<I>) => Promise<object>;
  },
): Tool {
  const { run, input } = definition;
  return {
    ...definition,
    run: async (ctx, principal, args) => run(ctx, principal, parsed(input, args)),
  };
}

export const money = z.string().describe('US dollars, decimal text');

/** Arguments that name a user, a project or a time. */
export const userId = text(256).optional().describe("Default: the credential's own user, else all");
export const filters = {
  user_id: userId,
  project_id: text(256).optional(),
  model: text(256).optional(),
  adapter: text(128).optional(),
};
export const range = {
  from: timeOrDate.optional().describe('ISO 8601 time or date'),
  to: timeOrDate.optional().describe('Exclusive'),
};
export const cursor = z.string().min(1).max(1_000).optional().describe("The last result's cursor");

/** The value as a schema reads it. Throws `invalid_request` that names each fault. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, IN_PLAIN_WORDS);
  if (result.success) return result.data;
  const faults = faultsOf(result.error, 10).map(({ path, detail }) => `${path.join('.')} ${detail}`.trim());
  throw new DomainError('invalid_request', `The arguments are not valid: ${faults.join('; ')}.`);
}

/** Refuses to answer a credential of one user about another, as if that user did not exist. Throws `not_found`. */
export function refuseOtherUser({ userId: own }: ApiKeyPrincipal, asked: string | undefined): void {
  if (own !== null && asked !== undefined && asked !== own)
    throw new DomainError('not_found', 'There is no such user.');
}
