import { Button, Group, Modal, Stack, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { membersQuery, organizationQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { MadeChoice, withoutMade } from '../../parts/access/made-choice.tsx';
import { ActButton } from '../../parts/form/act-button.tsx';
import { ActForm, changesOf, useDraft } from '../../parts/form/act-form.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Choice, TextField } from '../../parts/form/fields.tsx';
import { Load } from '../../parts/page/load.tsx';
import { type Column, Rows } from '../../parts/page/rows.tsx';
import { State } from '../../parts/text/state.tsx';
import { shownName } from '../../parts/text/user-name.tsx';

type Member = AnswerOf<'/v1/members'>['data'][number];

function stateOf({ linked, declined }: Member): string {
  if (linked) return 'joined';
  return declined ? 'declined' : 'invited';
}

/** As people look for each other. */
function byName(a: Member, b: Member): number {
  return shownName(a).localeCompare(shownName(b));
}

export function MembersTab() {
  const members = useQuery(membersQuery());
  const [edited, setEdited] = useState<Member | null>(null);
  const columns: readonly Column<Member>[] = [
    { label: 'Name', narrow: 'first', render: shownName },
    { label: 'State', isShort: true, narrow: 'first', render: (member) => <State of={stateOf(member)} /> },
    { label: 'E-mail', narrow: 'hidden', render: ({ email }) => email },
    { label: 'Role', isShort: true, render: ({ role }) => role },
    { label: 'Teams', render: ({ teams }) => teams.join(', ') || 'none' },
    { label: 'User id', narrow: 'hidden', render: ({ user_id }) => user_id },
    {
      label: '',
      render: (member) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => setEdited(member)}
          aria-label={`Edit ${shownName(member)}`}
        >
          Edit
        </Button>
      ),
    },
  ];
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">
          No mail is sent: tell people to sign in here. Invited people are asked to join when they sign in
          with their verified address.
        </Text>
        <Dialog label="Invite" variant="filled" title="Invite a member">
          {(close) => <MemberForm onDone={close} />}
        </Dialog>
      </Group>
      <Load query={members} height={240}>
        {({ data }) => (
          <Rows
            label="Members"
            rows={data.toSorted(byName)}
            columns={columns}
            keyOf={({ user_id }) => user_id}
          />
        )}
      </Load>
      <Modal opened={edited !== null} onClose={() => setEdited(null)} title="Edit a member">
        {edited && <MemberForm member={edited} onDone={() => setEdited(null)} />}
      </Modal>
    </Stack>
  );
}

type Draft = { email: string; name: string } & Pick<Member, 'role' | 'teams'>;

const ROLES = { member: 'member', admin: 'admin' };
const NEW: Draft = { email: '', name: '', role: 'member', teams: [] };

function draftOf({ email, name, role, teams }: Member): Draft {
  return { email: email ?? '', name: name ?? '', role, teams };
}

function MemberForm({ member, onDone }: { member?: Member; onDone: () => void }) {
  const organization = useQuery(organizationQuery());
  const before = member ? draftOf(member) : NEW;
  const { draft, field } = useDraft(before);
  const { email, name, role, teams } = draft;
  // An invitation that was turned down is renewed by its e-mail.
  const changes = { ...changesOf(before, draft), ...(member?.declined ? { email } : {}) };
  const save = useAct(
    async (revokeMade: boolean | undefined) => {
      const named = name === '' ? {} : { name };
      if (!member) return take(api.POST('/v1/members', { body: { email, role, teams, ...named } }));
      const path = { user_id: member.user_id };
      const params = { path, query: madeQuery(revokeMade) };
      return take(api.PATCH('/v1/members/{user_id}', { params, body: changes }));
    },
    {
      changes: ['members', 'organization', 'me', 'keys', 'webhooks'],
      done: member ? 'Saved.' : 'Invited.',
      onDone,
    },
  );
  return (
    <ActForm
      act={withoutMade(save)}
      submit={member ? 'Save' : 'Invite'}
      isReady={!member || Object.keys(changes).length > 0}
      aside={member && <RemoveButton member={member} onDone={onDone} />}
    >
      <TextField label="E-mail" type="email" required data-autofocus {...field('email')} />
      {member?.declined && <Text size="sm">The invitation was turned down. Saving renews it.</Text>}
      <TextField label="Name" required={before.name !== ''} maxLength={256} {...field('name')} />
      <Choice label="Role" of={ROLES} {...field('role')} />
      <TagsInput label="Teams" data={organization.data?.teams ?? []} {...field('teams')} />
      <MadeChoice act={save} name={member ? shownName(member) : ''} />
    </ActForm>
  );
}

function madeQuery(revokeMade: boolean | undefined): { revoke_made?: 'true' | 'false' } {
  return revokeMade === undefined ? {} : { revoke_made: revokeMade ? 'true' : 'false' };
}

function RemoveButton({ member, onDone }: { member: Member; onDone: () => void }) {
  const path = { user_id: member.user_id };
  const remove = useAct(
    (revokeMade: boolean | undefined) =>
      take(api.DELETE('/v1/members/{user_id}', { params: { path, query: madeQuery(revokeMade) } })),
    { changes: ['members', 'keys', 'webhooks'], done: 'The member is removed.', onDone },
  );
  return (
    <Stack gap="sm">
      <ActButton
        act={withoutMade(remove)}
        question={{
          title: `Remove ${shownName(member)}?`,
          text: 'Erases name, e-mail and identity, and revokes the devices and the keys that are bound to this person. Recorded usage stays.',
          yes: 'Remove',
        }}
      >
        Remove
      </ActButton>
      <MadeChoice act={remove} name={shownName(member)} />
    </Stack>
  );
}
