import { Stack, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { organizationQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { MADE, MadeChoice, withoutMade } from '../access/made-choice.tsx';
import { ActButton } from '../form/act-button.tsx';
import { ActForm, changesOf, useDraft } from '../form/act-form.tsx';
import { Choice, TextField } from '../form/fields.tsx';
import { shownName } from '../text/user-name.tsx';
import { ROLES } from './roles.ts';

/** A member as the list answers it. */
export type Member = AnswerOf<'/v1/members'>['data'][number];

function draftOf({ email, name, role, teams }: Member) {
  return { email: email ?? '', name: name ?? '', role, teams };
}

/** Changes or removes a member. */
export function MemberForm({ member, onDone }: { member: Member; onDone: () => void }) {
  const organization = useQuery(organizationQuery());
  const before = draftOf(member);
  const { draft, field } = useDraft(before);
  // An invitation that was turned down is renewed by its e-mail.
  const changes = { ...changesOf(before, draft), ...(member.declined ? { email: draft.email } : {}) };
  const save = useAct(
    (revokeMade: boolean | undefined) => {
      const path = { user_id: member.user_id };
      const params = { path, query: madeQuery(revokeMade) };
      return take(api.PATCH('/v1/members/{user_id}', { params, body: changes }));
    },
    { changes: ['members', 'organization', 'me', ...MADE], done: 'Saved.', onDone },
  );
  return (
    <ActForm
      act={withoutMade(save)}
      submit="Save"
      isReady={Object.keys(changes).length > 0}
      onCancel={onDone}
      aside={<RemoveButton member={member} onDone={onDone} />}
    >
      <TextField label="E-mail" type="email" required data-autofocus {...field('email')} />
      {member.declined && <Text size="sm">The invitation was turned down. Saving renews it.</Text>}
      <TextField label="Name" required={before.name !== ''} maxLength={256} {...field('name')} />
      <Choice label="Role" of={ROLES} {...field('role')} />
      <TagsInput label="Teams" data={organization.data?.teams ?? []} {...field('teams')} />
      <MadeChoice act={save} name={shownName(member)} />
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
    { changes: ['members', ...MADE], done: 'The member is removed.', onDone },
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
