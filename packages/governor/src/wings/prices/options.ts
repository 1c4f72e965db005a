import { type Command, InvalidArgumentError } from 'commander';
import { withTarget as withApi } from '../../api/target.ts';

/** How an answer is shown: the options of the program. */
export interface Form {
  json?: boolean;
  wide?: boolean;
}

/** A decimal of an option, as it is written. */
export function parseDecimal(value: string): number {
  if (!/^-?\d{1,9}(\.\d{1,9})?$/.test(value)) throw new InvalidArgumentError('It must be a number.');
  return Number(value);
}

/** A count of an option. */
export function parseCount(value: string): number {
  if (!/^\d{1,10}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** `web_search=10` of an option that may be repeated. */
export function collectTool(value: string, before: Record<string, number> = {}): Record<string, number> {
  const [, name, amount] = /^([A-Za-z][\w-]{0,63})=(\d{1,9}(?:\.\d{1,9})?)$/.exec(value) ?? [];
  if (!name || !amount) throw new InvalidArgumentError('It must be like web_search=10.');
  return { ...before, [name]: Number(amount) };
}

/** Adds where to ask, and an example below the help. */
export function withTarget(command: Command, scope: string, example: string): Command {
  return withApi(command, scope).addHelpText('after', `\nExample:\n  ${example}`);
}
