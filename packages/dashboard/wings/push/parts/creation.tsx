import { Button, Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { api, take } from '../../../data/client.ts';
import { useAct, useIdempotencyKey } from '../../../data/use-act.ts';
import { ActForm, useDraft } from '../../../parts/form/act-form.tsx';
import { bodyOf, changeOf, type Draft, hasTable, newDraft } from './draft.ts';
import { DestinationFields } from './fields.tsx';
import { FailureNote } from './outcome.tsx';
import {
  changeDestination,
  DESTINATIONS,
  type Destination,
  deleteDestination,
  testDestination,
} from './queries.ts';

type Made = Pick<Destination, 'id' | 'kind'>;

/**
 * Adds a destination. It is paused until its place has passed a test, so that nothing is written to a place that does not work;
 * whoever gives up before that leaves nothing.
 */
export function Creation({ onClose }: { onClose: () => void }) {
  const { draft, field } = useDraft(newDraft());
  const made = useRef<Made | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const header = useIdempotencyKey(bodyOf(draft));
  const leave = (id: string) => {
    onClose();
    void navigate({ to: `/export/${id}` });
  };
  const save = useAct(() => tryOut(draft, made, header), {
    changes: DESTINATIONS,
    onDone: ({ id, ok }) => ok && leave(id),
  });
  const giveUp = () => {
    onClose();
    const { current } = made;
    if (current === null) return;
    void deleteDestination(current.id).finally(() => {
      void client.invalidateQueries({ queryKey: DESTINATIONS });
    });
  };
  const failed = save.data?.ok === false && !save.isPending ? save.data : null;
  return (
    <Modal opened onClose={giveUp} title="Add a destination" size="lg" closeOnClickOutside={false}>
      <ActForm
        act={save}
        submit="Test and save"
        onCancel={giveUp}
        isReady={hasTable(draft)}
        aside={
          failed && (
            <Button variant="default" onClick={() => leave(failed.id)}>
              Save it paused
            </Button>
          )
        }
      >
        <DestinationFields draft={draft} field={field} />
        {failed?.code ? (
          <FailureNote code={failed.code} title="The test failed: nothing is written yet" />
        ) : (
          <Text size="sm" c="dimmed">
            The test writes one small file, _governor.json, which keeps the prefix for this destination.
          </Text>
        )}
      </ActForm>
    </Modal>
  );
}

/** Saves the draft paused, tests it, and lets it run where that is well. */
async function tryOut(
  draft: Draft,
  made: React.RefObject<Made | null>,
  header: { 'Idempotency-Key': string },
) {
  const { id } = await save(draft, made, header);
  const { ok, code } = await testDestination(id);
  if (ok) await changeDestination(id, { enabled: true });
  return { id, ok, code };
}

async function save(
  draft: Draft,
  made: React.RefObject<Made | null>,
  header: { 'Idempotency-Key': string },
): Promise<Made> {
  const { current } = made;
  if (current?.kind === draft.kind) {
    return changeDestination(current.id, changeOf(draft));
  }
  if (current !== null) {
    await deleteDestination(current.id);
    made.current = null;
  }
  const body = { ...bodyOf(draft), enabled: false };
  const { id, kind } = await take(api.POST('/api/v1/destinations', { body, params: { header } }));
  made.current = { id, kind };
  return { id, kind };
}
