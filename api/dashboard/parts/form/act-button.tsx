import { Button, type ButtonProps, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { ProblemNote } from '../page/problem-note.tsx';

/** A question before an act that cannot be undone; `yes` and `no` are the labels of the buttons. */
interface Question {
  title: string;
  text: string;
  yes: string;
  no?: string;
}

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
  const carryOut = () => mutate(undefined);
  return (
    <>
      <Button
        variant="default"
        onClick={question ? () => ask(question, carryOut) : carryOut}
        loading={isPending}
        style={question ? DESTRUCTIVE : undefined}
        {...button}
      />
      {error && (
        <div className="below">
          <ProblemNote error={error} />
        </div>
      )}
    </>
  );
}

function ask({ title, text, yes, no = 'Keep' }: Question, onConfirm: () => void): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: yes, cancel: no },
    confirmProps: { color: 'red.9' },
    onConfirm,
  });
}
