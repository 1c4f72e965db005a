import { Button, type ButtonProps, Modal, type ModalProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';

/** A button that opens a dialog. Its content begins anew each time, and may close it. */
export function Dialog({
  label,
  variant = 'default',
  button = {},
  children,
  ...modal
}: Pick<ModalProps, 'size' | 'closeOnClickOutside'> &
  Pick<ButtonProps, 'variant'> & {
    label: string;
    /** More of the button. */
    button?: ButtonProps & { 'aria-label'?: string };
    title: string;
    children: (close: () => void) => React.ReactNode;
  }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant={variant} onClick={open} {...button}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} {...modal}>
        {children(close)}
      </Modal>
    </>
  );
}
