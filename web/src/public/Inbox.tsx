import { TextInput } from '@mantine/core';
import type { SandboxMessage } from '@sixdigit/contract/deployment.ts';
import { IconInbox, IconSearch } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { sandboxMessages } from '../api/sandbox-messages.ts';
import { isSignedIn } from '../api/session.ts';
import { MessageCard } from '../otp/MessageCard.tsx';
import { otherPages } from '../pages.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { hasFailed, QueryError } from '../ui/Loaded.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { PublicHeader } from '../ui/PublicHeader.tsx';
import classes from './Inbox.module.css';

/** Lists the messages that the sandbox caught, as they arrive. */
export function Inbox() {
  const query = useQuery(inbox);
  const { recipient } = useSearch({ from: '/sandbox' });
  const navigate = useNavigate();
  const wanted = recipient.trim().toLowerCase();
  const messages = query.data?.filter((message) => message.recipient.toLowerCase().includes(wanted));
  const fresh = useFresh(query.data);

  return (
    <div className="min-h-dvh">
      <PublicHeader>
        <ButtonLink to="/" variant="default">
          {isSignedIn() ? 'To the Dashboard' : 'Sign In'}
        </ButtonLink>
      </PublicHeader>
      <main className="mx-auto max-w-176 px-4 pt-8 pb-16">
        <h1 className="m-0 text-[1.625rem] font-650">{otherPages.sandbox.title}</h1>
        <p className="mt-1 mb-6 text-ink-soft">
          Messages that no carrier sends stay on this server. They appear here, newest first.
        </p>
        {messages && messages.length + wanted.length > 0 ? (
          <TextInput
            className="mb-4"
            type="search"
            autoComplete="off"
            enterKeyHint="search"
            spellCheck={false}
            aria-label="Filter by recipient"
            placeholder="Filter by recipient..."
            leftSection={<IconSearch size={16} aria-hidden />}
            value={recipient}
            onChange={(event) =>
              void navigate({
                to: '/sandbox',
                search: { recipient: event.currentTarget.value },
                replace: true,
              })
            }
          />
        ) : null}
        {hasFailed(query) ? (
          <QueryError
            query={query}
            title="The inbox cannot be shown"
            message="The inbox opens on the sandbox’s own machine. A public sandbox shows it only with SANDBOX_INBOX=public."
          />
        ) : null}
        {messages?.length === 0 ? (
          <EmptyState
            icon={<IconInbox size={24} />}
            title={wanted ? 'No messages for this recipient' : 'No messages yet'}
          >
            {wanted
              ? 'Change the filter to see other messages.'
              : 'Sign up, or send a code with an API key. The message appears here within two seconds.'}
          </EmptyState>
        ) : null}
        <ol
          className={`${classes.messages} m-0 grid list-none grid-cols-1 gap-3 p-0`}
          aria-live="polite"
          aria-relevant="additions"
        >
          {messages?.map((message) => (
            <li key={message.id} data-fresh={fresh.has(message.id) || undefined}>
              <MessageCard message={message} />
            </li>
          ))}
        </ol>
      </main>
    </div>
  );
}

/** Ids that arrived after the first load, to highlight them. */
function useFresh(messages: SandboxMessage[] | undefined): ReadonlySet<string> {
  const known = useRef<Set<string>>(undefined);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (!messages) return;
    const ids = messages.map((message) => message.id);
    const before = known.current;
    known.current = new Set(ids);
    const added = before ? ids.filter((id) => !before.has(id)) : [];
    if (added.length > 0) setFresh(new Set(added));
  }, [messages]);
  return fresh;
}

/** The messages to all recipients, for an inbox that stays open next to an editor. */
const inbox = queryOptions({
  ...sandboxMessages(),
  refetchInterval: 2_000,
  refetchIntervalInBackground: true,
});
