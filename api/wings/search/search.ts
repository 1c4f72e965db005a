import { z } from 'zod';
import { text } from '../../../shared/platform/basics/text.ts';
import { search as find, foundView } from '../../../shared/wings/search/search.ts';
import { knowsMembers } from '../../auth/knows-members.ts';
import { route } from '../../basics/route.ts';

const LENGTH = { min: 2, max: 128 } as const;

export const search = route({
  method: 'get',
  path: '/api/v1/search',
  summary: 'Find users, projects, sessions, pull requests, branches, budgets and more',
  description:
    'At most five of each kind. A session is found by its id or at least the first 8 characters of it, a signal by its whole id, ' +
    'a user by the beginning of the id, or by name or e-mail with the scope `members:read`, a project by the beginning of its ' +
    'id, a budget by a part of its name, a pull request by its number (`12`, `#12`), its address, or a part of its title or of ' +
    '`github.com/acme/shop#12`, a branch by a part of its name, and for a person in the dashboard a live key by a part of its name or the beginning of its id. ' +
    '`q` is literal text. Users and projects are those with usage in the last 400 days, pull requests the newest 2,000, branches ' +
    'those with calls in the last 30 days, or of exactly that name.',
  tag: 'Usage',
  auth: { kind: 'api-key', scope: 'usage:read' },
  priority: 'read',
  query: z.strictObject({
    q: text(LENGTH.max)
      .refine((value) => Array.from(value).length >= LENGTH.min, `must be at least ${LENGTH.min} characters`)
      .meta({
        description: 'The text to look for',
        documentedAs: {
          type: 'string',
          minLength: LENGTH.min,
          maxLength: LENGTH.max,
          examples: ['checkout'],
        },
      }),
  }),
  success: {
    status: 200,
    description: 'The things that were found, by kind',
    body: z.strictObject({ data: z.array(foundView) }),
  },
  handle: async ({ principal, query }, ctx) => {
    const { orgId, userId, isPerson = false } = principal;
    const searcher = { orgId, userId, isPerson, knowsMembers: knowsMembers(principal) };
    return { data: await find(ctx, searcher, query.q) };
  },
});
