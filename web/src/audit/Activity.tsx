import { AUDIT_DAYS, type AuditEntry } from '@sixdigit/contract/audit.ts';
import { useQuery } from '@tanstack/react-query';
import { otherPages } from '../pages.ts';
import { useList } from '../table/list.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { useShown } from '../ui/shown.ts';
import { AuditList } from './AuditList.tsx';
import { auditExport, auditPage } from './audit.ts';
import { auditSearch } from './audit-search.ts';
import { EntrySheet } from './EntrySheet.tsx';

/** The audit log of the account. */
export function Activity() {
  const list = useList(auditSearch);
  const query = useQuery(auditPage(list.search));
  const { shown, isOpen, open, close } = useShown<AuditEntry>();
  return (
    <>
      <PageHeading title={otherPages.activity.title}>
        Sign-ins, changes and purchases of your account from the last {AUDIT_DAYS} days.
      </PageHeading>
      <AuditList list={list} query={query} exporting={auditExport(list.search)} onOpen={open} />
      <EntrySheet entry={shown} isOpen={isOpen} onClose={close} />
    </>
  );
}
