import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Visitor, VisitorReason } from '../../../shared/identity/me.ts';
import { answerInvitation } from '../data/client.ts';
import { useSignOut } from '../data/use-sign-out.ts';
import { ActButton } from '../parts/act-button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Plain } from './plain.tsx';

const REASONS: Record<VisitorReason, string> = {
  unverified: 'Your identity provider has not verified this e-mail address, so nobody can be found by it.',
  unknown: 'No organization here has invited this e-mail address, or the invitation was turned down.',
  ambiguous: 'More than one organization has invited this e-mail address. One of them must withdraw it.',
  invited: '',
};

/** For whoever has signed in and belongs to no organization: an invitation to answer, or why there is none. */
export function VisitorPage({ visitor }: { visitor: Visitor }) {
  const leave = useSignOut();
  return (
    <Plain>
      <Stack>
        {visitor.invitation ? (
          <Invitation email={visitor.email} invitation={visitor.invitation} />
        ) : (
          <Refusal visitor={visitor} />
        )}
        <ActButton act={leave}>Sign out</ActButton>
      </Stack>
    </Plain>
  );
}

function Invitation({
  email,
  invitation: { organization, role, invited_by },
}: {
  email: string | null;
  invitation: NonNullable<Visitor['invitation']>;
}) {
  const client = useQueryClient();
  const answer = useMutation({
    mutationFn: answerInvitation,
    onSettled: () => client.invalidateQueries({ queryKey: ['me'] }),
  });
  return (
    <>
      <Title order={1}>
        Join {organization} as {role}?
      </Title>
      <Text>
        Invited by {invited_by}. You have signed in as {email}. Once you have joined, admins see your usage
        there.
      </Text>
      <Group>
        <Button onClick={() => answer.mutate(true)} loading={answer.isPending}>
          Join
        </Button>
        <Button variant="default" onClick={() => answer.mutate(false)} disabled={answer.isPending}>
          No, do not join
        </Button>
      </Group>
      <ProblemNote error={answer.error} />
    </>
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
