import { Skeleton } from '@mantine/core';
import { type ComponentType, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { FOCUSABLE } from '../ui/focus-return.ts';
import { lazyPart } from '../ui/lazy-part.ts';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { StepList } from '../ui/StepList.tsx';
import type { FirstStepsProgress, StepName, StepProps } from './first-steps.ts';

/** Loaded once there is a key. */
const codeSteps = () => import('./CodeSteps.tsx');
const Send = lazyPart(async () => (await codeSteps()).Send);
const Verify = lazyPart(async () => (await codeSteps()).Verify);
const AddWebhook = lazyPart(async () => (await codeSteps()).AddWebhook);
const StepResponse = lazyPart(async () => (await import('./StepResponse.tsx')).StepResponse);

/** Guides a new account to its first verified code. Each step completes when its request arrives, and shows the response. */
export function FirstSteps({ progress }: { progress: FirstStepsProgress }) {
  const { name: current, Body } = steps.find(({ name }) => !progress.isDone[name]) ?? {};
  const [sentHere, setSentHere] = useState<string>();
  const step = useRef<HTMLLIElement>(null);
  const isActing = useRef(false);
  // The control of a completed step disappears, and the focus moves to the next step.
  const takeFocus = useCallback(() => {
    const lost = [document.body, document.getElementById('content')];
    const control = step.current?.querySelector<HTMLElement>(FOCUSABLE);
    if (!isActing.current || !control || !lost.includes(document.activeElement as HTMLElement)) return;
    isActing.current = false;
    control.focus({ preventScroll: true });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the step changes
  useEffect(takeFocus, [current]);
  if (progress.isWaiting) return <Skeleton className="mb-5 h-84 rounded-12" aria-hidden />;
  if (!progress.isShown) return null;
  return (
    <div className="mb-5">
      <StepList
        id="first-steps"
        title="First steps"
        steps={steps.map(({ name, title }) => ({ name, title, isDone: progress.isDone[name] }))}
        current={current}
        currentRef={step}
        onDismiss={progress.dismiss}
      >
        {({ name, isDone }) => (
          <Suspense fallback={<div className={name === current ? 'min-h-60' : ''} data-loading />}>
            {(name === 'send' || name === 'verify') && (isDone || name === current) ? (
              <StepResponse step={name} isDone={isDone} />
            ) : null}
            {Body && name === current ? (
              <Body
                progress={progress}
                sentHere={sentHere}
                onSentHere={setSentHere}
                onAct={() => {
                  isActing.current = true;
                }}
                onReady={takeFocus}
              />
            ) : null}
          </Suspense>
        )}
      </StepList>
    </div>
  );
}

const steps: readonly { name: StepName; title: string; Body: ComponentType<StepProps> }[] = [
  { name: 'key', title: 'Create an API key', Body: CreateKey },
  { name: 'send', title: 'Send a code to yourself', Body: Send },
  { name: 'verify', title: 'Verify it', Body: Verify },
  { name: 'webhook', title: 'Add a webhook', Body: AddWebhook },
];

function CreateKey({ onAct }: StepProps) {
  return (
    <>
      <p className="mt-[0.1rem] mb-[0.7rem] text-ink-soft">
        Your program uses it to send and verify codes. It is shown only once, so have a safe place ready.
      </p>
      <ButtonLink
        to="/"
        search={{ dialog: 'create-key' }}
        // The next step is then ready when the dialogs close.
        onClick={() => {
          onAct();
          void codeSteps().catch(console.error);
        }}
      >
        Create API Key
      </ButtonLink>
      {' or '}
      <PageLink to="/connections">connect your auth system</PageLink>
    </>
  );
}
