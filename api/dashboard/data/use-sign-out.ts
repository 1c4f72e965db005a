import { useMutation } from '@tanstack/react-query';
import { signOut } from './client.ts';

/** Signs out here, and goes on to where the identity provider does the same. */
export function useSignOut() {
  return useMutation({
    mutationFn: signOut,
    onSuccess: (location) => window.location.assign(location),
  });
}
