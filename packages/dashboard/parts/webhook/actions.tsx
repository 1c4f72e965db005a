import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { useAct, useDeletion } from '../../data/use-act.ts';
import { latency } from '../../words/time.ts';
import { ActButton } from '../form/act-button.tsx';
import { ShownOnce } from '../form/copyable.tsx';
import { Dialog } from '../form/dialog.tsx';
import { exact } from '../text/format.ts';
import { Outcome } from '../text/outcome.tsx';
import { State } from '../text/state.tsx';
import { AlertsForm, EventsForm, NameForm, useChange } from './change-forms.tsx';
import { newSecret, VerifySnippet } from './events.tsx';
import { RecoverButton } from './recover-button.tsx';
import { isChannel, placeOf, statusWords, webhookState } from './words.ts';

export type DetailedWebhook = AnswerOf<'/api/v1/webhooks/{id}'>;

const CHANGES = ['webhooks'] as const;

/** Deliveries that were given up since a webhook began to fail. */
export interface NotSent {
  count: number;
  since: string | null;
}

/** After a webhook was enabled: sends again what was given up meanwhile. */
export function SendTheseToo({ id, of: { count, since } }: { id: string; of: NotSent }) {
  const recover = useAct(
    () =>
      take(
        api.POST('/api/v1/webhooks/{id}/recover', {
          params: { path: { id } },
          body: { since: since ?? '' },
        }),
      ),
    { changes: CHANGES },
  );
  if (recover.data)
    return (
      <div role="status">
        <Outcome isGood>{exact(recover.data.queued)} are sent again.</Outcome>
      </div>
    );
  return (
    <Alert variant="outline" color="orange" role="status">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {exact(count)} {count === 1 ? 'delivery was' : 'deliveries were'} given up while it was failing.
        </Text>
        <ActButton act={recover}>{count === 1 ? 'Send it too' : `Send these ${exact(count)} too`}</ActButton>
      </Stack>
    </Alert>
  );
}

/** Ends the failing state; says first how many events will be sent. */
export function ReEnable({
  webhook: { id, held },
  onEnabled,
}: {
  webhook: DetailedWebhook;
  onEnabled: (notSent: NotSent) => void;
}) {
  const enable = useAct(() => take(api.POST('/v1/webhooks/{id}/enable', { params: { path: { id } } })), {
    changes: CHANGES,
    done: 'It delivers again.',
    onDone: ({ not_sent }) => onEnabled(not_sent),
  });
  return (
    <>
      <Text size="sm">{exact(held)} held events will be sent in order.</Text>
      <ActButton act={enable} variant="filled">
        Re-enable
      </ActButton>
    </>
  );
}

/** The state of a webhook, and what one does about its deliveries. */
export function DeliveryActions({ webhook }: { webhook: DetailedWebhook }) {
  return (
    <Group gap="sm" align="center">
      <State of={webhookState(webhook)} />
      {webhook.held > 0 && <Text size="sm">{exact(webhook.held)} held</Text>}
      <TestButton webhook={webhook} />
      <PauseButton webhook={webhook} />
      <RecoverButton id={webhook.id} />
    </Group>
  );
}

/** The changes of a webhook. */
export function SettingActions({ webhook }: { webhook: DetailedWebhook }) {
  return (
    <Group gap="sm" align="flex-start">
      <Dialog label="Rename" title="Rename">
        {(close) => <NameForm webhook={webhook} onDone={close} />}
      </Dialog>
      <Dialog label="Edit events" title="Edit events">
        {(close) => <EventsForm webhook={webhook} onDone={close} />}
      </Dialog>
      <Dialog label="Edit alerts" title="Alerts, quiet hours and digest" size="lg">
        {(close) => <AlertsForm webhook={webhook} onDone={close} />}
      </Dialog>
      <SecretButton id={webhook.id} />
      <DeleteButton webhook={webhook} />
    </Group>
  );
}

function TestButton({ webhook }: { webhook: DetailedWebhook }) {
  const { id, status } = webhook;
  const test = useAct(() => take(api.POST('/api/v1/webhooks/test', { body: { webhook_id: id } })), {
    changes: CHANGES,
  });
  const answer = test.data;
  const outcome = answer?.error ? `failed (${answer.error})` : 'was taken';
  return (
    <>
      <ActButton act={test} {...(status === 'failing' ? {} : { variant: 'filled' })}>
        Send a test
      </ActButton>
      <div className="below" role="status">
        {answer && (
          <Outcome isGood={answer.error === null}>
            The test {outcome}: {answer.status === null ? 'no answer' : statusWords(webhook, answer.status)}{' '}
            after {latency(answer.latency_ms)}
          </Outcome>
        )}
      </div>
    </>
  );
}

function PauseButton({ webhook: { id, enabled } }: { webhook: DetailedWebhook }) {
  const change = useChange(id, enabled ? 'Paused: new events are held.' : 'The held events are being sent.');
  return (
    <ActButton act={{ ...change, mutate: () => change.mutate({ enabled: !enabled }) }}>
      {enabled ? 'Pause' : 'Resume'}
    </ActButton>
  );
}

function SecretButton({ id }: { id: string }) {
  const [isOpen, { open, close }] = useDisclosure();
  const [secret, setSecret] = useState(newSecret);
  const change = useChange(id, 'The new secret signs from now on.');
  const end = () => {
    close();
    change.reset();
    setSecret(newSecret());
  };
  return (
    <>
      <Button variant="default" onClick={open}>
        New secret
      </Button>
      <Modal
        opened={isOpen}
        onClose={end}
        title="A new secret"
        size="lg"
        closeOnClickOutside={!change.isSuccess}
      >
        {change.isSuccess ? (
          <ShownOnce words="Keep it now: it is not shown again." label="Secret" value={secret} onDone={end}>
            <VerifySnippet />
          </ShownOnce>
        ) : (
          <Stack>
            <Text>
              The new secret signs at once. For 24 hours the header webhook-signature also carries a signature
              of the old one; X-Service-Signature has room for one, which is of the new secret. Let your
              receiver take both secrets before you change it: verifyWebhook takes a list. A second change
              within the day drops the oldest.
            </Text>
            <ActButton act={{ ...change, mutate: () => change.mutate({ secret }) }} variant="filled">
              Change the secret
            </ActButton>
          </Stack>
        )}
      </Modal>
    </>
  );
}

function DeleteButton({ webhook }: { webhook: DetailedWebhook }) {
  const params = { path: { id: webhook.id } };
  const word = isChannel(webhook) ? 'channel' : 'webhook';
  const remove = useDeletion(() => take(api.DELETE('/api/v1/webhooks/{id}', { params })), {
    to: placeOf(webhook).list.to,
    list: 'webhooks',
    done: `The ${word} is deleted.`,
  });
  return (
    <ActButton
      act={remove}
      question={{
        title: `Delete this ${word}?`,
        text: 'Its undelivered events are cancelled.',
        yes: 'Delete',
      }}
    >
      Delete
    </ActButton>
  );
}
