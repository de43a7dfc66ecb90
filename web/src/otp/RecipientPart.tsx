import { Button } from '@mantine/core';
import { lazy } from 'react';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { useOpened } from '../ui/opened.ts';
import { isRecipient } from './whole-recipient.ts';

const RecipientSheet = lazy(async () => ({
  default: (await import('./RecipientSheet.tsx')).RecipientSheet,
}));

/** Offers the history of the recipient that the list is searched for, and shows it beside the list. */
export function RecipientPart({ search }: { search: string }) {
  const { opened, open, close } = useOpened('dialog');
  const isShown = opened === 'recipient';
  return (
    <>
      {isRecipient(search) ? (
        <Button variant="light" onClick={() => open('recipient')}>
          Recipient History
        </Button>
      ) : null}
      <OnceOpened opened={isShown}>
        {(isOpen) => <RecipientSheet recipient={isOpen ? search : undefined} onClose={close} />}
      </OnceOpened>
    </>
  );
}
