import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ProblemNote } from '../page/problem-note.tsx';

/** What a form holds until it is sent, and how a field changes its part of it. */
export function useDraft<Draft>(initial: Draft): [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(initial);
  return [draft, (change) => setDraft({ ...draft, ...change })];
}

/** What a draft differs in from what there was: what others have changed meanwhile stays. */
export function changesOf<Draft extends object>(before: Draft, draft: Draft): Partial<Draft> {
  const names = Object.keys(draft) as (keyof Draft)[];
  const changed = names.filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed.map((name) => [name, draft[name]])) as Partial<Draft>;
}

/** A form that does one thing: its fields, what went wrong, and its buttons. */
export function ActForm({
  act: { mutate, error, isPending },
  submit,
  onCancel,
  aside,
  isReady = true,
  children,
}: {
  act: { mutate: (input: undefined) => void; error: Error | null; isPending: boolean };
  /** What the button says that sends it. */
  submit: string;
  onCancel?: () => void;
  /** Another thing that can be done, at the other end of the buttons. */
  aside?: React.ReactNode;
  isReady?: boolean;
  children: React.ReactNode;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(undefined);
      }}
    >
      <Stack>
        {children}
        <ProblemNote error={error} />
        <Group justify="space-between">
          {aside ?? <span />}
          <Group>
            {onCancel && (
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
            <Button type="submit" loading={isPending} disabled={!isReady}>
              {submit}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
