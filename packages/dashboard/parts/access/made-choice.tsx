import { Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { Problem } from '../../data/client.ts';
import { Name } from '../text/name.tsx';

/** The keys and webhooks that `revoke_made_needed` lists. */
interface Made {
  keys: { id: string; name: string; user_id: string | null }[];
  webhooks: { id: string; url: string }[];
}

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

/** Asks what becomes of the keys and webhooks that a person made, where the service asks for it. */
export function MadeChoice({ act, name }: { act: Act; name: string }) {
  const made = madeOf(act);
  return (
    <Modal opened={made !== null} onClose={act.reset} title={`${name} made these`} size="lg">
      {made && (
        <Stack>
          <Text size="sm">
            They go on without {name}, who may still know the keys and receive at the URLs. To end some of
            them only, cancel, end those, and repeat this.
          </Text>
          <List size="sm" aria-label="Made by this person">
            {made.keys.map((key) => (
              <List.Item key={key.id}>
                Key <Name of={key.name} /> ({key.id}),{' '}
                {key.user_id === null ? 'the whole organization' : <>bound to {key.user_id}</>}
              </List.Item>
            ))}
            {made.webhooks.map(({ id, url }) => (
              <List.Item key={id} className="wrap">
                Webhook <Name of={url} />
              </List.Item>
            ))}
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
