import type { LinkedMessage } from './message.ts';
import { shortened } from './text.ts';

/** Teams takes messages of at most 28 KB (https://learn.microsoft.com/microsoftteams/limits-specifications-teams). */
const TEXT = 1_000;

const COLORS = { low: 'default', medium: 'warning', high: 'attention' } as const;

/**
 * A message of a Teams workflow that posts what a webhook receives: one Adaptive Card
 * (https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook). Text from outside is in text runs, in which
 * a card reads no Markdown, unlike in text blocks and fact sets. The link is a button of the card.
 */
export function teamsMessage({ title, urgency, facts, link, at }: LinkedMessage): object {
  const lines = facts.map(([label, value]) =>
    richText([run(`${label}: `, { weight: 'bolder' }), run(value)]),
  );
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            richText([run(title, { size: 'large', weight: 'bolder', color: COLORS[urgency] })]),
            ...lines,
            richText([run(at, { isSubtle: true })]),
          ],
          ...(link ? { actions: [{ type: 'Action.OpenUrl', title: link[0], url: link[1] }] } : {}),
        },
      },
    ],
  };
}

function richText(inlines: object[]): object {
  return { type: 'RichTextBlock', inlines };
}

function run(text: string, style: object = {}): object {
  return { type: 'TextRun', text: withoutFunctions(shortened(text, TEXT)), ...style };
}

/** A card replaces `{{DATE(…)}}` and `{{TIME(…)}}` by dates: a zero-width space between the braces keeps them text. */
function withoutFunctions(text: string): string {
  return text.replaceAll('{{', '{\u200b{').replaceAll('{{', '{\u200b{');
}
