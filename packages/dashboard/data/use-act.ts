import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { signOut } from './client.ts';

/**
 * A change that a person makes: it reads again what it has made outdated, and a line says that it is done. The error stays
 * with the mutation, for the form to show.
 */
export function useAct<Input, Result>(
  act: (input: Input) => Promise<Result>,
  options: {
    changes: readonly string[];
    done?: string | ((result: Result) => string);
    onDone?: (result: Result) => void;
  },
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (result) => {
      await Promise.all(options.changes.map((key) => client.invalidateQueries({ queryKey: [key] })));
      const message = typeof options.done === 'function' ? options.done(result) : options.done;
      if (message) notifications.show({ message, closeButtonProps: { title: 'Close' } });
      options.onDone?.(result);
    },
  });
}

/** The header by which a creation that is sent again, because its answer was lost, is the same one: one key per body. */
export function useIdempotencyKey(body: object): { 'Idempotency-Key': string } {
  const said = JSON.stringify(body);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a key for each body: the service compares them.
  return useMemo(idempotencyKey, [said]);
}

/** Another such header. */
export function idempotencyKey(): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-') };
}

/** A deletion, after which its list is shown. It leaves the page of the deleted object first, which must not ask again. */
export function useDeletion(
  act: () => Promise<unknown>,
  { list, to = `/${list}`, done }: { list: string; to?: string; done: string },
) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useAct(act, {
    changes: [],
    done,
    onDone: () => void navigate({ to }).then(() => client.invalidateQueries({ queryKey: [list] })),
  });
}

/** Signs out here, and goes on to where the identity provider does the same. */
export function useSignOut() {
  return useMutation({
    mutationFn: signOut,
    onSuccess: (location) => window.location.assign(location),
  });
}
