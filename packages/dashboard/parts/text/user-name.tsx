import { Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import type { Me } from '../../../../shared/core/accounts/identity/me.ts';
import { keysQuery, membersQuery } from '../../data/queries.ts';
import { useMe } from '../../data/use-me.ts';
import { useRangeSearch } from '../../data/use-range.ts';
import { InLink } from './in-link.ts';
import { Name } from './name.tsx';
import { PageLink } from './page-link.tsx';
import { plainName } from './plain-name.ts';

/** Names by user id, as far as the person may know them: an admin knows everybody's, a member only their own. */
export function useNames(): ReadonlyMap<string, string> {
  const me = useMe();
  const members = useQuery({ ...membersQuery(), enabled: me.role === 'admin', staleTime: 300_000 });
  const named = (members.data?.data ?? []).flatMap(({ user_id, name, email }) => {
    const shown = name ?? email;
    return shown === null ? [] : [[user_id, plainName(shown)] as const];
  });
  const own = me.name ?? me.email;
  return new Map(own === null ? named : [...named, [me.user_id, plainName(own)] as const]);
}

/** The members to choose from by user id, for an admin; undefined until they are known. */
export function useMemberChoice(isWanted = true): Readonly<Record<string, string>> | undefined {
  const members = useQuery({ ...membersQuery(), enabled: isWanted });
  return members.data && Object.fromEntries(members.data.data.map((each) => [each.user_id, shownName(each)]));
}

/** The name by which people know somebody. */
export function shownName({ name, email, user_id }: Pick<Me, 'name' | 'email' | 'user_id'>): string {
  return plainName(name ?? email ?? user_id);
}

/**
 * A user by name where it is known, else by id; the id on hover and focus. It leads to the person's page where the reader may open
 * that: an admin everybody's, a member the own one. Inside a link it is text.
 */
export function UserName({ id }: { id: string }) {
  const name = useNames().get(id);
  const me = useMe();
  const isInLink = useContext(InLink);
  const search = { ...useRangeSearch(), user_id: id };
  const shown =
    name === undefined ? (
      <Name of={id} />
    ) : (
      <Tooltip label={id}>
        <span>
          <Name of={name} />
        </span>
      </Tooltip>
    );
  if (isInLink || (me.role !== 'admin' && me.user_id !== id)) return shown;
  return (
    <PageLink to="/" search={search} inherit>
      {shown}
    </PageLink>
  );
}

/** A thing that has a maker. */
interface Made {
  made_by: { user_id: string | null; key_id: string | null };
  /** The user to whom a key is bound. */
  user_id?: string | null;
}

/** A key by its name, with a link to the keys; by its id where it is not one of the newest hundred. */
function KeyName({ id }: { id: string }) {
  const { role } = useMe();
  const keys = useQuery({ ...keysQuery({ limit: 100 }), enabled: role === 'admin', staleTime: 300_000 });
  if (role !== 'admin') return <Name of={id} />;
  const name = keys.data?.data.find((key) => key.id === id)?.name ?? id;
  return (
    <>
      the key{' '}
      <PageLink to="/settings" search={{ tab: 'keys' }} inherit title={id}>
        <Name of={name} />
      </PageLink>
    </>
  );
}

/** The maker of a key, a webhook or a thing like them. An admin also sees whether the person has left, or is no longer an admin. */
export function Maker({ of: { made_by, user_id: boundTo } }: { of: Made }) {
  const { role } = useMe();
  const members = useQuery({ ...membersQuery(), enabled: role === 'admin', staleTime: 300_000 });
  const { user_id, key_id } = made_by;
  if (user_id === null) return key_id === null ? 'an operator' : <KeyName id={key_id} />;
  const member = members.data?.data.find((each) => each.user_id === user_id);
  const hasLeft = members.data !== undefined && member === undefined;
  const isFormerAdmin = member?.role === 'member' && boundTo !== user_id;
  return (
    <>
      <UserName id={user_id} />
      {(hasLeft || isFormerAdmin) && (
        <Text span size="sm" c="red.9" fw={600}>
          {hasLeft ? ', has left' : ', no longer an admin'}
        </Text>
      )}
    </>
  );
}
