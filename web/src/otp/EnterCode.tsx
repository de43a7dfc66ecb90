import { Button, TextInput } from '@mantine/core';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { verifyTestCode } from '@sixdigit/contract/test-send.ts';
import { codeText } from '@sixdigit/contract/text/digits.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call, sentence } from '../api/call.ts';
import { invalidate } from '../api/read.ts';
import { busyButton } from '../ui/busy-button.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { CHANNELS_SHOWN } from '../ui/channel.ts';
import { timeOfDay } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { inboxOf, type SentCode, useArrived } from './arrived.ts';

interface Props {
  sent: SentCode;
  autoFocus?: boolean;
  onVerified?: () => void;
}

/** Verifies a code. If this browser can read the message, shows it as soon as it arrives and fills in its code. */
export function EnterCode({ sent, autoFocus = false, onVerified }: Props) {
  const queryClient = useQueryClient();
  const arrived = useArrived(sent);
  const [typed, setTyped] = useState<string>();
  const code = typed ?? arrived?.code ?? '';
  const verify = useMutation({
    mutationFn: () =>
      call(verifyTestCode, { body: { api_key: sent.api_key, otp_id: sent.otp_id, code: codeText(code) } }),
    onSuccess: () => onVerified?.(),
    onSettled: () => invalidate(queryClient, listVerifications, listRequestLogs),
  });
  // A verified code leaves the screen with the next refetch.
  const isBusy = verify.isPending || verify.isSuccess;
  const problem = verify.error
    ? verify.error instanceof ApiError && verify.error.fields.code
      ? verify.error.fields.code[0]
      : sentence(verify.error, 'Failed to verify the code')
    : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (codeText(code) !== '' && !isBusy) verify.mutate();
  };
  return (
    <form className="grid grid-cols-1 gap-3" onSubmit={submit} noValidate>
      <Message sent={sent} arrived={arrived} />
      <TextInput
        label="Code"
        value={code}
        error={problem}
        inputMode="numeric"
        autoComplete="one-time-code"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoFocus={autoFocus}
        inputContainer={(input) => (
          <div className="flex gap-3">
            <div className="w-46 min-w-0">{input}</div>
            <Button type="submit" className="flex-none" {...busyButton(isBusy || codeText(code) === '')}>
              {isBusy ? 'Verifying...' : 'Verify Code'}
            </Button>
          </div>
        )}
      />
    </form>
  );
}

/** The message as it arrived, or where to find it. */
function Message({ sent, arrived }: { sent: SentCode; arrived: ReturnType<typeof useArrived> }) {
  const inbox = inboxOf(sent);
  const { message, Icon } = CHANNELS_SHOWN[sent.channel];
  if (!inbox)
    return (
      <p className="m-0 text-ink-soft">
        Enter the code from the message to <RecipientText recipient={sent.recipient} isWhole />.
      </p>
    );
  return (
    <div className="min-h-29 rounded-10 border border-line bg-sunken px-4 py-3" role="status">
      <div className="flex items-start gap-2 text-13 text-ink-soft">
        <Icon size={16} stroke={1.75} className="mt-0.5 flex-none" aria-hidden />
        <span className="min-w-0 flex-1 wrap-anywhere">
          {arrived ? message : 'Waiting for the message'} to{' '}
          <RecipientText recipient={sent.recipient} isWhole />
          {arrived ? null : '...'}
        </span>
        {arrived ? (
          <time className="flex-none" dateTime={arrived.created_at}>
            {timeOfDay(arrived.created_at)}
          </time>
        ) : null}
      </div>
      {arrived?.code ? (
        <div className="mt-1 flex items-center justify-between gap-3">
          <span className="font-mono text-24 font-600 tracking-[0.18em] text-accent">{arrived.code}</span>
          <CopyButton value={arrived.code} label="Copy the message’s code" withToast />
        </div>
      ) : null}
      {arrived ? (
        <p className="mt-1 mb-0 text-13 text-ink-soft">
          {inbox === 'test' ? (
            <>
              Test key: the message did not leave this server. It is in the{' '}
              <PageLink to="/" search={{ mode: 'test', view: 'inbox' }}>
                test inbox
              </PageLink>
              .
            </>
          ) : (
            <>
              The sandbox caught it. It is in the{' '}
              <PageLink to="/sandbox" target="_blank">
                message inbox
              </PageLink>
              .
            </>
          )}
        </p>
      ) : null}
    </div>
  );
}
