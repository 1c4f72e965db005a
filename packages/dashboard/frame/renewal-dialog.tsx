import { Button, getDefaultZIndex, Modal, Stack, Text } from '@mantine/core';

/** Leads to the sign-in in a new tab. It lies above the dialog in which something was being typed. */
export function RenewalDialog({ onClose }: { onClose: () => void }) {
  const renew = `/dashboard/login?${new URLSearchParams({ return_to: '/dashboard/renewed' })}`;
  return (
    <Modal
      opened
      onClose={onClose}
      title="Your session has ended"
      centered
      zIndex={getDefaultZIndex('overlay')}
    >
      <Stack>
        <Text>Sign in again in a new tab. The text that you have typed here stays.</Text>
        <Button component="a" href={renew} target="_blank" rel="noopener">
          Sign in again
        </Button>
      </Stack>
    </Modal>
  );
}
