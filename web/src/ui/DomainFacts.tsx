import type { MessageDomain } from '@sixdigit/contract/message-links.ts';
import type { ReactNode } from 'react';
import { nowMs } from '../api/clock.ts';
import { Badge } from './Badge.tsx';
import { CopyButton } from './CopyButton.tsx';
import { shortDateTime } from './dates.ts';
import { type DomainState, stateOf } from './domain-texts.ts';

interface ProofProps {
  proof: Pick<MessageDomain, 'domain' | 'checked_at' | 'record_name' | 'record_value'>;
  state: DomainState;
  buttons?: ReactNode;
  /** further lines about the domain */
  children?: ReactNode;
}

/** A domain, the state of its proof, and the DNS record that proves it. */
export function DomainProof({ proof, state, buttons, children }: ProofProps) {
  const { domain: name, checked_at, record_name, record_value } = proof;
  const { tone, label, sentence, needsRecord } = state;
  return (
    <>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="grid min-w-0 flex-[1_1_16rem] gap-[0.15rem]">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-[0.15rem] font-550 wrap-anywhere">
            {name} <Badge tone={tone}>{label}</Badge>
          </span>
          <span className="text-13 text-ink-soft">{sentence}</span>
          {needsRecord && checked_at !== null ? (
            <span className="text-13 text-ink-soft">Last checked {shortDateTime(checked_at)}</span>
          ) : null}
          {children}
        </div>
        {buttons ? <div className="flex flex-wrap gap-2.5">{buttons}</div> : null}
      </div>
      <details className="mt-[0.35rem] text-13" open={needsRecord}>
        <summary className="w-fit cursor-pointer py-[0.35rem] text-ink-soft touch:py-3">DNS record</summary>
        <dl className="m-0 grid rounded-10 bg-sunken px-3 py-1">
          <RecordField name="Type">TXT</RecordField>
          <RecordField name="Name">
            <Copied value={record_name} label={`Copy the record name of ${name}`} />
          </RecordField>
          <RecordField name="Value">
            <Copied value={record_value} label={`Copy the record value of ${name}`} />
          </RecordField>
        </dl>
      </details>
    </>
  );
}

/** A domain that messages may link to. */
export const DomainFacts = ({ domain, buttons }: { domain: MessageDomain; buttons?: ReactNode }) => (
  <li className="border-t border-line px-3.5 py-3 first:border-t-0">
    <DomainProof proof={domain} state={stateOf(domain, nowMs())} buttons={buttons} />
  </li>
);

export const DomainList = ({ children }: { children: ReactNode }) => (
  <ul className="m-0 grid list-none grid-cols-1 rounded-10 border border-line p-0" aria-label="Link domains">
    {children}
  </ul>
);

const RecordField = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid min-h-9 items-center py-1" style={{ gridTemplateColumns: '3.5rem minmax(0, 1fr)' }}>
    <dt className="text-ink-soft">{name}</dt>
    <dd className="m-0 flex min-w-0 items-center justify-between gap-2">{children}</dd>
  </div>
);

const Copied = ({ value, label }: { value: string; label: string }) => (
  <>
    <code className="min-w-0 font-mono wrap-anywhere">{value}</code>
    <CopyButton value={value} label={label} withToast />
  </>
);
