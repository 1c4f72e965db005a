import { Button, type ButtonProps, Modal, type ModalProps } from '@mantine/core';
import { useDialog } from '../../data/use-dialog.ts';

/** A button that opens a dialog. Its content begins anew each time, and may close it. */
export function Dialog({
  label,
  variant = 'default',
  button = {},
  name,
  children,
  ...modal
}: Pick<ModalProps, 'size' | 'closeOnClickOutside'> &
  Pick<ButtonProps, 'variant'> & {
    label: string;
    /** The name by which a link opens it. */
    name?: string;
    /** More of the button. */
    button?: ButtonProps & { 'aria-label'?: string };
    title: string;
    children: (close: () => void) => React.ReactNode;
  }) {
  const [isOpen, { open, close }] = useDialog(name);
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
