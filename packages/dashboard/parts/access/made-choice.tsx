import { Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { Problem } from '../../data/client.ts';
import { Name } from '../text/name.tsx';

/** The things that `revoke_made_needed` lists, by kind. Keys have the user to whom they are bound. */
type Made = Record<string, ({ id: string; user_id?: string | null } & Record<string, string | null>)[]>;

/** The queries of these things, which an act may end. */
export const MADE = ['keys', 'webhooks', 'destinations', 'code-hosts'];

/** A removal or a demotion; its input says whether what the person made ends too. */
interface Act {
  mutate: (revokeMade: boolean | undefined) => void;
  reset: () => void;
  error: Error | null;
  isPending: boolean;
}

function madeOf({ error }: Pick<Act, 'error'>): Made | null {
  return error instanceof Problem && error.code === 'revoke_made_needed' ? (error.extra.made as Made) : null;
}

/** The act for a form or a button: the question of `MadeChoice` is no error there. */
export function withoutMade<A extends Act>(act: A): A {
  return madeOf(act) ? { ...act, error: null } : act;
}

/** Asks what becomes of the things that a person made, where the service asks for it. */
export function MadeChoice({ act, name }: { act: Act; name: string }) {
  const made = madeOf(act);
  return (
    <Modal opened={made !== null} onClose={act.reset} title={`${name} made these`} size="lg">
      {made && (
        <Stack>
          <Text size="sm">
            They go on without {name}, who may still know their secrets and receive what they send. To end
            some of them only, cancel, end those, and repeat this.
          </Text>
          <List size="sm" aria-label="Made by this person">
            {Object.entries(made).flatMap(([kind, things]) =>
              things.map(({ id, user_id, ...words }) => (
                <List.Item key={id} className="wrap">
                  {wordOf(kind)} <Name of={Object.values(words).filter(Boolean).join(' ')} /> ({id})
                  {user_id === null && ', the whole organization'}
                  {user_id && <>, bound to {user_id}</>}
                </List.Item>
              )),
            )}
          </List>
          <Group justify="flex-end">
            <Button variant="default" onClick={act.reset}>
              Cancel
            </Button>
            <Button variant="default" onClick={() => act.mutate(false)}>
              Keep them
            </Button>
            <Button color="red.9" onClick={() => act.mutate(true)}>
              Revoke and delete them
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

/** `code_hosts` is a Code host. */
function wordOf(kind: string): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1).replace('_', ' ').replace(/s$/, '');
}
