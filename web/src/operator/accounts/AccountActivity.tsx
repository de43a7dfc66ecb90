import type { AuditEntry } from '@sixdigit/contract/audit.ts';
import { revealActivity } from '@sixdigit/contract/operator/account-data.ts';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ACTOR_LABELS, actors, auditSearch, groups, periods } from '../../audit/audit-search.ts';
import { auditColumnsWith, compactEntryWith } from '../../audit/columns.tsx';
import { EntrySheet } from '../../audit/EntrySheet.tsx';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { activityPage } from './data.ts';
import { useReveal } from './useReveal.tsx';

/** The owner's own screen says "You". */
const LABELS = { ...ACTOR_LABELS, owner: 'Owner' };
const columns = auditColumnsWith(LABELS);
const compact = compactEntryWith(LABELS);
const actorsOfAccount = actors.map(({ value, label }) => ({
  value,
  label: value === 'owner' ? LABELS.owner : label,
}));
const isMasked = (entry: AuditEntry): boolean => JSON.stringify(entry).includes('••');

/** The account's audit log. */
export function AccountActivity() {
  const { id } = useParams({ from: '/_app/operator/accounts_/$id' });
  const list = useList(auditSearch);
  const [shown, setShown] = useState<AuditEntry>();
  const [isOpen, setOpen] = useState(false);
  const { revealed, button, dialog } = useReveal<AuditEntry>({
    title: 'Reveal entry',
    schema: revealActivity.body,
    success: 'Entry revealed',
    run: (entry_id, body) => call(revealActivity, { params: { id, entry_id }, body }),
  });
  const query = useQuery(activityPage(id, list.search));
  const entry = shown && (revealed[shown.id] ?? shown);
  return (
    <>
      <ListScreen
        label="Activity"
        noun="entries"
        placeholder="Search actions, names, devices, or addresses..."
        filters={
          <>
            <FilterSelect list={list} name="days" label="Time period" options={periods} />
            <FilterSelect list={list} name="group" label="Action" options={groups} />
            <FilterSelect list={list} name="actor" label="By" options={actorsOfAccount} />
          </>
        }
        list={list}
        query={query}
        columns={columns}
        compact={compact}
        rowId={(one) => one.id}
        onOpen={(one) => {
          setShown(one);
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
      <EntrySheet
        entry={entry}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actors={LABELS}
        action={entry && isMasked(entry) ? button(entry.id) : null}
      />
      {dialog}
    </>
  );
}
