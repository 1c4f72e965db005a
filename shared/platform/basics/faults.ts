import type { z } from 'zod';

/** A fault of one field. `detail` follows the field's name in a sentence: "limit must be 1..100". */
export interface Fault {
  path: readonly string[];
  detail: string;
}

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Record<string, string> = { url: 'a URL', date: 'a date, such as 2026-03-01' };

/** Options of a parse: what a schema has no words of its own for is said in ours. */
export const IN_PLAIN_WORDS = { error: describeIssue } as const;

/** The faults of a value that did not parse, at most `most`. An unknown member is a fault at its own path. */
export function faultsOf(error: z.ZodError, most: number): Fault[] {
  return error.issues
    .flatMap((issue): Fault[] => {
      const path = issue.path.map(String);
      if (issue.code !== 'unrecognized_keys') return [{ path, detail: issue.message }];
      return issue.keys.slice(0, most).map((key) => ({ path: [...path, key], detail: 'is not known here' }));
    })
    .slice(0, most);
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is missing';
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'invalid_format':
      return issue.format in FORMATS ? `must be ${FORMATS[issue.format]}` : 'is not valid';
    case 'too_small':
      return `must ${boundOf(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${boundOf(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return 'is not valid';
  }
}

/** "have at least 32 characters", "be more than 0". */
function boundOf(origin: string, relation: string, given: number | bigint): string {
  const bound = given.toLocaleString('en-US', { maximumFractionDigits: 20 });
  const units = { string: ['character', 'characters'], array: ['entry', 'entries'] }[origin];
  return units
    ? `have ${relation} ${bound} ${units[Number(given) === 1 ? 0 : 1]}`
    : `be ${relation} ${bound}`;
}
