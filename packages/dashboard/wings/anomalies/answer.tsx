import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsAdmin } from '../../data/use-me.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { ActForm } from '../../parts/form/act-form.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Choice } from '../../parts/form/fields.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { type Anomaly, RULES } from './figure.tsx';

export const ANOMALY_STATES = { new: 'New', acknowledged: 'Acknowledged', expected: 'Expected' } as const;

const DAY_MS = 86_400_000;
const LENGTHS = { '1': 'A day', '7': 'A week', '30': '30 days', '90': '90 days' } as const;

/** The state of an anomaly, in words. */
export function AnomalyState({ of: { state, acknowledged_by, expected_until } }: { of: Anomaly }) {
  if (state === 'new')
    return (
      <Text span inherit fw={600}>
        New
      </Text>
    );
  if (state === 'acknowledged')
    return (
      <Text span inherit>
        Acknowledged{acknowledged_by && ' by '}
        {acknowledged_by && <UserName id={acknowledged_by} />}
      </Text>
    );
  return (
    <Text span inherit>
      Expected{expected_until && ' until '}
      {expected_until && <When at={expected_until} />}
    </Text>
  );
}

/** The answers that an admin can give to an anomaly. */
export function AnomalyAnswers({ of: anomaly }: { of: Anomaly }) {
  const { id, state, anomaly_type } = anomaly;
  const acknowledge = useAct(
    () => take(api.POST('/v1/anomalies/{id}/acknowledge', { params: { path: { id } } })),
    { changes: ['anomalies'], done: 'The anomaly is acknowledged.' },
  );
  if (!useIsAdmin()) return null;
  const { name } = RULES[anomaly_type];
  return (
    <Group gap="xs" className="no-print">
      {state === 'new' && (
        <ActButton act={acknowledge} size="compact-sm" aria-label={`Acknowledge: ${name}`}>
          Acknowledge
        </ActButton>
      )}
      <Dialog
        label="Expected…"
        title={`${name}: nothing new`}
        button={{ size: 'compact-sm', 'aria-label': `Expected: ${name}` }}
      >
        {(close) => <Expectation of={anomaly} onDone={close} />}
      </Dialog>
    </Group>
  );
}

function Expectation({ of: { id, anomaly_type }, onDone }: { of: Anomaly; onDone: () => void }) {
  const [of, setOf] = useState<'person' | 'session'>('session');
  const [days, setDays] = useState<keyof typeof LENGTHS>('1');
  const expect = useAct(
    () => {
      const until = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      return take(api.POST('/v1/anomalies/{id}/expect', { params: { path: { id } }, body: { of, until } }));
    },
    { changes: ['anomalies'], done: 'Channels are silent about this.', onDone },
  );
  return (
    <ActForm act={expect} submit="Expect" onCancel={onDone}>
      <Choice
        label="Expected of"
        of={{ session: 'This session alone', person: 'All sessions of this person' }}
        value={of}
        onChange={setOf}
      />
      <Choice label="For" of={LENGTHS} value={days} onChange={setDays} />
      <Text size="sm" c="dimmed">
        Until then channels get no messages about this kind ({RULES[anomaly_type].name.toLowerCase()}). What
        is found meanwhile is listed here as expected.
      </Text>
    </ActForm>
  );
}
