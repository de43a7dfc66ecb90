import { Button } from '@mantine/core';
import {
  type ApiKey,
  deleteApiKey,
  listApiKeys,
  type NewApiKey as Revealed,
} from '@sixdigit/contract/api-keys.ts';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { pages } from '../pages.ts';
import { headingAction, ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { ConfirmDialog } from '../ui/Dialog.tsx';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { useOpened } from '../ui/opened.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { apiKeyPage, apiKeySearch } from './api-keys.ts';
import type { Action, Choose } from './columns.tsx';
import { apiKeyColumns, compactApiKey } from './columns.tsx';
import { useMayManage } from './live-keys.ts';
import { RevealApiKey } from './RevealApiKey.tsx';

const EditApiKey = lazy(async () => ({ default: (await import('./EditApiKey.tsx')).EditApiKey }));
const RotateApiKey = lazy(async () => ({ default: (await import('./RotateApiKey.tsx')).RotateApiKey }));
const NewApiKey = lazy(async () => ({ default: (await import('./NewApiKey.tsx')).NewApiKey }));

/** Lists, creates, changes, rotates and deletes the account's API keys. */
export function ApiKeys() {
  const list = useList(apiKeySearch);
  const query = useQuery(apiKeyPage(list.search));
  const dialog = useOpened('dialog');
  const [created, setCreated] = useState<Revealed>();
  const [isRevealing, setRevealing] = useState(false);
  // Keeps the key during the dialog's closing transition.
  const [chosen, setChosen] = useState<ApiKey>();
  const [action, setAction] = useState<Action>();
  const { columns, compact } = useMemo(() => {
    const choose: Choose = (next, key) => {
      setChosen(key);
      setAction(next);
    };
    return { columns: apiKeyColumns(choose), compact: compactApiKey(choose) };
  }, []);
  const close = (): void => setAction(undefined);
  const reveal = (key: Revealed): void => {
    setCreated(key);
    setRevealing(true);
  };

  const remove = useAction({
    run: (key: ApiKey) => call(deleteApiKey, { params: { id: key.id } }),
    success: 'API key deleted successfully',
    failure: 'Failed to delete API key',
    refresh: [listApiKeys],
    done: close,
  });
  const may = useMay();
  const mayManage = useMayManage();
  const createButton = may('createApiKey') ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => dialog.open('create')}>
      Create API Key
    </Button>
  ) : null;

  return (
    <>
      <PageHeading title={pages.apiKeys.title} actions={headingAction(list, query, createButton)}>
        A key lets a program send and verify codes. Give each program its own.
        {may('updateApiKey') && !mayManage('live') ? ' Live keys need the role admin in this account.' : ''}
      </PageHeading>
      <ListScreen
        label="API keys"
        noun="API key(s)"
        usualRows={3}
        times="columns"
        placeholder="Search API keys..."
        list={list}
        query={query}
        columns={columns}
        columnsWidth={940}
        compact={compact}
        rowId={(key) => key.id}
        {...(may('updateApiKey') && {
          onOpen: (key: ApiKey) => {
            if (!mayManage(key.mode)) return;
            setChosen(key);
            setAction('edit');
          },
        })}
        failure="Failed to fetch API keys"
        empty={{
          icon: <IconKey size={24} />,
          title: 'No API keys',
          action: createButton,
          text: 'Create your first key, then send yourself a code with the command that comes with it.',
          noMatch: `No API key matches “${list.search.search}”.`,
        }}
      />
      <OnceOpened opened={dialog.opened === 'create'}>
        {(opened) => <NewApiKey opened={opened} onClose={dialog.close} />}
      </OnceOpened>
      <OnceOpened opened={action === 'edit'}>
        {(opened) => <EditApiKey apiKey={chosen} opened={opened} onClose={close} />}
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        {(opened) => (
          <RotateApiKey
            apiKey={chosen}
            opened={opened}
            onClose={close}
            onRotated={(key) => {
              close();
              reveal(key);
            }}
          />
        )}
      </OnceOpened>
      <RevealApiKey
        created={created}
        opened={isRevealing}
        onClose={() => setRevealing(false)}
        onClosed={() => setCreated(undefined)}
      />
      <ConfirmDialog
        opened={action === 'delete'}
        onClose={close}
        title="Delete API Key"
        confirm="Delete API Key"
        onConfirm={() => chosen && remove.mutate(chosen)}
        isBusy={remove.isPending}
        isDangerous
      >
        <p className="m-0 wrap-anywhere">
          Are you sure you want to delete the API key "{chosen?.name}"? This action cannot be undone and will
          immediately revoke access for this key.
        </p>
      </ConfirmDialog>
    </>
  );
}
