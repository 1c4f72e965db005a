import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../data/client.ts';
import type { Webhook } from '../data/queries.ts';
import { useAct } from '../data/use-act.ts';
import { ProblemNote } from './problem-note.tsx';
import { Copyable } from './secret.tsx';

type EventType = Webhook['events'][number];

const EVENTS: Record<EventType, string> = {
  'session.started': 'A session begins',
  'session.ended': 'A session ends',
  'budget.warning': 'A budget has reached 80 %',
  'budget.exceeded': 'A budget is exceeded',
  'anomaly.detected': 'Something is unusual',
};

/** Every event that there is. */
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** A secret of the kind that the Standard Webhooks libraries read: 32 random bytes. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

export function EventChoice({
  value,
  onChange,
}: {
  value: readonly EventType[];
  onChange: (events: EventType[]) => void;
}) {
  return (
    <Checkbox.Group
      label="Events"
      required
      value={[...value]}
      onChange={(events) => onChange(events as EventType[])}
    >
      <Stack gap="sm" mt="sm">
        {Object.entries(EVENTS).map(([type, meaning]) => (
          <Checkbox key={type} value={type} label={`${meaning} (${type})`} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** How a receiver checks a delivery, with this secret. */
export function VerifySnippet() {
  return (
    <Copyable
      label="How to verify a delivery"
      value={`import { verifyWebhook } from 'usage-governor/verify';

// rawBody: the body as it came, before any parsing
if (!verifyWebhook(rawBody, request.headers['x-service-signature'], SECRET)) {
  response.writeHead(401).end();
}`}
    />
  );
}

/** Registers an endpoint. The secret is made in this browser and shown this once. */
export function WebhookForm({ onDone }: { onDone: () => void }) {
  const [secret] = useState(newSecret);
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<EventType[]>(EVENT_TYPES);
  const create = useAct(() => take(api.POST('/api/v1/webhooks', { body: { url, events, secret } })), {
    changes: ['webhooks'],
    done: 'The webhook is created.',
  });
  if (create.isSuccess)
    return (
      <Stack>
        <Text>
          Keep this secret now: it is not shown again. Every delivery is signed with it in the header{' '}
          X-Service-Signature.
        </Text>
        <Copyable label="Secret" value={secret} />
        <VerifySnippet />
        <Group justify="flex-end">
          <Button onClick={onDone}>I have kept it</Button>
        </Group>
      </Stack>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(undefined);
      }}
    >
      <Stack>
        <TextInput
          label="URL"
          description="https, on port 443 or 8443, at a public address; in development also http on this machine"
          type="url"
          required
          maxLength={2_000}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          data-autofocus
        />
        <EventChoice value={events} onChange={setEvents} />
        <ProblemNote error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={events.length === 0}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
