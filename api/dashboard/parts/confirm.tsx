import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';

/** Asks once more before something that cannot be taken back. `yes` and `no` are what the buttons say. */
export function confirm({
  title,
  text,
  yes,
  no = 'Keep',
  onYes,
}: {
  title: string;
  text: string;
  yes: string;
  no?: string;
  onYes: () => void;
}): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: yes, cancel: no },
    confirmProps: { color: 'red.9' },
    onConfirm: onYes,
  });
}
