import { Button, CloseButton, Skeleton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget, sendCurl, verifyCurl } from '../api/curl.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { busyButton } from '../ui/busy-button.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { FOCUSABLE } from '../ui/focus-return.ts';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { EnterCode } from './EnterCode.tsx';
import classes from './FirstSteps.module.css';
import type { FirstStepsProgress, StepName } from './first-steps.ts';
import { SendProblem } from './SendProblem.tsx';
import { StepResponse } from './StepResponse.tsx';
import { costOf, keysThatSend, suggestedRecipient, useTestSend } from './test-send.ts';

/** Guides a new account to its first verified code. Each step completes when its request arrives, and shows the response. */
export function FirstSteps({ progress }: { progress: FirstStepsProgress }) {
  const done = Object.values(progress.isDone).filter(Boolean).length;
  const current = steps.find(({ name }) => !progress.isDone[name])?.name;
  const [sentHere, setSentHere] = useState<string>();
  const step = useRef<HTMLLIElement>(null);
  const isVerifiedHere = useRef(false);
  // The form of a verified code disappears, and the focus moves to the next step.
  useEffect(() => {
    if (current === undefined || !isVerifiedHere.current) return;
    isVerifiedHere.current = false;
    step.current?.querySelector<HTMLElement>(FOCUSABLE)?.focus({ preventScroll: true });
  }, [current]);
  if (progress.isWaiting) return <Skeleton className="mb-5 h-84 rounded-12" aria-hidden />;
  if (!progress.isShown) return null;
  return (
    <section className="lift mb-5 rounded-12 border border-line bg-surface" aria-labelledby="first-steps">
      <div className="flex items-center gap-3 pt-[0.8rem] pr-[0.8rem] pb-[0.4rem] pl-5">
        <h2 id="first-steps" className="m-0 text-17 font-650">
          First steps
        </h2>
        <span
          className="me-auto rounded-16 bg-accent-soft px-[0.55rem] py-[0.05rem] text-13 font-550 text-accent"
          role="status"
        >
          {done} of {steps.length} done
        </span>
        <CloseButton aria-label="Dismiss first steps" onClick={progress.dismiss} />
      </div>
      <ol className="m-0 list-none px-5 pt-0 pb-3">
        {steps.map(({ name, title, Body }, index) => (
          <li
            key={name}
            ref={name === current ? step : undefined}
            className="group grid grid-cols-[1.75rem_minmax(0,1fr)] gap-3 py-2"
            data-done={progress.isDone[name] || undefined}
            aria-current={name === current ? 'step' : undefined}
          >
            <span
              className="grid size-7 place-items-center rounded-[50%] border-[1.5px] border-border text-13 font-600 text-ink-soft group-aria-[current]:border-accent group-aria-[current]:text-accent group-data-done:border-transparent group-data-done:bg-green-soft group-data-done:text-on-green-soft"
              role="img"
              aria-label={progress.isDone[name] ? 'Done' : 'To do'}
            >
              {progress.isDone[name] ? <IconCheck size={15} stroke={2.5} aria-hidden /> : index + 1}
            </span>
            <div>
              <h3 className="m-0 text-15 leading-7 font-550 tracking-[0] text-ink-soft group-aria-[current]:text-inherit">
                {title}
              </h3>
              {progress.isDone[name] || name === current ? (
                <StepResponse request={progress.requests[name]} />
              ) : null}
              {name === current ? (
                <Body
                  progress={progress}
                  sentHere={sentHere}
                  onSentHere={setSentHere}
                  onVerifiedHere={() => {
                    isVerifiedHere.current = true;
                  }}
                />
              ) : null}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface BodyProps {
  progress: FirstStepsProgress;
  /** the verification that the second step has sent from this screen */
  sentHere: string | undefined;
  onSentHere: (otp_id: string) => void;
  onVerifiedHere: () => void;
}

const steps: readonly { name: StepName; title: string; Body: (props: BodyProps) => ReactNode }[] = [
  { name: 'key', title: 'Create an API key', Body: CreateKey },
  { name: 'send', title: 'Send a code to yourself', Body: Send },
  { name: 'verify', title: 'Verify it', Body: Verify },
  { name: 'webhook', title: 'Add a webhook', Body: AddWebhook },
];

const Hint = ({ children }: { children: ReactNode }) => (
  <p className="mt-[0.1rem] mb-[0.7rem] text-ink-soft">{children}</p>
);

function CreateKey() {
  return (
    <>
      <Hint>Your programs authenticate with it. It is shown only once, so have a safe place ready.</Hint>
      <ButtonLink to="/" search={{ dialog: 'create-key' }}>
        Create API Key
      </ButtonLink>
    </>
  );
}

const Listening = () => (
  <p className="mt-3 mb-0 flex items-center gap-2.5 text-14 text-ink-soft">
    <span className={`${classes.listening} size-2 flex-none rounded-[50%] bg-accent`} />
    Listening for your request. Its response appears here.
  </p>
);

function Send({ onSentHere }: BodyProps) {
  const { data: user } = useQuery(currentUser);
  const { data: keys } = useQuery(apiKeyChoices);
  const [key] = keysThatSend(keys?.results ?? []);
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
            Sends a code to {target.recipient} with the key {key.name}. {costOf({ isTest, channel })}
          </Hint>
          <div className="mb-4 grid justify-items-start gap-2">
            <SendProblem send={send} />
            {send.recipientProblem ? <p className="m-0 text-error">{send.recipientProblem}</p> : null}
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
      <CodeBlock label="Send a code" code={sendCurl(target)} />
      <Listening />
    </>
  );
}

function Verify({ progress: { newest }, sentHere, onVerifiedHere }: BodyProps) {
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
            onVerified={onVerifiedHere}
          />
        </div>
      ) : null}
      <Hint>Or paste this command, then type the code.</Hint>
      <CodeBlock label="Verify the code" code={verifyCurl(newest?.id ?? '')} />
      <Listening />
    </>
  );
}

function AddWebhook() {
  return (
    <>
      <Hint>
        Your server gets a signed request when a code is sent, delivered, verified, failed or expired.
      </Hint>
      <ButtonLink to="/webhooks">Add a Webhook</ButtonLink>
    </>
  );
}
