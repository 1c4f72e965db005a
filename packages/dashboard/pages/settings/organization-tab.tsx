import { Paper, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { organizationQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { ActForm, changesOf, useDraft } from '../../parts/form/act-form.tsx';
import { TextField, TimezoneField } from '../../parts/form/fields.tsx';
import { NumberField } from '../../parts/form/number-field.tsx';
import { Load } from '../../parts/page/load.tsx';
import { When } from '../../parts/time/when.tsx';
import { SectionsOfWings } from '../../wings/sections.tsx';
import { HashNames } from './hash-names.tsx';

type Organization = AnswerOf<'/v1/organization'>;
type Settings = Pick<
  Organization,
  'name' | 'timezone' | 'session_timeout' | 'k_anonymity' | 'admin_emails' | 'focus_close_day'
>;
/** The settings as people type them: the timeout in minutes. */
type Draft = Omit<Settings, 'session_timeout'> & { timeout_min: number };

const MINUTE_S = 60;

export function OrganizationTab() {
  const organization = useQuery({ ...organizationQuery(), refetchOnWindowFocus: false });
  return (
    <Load query={organization} height={300}>
      {(data) => (
        <>
          <OrganizationForm organization={data} />
          <SectionsOfWings at="settings" />
          <HashNames areHashed={data.hash_names} />
        </>
      )}
    </Load>
  );
}

function OrganizationForm({ organization }: { organization: Organization }) {
  const { timezone, next_timezone } = organization;
  // The settings when the form was opened or saved, so that changes of others are no changes of this form.
  const [before, setBefore] = useState(() => draftOf(organization));
  const { draft, set, field } = useDraft(before);
  const { timeout_min, ...others } = changesOf(before, draft);
  const changes: Partial<Settings> = {
    ...others,
    ...(timeout_min === undefined ? {} : { session_timeout: Math.round(timeout_min * MINUTE_S) }),
  };
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
        <TextField label="Name" required maxLength={256} {...field('name')} />
        <TimezoneField
          description="An IANA name such as Europe/Berlin. A change holds from tomorrow; each budget keeps its own."
          {...field('timezone')}
        />
        {next_timezone && (
          <Text size="sm" c="dimmed">
            {timezone} now, {next_timezone.timezone} from <When at={next_timezone.from} />.
          </Text>
        )}
        <NumberField
          label="Session timeout"
          description="Minutes of silence that end a session: 1 to 1,440; 30 is half an hour"
          suffix=" min"
          min={1}
          max={1_440}
          decimalScale={2}
          {...field('timeout_min')}
        />
        <NumberField
          label="Smallest group in Analytics"
          description="Values shared by fewer people are hidden there (k-anonymity); 5 or more"
          min={5}
          allowDecimal={false}
          {...field('k_anonymity')}
        />
        <NumberField
          label="Months of exported costs close on day"
          description="Of the next month, 1 to 28. From then on their FOCUS files are final, and what changes later is a correction"
          min={1}
          max={28}
          allowDecimal={false}
          {...field('focus_close_day')}
        />
        <TagsInput
          label="Admin e-mails"
          description="Addresses that get a mail when a webhook is failing"
          {...field('admin_emails')}
        />
        <Text size="sm" c="dimmed">
          Plan: {organization.plan} (the operator changes it). Id: {organization.id}
        </Text>
      </ActForm>
    </Paper>
  );
}

/** The settings as a draft. Its timezone is the one that was chosen last, even if it is not in force yet. */
function draftOf({
  name,
  timezone,
  next_timezone,
  session_timeout,
  k_anonymity,
  admin_emails,
  focus_close_day,
}: Organization): Draft {
  return {
    name,
    timezone: next_timezone?.timezone ?? timezone,
    timeout_min: session_timeout / MINUTE_S,
    k_anonymity,
    admin_emails,
    focus_close_day,
  };
}
