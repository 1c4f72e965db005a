import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Signal } from '../../parts/session/words.ts';
import { quotedOf } from './parts/quoted-call.ts';

/** The way from a call to where its price comes from. */
export function WhyButton({ signal }: { signal: Signal }) {
  if (signal.type !== 'call') return null;
  const search = { tab: 'prices', quote: JSON.stringify(quotedOf(signal)) };
  return (
    <Button component={Link} to="/settings" search={search as never} variant="default">
      Why does this call cost that?
    </Button>
  );
}
