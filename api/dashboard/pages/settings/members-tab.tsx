import { Button, Group, Modal, NativeSelect, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { membersQuery, organizationQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { MadeChoice, withoutMade } from '../../parts/access/made-choice.tsx';
import { ActButton } from '../../parts/form/act-button.tsx';
import { ActForm, changesOf, useDraft } from '../../parts/form/act-form.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
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
          No mail is sent: tell people to sign in here. Who does so with an invited, verified address is asked
          to join.
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

const NEW: Draft = { email: '', name: '', role: 'member', teams: [] };

function draftOf({ email, name, role, teams }: Member): Draft {
  return { email: email ?? '', name: name ?? '', role, teams };
}

function MemberForm({ member, onDone }: { member?: Member; onDone: () => void }) {
  const organization = useQuery(organizationQuery());
  const before = member ? draftOf(member) : NEW;
  const [draft, change] = useDraft(before);
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
      <TextInput
        label="E-mail"
        type="email"
        required
        value={email}
        onChange={(event) => change({ email: event.currentTarget.value })}
        data-autofocus
      />
      {member?.declined && <Text size="sm">The invitation was turned down. Saving renews it.</Text>}
      <TextInput
        label="Name"
        required={before.name !== ''}
        maxLength={256}
        value={name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label="Role"
        value={role}
        onChange={(event) => change({ role: event.currentTarget.value as Draft['role'] })}
        data={['member', 'admin']}
      />
      <TagsInput
        label="Teams"
        value={teams}
        onChange={(chosen) => change({ teams: chosen })}
        data={organization.data?.teams ?? []}
      />
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
          text: 'Name, e-mail and identity are erased, devices and own keys are revoked. What was recorded stays.',
          yes: 'Remove',
        }}
      >
        Remove
      </ActButton>
      <MadeChoice act={remove} name={shownName(member)} />
    </Stack>
  );
}
