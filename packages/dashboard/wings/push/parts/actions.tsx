import { Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../../data/client.ts';
import { useAct, useDeletion } from '../../../data/use-act.ts';
import { ActButton } from '../../../parts/form/act-button.tsx';
import { ActForm, changesOf, useDraft } from '../../../parts/form/act-form.tsx';
import { Dialog } from '../../../parts/form/dialog.tsx';
import { TextField } from '../../../parts/form/fields.tsx';
import { Outcome } from '../../../parts/text/outcome.tsx';
import { changeOf, draftOf, hasTable } from './draft.ts';
import { DestinationFields } from './fields.tsx';
import { FailureNote } from './outcome.tsx';
import {
  type AskedRun,
  changeDestination,
  DESTINATIONS,
  type Destination,
  deleteDestination,
  testDestination,
} from './queries.ts';
import { FAILURES, lastFinishedDay } from './words.ts';

/** Everything that can be done with a destination. */
export function DestinationActions({ destination }: { destination: Destination }) {
  const { id, enabled, status } = destination;
  // The failure above has the button that acts.
  const variant = status === 'failing' ? 'default' : 'filled';
  return (
    <Group gap="sm">
      {enabled && <RunButton id={id} label="Run now" variant={variant} />}
      {enabled && (
        <Dialog label="Write days again" title="Write days again">
          {(close) => <Backfill destination={destination} onDone={close} />}
        </Dialog>
      )}
      <TestButton id={id} />
      <EditButton destination={destination} />
      <PauseButton destination={destination} />
      <DeleteButton destination={destination} />
    </Group>
  );
}

function useRun(id: string, onDone: () => void = () => undefined) {
  return useAct(
    (body: AskedRun) => take(api.POST('/api/v1/destinations/{id}/runs', { params: { path: { id } }, body })),
    { changes: DESTINATIONS, done: 'The run has begun.', onDone },
  );
}

/** Writes now what the destination lacks. */
export function RunButton({
  id,
  label,
  variant,
}: {
  id: string;
  label: string;
  variant: 'filled' | 'default';
}) {
  const run = useRun(id);
  return (
    <ActButton act={{ ...run, mutate: () => run.mutate({ force: false }) }} variant={variant}>
      {label}
    </ActButton>
  );
}

/** Writes chosen days, where they are there already too. */
function Backfill({ destination: { id, since }, onDone }: { destination: Destination; onDone: () => void }) {
  const last = lastFinishedDay();
  const { draft, field } = useDraft({ from: since > last ? last : since, to: last });
  const [force, setForce] = useState(false);
  const run = useRun(id, onDone);
  return (
    <ActForm
      act={{ ...run, mutate: () => run.mutate({ ...draft, force }) }}
      submit="Write them"
      onCancel={onDone}
    >
      <Group grow align="flex-start">
        <TextField label="From (UTC)" type="date" required min={since} max={last} {...field('from')} />
        <TextField label="To (UTC)" type="date" required min={draft.from} max={last} {...field('to')} />
      </Group>
      <Checkbox
        label="Also days that have not changed"
        description="For files that somebody has deleted or altered in the bucket"
        checked={force}
        onChange={(event) => setForce(event.currentTarget.checked)}
      />
      <Text size="sm" c="dimmed">
        For days before the first day, edit the destination and set an earlier one.
      </Text>
    </ActForm>
  );
}

function TestButton({ id }: { id: string }) {
  const test = useAct(() => testDestination(id), { changes: DESTINATIONS });
  const { data } = test;
  return (
    <>
      <ActButton act={test}>Test</ActButton>
      <div className="below" role="status">
        {data && (
          <Outcome isGood={data.ok}>
            {data.code === null
              ? 'The test is well: the place can be written.'
              : `The test failed: ${FAILURES[data.code].cause} ${FAILURES[data.code].step}`}
          </Outcome>
        )}
      </div>
    </>
  );
}

export function EditButton({
  destination,
  variant = 'default',
}: {
  destination: Destination;
  variant?: 'filled' | 'default';
}) {
  return (
    <Dialog label="Edit" variant={variant} title="Edit the destination" size="lg" closeOnClickOutside={false}>
      {(close) => <EditForm destination={destination} onDone={close} />}
    </Dialog>
  );
}

/** Edits the destination as it is when the form is opened. A change is tested at once; its failure stays in the form. */
function EditForm({ destination, onDone }: { destination: Destination; onDone: () => void }) {
  const [existing, setExisting] = useState(destination);
  const { draft, set, field } = useDraft(draftOf(destination));
  const changes = changesOf(changeOf(draftOf(existing)), changeOf(draft));
  const save = useAct(
    async () => {
      setExisting(await changeDestination(existing.id, changes));
      set({ secret: '' });
      return testDestination(existing.id);
    },
    { changes: DESTINATIONS, done: 'The change is saved.', onDone: ({ ok }) => ok && onDone() },
  );
  return (
    <ActForm
      act={save}
      submit="Save and test"
      onCancel={onDone}
      isReady={hasTable(draft) && Object.keys(changes).length > 0}
    >
      <DestinationFields draft={draft} field={field} existing={existing} />
      {save.data?.code && !save.isPending && (
        <FailureNote code={save.data.code} title="It is saved, but the test failed" />
      )}
    </ActForm>
  );
}

function PauseButton({ destination: { id, enabled } }: { destination: Destination }) {
  const change = useAct(() => changeDestination(id, { enabled: !enabled }), {
    changes: DESTINATIONS,
    done: enabled ? 'Paused: nothing is written.' : 'It is written again at its hour.',
  });
  return (
    <ActButton act={change} variant={enabled ? 'default' : 'filled'}>
      {enabled ? 'Pause' : 'Resume'}
    </ActButton>
  );
}

function DeleteButton({ destination: { id, name } }: { destination: Destination }) {
  const remove = useDeletion(() => deleteDestination(id), {
    list: 'destinations',
    to: '/export',
    done: 'The destination is deleted.',
  });
  return (
    <ActButton
      act={remove}
      question={{
        title: `Delete the destination ${name}?`,
        text: 'Nothing is written there any more. The files that it has stay. The next destination of the organization may have the same prefix: the days that it writes replace those that are there.',
        yes: 'Delete',
      }}
    >
      Delete
    </ActButton>
  );
}
