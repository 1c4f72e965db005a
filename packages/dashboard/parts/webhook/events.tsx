import { Checkbox, Stack } from '@mantine/core';
import type { PreviewAsked, Webhook } from '../../data/queries.ts';
import { Copyable } from '../form/copyable.tsx';

export type EventType = Webhook['events'][number];

/** The events that a webhook names. */
const EVENTS: Record<EventType, string> = {
  'session.started': 'A session begins',
  'session.ended': 'A session ends',
  'budget.warning': 'A budget has reached 80 %',
  'budget.exceeded': 'A budget is exceeded',
  'budget.raise_requested': 'Somebody asks for more of a budget',
  'budget.raise_answered': 'A request for more is answered',
  'anomaly.detected': 'Something is unusual',
  'signals.held': 'Implausible calls wait for a decision',
  'export.failed': 'An export fails',
  'credit.low': 'Credits are low',
  'credit.depleted': 'Credits are used up',
};
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** All that it is sent: also what its settings ask for. */
export const SENT: Record<PreviewAsked['type'], string> = {
  ...EVENTS,
  'budget.threshold': 'A budget has reached a percentage that you chose',
  'budget.forecast': 'A budget will be exceeded',
  digest: 'A digest',
};

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
    <Checkbox.Group label="Events" value={[...value]} onChange={(events) => onChange(events as EventType[])}>
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
