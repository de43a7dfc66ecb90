import { CloseButton, Skeleton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget, sendCurl, verifyCurl } from '../api/curl.ts';
import { deployment } from '../api/deployment.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import type { FirstStepsProgress, StepName } from './first-steps.ts';

/** Guides a new account to its first verified code. Steps complete automatically. */
export function FirstSteps({ progress }: { progress: FirstStepsProgress }) {
  if (progress.isWaiting) return <Skeleton className="mb-5 h-84 rounded-12" aria-hidden />;
  if (!progress.isShown) return null;
  const done = Object.values(progress.isDone).filter(Boolean).length;
  const current = steps.find(({ name }) => !progress.isDone[name])?.name;
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
              {name === current ? <Body progress={progress} /> : null}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface BodyProps {
  progress: FirstStepsProgress;
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
      <ButtonLink to="/api-keys" search={{ dialog: 'create' }}>
        Create API Key
      </ButtonLink>
    </>
  );
}

function Send() {
  const { data: user } = useQuery(currentUser);
  return (
    <>
      <Hint>
        Paste this into a shell in which{' '}
        <code className="rounded-[0.3rem] bg-sunken px-[0.3rem] py-[0.05rem] font-mono text-13">API_KEY</code>{' '}
        is your key, or{' '}
        <PageLink to="/" search={{ dialog: 'test-send' }}>
          send a test code from here
        </PageLink>
        .
      </Hint>
      <CodeBlock label="Send a code" code={sendCurl(ownTarget(user))} />
    </>
  );
}

function Verify({ progress: { newest } }: BodyProps) {
  const { sandbox } = deployment();
  const isSimulated = newest !== undefined && sandbox?.inbox && sandbox.channels.includes(newest.channel);
  return (
    <>
      <Hint>
        {isSimulated ? (
          <>
            The code is in the <PageLink to="/sandbox">message inbox</PageLink>. Paste this command, then type
            the code.
          </>
        ) : (
          'Paste this command, then type the code that you received.'
        )}
      </Hint>
      <CodeBlock label="Verify the code" code={verifyCurl(newest?.id ?? '')} />
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
