import { Button } from '@mantine/core';
import { type MessageDomain, verifyMessageDomain } from '@sixdigit/contract/message-links.ts';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/call.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { toast } from '../../ui/toast.ts';
import { DomainFacts } from './DomainFacts.tsx';
import { PROBLEM_SENTENCES } from './domain-texts.ts';
import { linkDomains } from './message-links.ts';

interface Props {
  domain: MessageDomain;
  onRemove: () => void;
}

export function DomainRow({ domain, onRemove }: Props) {
  const { domain: name } = domain;
  const check = useAction({
    run: () => call(verifyMessageDomain, { params: { id: domain.id } }),
    failure: 'Failed to check the record',
    refresh: [linkDomains.queryKey],
    done: ({ problem }) =>
      problem === null ? toast.success(`${name} is proven`) : toast.error(PROBLEM_SENTENCES[problem]),
  });
  const checkText = check.isPending ? 'Checking...' : 'Check Now';
  return (
    <DomainFacts
      domain={domain}
      buttons={
        <>
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`${checkText}: ${name}`}
            {...busyButton(check.isPending)}
            onClick={() => {
              if (!check.isPending) check.mutate();
            }}
          >
            {checkText}
          </Button>
          <Button variant="default" size="compact-sm" aria-label={`Remove: ${name}`} onClick={onRemove}>
            Remove
          </Button>
        </>
      }
    />
  );
}
