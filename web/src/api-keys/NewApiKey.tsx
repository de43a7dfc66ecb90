import type { NewApiKey as Created } from '@sixdigit/contract/api-keys.ts';
import { useState } from 'react';
import { CreateApiKey } from './CreateApiKey.tsx';
import { RevealApiKey } from './RevealApiKey.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Creates a key on any screen, and shows it once. Both dialogs lead back to that screen. */
export function NewApiKey({ opened, onClose }: Props) {
  const [created, setCreated] = useState<Created>();
  const [isRevealing, setRevealing] = useState(false);
  return (
    <>
      <CreateApiKey
        opened={opened}
        onClose={onClose}
        onCreated={(key) => {
          onClose();
          setCreated(key);
          setRevealing(true);
        }}
      />
      <RevealApiKey
        created={created}
        opened={isRevealing}
        onClose={() => setRevealing(false)}
        onClosed={() => setCreated(undefined)}
      />
    </>
  );
}
