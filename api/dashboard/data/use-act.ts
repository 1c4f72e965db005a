import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';

/**
 * A change that a person makes: what it has made old is read again, and a line says that it is done. The error stays with
 * the mutation, for the form to show.
 */
export function useAct<Input, Result>(
  act: (input: Input) => Promise<Result>,
  options: { changes: readonly string[]; done?: string; onDone?: (result: Result) => void },
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (result) => {
      await Promise.all(options.changes.map((key) => client.invalidateQueries({ queryKey: [key] })));
      if (options.done) notifications.show({ message: options.done });
      options.onDone?.(result);
    },
  });
}
