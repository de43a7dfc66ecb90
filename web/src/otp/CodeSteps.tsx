import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget, sendCurl, verifyCurl } from '../api/curl.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { busyButton } from '../ui/busy-button.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { EnterCode } from './EnterCode.tsx';
import classes from './FirstSteps.module.css';
import type { StepProps } from './first-steps.ts';
import { SendProblem } from './SendProblem.tsx';
import { costOf, suggestedRecipient, useKeysThatSend, useTestSend } from './test-send.ts';

const Hint = ({ children }: { children: ReactNode }) => (
  <p className="mt-[0.1rem] mb-[0.7rem] text-ink-soft">{children}</p>
);

const Listening = () => (
  <p className="mt-3 mb-0 flex items-center gap-2.5 text-14 text-ink-soft">
    <span className={`${classes.listening} size-2 flex-none rounded-[50%] bg-accent`} />
    Listening for your request. Its response appears here.
  </p>
);

/** Sends a code from the dashboard, or listens for the pasted command. */
export function Send({ onSentHere, onReady }: StepProps) {
  useEffect(onReady, [onReady]);
  const { data: user } = useQuery(currentUser);
  const { data: keys } = useQuery(apiKeyChoices);
  const [key] = useKeysThatSend()(keys?.results ?? []);
  const isTest = key?.mode === 'test';
  const own = ownTarget(user);
  const { channel } = own;
  const target = isTest ? { channel, recipient: suggestedRecipient(channel, true, user) } : own;
  const send = useTestSend({ isTest, onSent: ({ otp_id }) => onSentHere(otp_id) });
  return (
    <>
      {key ? (
        <>
          <Hint>
            Sends a code to <RecipientText recipient={target.recipient} isWhole /> with the key {key.name}.{' '}
            {costOf({ isTest, channel })}
          </Hint>
          <div className="mb-4 grid justify-items-start gap-2">
            <SendProblem send={send} />
            {send.problems.recipient ? <p className="m-0 text-error">{send.problems.recipient}</p> : null}
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
              <Button
                {...busyButton(send.isBusy)}
                onClick={() => send.submit({ api_key: key.id, ...target })}
              >
                {send.isBusy ? 'Sending...' : 'Send Code'}
              </Button>
              <PageLink to="/" search={{ dialog: 'test-send' }}>
                Choose the recipient
              </PageLink>
            </div>
          </div>
        </>
      ) : null}
      <Hint>
        {key ? 'Or paste' : 'Paste'} this into a shell in which{' '}
        <code className="rounded-[0.3rem] bg-sunken px-[0.3rem] py-[0.05rem] font-mono text-13">API_KEY</code>{' '}
        is your key.
      </Hint>
      <CodeBlock label="Send a code" code={sendCurl(target)} language="bash" />
      <Listening />
    </>
  );
}

/** Verifies the newest code, or listens for the pasted command. */
export function Verify(props: StepProps) {
  const {
    progress: { newest },
    sentHere,
    onAct,
  } = props;
  if (newest?.status === 'expired' || newest?.status === 'failed')
    return (
      <>
        <Hint>
          {newest.status === 'expired'
            ? 'The code has expired. Send another one.'
            : 'The message could not be delivered. Send another one.'}
        </Hint>
        <Send {...props} />
      </>
    );
  return (
    <>
      {newest ? (
        <div className="mt-1 mb-4 max-w-120">
          <EnterCode
            // Each code starts with its own message.
            key={newest.id}
            sent={{
              otp_id: newest.id,
              api_key: newest.api_key.id,
              isTest: newest.test,
              channel: newest.channel,
              recipient: newest.recipient,
            }}
            autoFocus={sentHere === newest.id}
            onVerified={onAct}
          />
        </div>
      ) : null}
      <Hint>Or paste this command, then type the code.</Hint>
      <CodeBlock label="Verify the code" code={verifyCurl(newest?.id ?? '')} language="bash" />
      <Listening />
    </>
  );
}

export function AddWebhook({ onReady }: StepProps) {
  useEffect(onReady, [onReady]);
  return (
    <>
      <Hint>
        Your server gets a signed request when a code is sent, delivered or verified, fails or expires.
      </Hint>
      <ButtonLink to="/webhooks">Add a Webhook</ButtonLink>
    </>
  );
}
