import { z } from 'zod';
import { type Api, ask, type Pause } from '../../api/ask.ts';

const sums = {
  signals: z.number(),
  tokens_in: z.number(),
  tokens_out: z.number(),
  cost_usd: z.number(),
  unpriced_signals: z.number(),
};
const listed = z.object({ data: z.array(z.object({ id: z.string() })) });
const detail = z.object({
  repository: z.string(),
  number: z.number(),
  title: z.string().nullable(),
  state: z.string(),
  ...sums,
  by_model: z.object({
    data: z.array(z.object({ model: z.string(), ...sums })),
    others: z.object(sums).nullable(),
  }),
});

/** The cost of a pull request. It names no people. */
export type Summary = z.infer<typeof detail>;

/** Reads the cost of a pull request. Throws where there is none, or none that the key may read. */
export async function readSummary(
  target: Api,
  { repository, number }: { repository: string; number: number },
  pause: Pause,
): Promise<Summary> {
  const query = new URLSearchParams({ repository, number: String(number) });
  const { data } = await ask(target, `/api/v1/pull-requests?${query.toString()}`, null, pause, listed);
  const [found] = data;
  if (!found) throw new Error(`There is no pull request ${number} of ${repository}, or none of this key.`);
  return ask(target, `/api/v1/pull-requests/${found.id}`, null, pause, detail);
}

export const FORMATS = ['markdown', 'text'] as const;
export type Format = (typeof FORMATS)[number];

/** A summary as a comment, or as lines of a log. */
export function renderSummary(summary: Summary, format: Format): string {
  return format === 'markdown' ? asMarkdown(summary) : asText(summary);
}

function asMarkdown(summary: Summary): string {
  const rows = modelsOf(summary).map(({ model, signals, tokens_in, tokens_out, cost_usd }) =>
    [asCode(model), count(signals), count(tokens_in), count(tokens_out), dollars(cost_usd)].join(' | '),
  );
  const { repository, number, title, state } = summary;
  return [
    `**Cost of ${asCode(`${repository}#${number}`)}: ${dollars(summary.cost_usd)}**`,
    ...(title === null ? [] : [`${asCode(title)} (${state})`]),
    sentenceOf(summary),
    ...(rows.length === 0
      ? []
      : [
          [
            '| Model | Calls | Tokens in | Tokens out | Cost |',
            '| --- | ---: | ---: | ---: | ---: |',
            ...rows.map((row) => `| ${row} |`),
          ].join('\n'),
        ]),
  ].join('\n\n');
}

function asText(summary: Summary): string {
  const { repository, number, title, state, cost_usd } = summary;
  return [
    `${inOneLine(`${repository}#${number}`)} (${state})${title === null ? '' : `: ${inOneLine(title)}`}`,
    `Cost: ${dollars(cost_usd)}`,
    sentenceOf(summary),
    ...modelsOf(summary).map(
      ({ model, signals, cost_usd: cost }) => `  ${inOneLine(model)}: ${calls(signals)}, ${dollars(cost)}`,
    ),
  ].join('\n');
}

function sentenceOf(summary: Summary): string {
  const { signals, tokens_in, tokens_out, unpriced_signals, by_model } = summary;
  const tools = by_model.data.filter(isWithoutModel).reduce((sum, row) => sum + row.signals, 0);
  const all = `${calls(signals - tools)}, ${count(tokens_in)} tokens in, ${count(tokens_out)} tokens out.`;
  if (unpriced_signals === 0) return all;
  return `${all} Not in the cost: ${calls(unpriced_signals)} without a known price.`;
}

type ModelRow = Summary['by_model']['data'][number];

/** Most expensive first; all that are not listed are one line. */
function modelsOf({ by_model: { data, others } }: Summary): ModelRow[] {
  const models = data.filter((row) => !isWithoutModel(row));
  return others === null ? models : [...models, { ...others, model: 'others' }];
}

/** True for the row of what is no call of a model, such as a tool: its signals name none and have no tokens. */
function isWithoutModel({ model, tokens_in, tokens_out, cost_usd, unpriced_signals }: ModelRow): boolean {
  return model === 'unknown' && tokens_in + tokens_out + cost_usd + unpriced_signals === 0;
}

function calls(number: number): string {
  return `${count(number)} ${number === 1 ? 'call' : 'calls'}`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** To the cent. */
function dollars(usd: number): string {
  const options = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `$${usd.toLocaleString('en-US', options)}`;
}

/** Text that others wrote, without line breaks and characters that nobody sees. */
function inOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
}

/**
 * Text that others wrote, as code in Markdown: there HTML, mentions, links and emphasis are letters. A backtick would end the code, a
 * bar the cell of a table, also behind a backslash.
 */
function asCode(text: string): string {
  return `\`${inOneLine(text).replaceAll('`', "'").replaceAll('|', '¦') || ' '}\``;
}
