import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ProblemNote } from '../page/problem-note.tsx';

/** The values of a form until they are sent, a function that changes some of them, and one that binds a field to one. */
export function useDraft<Draft extends object>(initial: Draft) {
  const [draft, setDraft] = useState(initial);
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const field = <Name extends keyof Draft>(name: Name) => ({
    value: draft[name],
    onChange: (value: Draft[Name]) => setDraft({ ...draft, [name]: value }),
  });
  return { draft, set, field };
}

/** The changed values of a draft: values that others have changed meanwhile stay. */
export function changesOf<Draft extends object>(before: Draft, draft: Draft): Partial<Draft> {
  const names = Object.keys(draft) as (keyof Draft)[];
  const changed = names.filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed.map((name) => [name, draft[name]])) as Partial<Draft>;
}

/** A form that does one thing: its fields, its error and its buttons. */
export function ActForm({
  act: { mutate, error, isPending },
  submit,
  onCancel,
  aside,
  isReady = true,
  children,
}: {
  act: { mutate: (input: undefined) => void; error: Error | null; isPending: boolean };
  /** The label of the button that sends it. */
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
