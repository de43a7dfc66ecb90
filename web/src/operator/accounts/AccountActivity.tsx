import type { AuditEntry } from '@sixdigit/contract/audit.ts';
import { revealActivity } from '@sixdigit/contract/operator/account-data.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { AuditList } from '../../audit/AuditList.tsx';
import { ACTOR_LABELS, auditSearch } from '../../audit/audit.ts';
import { EntrySheet } from '../../audit/EntrySheet.tsx';
import { useList } from '../../table/list.ts';
import { useShown } from '../../ui/shown.ts';
import { activityPage } from './data.ts';
import { useReveal } from './useReveal.tsx';

/** The account's own screen says "You". Entries of payments that the card provider confirmed name no member. */
const LABELS = { ...ACTOR_LABELS, owner: 'Account' };
const isMasked = (entry: AuditEntry): boolean => JSON.stringify(entry).includes('••');

/** The account's audit log. */
export function AccountActivity() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const list = useList(auditSearch);
  const query = useQuery(activityPage(id, list.search));
  const { shown, isOpen, open, close } = useShown<AuditEntry>();
  const { revealed, button, dialog } = useReveal<AuditEntry>({
    title: 'Reveal Entry',
    schema: revealActivity.body,
    success: 'Entry revealed',
    run: (entry_id, body) => call(revealActivity, { params: { id, entry_id }, body }),
  });
  const entry = shown && (revealed[shown.id] ?? shown);
  return (
    <>
      <AuditList list={list} query={query} onOpen={open} labels={LABELS} />
      <EntrySheet
        entry={entry}
        isOpen={isOpen}
        onClose={close}
        actors={LABELS}
        action={entry && isMasked(entry) ? button(entry.id) : null}
      />
      {dialog}
    </>
  );
}
