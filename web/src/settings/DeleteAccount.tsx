import { Button } from '@mantine/core';
import { lazy, useState } from 'react';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { Panel } from '../ui/Panel.tsx';

const DeleteAccountDialog = lazy(async () => ({
  default: (await import('./DeleteAccountDialog.tsx')).DeleteAccountDialog,
}));

export function DeleteAccountPanel() {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel
      id="delete-account"
      title="Delete account"
      description="Erases your personal data, and stops your API keys and webhooks."
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
