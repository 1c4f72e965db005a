import { Paper, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { organizationQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { ActForm, changesOf, useDraft } from '../../parts/form/act-form.tsx';
import { NumberField } from '../../parts/form/number-field.tsx';
import { TimezoneInput } from '../../parts/form/timezone-input.tsx';
import { Load } from '../../parts/page/load.tsx';
import { When } from '../../parts/text/when.tsx';

type Organization = AnswerOf<'/v1/organization'>;
type Draft = Pick<Organization, 'name' | 'timezone' | 'session_timeout' | 'k_anonymity' | 'admin_emails'>;

export function OrganizationTab() {
  const organization = useQuery({ ...organizationQuery(), refetchOnWindowFocus: false });
  return (
    <Load query={organization} height={300}>
      {(data) => <OrganizationForm organization={data} />}
    </Load>
  );
}

function OrganizationForm({ organization }: { organization: Organization }) {
  const { timezone, next_timezone } = organization;
  // As it was when the form was opened or saved, so that what others change meanwhile is no change of this one.
  const [before, setBefore] = useState(() => draftOf(organization));
  const [draft, set] = useDraft(before);
  const changes = changesOf(before, draft);
  const save = useAct(() => take(api.PATCH('/v1/organization', { body: changes })), {
    changes: ['organization', 'me'],
    done: 'The settings are saved.',
    onDone: (saved) => {
      setBefore(draftOf(saved));
      set(draftOf(saved));
    },
  });
  return (
    <Paper withBorder p="md" maw={640}>
      <ActForm act={save} submit="Save" isReady={Object.keys(changes).length > 0}>
        <TextInput
          label="Name"
          required
          maxLength={256}
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TimezoneInput
          description="An IANA name such as Europe/Berlin. A change holds from tomorrow; each budget keeps its own."
          value={draft.timezone}
          onChange={(chosen) => set({ timezone: chosen })}
        />
        {next_timezone && (
          <Text size="sm" c="dimmed">
            {timezone} now, {next_timezone.timezone} from <When at={next_timezone.from} />.
          </Text>
        )}
        <NumberField
          label="Session timeout"
          description="Seconds of silence that end a session: 60 to 86,400; 1,800 is half an hour"
          min={60}
          max={86_400}
          allowDecimal={false}
          value={draft.session_timeout}
          onChange={(session_timeout) => set({ session_timeout })}
        />
        <NumberField
          label="Smallest group in Analytics"
          description="What fewer people share is hidden there (k-anonymity); 5 or more"
          min={5}
          allowDecimal={false}
          value={draft.k_anonymity}
          onChange={(k_anonymity) => set({ k_anonymity })}
        />
        <TagsInput
          label="Admin e-mails"
          description="Who is told of a failing webhook"
          value={draft.admin_emails}
          onChange={(emails) => set({ admin_emails: emails })}
        />
        <Text size="sm" c="dimmed">
          Plan: {organization.plan} (the operator changes it). Id: {organization.id}
        </Text>
      </ActForm>
    </Paper>
  );
}

/** The timezone is the one that was chosen last, also while it does not hold yet. */
function draftOf({
  name,
  timezone,
  next_timezone,
  session_timeout,
  k_anonymity,
  admin_emails,
}: Organization): Draft {
  return {
    name,
    timezone: next_timezone?.timezone ?? timezone,
    session_timeout,
    k_anonymity,
    admin_emails,
  };
}
