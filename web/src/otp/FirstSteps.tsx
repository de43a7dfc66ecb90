import { CloseButton, Skeleton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget, sendCurl, verifyCurl } from '../api/curl.ts';
import { deployment } from '../api/deployment.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import classes from './FirstSteps.module.css';
import type { FirstStepsProgress, StepName } from './first-steps.ts';

/** Guides a new account to its first verified code. Steps complete automatically. */
export function FirstSteps({ progress }: { progress: FirstStepsProgress }) {
  if (progress.isWaiting) return <Skeleton className={classes.waiting} aria-hidden />;
  if (!progress.isShown) return null;
  const done = Object.values(progress.isDone).filter(Boolean).length;
  const current = steps.find(({ name }) => !progress.isDone[name])?.name;
  return (
    <section className={classes.card} aria-labelledby="first-steps">
      <div className={classes.head}>
        <h2 id="first-steps">First steps</h2>
        <span className={classes.count} role="status">
          {done} of {steps.length} done
        </span>
        <CloseButton aria-label="Dismiss first steps" onClick={progress.dismiss} />
      </div>
      <ol className={classes.steps}>
        {steps.map(({ name, title, Body }, index) => (
          <li
            key={name}
            className={classes.step}
            data-done={progress.isDone[name] || undefined}
            aria-current={name === current ? 'step' : undefined}
          >
            <span className={classes.mark} role="img" aria-label={progress.isDone[name] ? 'Done' : 'To do'}>
              {progress.isDone[name] ? <IconCheck size={15} stroke={2.5} aria-hidden /> : index + 1}
            </span>
            <div className={classes.text}>
              <h3>{title}</h3>
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

function CreateKey() {
  return (
    <>
      <p>Your programs authenticate with it. It is shown only once, so have a safe place ready.</p>
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
      <p>
        Paste this into a shell in which <code>API_KEY</code> is your key, or{' '}
        <PageLink to="/" search={{ dialog: 'test-send' }}>
          send a test code from here
        </PageLink>
        .
      </p>
      <CodeBlock label="Send a code" code={sendCurl(ownTarget(user))} />
    </>
  );
}

function Verify({ progress: { newest } }: BodyProps) {
  const { sandbox } = deployment();
  const isSimulated = newest !== undefined && sandbox?.inbox && sandbox.channels.includes(newest.channel);
  return (
    <>
      <p>
        {isSimulated ? (
          <>
            The code is in the <PageLink to="/sandbox">message inbox</PageLink>. Paste this, then type it.
          </>
        ) : (
          'Paste this, then type the code that arrived.'
        )}
      </p>
      <CodeBlock label="Verify the code" code={verifyCurl(newest?.id ?? '')} />
    </>
  );
}

function AddWebhook() {
  return (
    <>
      <p>Your server gets a signed request when a code is sent, delivered, verified, failed or expired.</p>
      <ButtonLink to="/webhooks">Add a Webhook</ButtonLink>
    </>
  );
}
