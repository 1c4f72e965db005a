import type { WebhookFormat } from '../../../../platform/basics/contract.ts';
import type { Words } from '../../record/new-event.ts';
import type { Reader } from './describe.ts';
import { messageOf } from './describe-event.ts';
import { discordMessage } from './discord.ts';
import { emailMessage } from './email.ts';
import type { Envelope, LinkedMessage, Rendered } from './message.ts';
import { ntfyMessage } from './ntfy.ts';
import { slackMessage } from './slack.ts';
import { teamsMessage } from './teams.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Each makes the body of a format from an event in words. Pure. */
const RENDERERS: Record<
  Exclude<WebhookFormat, 'json'>,
  (message: LinkedMessage, envelope: Envelope) => Rendered
> = {
  slack: (message) => jsonOf(slackMessage(message)),
  teams: (message) => jsonOf(teamsMessage(message)),
  discord: (message, envelope) => jsonOf(discordMessage(message, envelope)),
  ntfy: ntfyMessage,
  email: emailMessage,
};

/**
 * An event as a webhook's format has it. `body` is its envelope, byte for byte, which `json` sends as it is, and `words` is what
 * messages say beside it, as JSON. To a reader who may not see people it names nobody as a cause. Pure: every attempt of a delivery
 * sends the same bytes.
 */
export function render(format: WebhookFormat, body: string, words = '{}', reader?: Reader): Rendered {
  if (format === 'json') return { headers: JSON_TYPE, body };
  const envelope = JSON.parse(body) as Envelope;
  return RENDERERS[format](messageOf(envelope, JSON.parse(words) as Words, reader), envelope);
}

function jsonOf(message: object): Rendered {
  return { headers: JSON_TYPE, body: JSON.stringify(message) };
}
