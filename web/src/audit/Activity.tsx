import { AUDIT_DAYS, type AuditEntry } from '@sixdigit/contract/audit.ts';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { otherPages } from '../pages.ts';
import { FilterSelect } from '../table/FilterSelect.tsx';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { auditExport, auditPage } from './audit.ts';
import { actors, auditSearch, groups, periods } from './audit-search.ts';
import { auditColumns, compactEntry } from './columns.tsx';
import { EntrySheet } from './EntrySheet.tsx';

/** The audit log of the account. */
export function Activity() {
  const list = useList(auditSearch);
  const query = useQuery(auditPage(list.search));
  const [shown, setShown] = useState<AuditEntry>();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PageHeading title={otherPages.activity.title}>
        Sign-ins, changes and purchases of your account from the last {AUDIT_DAYS} days.
      </PageHeading>
      <ListScreen
        label="Activity"
        noun="entries"
        placeholder="Search actions, names, devices, or addresses..."
        filters={
          <>
            <FilterSelect list={list} name="days" label="Time period" options={periods} />
            <FilterSelect list={list} name="group" label="Action" options={groups} />
            <FilterSelect list={list} name="actor" label="By" options={actors} />
          </>
        }
        list={list}
        query={query}
        columns={auditColumns}
        exporting={auditExport(list.search)}
        compact={compactEntry}
        rowId={({ id }) => id}
        onOpen={(entry) => {
          setShown(entry);
          setOpen(true);
        }}
        failure="Failed to load the activity"
        empty={{
          icon: <IconHistory size={24} />,
          title: 'No activity in the last 30 days',
          text: 'Choose a longer time period to see older entries.',
          noMatch: 'No entries match the current filters. Try adjusting the search or the filters.',
        }}
      />
      <EntrySheet entry={shown} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
