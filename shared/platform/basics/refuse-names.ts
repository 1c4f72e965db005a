import { z } from 'zod';

/**
 * `schema` for an object that has none of these members. They are looked for before it reads the object: what is no
 * strict object drops `__proto__` without a word.
 */
export function refuseNames<S extends z.ZodType>(names: readonly string[], schema: S) {
  return z.preprocess((value, ctx) => {
    if (typeof value !== 'object' || value === null) return value;
    for (const name of names) {
      if (Object.hasOwn(value, name))
        ctx.addIssue({ code: 'custom', path: [name], message: 'is not a name to use here' });
    }
    return value;
  }, schema);
}
