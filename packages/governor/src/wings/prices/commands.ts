import type { Command } from 'commander';
import type { Env } from '../../commands.ts';
import { addQuoteCommand } from './quote.ts';
import { addRepriceCommand } from './reprice.ts';
import { addRuleCommands } from './rules.ts';

/** `prices`: the prices of an organization's calls. */
export function addPriceCommands(program: Command, around: Env): void {
  const prices = program
    .command('prices')
    .description('Prices of your own, and recorded calls at new prices');
  const isJson = () => program.opts().json === true;
  addRuleCommands(prices, around, isJson);
  addQuoteCommand(prices, around, isJson);
  addRepriceCommand(prices, around, isJson);
}
