import { Button, TextInput } from '@mantine/core';
import {
  addMessageDomain,
  listMessageDomains,
  type MessageDomain,
  removeMessageDomain,
  verifyMessageDomain,
} from '@sixdigit/contract/message-links.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/call.ts';
import { invalidate, read } from '../../api/read.ts';
import { toast } from '../../api/toast.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { busyButton } from '../../ui/busy-button.ts';
import { DomainFacts, DomainList } from '../../ui/DomainFacts.tsx';
import { LINKS_SENTENCES, PROBLEM_SENTENCES, removalSentences } from '../../ui/domain-texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { LazyActionDialog } from '../../ui/lazy-dialog.tsx';
import { useChosen } from '../../ui/opened.ts';

/** The domains that messages may link to, with the DNS records that prove them. */
export function LinkDomains() {
  const query = useQuery(linkDomains);
  return (
    <Loaded query={query} failure="Failed to load the domains" waiting={3}>
      {(list) => <Domains list={list} />}
    </Loaded>
  );
}

function Domains({ list: { results, links } }: { list: Reply<typeof listMessageDomains> }) {
  const frame = useRef<HTMLDivElement>(null);
  const { row, opened, choose, close } = useChosen<MessageDomain, 'remove'>();
  return (
    <div className="grid max-w-208 grid-cols-1 gap-4">
      <Remark>{LINKS_SENTENCES[links]}</Remark>
      <AddDomain />
      <div ref={frame} tabIndex={-1} className="outline-offset-4">
        {results.length === 0 ? (
          <Remark>No domains yet. Add the domain that your messages link to.</Remark>
        ) : (
          <DomainList>
            {results.map((domain) => (
              <DomainRow key={domain.id} domain={domain} onRemove={() => choose('remove', domain)} />
            ))}
          </DomainList>
        )}
      </div>
      <LazyActionDialog
        opened={opened === 'remove'}
        onClose={close}
        title="Remove Domain"
        confirm="Remove"
        isDangerous
        of={row}
        run={({ id }) => call(removeMessageDomain, { params: { id } })}
        success="Domain removed"
        failure="Failed to remove the domain"
        refresh={[listMessageDomains]}
        done={() => {
          // The dialog returns the focus to a neighbor in the list, but the last domain has none.
          if (results.length === 1) frame.current?.focus();
          close();
        }}
      >
        <Remark>{row ? `Remove ${row.domain}? ${removalSentences(row, links)}` : null}</Remark>
      </LazyActionDialog>
    </div>
  );
}

const Remark = ({ children }: { children: ReactNode }) => (
  <p className="m-0 text-14 wrap-anywhere text-ink-soft">{children}</p>
);

function AddDomain() {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: addMessageDomain.body,
    initialValues: { domain: '' },
    submit: (body) => call(addMessageDomain, { body }),
    failure: 'Failed to add the domain',
    onSuccess: async ({ domain }) => {
      form.fields.reset();
      await invalidate(queryClient, listMessageDomains);
      toast.success(`${domain} added`);
    },
  });
  return (
    <Form form={form} label="Add a domain">
      <div className="grid grid-cols-1 items-start gap-3 min-[560px]:grid-cols-[minmax(0,1fr)_auto]">
        <TextInput
          label="Domain"
          description="Its subdomains are included."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="example.com"
          inputMode="url"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          {...form.field('domain')}
        />
        <SubmitButton form={form} busy="Adding..." variant="default" className="min-[560px]:mt-6">
          Add Domain
        </SubmitButton>
      </div>
    </Form>
  );
}

interface Props {
  domain: MessageDomain;
  onRemove: () => void;
}

function DomainRow({ domain, onRemove }: Props) {
  const { domain: name } = domain;
  const check = useAction({
    run: () => call(verifyMessageDomain, { params: { id: domain.id } }),
    failure: 'Failed to check the record',
    refresh: [listMessageDomains],
    done: ({ problem }) =>
      problem === null ? toast.success(`${name} is verified`) : toast.error(PROBLEM_SENTENCES[problem]),
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

/** The account's link domains, and whether the deployment restricts links. */
const linkDomains = read(listMessageDomains, {});
