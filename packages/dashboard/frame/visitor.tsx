import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Visitor, VisitorReason } from '../../../shared/core/accounts/identity/me.ts';
import { answerInvitation } from '../data/client.ts';
import { useSignOut } from '../data/use-act.ts';
import { ActButton } from '../parts/form/act-button.tsx';
import { ProblemNote } from '../parts/page/problem-note.tsx';
import { Plain } from './plain.tsx';

const REASONS: Record<VisitorReason, string> = {
  unverified: 'Your identity provider has not verified this e-mail address, so nobody can be found by it.',
  unknown: 'No organization here has invited this e-mail address, or the invitation was turned down.',
  invited: '',
};

/** For a person who has signed in and belongs to no organization: the invitations to answer, or why there is none. */
export function VisitorPage({ visitor }: { visitor: Visitor }) {
  const leave = useSignOut();
  return (
    <Plain>
      <Stack>
        {visitor.invitations.length > 0 ? <Invitations visitor={visitor} /> : <Refusal visitor={visitor} />}
        <ActButton act={leave}>Sign out</ActButton>
      </Stack>
    </Plain>
  );
}

/** One invitation asks; several let the person choose. */
function Invitations({ visitor: { email, invitations } }: { visitor: Visitor }) {
  const isOne = invitations.length === 1;
  return (
    <>
      {isOne ? null : <Title order={1}>Which organization do you join?</Title>}
      <Text>
        You have signed in as {email}. Once you have joined, admins see your usage there.
        {isOne ? '' : ' You can belong to one organization. Join only one that you know.'}
      </Text>
      {invitations.map((invitation) => (
        <Invitation key={invitation.id} invitation={invitation} level={isOne ? 1 : 2} />
      ))}
    </>
  );
}

function Invitation({
  invitation: { id, organization, role, invited_by },
  level,
}: {
  invitation: Visitor['invitations'][number];
  level: 1 | 2;
}) {
  const client = useQueryClient();
  const answer = useMutation({
    mutationFn: (accept: boolean) => answerInvitation({ invitation: id, accept }),
    onSettled: () => client.invalidateQueries({ queryKey: ['me'] }),
  });
  return (
    <Stack gap="xs">
      <Title order={level}>
        Join {organization} as {role}?
      </Title>
      <Text>Invited by {invited_by}.</Text>
      <Group>
        <Button onClick={() => answer.mutate(true)} loading={answer.isPending}>
          Join
        </Button>
        <Button variant="default" onClick={() => answer.mutate(false)} disabled={answer.isPending}>
          No, do not join
        </Button>
      </Group>
      <ProblemNote error={answer.error} />
    </Stack>
  );
}

function Refusal({ visitor: { email, reason, contact } }: { visitor: Visitor }) {
  return (
    <>
      <Title order={1}>You do not belong to an organization yet</Title>
      <Text>You have signed in as {email ?? 'somebody without an e-mail address'}.</Text>
      <Text>{REASONS[reason]}</Text>
      <Text>
        Ask the admin of your organization, who adds your e-mail address in Settings
        {contact ? `, or ask ${contact}` : ''}. Then sign out here and sign in again.
      </Text>
    </>
  );
}
