import type { Context } from './context.ts';

/** Something that an operator should look at though the process serves: a sentence without names, or null. */
export type Warning = (ctx: Context) => Promise<string | null>;
