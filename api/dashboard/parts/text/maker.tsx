import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../../data/queries.ts';
import { useMe } from '../../data/use-me.ts';
import { UserName } from './user-name.tsx';

/** The maker of a key, and the user to whom it is bound. */
interface Made {
  made_by: { user_id: string | null; key_id: string | null };
  user_id: string | null;
}

/** The maker of a key. An admin also sees whether the person has left, or is no longer an admin. */
export function Maker({ of: { made_by, user_id: boundTo } }: { of: Made }) {
  const { role } = useMe();
  const members = useQuery({ ...membersQuery(), enabled: role === 'admin', staleTime: 300_000 });
  const { user_id, key_id } = made_by;
  if (user_id === null) return key_id === null ? 'an operator' : <bdi>{key_id}</bdi>;
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
