import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { preferencesQuery } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { useMe } from '../../data/use-me.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { Choice } from '../../parts/form/fields.tsx';
import { Load } from '../../parts/page/load.tsx';
import { ProblemNote } from '../../parts/page/problem-note.tsx';
import { Section } from '../../parts/page/section.tsx';
import { Outcome } from '../../parts/text/outcome.tsx';

type Chosen = AnswerOf<'/v1/preferences'>['digest'];

const CHOICES: Record<Chosen, string> = {
  none: 'No digest',
  daily: 'Every day at 8:00',
  weekly: 'On Mondays at 8:00',
};

/** The person's own digest by mail: how often, and one at once. */
export function OwnDigest() {
  const preferences = useQuery(preferencesQuery());
  return (
    <Section title="Mail to me">
      <Load query={preferences} height={120}>
        {({ digest }) => <DigestChoice digest={digest} />}
      </Load>
    </Section>
  );
}

function DigestChoice({ digest }: { digest: Chosen }) {
  const { email, role, org, sends_mail } = useMe();
  const change = useAct((next: Chosen) => take(api.PATCH('/v1/preferences', { body: { digest: next } })), {
    changes: ['preferences'],
    done: 'Saved.',
  });
  const send = useAct(() => take(api.POST('/v1/preferences/digest')), { changes: [] });
  const shown = change.isPending ? change.variables : digest;
  const more =
    role === 'admin' ? ', then the same of the organization, calls that are held and webhooks that fail' : '';
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" className="wrap">
        A mail to <bdi>{email ?? 'your address'}</bdi> with your cost against the period before, your three
        most expensive sessions, your budgets from 80&nbsp;% and what was unusual{more}. Times are in{' '}
        {org.timezone}.
      </Text>
      <Group gap="sm" align="flex-end">
        <Choice
          label="Digest"
          of={CHOICES}
          value={shown}
          disabled={!sends_mail}
          onChange={(next) => change.mutate(next)}
        />
        <ActButton act={send} disabled={!sends_mail}>
          Send one now
        </ActButton>
      </Group>
      {!sends_mail && <Text size="sm">This service sends no mail: its operator has not set SMTP_URL.</Text>}
      <ProblemNote error={change.error} />
      <div role="status">
        {send.isSuccess && <Outcome isGood>A digest is on its way to {email ?? 'you'}.</Outcome>}
      </div>
    </Stack>
  );
}
