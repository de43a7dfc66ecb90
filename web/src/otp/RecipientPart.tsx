import { Button } from '@mantine/core';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useOpened } from '../ui/opened.ts';
import { isRecipient } from './whole-recipient.ts';

const RecipientSheet = lazyDialog(async () => (await import('./RecipientSheet.tsx')).RecipientSheet);

const CONTENTS = 'Why a code did not arrive: codes, refusals, blocks and opt-outs of this recipient.';

/** Offers the history of the recipient that the list is searched for, and shows it beside the list. */
export function RecipientPart({ search }: { search: string }) {
  const { opened, open, close } = useOpened('dialog');
  const isShown = opened === 'recipient';
  return (
    <>
      {isRecipient(search) ? (
        <div className="mb-3.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-12 border border-line bg-sunken py-2 ps-4 pe-2">
          <span className="min-w-0 text-14 wrap-anywhere text-ink-soft">{CONTENTS}</span>
          <Button variant="default" onClick={() => open('recipient')}>
            Recipient History
          </Button>
        </div>
      ) : null}
      <RecipientSheet opened={isShown} recipient={isShown ? search : undefined} onClose={close} />
    </>
  );
}
