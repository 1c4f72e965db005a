import { NativeSelect, TextInput } from '@mantine/core';
import type { Webhook } from '../../data/queries.ts';

export type Format = Webhook['format'];

/** Where a format's messages go: its name, and what its URL is. */
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

/** A format as people call it. */
export function formatName(format: Format): string {
  return FORMATS[format].name;
}

/** The URL that is sent for what was typed: an address becomes `mailto:`. */
export function urlOf(format: Format, typed: string): string {
  return format === 'email' && !typed.startsWith('mailto:') ? `mailto:${typed}` : typed;
}

/** Chooses a format and where it writes to. */
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
      <NativeSelect
        label="Send to"
        data={Object.entries(FORMATS).map(([value, { name }]) => ({ value, label: name }))}
        value={format}
        onChange={(event) => onFormat(event.currentTarget.value as Format)}
      />
      <TextInput
        label={label}
        description={`${help}${isSecret}`}
        type={format === 'email' ? 'email' : 'url'}
        required
        maxLength={2_000}
        value={url}
        onChange={(event) => onUrl(event.currentTarget.value)}
        data-autofocus
      />
    </>
  );
}
