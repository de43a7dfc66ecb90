import { Skeleton } from '@mantine/core';
import type { WebhookAttempt } from '@sixdigit/contract/webhooks.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { QueryError } from '../ui/QueryError.tsx';
import classes from './Attempts.module.css';
import { attemptRequest } from './attempts.ts';

/** The headers and the body that an attempt sent, loaded when it is opened. */
export function AttemptRequest({ attempt, endpointId }: { attempt: WebhookAttempt; endpointId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Request sent</summary>
      {isOpen ? <Sent endpointId={endpointId} attemptId={attempt.id} /> : null}
    </details>
  );
}

function Sent({ endpointId, attemptId }: { endpointId: string; attemptId: string }) {
  const query = useQuery(attemptRequest(endpointId, attemptId));
  if (query.isError) return <QueryError query={query} message="Failed to load the request" />;
  if (!query.data) return <Skeleton height={120} radius="md" />;
  const { headers, body } = query.data;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className={classes.request}>
      <CodeBlock label="Headers sent" code={lines.join('\n')} />
      <CodeBlock
        label="Body sent"
        code={body === null ? 'This message is not stored any more.' : indented(body)}
        {...(body !== null && { language: 'json' })}
      />
      <p className={classes.note}>
        Signatures are not stored. The body is indented here; it was sent and signed without line breaks.
      </p>
    </div>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
