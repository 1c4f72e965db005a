import type { Envelope, Message } from './message.ts';
import { escaped, shortened, unlinked } from './text.ts';

/** Lengths of https://docs.slack.dev/reference/block-kit/blocks and of the text beside blocks. */
const HEADER = 150;
const FIELD = 2_000;
const FALLBACK = 3_000;

/**
 * A message of a Slack incoming webhook. Text from outside is in `plain_text` objects, in which Slack reads no markup.
 * Notifications show `text`, which is escaped and has no link.
 */
export function slackMessage({ title, facts, link }: Message, { ts }: Envelope): object {
  const fields: object[] = facts.map(([label, value]) => plain(`${label}\n${value}`, FIELD));
  if (link) fields.push({ type: 'mrkdwn', text: `${link[0]}\n<${escapeSlack(link[1])}>` });
  return {
    text: escaped(unlinked(title), FALLBACK, escapeSlack),
    blocks: [
      { type: 'header', text: plain(title, HEADER) },
      ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
      { type: 'context', elements: [plain(ts, FIELD)] },
    ],
  };
}

function plain(text: string, most: number) {
  return { type: 'plain_text', text: shortened(text, most), emoji: false };
}

/** The three characters that Slack reads as markup (https://docs.slack.dev/messaging/formatting-message-text). */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
