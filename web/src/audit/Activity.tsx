import { AUDIT_DAYS, type AuditEntry } from '@sixdigit/contract/audit.ts';
import { isAtLeast } from '@sixdigit/contract/roles.ts';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { ForRole } from '../accounts/ForRole.tsx';
import { useRole } from '../accounts/role.ts';
import { otherPages } from '../pages.ts';
import { useList } from '../table/list.ts';
import { members } from '../team/members.ts';
import { LoneLink } from '../ui/links.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { useShown } from '../ui/shown.ts';
import { AuditList } from './AuditList.tsx';
import { auditExport, auditPage, auditSearch, TEAM_LABELS } from './audit.ts';
import { EntrySheet } from './EntrySheet.tsx';

/** The audit log of the account. */
export function Activity() {
  const list = useList(auditSearch);
  const query = useQuery(auditPage(list.search));
  const { shown, isOpen, open, close } = useShown<AuditEntry>();
  const { data: user } = useQuery(currentUser);
  // Developers and support get only their own entries.
  const isAdmin = isAtLeast(useRole(), 'admin');
  const seesAll = isAdmin && user?.role !== undefined;
  const { data: people } = useQuery({ ...members, enabled: seesAll });
  const isTeam = seesAll && (people?.results.length ?? 0) > 1;
  return (
    <ForRole to="listAuditEntries" title={otherPages.activity.title}>
      <PageHeading title={otherPages.activity.title}>
        {isAdmin ? 'Sign-ins, changes and purchases of your account.' : 'What you did in this account.'} Kept
        for {AUDIT_DAYS} days.
      </PageHeading>
      <AuditList
        list={list}
        query={query}
        exporting={auditExport(list.search)}
        onOpen={open}
        own={user?.id}
        {...(isTeam && { people: people?.results, labels: TEAM_LABELS })}
      />
      {/* Phones show only the last breadcrumb. */}
      <p className="mt-3 mb-0 text-14 md:hidden">
        <LoneLink to="/settings" hash="security">
          Back to Settings
        </LoneLink>
      </p>
      <EntrySheet
        entry={shown}
        isOpen={isOpen}
        onClose={close}
        own={user?.id}
        {...(isTeam && { actors: TEAM_LABELS })}
      />
    </ForRole>
  );
}
