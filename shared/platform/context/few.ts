import type { Context } from './context.ts';

/** The number of things up to which something is done in one way, and above which in another: `most`, or what the context says. */
export function few({ few: least = Number.POSITIVE_INFINITY }: Pick<Context, 'few'>, most: number): number {
  return Math.min(least, most);
}
