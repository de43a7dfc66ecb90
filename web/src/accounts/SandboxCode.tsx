import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { sandboxMessages } from '../api/sandbox-messages.ts';
import { PageLink } from '../ui/links.tsx';

interface Props {
  recipient: string;
  onUse: (code: string) => void;
}

const POLL_MS = 700;
/** Covers the time between the message and this screen, and a clock that is slightly wrong. */
const SLACK_MS = 10_000;

/** The code that the sandbox caught on its way to a visitor, so that nobody has to look for it in another tab. */
export function SandboxCode({ recipient, onUse }: Props) {
  const [since] = useState(() => nowMs() - SLACK_MS);
  const { data: message } = useQuery({
    ...sandboxMessages(recipient),
    refetchInterval: POLL_MS,
    select: (messages) => messages.find(({ created_at }) => Date.parse(created_at) >= since),
  });
  const code = message?.code;
  return (
    <div className="mb-5 flex min-h-19 flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-10 border border-line bg-sunken px-4 py-3">
      <div className="flex-[1_1_9rem] text-13 text-ink-soft" role="status">
        {message ? 'Caught by the sandbox.' : 'Waiting for the message...'}
        {code ? (
          <span className="block font-mono text-22 font-600 tracking-[0.18em] text-accent">{code}</span>
        ) : null}
        {message && !code ? (
          <>
            {' '}
            It contains no code: read it in the{' '}
            <PageLink to="/sandbox" target="_blank">
              message inbox
            </PageLink>
            .
          </>
        ) : null}
      </div>
      {code ? (
        <Button variant="default" onClick={() => onUse(code)}>
          Use This Code
        </Button>
      ) : null}
    </div>
  );
}
