import { Alert, Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { sendCurl, verifyCurl } from '../api/curl.ts';
import { StatusBadge } from '../ui/Badge.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { DialogActions } from '../ui/Dialog.tsx';
import { timeOfDay } from '../ui/dates.ts';
import { RecipientText } from '../ui/RecipientText.tsx';
import { EnterCode } from './EnterCode.tsx';
import { nextOf } from './plans/plan-texts.ts';
import { Steps } from './plans/Steps.tsx';
import type { TestSent } from './test-send.ts';
import { verificationDetail } from './verification-detail.ts';

/** The live status of a test code, its message, a field to verify it, and the equivalent API calls. */
export function TestVerify({ sent, onAgain }: { sent: TestSent; onAgain: () => void }) {
  const { data } = useQuery(verificationDetail(sent.otp_id));
  const [isEntered, setEntered] = useState(false);
  const isVerified = isEntered || data?.status === 'verified';
  const another = useRef<HTMLButtonElement>(null);
  // When the code is verified, the field disappears and the focus would be lost.
  useEffect(() => {
    if (isVerified && document.activeElement === document.body)
      another.current?.focus({ preventScroll: true });
  }, [isVerified]);

  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="grid gap-2" role="status">
        <div className="flex min-w-0 items-center gap-2.5 wrap-anywhere">
          {data?.status === 'failed' || data?.status === 'expired' ? (
            <StatusBadge status={data.status} />
          ) : null}
          <strong>
            <RecipientText recipient={sent.recipient} isWhole />
          </strong>
        </div>
        {data ? (
          <ol
            className="m-0 flex list-none flex-wrap gap-x-5 gap-y-1 p-0 text-14 text-ink-soft"
            aria-label="States"
          >
            {statesOf(data).map(({ label, at }) => (
              <li key={label}>
                {label}{' '}
                <time className="text-ink tabular-nums" dateTime={at}>
                  {timeOfDay(at)}
                </time>
              </li>
            ))}
          </ol>
        ) : null}
      </div>
      {data?.steps ? <Steps steps={data.steps} day={data.created_at} /> : null}
      {data?.failure && !nextOf(data.steps) ? <p className="m-0 text-error">{data.failure}</p> : null}
      {isVerified ? (
        <Alert color="green" variant="light" icon={<IconCheck aria-hidden />}>
          The code is correct. Each code verifies only once.
        </Alert>
      ) : (
        <EnterCode sent={sent} autoFocus onVerified={() => setEntered(true)} />
      )}
      <h3 className="mt-2 -mb-1 text-15">The same with the API</h3>
      <CodeBlock label="Send a code" title="Send a code" code={sendCurl(sent.asked)} language="bash" />
      <CodeBlock
        label="Verify the code"
        title="Verify the code"
        code={verifyCurl(sent.otp_id)}
        language="bash"
      />
      <DialogActions>
        <Button ref={another} variant="default" onClick={onAgain}>
          Send Another Code
        </Button>
      </DialogActions>
    </div>
  );
}

interface Times {
  created_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  verified_at: string | null;
}

const statesOf = ({ created_at, sent_at, delivered_at, verified_at }: Times) =>
  [
    { label: 'Accepted', at: created_at },
    { label: 'Sent', at: sent_at },
    { label: 'Delivered', at: delivered_at },
    { label: 'Verified', at: verified_at },
  ].filter((state): state is { label: string; at: string } => state.at !== null);
