import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { membersQuery } from '../../data/queries.ts';
import { useChoice } from '../../data/use-range.ts';
import { Dialog } from '../../parts/form/dialog.tsx';
import { TextField } from '../../parts/form/fields.tsx';
import { optionsOf, SearchSelect } from '../../parts/form/search-select.tsx';
import { Load } from '../../parts/page/load.tsx';
import { type Column, Rows } from '../../parts/page/rows.tsx';
import { Invitation } from '../../parts/people/invitation.tsx';
import { type Member, MemberForm } from '../../parts/people/member-form.tsx';
import { Several } from '../../parts/text/filter-link.tsx';
import { Name } from '../../parts/text/name.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { State } from '../../parts/text/state.tsx';
import { shownName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { counted } from '../../words/sentence.ts';

function stateOf({ linked, declined }: Member): string {
  if (linked) return 'joined';
  return declined ? 'declined' : 'invited';
}

/** As people look for each other. */
function byName(a: Member, b: Member): number {
  return shownName(a).localeCompare(shownName(b));
}

const CONNECTED = { no: 'No call yet', yes: 'With calls' };

/** The members, who can be searched, and the invitation of more. */
export function MembersTab() {
  const members = useQuery(membersQuery());
  const [edited, setEdited] = useState<Member | null>(null);
  const [searched, setSearched] = useState('');
  const connected = useChoice('connected', CONNECTED);
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">
          Invited people are asked to join when they sign in here with their verified address.
        </Text>
        <Dialog
          name="invite"
          label="Invite"
          variant="filled"
          title="Invite people"
          size="lg"
          closeOnClickOutside={false}
        >
          {(close) => <Invitation onDone={close} />}
        </Dialog>
      </Group>
      <Group gap="sm">
        <TextField
          aria-label="Search members"
          placeholder="Name, e-mail, team or id"
          type="search"
          w={260}
          value={searched}
          onChange={setSearched}
        />
        <SearchSelect name="connected" aria-label="Calls" none="Everybody" data={optionsOf(CONNECTED)} />
      </Group>
      <Load query={members} height={240}>
        {({ data }) => (
          <Found
            of={data.filter((member) => isSearched(member, searched) && isChosen(member, connected))}
            all={data.length}
            onEdit={setEdited}
          />
        )}
      </Load>
      <Modal opened={edited !== null} onClose={() => setEdited(null)} title="Edit a member">
        {edited && <MemberForm member={edited} onDone={() => setEdited(null)} />}
      </Modal>
    </Stack>
  );
}

function isSearched(member: Member, searched: string): boolean {
  const words = [shownName(member), member.email ?? '', member.user_id, ...member.teams];
  return words.some((word) => word.toLowerCase().includes(searched.trim().toLowerCase()));
}

function isChosen({ last_signal_at }: Member, connected: keyof typeof CONNECTED | undefined): boolean {
  return connected === undefined || (connected === 'yes') === (last_signal_at !== null);
}

function Found({
  of: members,
  all,
  onEdit,
}: {
  of: readonly Member[];
  all: number;
  onEdit: (member: Member) => void;
}) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {members.length === all
          ? counted(all, 'member', 'members')
          : `${members.length} of ${counted(all, 'member', 'members')}`}
      </Text>
      {members.length > 0 && (
        <Rows
          label="Members"
          rows={members.toSorted(byName)}
          columns={columns(onEdit)}
          keyOf={({ user_id }) => user_id}
        />
      )}
    </Stack>
  );
}

function columns(onEdit: (member: Member) => void): readonly Column<Member>[] {
  return [
    {
      label: 'Name',
      narrow: 'first',
      render: (member) => (
        <PageLink to="/" search={{ user_id: member.user_id }}>
          <Name of={shownName(member)} />
        </PageLink>
      ),
    },
    { label: 'State', isShort: true, narrow: 'first', render: (member) => <State of={stateOf(member)} /> },
    { label: 'E-mail', narrow: 'third', isNameless: true, render: ({ email }) => <Name of={email ?? ''} /> },
    { label: 'Role', isShort: true, isNameless: true, render: ({ role }) => role },
    { label: 'Teams', narrow: 'third', render: ({ teams }) => <Several by="team" of={teams} none="none" /> },
    {
      label: 'Last call',
      isShort: true,
      render: ({ last_signal_at }) => <When at={last_signal_at} relative />,
    },
    { label: 'User id', narrow: 'hidden', render: ({ user_id }) => <Name of={user_id} /> },
    {
      label: '',
      render: (member) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onEdit(member)}
          aria-label={`Edit ${shownName(member)}`}
        >
          Edit
        </Button>
      ),
    },
  ];
}
