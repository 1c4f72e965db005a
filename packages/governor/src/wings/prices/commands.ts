import type { Command } from 'commander';
import type { Env } from '../../commands.ts';
import type { Form } from './options.ts';
import { addQuoteCommand } from './quote.ts';
import { addRepriceCommand } from './reprice.ts';
import { addRuleCommands } from './rules.ts';

/** `prices`: the prices of an organization's calls. */
export function addPriceCommands(program: Command, around: Env): void {
  const prices = program
    .command('prices')
    .description('Prices of your own, and recorded calls at new prices');
  const form = () => program.opts<Form>();
  addRuleCommands(prices, around, form);
  addQuoteCommand(prices, around, form);
  addRepriceCommand(prices, around, form);
}
