import { SegmentedControl, TextInput } from '@mantine/core';
import { IconInbox, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { SandboxMessage } from '#contract/deployment.ts';
import { isSignedIn } from '../api/session.ts';
import { CHANNELS_SHOWN } from '../otp/channel.ts';
import { otherPages } from '../pages.ts';
import { BrandLink } from '../ui/BrandLink.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { MailFrame } from '../ui/MailFrame.tsx';
import { QueryError } from '../ui/QueryError.tsx';
import classes from './Inbox.module.css';
import { inbox } from './inbox.ts';

/** Lists the messages that the sandbox caught, as they arrive. */
export function Inbox() {
  const query = useQuery(inbox);
  const { recipient } = useSearch({ from: '/sandbox' });
  const navigate = useNavigate();
  const wanted = recipient.trim().toLowerCase();
  const messages = query.data?.filter((message) => message.recipient.toLowerCase().includes(wanted));
  const fresh = useFresh(query.data);

  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <BrandLink />
        <ButtonLink to="/" variant="default">
          {isSignedIn() ? 'To the dashboard' : 'Sign In'}
        </ButtonLink>
      </header>
      <main className={classes.main}>
        <h1>{otherPages.sandbox.title}</h1>
        <p className={classes.lead}>
          Nothing leaves this machine: messages without a carrier end up here, the newest first.
        </p>
        {messages && messages.length + wanted.length > 0 ? (
          <TextInput
            className={classes.search}
            type="search"
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
        {query.isError && !query.data ? (
          <QueryError
            query={query}
            title="The inbox cannot be shown"
            message="It opens on the machine that the sandbox runs on, unless the sandbox is public; then it opens only with SANDBOX_INBOX=public."
          />
        ) : null}
        {messages?.length === 0 ? (
          <EmptyState
            icon={<IconInbox size={24} />}
            title={wanted ? 'Nothing for this recipient' : 'No messages yet'}
          >
            {wanted
              ? 'Adjust the filter to see the others.'
              : 'Sign up, or send a code with an API key: it appears here within two seconds.'}
          </EmptyState>
        ) : null}
        <ol className={classes.messages} aria-live="polite" aria-relevant="additions">
          {messages?.map((message) => (
            <li key={message.id} data-fresh={fresh.has(message.id) || undefined}>
              <Message message={message} />
            </li>
          ))}
        </ol>
      </main>
    </div>
  );
}

function Message({ message }: { message: SandboxMessage }) {
  const { message: label, Icon } = CHANNELS_SHOWN[message.channel];
  const [view, setView] = useState<'text' | 'html'>('text');
  return (
    <article className={classes.message} aria-label={`${label} to ${message.recipient}`}>
      <div className={classes.head}>
        <Icon size={20} stroke={1.75} aria-label={label} role="img" />
        <strong>{message.recipient}</strong>
        <time dateTime={message.created_at}>{fullDateTime(message.created_at)}</time>
      </div>
      {message.code ? (
        <div className={classes.code}>
          <span>{message.code}</span>
          <CopyButton value={message.code} label="Copy code" withText />
        </div>
      ) : null}
      {message.subject ? <p className={classes.subject}>{message.subject}</p> : null}
      {message.html ? (
        <SegmentedControl
          size="xs"
          aria-label="Show as"
          className={classes.views}
          value={view}
          onChange={(chosen) => setView(chosen as 'text' | 'html')}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'html', label: 'As mailed' },
          ]}
        />
      ) : null}
      {view === 'html' && message.html ? (
        <div className={classes.mail}>
          <MailFrame html={message.html} title={`E-mail to ${message.recipient}`} />
        </div>
      ) : (
        <p className={classes.text}>{message.text}</p>
      )}
    </article>
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
