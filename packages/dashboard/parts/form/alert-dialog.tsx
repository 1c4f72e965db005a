import { Button, Group, Stack, Title } from '@mantine/core';
import { useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { ProblemNote } from '../page/problem-note.tsx';

/** Escape closes the dialog that it is pressed in, and not the one below. */
const OWN_ESCAPE = { 'data-mantine-stop-propagation': 'true' };

/**
 * A question that is answered before anything is written. It lies above all else, also above another dialog, and gives the
 * focus back. The safe answer has the focus, unless the content takes it.
 */
export function AlertDialog({
  title,
  yes,
  no = 'Cancel',
  act: { mutate, isPending, error },
  isReady = true,
  onClose,
  children,
}: {
  title: string;
  /** The labels of the buttons. */
  yes: string;
  no?: string;
  act: { mutate: (input: undefined) => void; isPending: boolean; error: Error | null };
  isReady?: boolean;
  onClose: () => void;
  children: React.ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      role="alertdialog"
      className="alert-dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onClose}
      {...OWN_ESCAPE}
    >
      <Stack>
        <Title order={2} id={`${id}-title`}>
          {title}
        </Title>
        <div id={`${id}-text`}>{children}</div>
        <ProblemNote error={error} />
        <Group justify="flex-end">
          <Button variant="default" autoFocus onClick={() => dialog.current?.close()} {...OWN_ESCAPE}>
            {no}
          </Button>
          <Button
            color="red.9"
            loading={isPending}
            disabled={!isReady}
            onClick={() => mutate(undefined)}
            {...OWN_ESCAPE}
          >
            {yes}
          </Button>
        </Group>
      </Stack>
    </dialog>,
    document.body,
  );
}
