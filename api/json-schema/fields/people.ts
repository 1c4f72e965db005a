import { type Fields, TIME, UNIX } from './field.ts';

/** Fields of members and their sign-in. */
export const people: Fields = {
  email: ['The e-mail address', 'ada@example.org'],
  role: ['Rights of the person', 'member'],
  teams: ['The teams', ['checkout']],
  until: ['When the notice comes back; null: never', UNIX, TIME],
  emails: ['The addresses', ['ada@example.org']],
  mail: ['Whether each invited person gets a mail', true],
  mailed: ['Whether a mail is on its way', true],
  link: ['Where invited people sign in', 'https://governor.example.org/dashboard/join'],
  linked: ['Whether the person has joined', true],
  declined: ['Whether the person declined the invitation', false],
  admin_emails: ['Where alerts go', ['ops@example.org']],
  made: [
    'Keys and webhooks that the person made',
    { keys: [], webhooks: [{ id: 'whk_3Kf9', url: 'https://example.com/hook' }] },
  ],
  key_id: ['The API key', '3Kf9XqLm2TzV'],
  revoke_made: ['Whether what the person made ends too', true, 'true'],
  grace_s: ['Seconds for which the old key goes on', 86_400],
  actor: ['The account, the key or the process that acted', 'usr_3Kf9XqLm2TzVb7Rw8YcN1p'],
  actor_name: ['The name of the actor, or null', 'Ada Lovelace'],
  person_name: ['The name of the person whose thing it is, or null', 'Ada Lovelace'],
  details: ['Changed fields and values'],
  end: ['When it ends', TIME],
  fired_at: ['When it was raised', TIME],
  alerted_at: ['When the admins were notified, or null', TIME],
  old_secret_until: ['Until when the old secret signs too, or null', TIME],
  request: ['Bytes and headers of the request'],
  body: ['The body, byte for byte', '{"id":"evt_3Kf9"}'],
  top: ['How many groups to show; the rest is one', 8, '8'],
};
