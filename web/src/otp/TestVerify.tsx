import { Alert, Button, TextInput } from '@mantine/core';
import type { Channel } from '@sixdigit/contract/channels.ts';
import { listVerifications } from '@sixdigit/contract/otp.ts';
import { verifyTestCode } from '@sixdigit/contract/test-send.ts';
import { codeText } from '@sixdigit/contract/text/digits.ts';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError, call, sentence } from '../api/call.ts';
import { sendCurl, verifyCurl } from '../api/curl.ts';
import { deployment } from '../api/deployment.ts';
import { invalidate } from '../api/read.ts';
import { StatusBadge } from '../ui/Badge.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { timeOfDay } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import { verificationDetail } from './verification-detail.ts';

export interface SentTest {
  otp_id: string;
  api_key: string;
  isTest: boolean;
  channel: Channel;
  recipient: string;
}

/** The live status of a test code, a field to verify it, and the equivalent API calls. */
export function TestVerify({ sent, onAgain }: { sent: SentTest; onAgain: () => void }) {
  const queryClient = useQueryClient();
  const { data } = useQuery(verificationDetail(sent.otp_id));
  const [code, setCode] = useState('');
  const verify = useMutation({
    mutationFn: () =>
      call(verifyTestCode, { body: { api_key: sent.api_key, otp_id: sent.otp_id, code: codeText(code) } }),
    onSettled: () => invalidate(queryClient, listVerifications),
  });
  const problem = verify.error
    ? verify.error instanceof ApiError && verify.error.fields.code
      ? verify.error.fields.code[0]
      : sentence(verify.error, 'Failed to verify the code')
    : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (codeText(code) !== '' && !verify.isPending) verify.mutate();
  };
  const isVerified = verify.isSuccess || data?.status === 'verified';
  const another = useRef<HTMLButtonElement>(null);
  // When the code is verified, the field disappears and the focus would be lost.
  useEffect(() => {
    if (isVerified && document.activeElement === document.body)
      another.current?.focus({ preventScroll: true });
  }, [isVerified]);

  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex min-w-0 items-center gap-2.5 wrap-anywhere" role="status">
        <StatusBadge status={isVerified ? 'verified' : (data?.status ?? 'pending')} />
        <strong>{sent.recipient}</strong>
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
      {data?.failure ? <p className="m-0 text-error">{data.failure}</p> : null}
      {isVerified ? (
        <Alert color="green" variant="light" icon={<IconCheck aria-hidden />}>
          The code is correct. Each code verifies only once.
        </Alert>
      ) : (
        <form className="grid justify-items-start gap-3" onSubmit={submit} noValidate>
          <TextInput
            label="Code"
            description={<Where sent={sent} />}
            value={code}
            error={problem}
            inputMode="numeric"
            autoComplete="one-time-code"
            onChange={(event) => setCode(event.currentTarget.value)}
            autoFocus
          />
          <Button type="submit" aria-disabled={verify.isPending}>
            {verify.isPending ? 'Verifying...' : 'Verify Code'}
          </Button>
        </form>
      )}
      <h3 className="mt-2 -mb-1 text-15">The same with the API</h3>
      <CodeBlock
        label="Send the code"
        code={sendCurl({ channel: sent.channel, recipient: sent.recipient })}
        language="bash"
      />
      <CodeBlock label="Verify the code" code={verifyCurl(sent.otp_id)} language="bash" />
      <Button ref={another} variant="default" onClick={onAgain}>
        Send Another Code
      </Button>
    </div>
  );
}

function Where({ sent: { isTest, channel } }: { sent: SentTest }) {
  if (isTest)
    return (
      <>
        It is in the{' '}
        <PageLink to="/" search={{ mode: 'test', view: 'inbox' }}>
          test inbox
        </PageLink>
        .
      </>
    );
  const { sandbox } = deployment();
  if (!sandbox?.inbox || !sandbox.channels.includes(channel)) return 'It is in the message.';
  return (
    <>
      It is in the{' '}
      <PageLink to="/sandbox" target="_blank">
        message inbox
      </PageLink>
      .
    </>
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
