import { Center, Loader } from '@mantine/core';
import { Suspense } from 'react';

export function Waiting() {
  return (
    <Center mih="60vh">
      <Loader role="status" aria-label="Loading" />
    </Center>
  );
}

/** A page that is loaded when it is first opened. */
export function Loading({ children }: { children: React.ReactNode }) {
  return <Suspense fallback={<Waiting />}>{children}</Suspense>;
}
