import { Button } from '@mantine/core';
import { lazy, useState } from 'react';
import { OnceOpened } from '../../ui/OnceOpened.tsx';
import { Panel } from '../../ui/Panel.tsx';

const DeleteAccountDialog = lazy(async () => ({
  default: (await import('./DeleteAccountDialog.tsx')).DeleteAccountDialog,
}));

export function DeleteAccountPanel() {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel
      id="delete-account"
      title="Delete account"
      description="Erases who you are here, and stops everything that sends in your name."
    >
      <Button color="red" variant="outline" onClick={() => setAsking(true)}>
        Delete Account
      </Button>
      <OnceOpened opened={isAsking}>
        {(opened) => <DeleteAccountDialog opened={opened} onClose={() => setAsking(false)} />}
      </OnceOpened>
    </Panel>
  );
}
