import { Button } from '@mantine/core';
import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, useMemo, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { pages } from '../pages.ts';
import { headingAction, ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageLink } from '../ui/links.tsx';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { useOpened } from '../ui/opened.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { compactWebhook, webhookColumns } from './columns.tsx';
import type { Revealed } from './RevealSecret.tsx';
import { webhookSearch } from './webhook-search.ts';
import type { RowAction } from './webhooks.ts';
import { webhookPage } from './webhooks.ts';

/** Empty state: explains endpoints and leads to a receiver. */
const NoWebhooks = ({ action }: { action: ReactNode }) => (
  <EmptyState icon={<IconWebhook size={24} />} title="No webhook endpoints" action={action}>
    Add a URL to learn what happens to your codes without asking. Every message is signed, and the{' '}
    <PageLink to="/docs" hash="webhooks">
      sample receiver
    </PageLink>{' '}
    checks the signature.
  </EmptyState>
);

const Deliveries = lazy(async () => ({ default: (await import('./Deliveries.tsx')).Deliveries }));
const DeleteWebhook = lazy(async () => ({ default: (await import('./row-dialogs.tsx')).DeleteWebhook }));
const RotateSecret = lazy(async () => ({ default: (await import('./row-dialogs.tsx')).RotateSecret }));
const RevealSecret = lazy(async () => ({ default: (await import('./RevealSecret.tsx')).RevealSecret }));
const CreateWebhook = lazy(async () => ({ default: (await import('./WebhookForm.tsx')).CreateWebhook }));
const EditWebhook = lazy(async () => ({ default: (await import('./WebhookForm.tsx')).EditWebhook }));

/** Lists, creates and edits webhook endpoints. */
export function Webhooks() {
  const list = useList(webhookSearch);
  const query = useQuery(webhookPage(list.search));
  const dialog = useOpened('dialog');
  const log = useOpened('attempts');
  // Keep the endpoint during the dialog's closing transition.
  const [chosen, setChosen] = useState<Webhook>();
  const [open, setOpen] = useState<RowAction | 'secret'>();
  const [revealed, setRevealed] = useState<Revealed>();
  const close = (): void => setOpen(undefined);
  const reveal = (secret: Revealed): void => {
    setRevealed(secret);
    setOpen('secret');
  };
  const openLog = log.open;
  const { columns, compact } = useMemo(() => {
    const choose = (action: RowAction, webhook: Webhook): void => {
      if (action === 'attempts') openLog(webhook.id);
      else {
        setChosen(webhook);
        setOpen(action);
      }
    };
    return { columns: webhookColumns(choose), compact: compactWebhook(choose) };
  }, [openLog]);

  const may = useMay();
  const addButton = may('createWebhook') ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => dialog.open('create')}>
      Add Webhook
    </Button>
  ) : null;
  const row = { webhook: chosen, onClose: close };

  return (
    <>
      <PageHeading title={pages.webhooks.title} actions={headingAction(list, query, addButton)}>
        We call your endpoints when a code is sent, delivered or verified, fails or expires.
      </PageHeading>
      <ListScreen
        label="Webhooks"
        noun="webhook(s)"
        usualRows={3}
        times="none"
        placeholder="Search webhooks..."
        list={list}
        query={query}
        columns={columns}
        columnsWidth={760}
        compact={compact}
        rowId={(webhook) => webhook.id}
        onOpen={(webhook) => log.open(webhook.id)}
        failureTitle="Error loading webhooks"
        failure="Failed to load webhooks"
        empty={{
          icon: <IconWebhook size={24} />,
          title: 'No webhook endpoints',
          nothing: <NoWebhooks action={addButton} />,
          noMatch: `No webhook endpoint matches “${list.search.search}”.`,
        }}
      />
      <OnceOpened opened={log.opened !== undefined}>
        {(opened) => (
          <Deliveries
            id={opened ? log.opened : undefined}
            webhook={query.data?.results.find(({ id }) => id === log.opened)}
            onClose={log.close}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={dialog.opened === 'create'}>
        {(opened) => (
          <CreateWebhook
            opened={opened}
            onClose={dialog.close}
            onCreated={({ name }, secret) => {
              dialog.close();
              if (secret) reveal({ name, secret, isRotated: false });
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={open === 'edit'}>
        {(opened) => (
          <EditWebhook
            {...row}
            opened={opened}
            onDeliveries={({ id }) => {
              close();
              openLog(id);
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={open === 'rotate'}>
        {(opened) => (
          <RotateSecret
            {...row}
            opened={opened}
            onRotated={(secret) => reveal({ name: chosen?.name ?? '', secret, isRotated: true })}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={open === 'delete'}>
        {(opened) => <DeleteWebhook {...row} opened={opened} />}
      </OnceOpened>
      <OnceOpened opened={open === 'secret'}>
        {(opened) => (
          <RevealSecret
            revealed={revealed}
            opened={opened}
            onClose={close}
            onClosed={() => setRevealed(undefined)}
          />
        )}
      </OnceOpened>
    </>
  );
}
