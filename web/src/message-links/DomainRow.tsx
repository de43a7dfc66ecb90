import { Button } from '@mantine/core';
import { type MessageDomain, verifyMessageDomain } from '#contract/message-domains.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { Badge } from '../ui/Badge.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { toast } from '../ui/toast.ts';
import { PROBLEM_SENTENCES, stateOf } from './domain-texts.ts';
import classes from './LinkDomains.module.css';
import { linkDomains } from './message-links.ts';

interface Props {
  domain: MessageDomain;
  onRemove: () => void;
}

export function DomainRow({ domain, onRemove }: Props) {
  const { domain: name, checked_at } = domain;
  const check = useAction({
    run: () => call(verifyMessageDomain, { params: { id: domain.id } }),
    failure: 'Failed to check the record',
    refresh: [linkDomains.queryKey],
    done: ({ problem }) =>
      problem === null ? toast.success(`${name} is proven`) : toast.error(PROBLEM_SENTENCES[problem]),
  });
  const { tone, label, sentence, needsRecord } = stateOf(domain, Date.now());
  const checkText = check.isPending ? 'Checking...' : 'Check Now';
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
        <div className={classes.buttons}>
          {/* not disabled while it checks, so that it keeps the focus */}
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`${checkText}: ${name}`}
            aria-disabled={check.isPending}
            {...(check.isPending && { 'data-disabled': true })}
            onClick={() => {
              if (!check.isPending) check.mutate();
            }}
          >
            {checkText}
          </Button>
          <Button variant="default" size="compact-sm" aria-label={`Remove: ${name}`} onClick={onRemove}>
            Remove
          </Button>
        </div>
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

const CopiedFact = (props: { name: string; value: string; label: string }) => (
  <div>
    <dt>{props.name}</dt>
    <dd>
      <code>{props.value}</code>
      <CopyButton value={props.value} label={props.label} withToast />
    </dd>
  </div>
);
