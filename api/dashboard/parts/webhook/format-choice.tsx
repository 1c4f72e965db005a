import type { Webhook } from '../../data/queries.ts';
import { Choice, TextField } from '../form/fields.tsx';

export type Format = Webhook['format'];

/** The name of each format, and the meaning of its URL. */
const FORMATS: Record<Format, { name: string; url: string; help: string }> = {
  json: {
    name: 'An endpoint of yours (JSON, signed)',
    url: 'URL',
    help: 'https, on port 443 or 8443, at a public address; in development also http on this machine',
  },
  slack: { name: 'Slack', url: 'Webhook URL', help: 'From the incoming webhook of your Slack app' },
  teams: {
    name: 'Microsoft Teams',
    url: 'Workflow URL',
    help: 'From the workflow that posts webhook requests',
  },
  discord: { name: 'Discord', url: 'Webhook URL', help: 'From Integrations in the settings of the channel' },
  ntfy: { name: 'ntfy', url: 'Topic URL', help: 'Such as https://ntfy.sh/ and a topic that nobody guesses' },
  email: { name: 'E-mail', url: 'Address', help: 'Of a member of this organization' },
};

/** The formats by their names. */
export const NAMES = Object.fromEntries(
  Object.entries(FORMATS).map(([format, { name }]) => [format, name]),
) as Record<Format, string>;

/** The URL that is sent for what was typed: an address becomes `mailto:`. */
export function urlOf(format: Format, typed: string): string {
  return format === 'email' && !typed.startsWith('mailto:') ? `mailto:${typed}` : typed;
}

/** Chooses a format and its address. */
export function FormatChoice({
  format,
  url,
  onFormat,
  onUrl,
}: {
  format: Format;
  url: string;
  onFormat: (format: Format) => void;
  onUrl: (url: string) => void;
}) {
  const { url: label, help } = FORMATS[format];
  const isSecret = format === 'json' ? '' : '. It is kept encrypted and not shown again.';
  return (
    <>
      <Choice label="Send to" of={NAMES} value={format} onChange={onFormat} />
      <TextField
        label={label}
        description={`${help}${isSecret}`}
        type={format === 'email' ? 'email' : 'url'}
        required
        maxLength={2_000}
        value={url}
        onChange={onUrl}
        data-autofocus
      />
    </>
  );
}
