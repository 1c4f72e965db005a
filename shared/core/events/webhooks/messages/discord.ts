import type { Envelope, Fact, LinkedMessage } from './message.ts';
import { escaped } from './text.ts';

/** Lengths of https://docs.discord.com/developers/resources/message#embed-object-embed-limits. All texts: 6,000. */
const TITLE = 256;
const FIELD_NAME = 256;
const FIELD_VALUE = 450;
/** Fields that are no longer than this stand side by side. */
const SHORT = 40;

const COLORS = { low: 0x5865f2, medium: 0xe67e22, high: 0xe03131 } as const;

/**
 * A message of a Discord webhook (https://docs.discord.com/developers/resources/webhook#execute-webhook): one embed. No
 * mention notifies anybody, and text from outside is escaped, so that Discord reads no Markdown in it.
 */
export function discordMessage({ title, urgency, facts, link }: LinkedMessage, { ts }: Envelope): object {
  return {
    embeds: [
      {
        title: escaped(title, TITLE, escapeDiscord),
        ...(link ? { url: link[1] } : {}),
        color: COLORS[urgency],
        fields: [
          ...facts.map(([name, value]) => ({
            name: escaped(name, FIELD_NAME, escapeDiscord),
            value: escaped(value, FIELD_VALUE, escapeDiscord),
            inline: value.length <= SHORT,
          })),
          ...(link ? [{ name: '\u200b', value: discordLink(link), inline: false }] : []),
        ],
        timestamp: ts,
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** A link of ours: its address is not escaped, or it would be another one. A bracket in it would end it. */
function discordLink([label, url]: Fact): string {
  return `[${label}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** A backslash before a sign makes it a sign, in Discord's Markdown and in mentions, links and emoji alike. */
function escapeDiscord(text: string): string {
  return text.replace(/[\\*_~`|<>#@:[\](){}+.!-]/g, String.raw`\$&`);
}
