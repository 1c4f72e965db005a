import { Button, Group, Modal, Stack, Text } from '@mantine/core';

/** A question before an act that cannot be undone; `yes` and `no` are the labels of the buttons. */
export interface Question {
  title: string;
  text: string;
  yes: string;
  no?: string;
}

/** Asks before an act that cannot be undone. */
export function ConfirmDialog({
  question: { title, text, yes, no = 'Keep' },
  isOpen,
  onClose,
  onYes,
}: {
  question: Question;
  isOpen: boolean;
  onClose: () => void;
  onYes: () => void;
}) {
  const carryOut = () => {
    onClose();
    onYes();
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {no}
          </Button>
          <Button color="red.9" onClick={carryOut}>
            {yes}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
