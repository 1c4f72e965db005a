import { Anchor, Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { deliveriesQuery, type Webhook } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { useChoice } from '../../data/use-range.ts';
import { latency } from '../../words/time.ts';
import { SearchSelect } from '../form/search-select.tsx';
import { Load } from '../page/load.tsx';
import { PagedRows, usePages } from '../page/pager.tsx';
import { ProblemNote } from '../page/problem-note.tsx';
import type { Column } from '../page/rows.tsx';
import { State } from '../text/state.tsx';
import { When } from '../time/when.tsx';
import { SENT } from './events.tsx';
import { statusWords } from './words.ts';

type Delivery = AnswerOf<'/api/v1/webhooks/{id}/deliveries'>['data'][number];
type Sender = Pick<Webhook, 'id' | 'format'>;

/** Every status once: the compiler checks it. */
const STATUSES: Record<Delivery['status'], null> = {
  pending: null,
  succeeded: null,
  held: null,
  exhausted: null,
  cancelled: null,
  expired: null,
  collected: null,
  digested: null,
};

/** The deliveries of a webhook, which can be filtered by status and event. */
export function Deliveries({ webhook }: { webhook: Sender }) {
  const { id } = webhook;
  const [opened, setOpened] = useState<string | null>(null);
  const status = useChoice('status', STATUSES);
  const type = useChoice('type', SENT);
  const asked = { ...(status ? { status } : {}), ...(type ? { type } : {}) };
  const pages = usePages(JSON.stringify(asked), (cursor) =>
    deliveriesQuery(id, { ...asked, ...cursor, limit: 20 }),
  );
  return (
    <Stack>
      <Group gap="sm">
        <SearchSelect name="status" aria-label="Status" none="Any status" data={Object.keys(STATUSES)} />
        <SearchSelect name="type" aria-label="Event" none="Any event" data={Object.keys(SENT)} />
      </Group>
      <PagedRows
        pages={pages}
        height={200}
        label="Deliveries"
        columns={columns(webhook, setOpened)}
        keyOf={(row) => row.id}
        empty={<Text c="dimmed">None. The next event of a subscribed kind appears here.</Text>}
      />
      <Modal opened={opened !== null} onClose={() => setOpened(null)} title="Delivery" size="xl">
        {opened && <DeliveryDetail webhook={webhook} deliveryId={opened} />}
      </Modal>
    </Stack>
  );
}

function columns(webhook: Sender, open: (id: string) => void): readonly Column<Delivery>[] {
  return [
    {
      label: 'Event',
      narrow: 'first',
      render: ({ id, type, test }) => (
        <Group gap="sm" component="span" wrap="nowrap">
          <Anchor component="button" type="button" size="sm" underline="always" onClick={() => open(id)}>
            {type}
          </Anchor>
          {test && <TestMark />}
        </Group>
      ),
    },
    { label: 'Status', isShort: true, narrow: 'first', render: ({ status }) => <State of={status} /> },
    { label: 'Attempts', isNumber: true, narrow: 'hidden', render: ({ attempts }) => attempts.length },
    { label: 'Last answer', render: ({ attempts }) => lastAnswer(webhook, attempts.at(-1)) },
    {
      label: 'Last attempt',
      narrow: 'hidden',
      render: ({ attempts }) =>
        attempts.length > 0 ? <When at={attempts.at(-1)?.at ?? null} precision="second" /> : '–',
    },
    {
      label: 'Next attempt',
      isShort: true,
      render: ({ next_attempt_at }) =>
        next_attempt_at ? <When at={next_attempt_at} relative precision="second" /> : '–',
    },
  ];
}

/** Marks what was sent as a test. */
function TestMark() {
  return (
    <Badge variant="default" size="sm" tt="none">
      test
    </Badge>
  );
}

function lastAnswer(webhook: Sender, attempt: Delivery['attempts'][number] | undefined): string {
  if (!attempt) return '–';
  if (attempt.status !== null) return statusWords(webhook, attempt.status);
  return attempt.error ?? 'no answer';
}

function DeliveryDetail({ webhook, deliveryId }: { webhook: Sender; deliveryId: string }) {
  const { id } = webhook;
  const path = { id, delivery_id: deliveryId };
  const delivery = useQuery({
    queryKey: ['webhooks', id, 'delivery', deliveryId],
    queryFn: () => take(api.GET('/api/v1/webhooks/{id}/deliveries/{delivery_id}', { params: { path } })),
    refetchInterval: 5_000,
  });
  const again = useAct(
    () => take(api.POST('/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver', { params: { path } })),
    { changes: ['webhooks'], done: 'It is sent again.' },
  );
  return (
    <Load query={delivery}>
      {({ status, attempts, next_attempt_at, request, event_id, type, test }) => (
        <Stack>
          <Group justify="space-between">
            <Text className="wrap">
              {type} · {event_id} · <State of={status} />
              {next_attempt_at && (
                <>
                  {' '}
                  · next attempt <When at={next_attempt_at} relative precision="second" />
                </>
              )}
            </Text>
            {test ? (
              <Text size="sm" c="dimmed">
                A test is sent once. Send another one instead.
              </Text>
            ) : (
              <Button variant="default" onClick={() => again.mutate(undefined)} loading={again.isPending}>
                Send again
              </Button>
            )}
          </Group>
          <ProblemNote error={again.error} />
          {attempts.map((attempt) => (
            <Stack key={`${attempt.number} ${attempt.at}`} gap={4}>
              <Text size="sm">
                Attempt {attempt.number}, <When at={attempt.at} precision="second" />:{' '}
                {lastAnswer(webhook, attempt)} after {latency(attempt.latency_ms)}
                {attempt.error ? ` (${attempt.error})` : ''}
              </Text>
              {attempt.answer && <pre className="code answer">{attempt.answer}</pre>}
            </Stack>
          ))}
          <Text fw={600}>Request</Text>
          <pre className="code answer">
            {Object.entries(request.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
            {'\n\n'}
            {request.body}
          </pre>
        </Stack>
      )}
    </Load>
  );
}
