import type { WebhookFormat } from '../../../../platform/basics/contract.ts';
import { messageOf } from './describe-event.ts';
import { discordMessage } from './discord.ts';
import { emailMessage } from './email.ts';
import type { Envelope, Message, Rendered } from './message.ts';
import { ntfyMessage } from './ntfy.ts';
import { slackMessage } from './slack.ts';
import { teamsMessage } from './teams.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Each makes the body of a format from an event in words. Pure. */
const RENDERERS: Record<
  Exclude<WebhookFormat, 'json'>,
  (message: Message, envelope: Envelope) => Rendered
> = {
  slack: (message, envelope) => jsonOf(slackMessage(message, envelope)),
  teams: (message, envelope) => jsonOf(teamsMessage(message, envelope)),
  discord: (message, envelope) => jsonOf(discordMessage(message, envelope)),
  ntfy: ntfyMessage,
  email: emailMessage,
};

/**
 * An event as a webhook's format has it. `body` is its envelope, byte for byte, which `json` sends as it is. Pure: every
 * attempt of a delivery sends the same bytes.
 */
export function render(format: WebhookFormat, body: string): Rendered {
  if (format === 'json') return { headers: JSON_TYPE, body };
  const envelope = JSON.parse(body) as Envelope;
  return RENDERERS[format](messageOf(envelope), envelope);
}

function jsonOf(message: object): Rendered {
  return { headers: JSON_TYPE, body: JSON.stringify(message) };
}
