import type { MessageDomain } from '@sixdigit/contract/message-links.ts';
import type { ReactNode } from 'react';
import { nowMs } from '../../api/clock.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { stateOf } from './domain-texts.ts';
import classes from './LinkDomains.module.css';

/** A domain that messages may link to, its state, and the DNS record that proves it. */
export function DomainFacts({ domain, buttons }: { domain: MessageDomain; buttons?: ReactNode }) {
  const { domain: name, checked_at } = domain;
  const { tone, label, sentence, needsRecord } = stateOf(domain, nowMs());
  return (
    <li>
      <div className={classes.head}>
        <div className={classes.what}>
          <span className={classes.name}>
            {name} <Badge tone={tone}>{label}</Badge>
          </span>
          <span className={classes.soft}>{sentence}</span>
          {needsRecord && checked_at !== null ? (
            <span className={classes.soft}>Last checked {shortDateTime(checked_at)}</span>
          ) : null}
        </div>
        {buttons ? <div className={classes.buttons}>{buttons}</div> : null}
      </div>
      <details className={classes.record} open={needsRecord}>
        <summary>DNS record</summary>
        <dl>
          <div>
            <dt>Type</dt>
            <dd>TXT</dd>
          </div>
          <CopiedFact name="Name" value={domain.record_name} label={`Copy the record name of ${name}`} />
          <CopiedFact name="Value" value={domain.record_value} label={`Copy the record value of ${name}`} />
        </dl>
      </details>
    </li>
  );
}

/** The domains of an account, for readers who do not change them. */
export const DomainList = ({ domains }: { domains: readonly MessageDomain[] }) =>
  domains.length === 0 ? null : (
    <ul className={classes.domains} aria-label="Link domains">
      {domains.map((domain) => (
        <DomainFacts key={domain.id} domain={domain} />
      ))}
    </ul>
  );

const CopiedFact = (props: { name: string; value: string; label: string }) => (
  <div>
    <dt>{props.name}</dt>
    <dd>
      <code>{props.value}</code>
      <CopyButton value={props.value} label={props.label} withToast />
    </dd>
  </div>
);
