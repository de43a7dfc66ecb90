import { Button } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { lazy } from 'react';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { useOpened } from '../ui/opened.ts';
import { isRecipient } from './whole-recipient.ts';

const RecipientSheet = lazy(async () => ({
  default: (await import('./RecipientSheet.tsx')).RecipientSheet,
}));

/** Offers the history of a recipient while the search is a whole number or address, and shows it beside the list. */
export function RecipientPart({ search }: { search: string }) {
  const { opened, open, close } = useOpened('recipient');
  return (
    <>
      {isRecipient(search) ? (
        <Button
          variant="light"
          leftSection={<IconListDetails size={16} aria-hidden />}
          onClick={() => open(search)}
        >
          Recipient History
        </Button>
      ) : null}
      <OnceOpened opened={opened !== undefined}>
        {(isOpen) => <RecipientSheet recipient={isOpen ? opened : undefined} onClose={close} />}
      </OnceOpened>
    </>
  );
}
