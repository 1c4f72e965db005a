import { Button, Checkbox, Group, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import { organizationQuery } from '../../data/queries.ts';
import { useAct, useIdempotencyKey } from '../../data/use-act.ts';
import { ActForm, useDraft } from '../form/act-form.tsx';
import { Copyable } from '../form/copyable.tsx';
import { Choice } from '../form/fields.tsx';
import { type Column, Rows } from '../page/rows.tsx';
import { Name } from '../text/name.tsx';
import { Outcome } from '../text/outcome.tsx';
import { ADDRESSES, addressesOf } from './addresses.ts';
import { ROLES } from './roles.ts';

interface Draft {
  pasted: string;
  role: keyof typeof ROLES;
  teams: string[];
  mail: boolean;
}

type Body = Omit<Draft, 'pasted'> & { emails: string[] };

function invitePeople(body: Body, headers: { 'Idempotency-Key': string }) {
  return take(api.POST('/v1/invitations', { headers, body }));
}

type Invited = Awaited<ReturnType<typeof invitePeople>>;
type Result = Invited['results'][number];

const NEW: Draft = { pasted: '', role: 'member', teams: [], mail: true };

/** Invites the people of a pasted list, and shows what became of each address. */
export function Invitation({ onDone }: { onDone: () => void }) {
  const organization = useQuery(organizationQuery());
  const { draft, set, field } = useDraft(NEW);
  const emails = addressesOf(draft.pasted);
  const { pasted: _, ...choices } = draft;
  const body = { ...choices, emails };
  const headers = useIdempotencyKey(body);
  const invite = useAct(() => invitePeople(body, headers), { changes: ['members', 'organization'] });
  if (invite.data) return <Results of={invite.data} onDone={onDone} />;
  return (
    <ActForm
      act={invite}
      submit={emails.length > 1 ? `Invite ${emails.length}` : 'Invite'}
      isReady={emails.length > 0 && emails.length <= ADDRESSES}
      onCancel={onDone}
    >
      <Textarea
        label="E-mail addresses"
        description="One or many: paste a list, a column, or the people of a mail."
        required
        data-autofocus
        autosize
        minRows={3}
        maxRows={10}
        value={draft.pasted}
        onChange={(event) => set({ pasted: event.currentTarget.value })}
        error={emails.length > ADDRESSES && `These are ${emails.length}. Invite ${ADDRESSES} at a time.`}
      />
      <Choice label="Role" of={ROLES} {...field('role')} />
      <TagsInput label="Teams" data={organization.data?.teams ?? []} {...field('teams')} />
      <Checkbox
        label="Send each of them a mail with the link"
        checked={draft.mail}
        onChange={(event) => set({ mail: event.currentTarget.checked })}
      />
    </ActForm>
  );
}

const OUTCOMES: Record<Result['status'], string> = {
  invited: 'invited',
  renewed: 'invited again',
  member: 'has joined already',
  invalid: 'is no e-mail address',
};

const COLUMNS: readonly Column<Result>[] = [
  { label: 'Address', narrow: 'first', isHeading: true, render: ({ email }) => <Name of={email} /> },
  {
    label: 'Outcome',
    isShort: true,
    isNameless: true,
    render: ({ status }) => <Outcome isGood={status !== 'invalid'}>{OUTCOMES[status]}</Outcome>,
  },
  { label: 'Mail', isShort: true, render: ({ mailed }) => (mailed ? 'on its way' : 'none') },
];

function Results({ of: { results, link }, onDone }: { of: Invited; onDone: () => void }) {
  const isInvited = ({ status }: Result) => status === 'invited' || status === 'renewed';
  const invited = results.filter(isInvited);
  const mailed = results.filter((result) => result.mailed);
  const wrong = results.filter(({ status }) => status === 'invalid');
  return (
    <Stack>
      <Text role="status" fw={600}>
        {invited.length} of {results.length} {results.length === 1 ? 'address' : 'addresses'} invited
        {wrong.length > 0 && `, ${wrong.length} wrong`}.
      </Text>
      <Rows label="Outcomes" rows={results} columns={COLUMNS} keyOf={({ email }) => email} />
      {mailed.length < invited.length && (
        <Text size="sm">
          {mailed.length === 0 ? 'No mail is sent' : 'Not everybody gets a mail'}: give people this link. It
          is the same for all, and the verified address decides.
        </Text>
      )}
      <Copyable value={link} label="The link to join" />
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}
