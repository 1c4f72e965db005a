import type { Context } from './context.ts';

/** What a process keeps in memory beside its context: made when it is first asked for, and gone with it. */
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
