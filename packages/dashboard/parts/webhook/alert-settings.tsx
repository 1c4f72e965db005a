import { SimpleGrid, Stack, Switch } from '@mantine/core';
import type { AnswerOf } from '../../data/client.ts';
import { Choice, TextField, TimezoneField } from '../form/fields.tsx';
import { type ChannelFilter, FilterFields } from './filter-fields.tsx';

type Webhook = AnswerOf<'/api/v1/webhooks/{id}'>;

/** The alert settings of a webhook as the form has them: percentages as they are typed. */
export interface AlertFields {
  alertAt: string;
  forecast: boolean;
  quietHours: Webhook['quiet_hours'];
  digest: Webhook['digest'];
  /** Only of a channel; null: it has none. */
  filter: ChannelFilter | null;
}

export const NO_ALERTS: AlertFields = {
  alertAt: '',
  forecast: false,
  quietHours: null,
  digest: 'none',
  filter: null,
};

const DIGESTS: Record<AlertFields['digest'], string> = {
  none: 'No: each message by itself',
  daily: 'Daily, at 8:00',
  weekly: 'Weekly, Mondays at 8:00',
};

/** The fields of a webhook's settings. */
export function fieldsOf({ alert_at, forecast, quiet_hours, digest, filter = null }: Webhook): AlertFields {
  return { alertAt: alert_at.join(', '), forecast, quietHours: quiet_hours, digest, filter };
}

/** The settings as they are sent. */
export function settingsOf({ alertAt, forecast, quietHours, digest, filter }: AlertFields) {
  const percents = alertAt.split(/[\s,;%]+/).filter((part) => part !== '');
  return { alert_at: percents.map(Number), forecast, quiet_hours: quietHours, digest, filter };
}

/** Percentages, forecast, quiet hours and digest of a webhook, and the filter of a channel. */
export function AlertSettings({
  value,
  onChange,
  isChannel,
}: {
  value: AlertFields;
  onChange: (fields: AlertFields) => void;
  isChannel: boolean;
}) {
  return (
    <Stack>
      {isChannel && (
        <FilterFields value={value.filter} onChange={(filter) => onChange({ ...value, filter })} />
      )}
      <TextField
        label="Alert at these percentages of any budget"
        description="Up to ten whole numbers, such as 50, 90, 120. Each is reported once per window."
        pattern="[\d\s,;%]*"
        title="Whole numbers with commas between them"
        value={value.alertAt}
        onChange={(alertAt) => onChange({ ...value, alertAt })}
      />
      <Switch
        label="Alert when a budget will be exceeded at the pace so far"
        checked={value.forecast}
        onChange={(event) => onChange({ ...value, forecast: event.currentTarget.checked })}
      />
      <QuietFields value={value.quietHours} onChange={(quietHours) => onChange({ ...value, quietHours })} />
      <Choice
        label="Digest"
        description="Exceeded budgets and used-up credits are reported at once all the same."
        of={DIGESTS}
        value={value.digest}
        onChange={(digest) => onChange({ ...value, digest })}
      />
    </Stack>
  );
}

type Quiet = NonNullable<AlertFields['quietHours']>;

function QuietFields({
  value,
  onChange,
}: {
  value: AlertFields['quietHours'];
  onChange: (quiet: AlertFields['quietHours']) => void;
}) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const night: Quiet = { from: '22:00', to: '07:00', timezone: here };
  return (
    <Stack gap="sm">
      <Switch
        label="Quiet hours"
        description="They delay everything but exceeded budgets and used-up credits."
        checked={value !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? night : null)}
      />
      {value && (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextField
            type="time"
            label="From"
            required
            value={value.from}
            onChange={(from) => onChange({ ...value, from })}
          />
          <TextField
            type="time"
            label="To"
            required
            value={value.to}
            onChange={(to) => onChange({ ...value, to })}
          />
          <TimezoneField value={value.timezone} onChange={(timezone) => onChange({ ...value, timezone })} />
        </SimpleGrid>
      )}
    </Stack>
  );
}
