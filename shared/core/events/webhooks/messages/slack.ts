import type { Fact, LinkedMessage } from './message.ts';
import { escaped, shortened, unlinked } from './text.ts';

/** Lengths of https://docs.slack.dev/reference/block-kit/blocks and of the text beside blocks. */
const HEADER = 150;
const FIELD = 2_000;
const FALLBACK = 3_000;

/**
 * A message of a Slack incoming webhook. Text from outside is in `plain_text` objects, in which Slack reads no markup; the one link
 * is ours, in `mrkdwn`. Notifications show `text`, which is escaped and has no link.
 */
export function slackMessage({ title, facts, link, at }: LinkedMessage): object {
  const fields = facts.map(([label, value]) => plain(`${label}\n${value}`, FIELD));
  const first = facts[0] ? `: ${facts[0][1]}` : '';
  return {
    text: escaped(unlinked(`${title}${first}`), FALLBACK, escapeSlack),
    blocks: [
      { type: 'header', text: plain(title, HEADER) },
      ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
      ...(link ? [{ type: 'section', text: { type: 'mrkdwn', text: slackLink(link) } }] : []),
      { type: 'context', elements: [plain(at, FIELD)] },
    ],
  };
}

/** https://docs.slack.dev/messaging/formatting-message-text#linking-urls. An address has neither bars nor angle brackets. */
function slackLink([label, url]: Fact): string {
  return `<${escapeSlack(url.replaceAll('|', '%7C'))}|${label}>`;
}

function plain(text: string, most: number) {
  return { type: 'plain_text', text: shortened(text, most), emoji: false };
}

/** The three characters that Slack reads as markup (https://docs.slack.dev/messaging/formatting-message-text). */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
