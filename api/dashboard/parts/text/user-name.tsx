import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Me } from '../../../../shared/identity/me.ts';
import { membersQuery } from '../../data/queries.ts';
import { useMe } from '../../data/use-me.ts';

/** Names by user id, as far as the person may know them: an admin everybody's, a member the own. */
export function useNames(): ReadonlyMap<string, string> {
  const me = useMe();
  const members = useQuery({ ...membersQuery(), enabled: me.role === 'admin', staleTime: 300_000 });
  const named = (members.data?.data ?? []).flatMap(({ user_id, name, email }) => {
    const shown = name ?? email;
    return shown === null ? [] : [[user_id, shown] as const];
  });
  const own = me.name ?? me.email;
  return new Map(own === null ? named : [...named, [me.user_id, own] as const]);
}

/** The members to choose from, for an admin; undefined until they are known. */
export function useMemberChoice(isWanted = true): { value: string; label: string }[] | undefined {
  const members = useQuery({ ...membersQuery(), enabled: isWanted });
  return members.data?.data.map((member) => ({ value: member.user_id, label: shownName(member) }));
}

/** What people call somebody. */
export function shownName({ name, email, user_id }: Pick<Me, 'name' | 'email' | 'user_id'>): string {
  return name ?? email ?? user_id;
}

/** A user by name where it is known, else by id; the id on hover and focus. */
export function UserName({ id }: { id: string }) {
  const name = useNames().get(id);
  if (name === undefined) return <bdi>{id}</bdi>;
  return (
    <Tooltip label={id}>
      <bdi>{name}</bdi>
    </Tooltip>
  );
}
