import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { ProblemNote } from '../page/problem-note.tsx';
import type { Question } from './confirm-dialog.tsx';

/** Loaded with the first question. */
const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }));

/** An act that cannot be undone is red before its question is asked, in both schemes. */
const DESTRUCTIVE = { color: 'var(--bad)', borderColor: 'var(--bad)' };

/** A button that does one thing, at once or after a question, and its error, which moves no button beside it. */
export function ActButton({
  act: { mutate, isPending, error },
  question,
  ...button
}: ButtonProps & {
  act: { mutate: (input: undefined) => void; isPending: boolean; error: Error | null };
  question?: Question;
  children: React.ReactNode;
  'aria-label'?: string;
}) {
  const [isWanted, setWanted] = useState(false);
  const [isAsked, { open, close }] = useDisclosure(false, { onOpen: () => setWanted(true) });
  const carryOut = () => mutate(undefined);
  return (
    <>
      <Button
        variant="default"
        onClick={question ? open : carryOut}
        loading={isPending}
        style={question ? DESTRUCTIVE : undefined}
        {...button}
      />
      {question && isWanted && (
        <Suspense>
          <ConfirmDialog question={question} isOpen={isAsked} onClose={close} onYes={carryOut} />
        </Suspense>
      )}
      {error && (
        <div className="below">
          <ProblemNote error={error} />
        </div>
      )}
    </>
  );
}
