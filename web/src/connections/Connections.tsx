import { Button } from '@mantine/core';
import { type Connection, listConnections } from '@sixdigit/contract/connection-list.ts';
import { deleteConnection, type NewConnection as Revealed } from '@sixdigit/contract/connections.ts';
import { IconArrowForwardUp, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useMemo, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { useMayManage } from '../api-keys/live-keys.ts';
import { pages } from '../pages.ts';
import { headingAction, ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { PageLink } from '../ui/links.tsx';
import { LazyConfirmDialog, OnceOpened } from '../ui/OnceOpened.tsx';
import { useOpened } from '../ui/opened.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { compactConnection, connectionColumns } from './columns.tsx';
import {
  type ChooseConnection,
  type ConnectionAction,
  connectionPage,
  connectionSearch,
} from './connections.ts';

const NewConnection = lazy(async () => ({ default: (await import('./NewConnection.tsx')).NewConnection }));
const EditConnection = lazy(async () => ({ default: (await import('./EditConnection.tsx')).EditConnection }));
const RevealConnection = lazy(async () => ({
  default: (await import('./RevealConnection.tsx')).RevealConnection,
}));
const RotateConnection = lazy(async () => ({
  default: (await import('./RotateConnection.tsx')).RotateConnection,
}));
const TestConnection = lazy(async () => ({ default: (await import('./TestConnection.tsx')).TestConnection }));

/** Lists, creates, tests, changes, rotates and deletes the connections of the account. */
export function Connections() {
  const list = useList(connectionSearch);
  const query = useQuery(connectionPage(list.search));
  const dialog = useOpened('dialog');
  const navigate = useNavigate();
  const [created, setCreated] = useState<Revealed>();
  const [isRotated, setRotated] = useState(false);
  const [isRevealing, setRevealing] = useState(false);
  // Keeps the connection during the dialog's closing transition.
  const [chosen, setChosen] = useState<Connection>();
  const [action, setAction] = useState<ConnectionAction>();
  const { columns, compact, choose } = useMemo(() => {
    const choose: ChooseConnection = (next, connection) => {
      if (next === 'requests') {
        const { api_key_id: api_key, mode } = connection;
        void navigate({ to: '/logs', search: { api_key, mode } });
        return;
      }
      setChosen(connection);
      setAction(next);
    };
    return { choose, columns: connectionColumns(choose), compact: compactConnection(choose) };
  }, [navigate]);
  const close = (): void => setAction(undefined);
  const reveal = (connection: Revealed, rotated: boolean): void => {
    setCreated(connection);
    setRotated(rotated);
    setRevealing(true);
  };

  const remove = useAction({
    run: ({ id }: Connection) => call(deleteConnection, { params: { id } }),
    success: 'Connection deleted',
    failure: 'Failed to delete the connection',
    refresh: [listConnections],
    done: close,
  });
  const may = useMay();
  const mayManage = useMayManage();
  const createButton = may('createConnection') ? (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => dialog.open('create')}>
      Create Connection
    </Button>
  ) : null;

  return (
    <>
      <PageHeading title={pages.connections.title} actions={headingAction(list, query, createButton)}>
        Let your auth system deliver its own codes through Sixdigit.{' '}
        <PageLink to="/docs" hash="connections" className="whitespace-nowrap">
          How connections work
        </PageLink>
        {may('updateConnection') && !mayManage('live')
          ? ' Live connections need the role admin in this account.'
          : ''}
      </PageHeading>
      <ListScreen
        label="Connections"
        noun="connection(s)"
        usualRows={3}
        times="columns"
        placeholder="Search connections..."
        list={list}
        query={query}
        columns={columns}
        columnsWidth={900}
        compact={compact}
        rowId={({ id }) => id}
        {...(may('updateConnection') && {
          onOpen: (connection: Connection) => {
            if (mayManage(connection.mode)) choose('edit', connection);
          },
        })}
        failure="Failed to fetch connections"
        empty={{
          icon: <IconArrowForwardUp size={24} />,
          title: 'No connections',
          action: createButton,
          text: 'Choose Supabase Auth, Keycloak or another system. You get an address and a secret to enter there.',
          noMatch: `No connection matches “${list.search.search}”.`,
        }}
      />
      <OnceOpened opened={dialog.opened === 'create'}>
        {(opened) => (
          <NewConnection
            opened={opened}
            onClose={dialog.close}
            onCreated={(connection) => {
              dialog.close();
              reveal(connection, false);
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={action === 'test'}>
        {(opened) => <TestConnection connection={chosen} opened={opened} onClose={close} />}
      </OnceOpened>
      <OnceOpened opened={action === 'edit'}>
        {(opened) => <EditConnection connection={chosen} opened={opened} onClose={close} />}
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        {(opened) => (
          <RotateConnection
            connection={chosen}
            opened={opened}
            onClose={close}
            onRotated={(connection) => {
              close();
              reveal(connection, true);
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={isRevealing}>
        {(opened) => (
          <RevealConnection
            created={created}
            isRotated={isRotated}
            opened={opened}
            onClose={() => setRevealing(false)}
            onClosed={() => setCreated(undefined)}
            onTest={(connection) => {
              setRevealing(false);
              choose('test', connection);
            }}
          />
        )}
      </OnceOpened>
      <LazyConfirmDialog
        opened={action === 'delete'}
        onClose={close}
        title="Delete Connection"
        confirm="Delete Connection"
        onConfirm={() => chosen && remove.mutate(chosen)}
        isBusy={remove.isPending}
        isDangerous
      >
        <p className="m-0 wrap-anywhere">
          Are you sure you want to delete the connection "{chosen?.name}"? Its address stops working within a
          second, and the system can no longer send codes through it. This cannot be undone.
        </p>
      </LazyConfirmDialog>
    </>
  );
}
