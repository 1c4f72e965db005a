import { budgets } from './fields/budgets.ts';
import { credits } from './fields/credits.ts';
import { exportFields } from './fields/exports.ts';
import type { Field } from './fields/field.ts';
import { lists } from './fields/lists.ts';
import { people } from './fields/people.ts';
import { prices } from './fields/prices.ts';
import { pullRequests } from './fields/pull-requests.ts';
import { sessions } from './fields/sessions.ts';
import { signals } from './fields/signals.ts';
import { usage } from './fields/usage.ts';
import { webhooks } from './fields/webhooks.ts';

/** The dictionary of fields. A schema that says more about a field of its own goes before it. */
const FIELDS: Readonly<Record<string, Field>> = {
  ...sessions,
  ...signals,
  ...budgets,
  ...usage,
  ...webhooks,
  ...credits,
  ...people,
  ...prices,
  ...pullRequests,
  ...lists,
  ...exportFields,
};

const TIMES: ReadonlySet<string> = new Set([
  'ts',
  'at',
  'from',
  'to',
  'start',
  'window_start',
  'window_end',
  'since',
]);
const URIS: ReadonlySet<string> = new Set(['url', 'verification_uri', 'verification_uri_complete']);

/** The description and examples of a field in the dictionary, or null. */
export function fieldNamed(name: string): { description: string; examples: readonly unknown[] } | null {
  const [description, ...examples] = FIELDS[name] ?? [];
  return description === undefined ? null : { description, examples };
}

/** The format of a text field, by its name. */
export function formatOf(name: string): 'date-time' | 'uri' | null {
  if (URIS.has(name)) return 'uri';
  return TIMES.has(name) || name.endsWith('_at') ? 'date-time' : null;
}
