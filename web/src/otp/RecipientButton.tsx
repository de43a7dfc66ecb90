import { Button } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { isRecipient } from './whole-recipient.ts';

/** Beside the search box, while the search is a whole number or address. */
export const RecipientButton = ({ search, onOpen }: { search: string; onOpen: (text: string) => void }) =>
  isRecipient(search) ? (
    <Button
      variant="light"
      leftSection={<IconUserSearch size={16} aria-hidden />}
      onClick={() => onOpen(search)}
    >
      Recipient History
    </Button>
  ) : null;
