import type { Context } from './context.ts';

/** Declares something that a process keeps beside its context: made at the first use, and gone with the context. */
export function perContext<Kept>(make: (ctx: Context) => Kept): (ctx: Context) => Kept {
  const made = new WeakMap<Context, { kept: Kept }>();
  return (ctx) => {
    const known = made.get(ctx);
    if (known) return known.kept;
    const kept = make(ctx);
    made.set(ctx, { kept });
    return kept;
  };
}
