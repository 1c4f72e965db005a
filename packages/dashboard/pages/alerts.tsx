import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { webhooksQuery } from '../data/queries.ts';
import { useDialog } from '../data/use-dialog.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { Page } from '../parts/page/page.tsx';
import { Empty, Section } from '../parts/page/section.tsx';
import { ChannelCreation } from '../parts/webhook/creation.tsx';
import { WebhookTable } from '../parts/webhook/table.tsx';
import { isChannel } from '../parts/webhook/words.ts';
import { SectionsOfWings } from '../wings/sections.tsx';

/** Messages to people: the organization's chats and mailboxes, and the person's own digest. */
export function Alerts() {
  const isAdmin = useIsAdmin();
  const [isOpen, { open, close }] = useDialog('channel');
  const add = <Button onClick={open}>Add a channel</Button>;
  const webhooks = useQuery({ ...webhooksQuery(), enabled: isAdmin });
  // The list has the button itself while it is empty.
  const hasChannels = webhooks.data?.data.some(isChannel);
  return (
    <Page title="Alerts" lead="Messages to people. For programs, use webhooks." actions={hasChannels && add}>
      {isAdmin && (
        <>
          <Channels add={add} />
          <Modal opened={isOpen} onClose={close} title="Add a channel" size="lg" closeOnClickOutside={false}>
            <ChannelCreation onDone={close} />
          </Modal>
        </>
      )}
      <SectionsOfWings at="alerts" />
    </Page>
  );
}

function Channels({ add }: { add: React.ReactNode }) {
  const webhooks = useQuery(webhooksQuery());
  return (
    <Section title="Chats and mailboxes">
      <WebhookTable
        query={webhooks}
        kind="channel"
        empty={
          <Empty action={add}>
            No channel yet. A Slack channel, a Teams or Discord chat, a phone or a mailbox gets a message when
            a budget reaches 80 % or is exceeded, and when usage is unusual.
          </Empty>
        }
      />
    </Section>
  );
}
