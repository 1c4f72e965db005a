import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { membersQuery, type Webhook } from '../../data/queries.ts';
import { useMe } from '../../data/use-me.ts';
import { Choice, TextField } from '../form/fields.tsx';

export type Format = Webhook['format'];
/** The formats that are written for people. */
export type Channel = Exclude<Format, 'json'>;

/** The name of each channel, and the meaning of its URL. */
const CHANNELS: Record<Channel, { name: string; url: string; help: string }> = {
  slack: { name: 'Slack', url: 'Webhook URL', help: 'From the incoming webhook of your Slack app' },
  teams: {
    name: 'Microsoft Teams',
    url: 'Workflow URL',
    help: 'From the workflow that posts webhook requests',
  },
  discord: { name: 'Discord', url: 'Webhook URL', help: 'From Integrations in the settings of the channel' },
  ntfy: { name: 'ntfy', url: 'Topic URL', help: 'Such as https://ntfy.sh/ and a topic that nobody guesses' },
  email: { name: 'E-mail', url: 'Address', help: 'Of a member who has signed in with it' },
};

const ENDPOINT = {
  name: 'Endpoint (JSON, signed)',
  url: 'URL',
  help: 'https, on port 443 or 8443, at a public address; in development also http on this machine',
};

const FORMATS = { json: ENDPOINT, ...CHANNELS };

/** The formats by their names. */
export const NAMES = namesOf(FORMATS);
const CHANNEL_NAMES = namesOf(CHANNELS);

function namesOf<Name extends string>(formats: Record<Name, { name: string }>): Record<Name, string> {
  const entries = Object.entries<{ name: string }>(formats).map(([format, { name }]) => [format, name]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** The URL that is sent for what was typed: an address becomes `mailto:`. */
export function urlOf(format: Format, typed: string): string {
  return format === 'email' && !typed.startsWith('mailto:') ? `mailto:${typed}` : typed;
}

export function ChannelChoice({
  format,
  onFormat,
}: {
  format: Channel;
  onFormat: (format: Channel) => void;
}) {
  const { sends_mail } = useMe();
  const { email: _, ...chats } = CHANNEL_NAMES;
  return (
    <Choice
      label="Send to"
      description={sends_mail ? undefined : 'No e-mail: the operator of this service has not set SMTP_URL.'}
      of={(sends_mail ? CHANNEL_NAMES : chats) as Record<Channel, string>}
      value={format}
      onChange={onFormat}
      data-autofocus
    />
  );
}

/** The address of a webhook, as its format has it. Members are suggested where it is a mailbox. */
export function AddressField({
  format,
  url,
  onUrl,
}: {
  format: Format;
  url: string;
  onUrl: (url: string) => void;
}) {
  const list = useId();
  const isMail = format === 'email';
  const members = useQuery({ ...membersQuery(), enabled: isMail, staleTime: 300_000 });
  const { url: label, help } = FORMATS[format];
  const isSecret = format === 'json' || isMail ? '' : '. It is kept encrypted and not shown again.';
  return (
    <>
      <TextField
        key={format}
        label={label}
        description={`${help}${isSecret}`}
        type={isMail ? 'email' : 'url'}
        required
        maxLength={2_000}
        value={url}
        onChange={onUrl}
        list={isMail ? list : undefined}
        {...(format === 'json' ? { 'data-autofocus': true } : {})}
      />
      {isMail && (
        <datalist id={list}>
          {members.data?.data.map(({ email, user_id }) => email && <option key={user_id} value={email} />)}
        </datalist>
      )}
    </>
  );
}
