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

/** A button that does one thing, at once or after a question, and its error. */
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
        {...button}
      />
      <ProblemNote error={error} />
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
