import { Group, Modal, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { keysQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { ActButton } from '../form/act-button.tsx';
import { ShownOnce } from '../form/copyable.tsx';
import { PagedRows, usePages } from '../page/pager.tsx';
import { type Column, useIsNarrow } from '../page/rows.tsx';
import { Name } from '../text/name.tsx';
import { State } from '../text/state.tsx';
import { Maker, UserName } from '../text/user-name.tsx';
import { When } from '../time/when.tsx';
import { endOfRotated, GRACE_S } from './grace.ts';

export type Key = AnswerOf<'/v1/keys'>['data'][number];

function stateOf({ revoked_at, expires_at }: Key): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at * 1_000 <= Date.now() ? 'expired' : 'active';
}

/** A key that was made by a rotation, and when the old one ends, in Unix seconds. */
interface Rotated {
  key: string;
  oldEndS: number;
}

/** Keys and their actions; of one user if one is named. */
export function KeyTable({ userId }: { userId?: string }) {
  const asked = userId === undefined ? {} : { user_id: userId };
  const pages = usePages(`keys ${userId ?? ''}`, (cursor) => keysQuery({ ...asked, ...cursor }));
  const [rotated, setRotated] = useState<Rotated | null>(null);
  return (
    <>
      <PagedRows
        pages={pages}
        label="Keys"
        columns={columns({ withUser: userId === undefined, isNarrow: useIsNarrow(), onRotated: setRotated })}
        keyOf={({ id }) => id}
        empty={<Text c="dimmed">No key yet.</Text>}
      />
      <Modal
        opened={rotated !== null}
        onClose={() => setRotated(null)}
        title="The new key"
        size="lg"
        closeOnClickOutside={false}
      >
        <ShownOnce
          words={
            <>
              It is shown this once. The old one works until <When at={rotated?.oldEndS ?? null} />.
            </>
          }
          label="Key"
          value={rotated?.key ?? ''}
          onDone={() => setRotated(null)}
        />
      </Modal>
    </>
  );
}

/** A line ends between two of them, and never within one. */
function Scopes({ of }: { of: Key['scopes'] }) {
  return of.map((scope, at) => (
    <Fragment key={scope}>
      {at > 0 && ' '}
      <span className="short">{at < of.length - 1 ? `${scope},` : scope}</span>
    </Fragment>
  ));
}

function columns({
  withUser,
  isNarrow,
  onRotated,
}: {
  withUser: boolean;
  isNarrow: boolean;
  onRotated: (rotated: Rotated) => void;
}): readonly Column<Key>[] {
  return [
    { label: 'Name', narrow: 'first', share: 20, render: ({ name }) => <Name of={name} /> },
    { label: 'State', isShort: true, narrow: 'first', render: (key) => <State of={stateOf(key)} /> },
    ...(withUser
      ? [
          {
            label: 'User',
            narrow: 'first' as const,
            render: ({ user_id }: Key) => (user_id ? <UserName id={user_id} /> : 'any user'),
          },
          { label: 'Made by', narrow: 'hidden' as const, render: (key: Key) => <Maker of={key} /> },
        ]
      : []),
    { label: 'Scopes', narrow: 'third', render: ({ scopes }) => <Scopes of={scopes} /> },
    { label: 'Created', narrow: 'hidden', render: ({ created_at }) => <When at={created_at} /> },
    {
      label: 'Last used',
      isShort: true,
      render: ({ last_used_at }) => <When at={last_used_at} relative={isNarrow} precision="second" />,
    },
    {
      label: 'Expires',
      narrow: 'hidden',
      render: ({ expires_at }) => (expires_at ? <When at={expires_at} /> : 'never'),
    },
    {
      label: '',
      render: (key) => (stateOf(key) === 'active' ? <KeyActions apiKey={key} onRotated={onRotated} /> : null),
    },
  ];
}

function KeyActions({ apiKey, onRotated }: { apiKey: Key; onRotated: (rotated: Rotated) => void }) {
  const path = { id: apiKey.id };
  const rotate = useAct(
    () => take(api.POST('/v1/keys/{id}/rotate', { params: { path }, body: { grace_s: GRACE_S } })),
    {
      changes: ['keys'],
      onDone: ({ key }) => onRotated({ key, oldEndS: endOfRotated(apiKey, Date.now()) }),
    },
  );
  const revoke = useAct(() => take(api.DELETE('/v1/keys/{id}', { params: { path } })), {
    changes: ['keys'],
    done: 'The key is revoked.',
  });
  return (
    <Group gap="xs" wrap="nowrap">
      <ActButton act={rotate} size="compact-sm" aria-label={`Rotate ${apiKey.name}`}>
        Rotate
      </ActButton>
      <ActButton
        act={revoke}
        question={{
          title: `Revoke the key ${apiKey.name}?`,
          text: 'Everything that uses it is refused from its next request on.',
          yes: 'Revoke',
        }}
        size="compact-sm"
        aria-label={`Revoke ${apiKey.name}`}
      >
        Revoke
      </ActButton>
    </Group>
  );
}
