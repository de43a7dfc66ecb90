import { deviceOf } from '@sixdigit/contract/accounts/device.ts';
import { AUDIT_DAYS, type AuditActor, type AuditEntry, labelOfAction } from '@sixdigit/contract/audit.ts';
import type { ReactNode } from 'react';
import { SideSheet } from '../ui/Dialog.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { Fact, Facts } from '../ui/Facts.tsx';
import { actorOf } from './actor.ts';
import { ACTOR_LABELS } from './audit.ts';
import { changesOf, type Values } from './values.ts';

interface Props {
  /** stays set during the sheet's closing transition */
  entry: AuditEntry | undefined;
  isOpen: boolean;
  onClose: () => void;
  /** below the facts */
  action?: ReactNode;
  /** the actors' names for this reader */
  actors?: Record<AuditActor, string>;
  /** the id of the reader, who appears as 'You' */
  own?: string | undefined;
}

/** One entry with its values before and after. */
export const EntrySheet = ({ entry, isOpen, onClose, action, actors = ACTOR_LABELS, own }: Props) => (
  <SideSheet
    opened={isOpen}
    onClose={onClose}
    title={entry ? labelOfAction(entry.action) : ''}
    description={`Entries cannot be changed and are kept for ${AUDIT_DAYS} days`}
    size="38rem"
  >
    {entry ? <Details entry={entry} by={actorOf(entry, actors, own)} /> : null}
    {action}
  </SideSheet>
);

const Details = ({ entry, by }: { entry: AuditEntry; by: string }) => (
  <>
    <Facts nameWidth="7rem">
      <Fact name="Date">{fullDateTime(entry.created_at)}</Fact>
      {entry.subject === '' ? null : <Fact name="Subject">{entry.subject}</Fact>}
      <Fact name="By">{by}</Fact>
      {entry.user_agent === null ? null : (
        <Fact name="Device">
          {deviceOf(entry.user_agent)}
          {deviceOf(entry.user_agent) === entry.user_agent ? null : (
            <div className="text-13 text-ink-soft">{entry.user_agent}</div>
          )}
        </Fact>
      )}
      {entry.ip_address === null ? null : <Fact name="IP Address">{entry.ip_address}</Fact>}
      {entry.place === null ? null : <Fact name="Place">{entry.place}</Fact>}
      {entry.count > 1 ? <Fact name="Attempts">{entry.count} in this minute</Fact> : null}
    </Facts>
    <Changes before={entry.before} after={entry.after} />
  </>
);

const SIDES = ['before', 'after'] as const;
const CELL = 'border-b border-line py-2 pr-3 pl-0 text-left align-top wrap-anywhere';

/** An entry's fields before and after the change, or the values of what was created or deleted. Nothing if it has none. */
export function Changes({ before, after }: { before: Values; after: Values }) {
  const changes = changesOf(before, after);
  if (changes.length === 0) return null;
  const sides = SIDES.filter((side) => ({ before, after })[side] !== null);
  const isOne = sides.length === 1;
  return (
    <>
      <h3 className="mt-0 mb-[0.6rem] text-15 font-650" id="audit-changes">
        {isOne ? 'Values' : 'Before and after'}
      </h3>
      <table className="w-full table-fixed border-collapse text-14" aria-labelledby="audit-changes">
        <thead>
          <tr>
            {['Field', ...(isOne ? ['Value'] : ['Before', 'After'])].map((name) => (
              <th key={name} scope="col" className={`${CELL} text-13 font-500 text-ink-soft first:w-31`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.field}>
              <th scope="row" className={`${CELL} font-550`}>
                {change.field}
              </th>
              {sides.map((side) => (
                <td key={side} className={CELL}>
                  {change[side] ?? '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
