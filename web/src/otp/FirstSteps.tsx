import { CloseButton, Skeleton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { type ComponentType, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { FOCUSABLE } from '../ui/focus-return.ts';
import { lazyPart } from '../ui/lazy-part.ts';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import type { FirstStepsProgress, StepName, StepProps } from './first-steps.ts';

/** Loaded once there is a key. */
const codeSteps = () => import('./CodeSteps.tsx');
const Send = lazyPart(async () => (await codeSteps()).Send);
const Verify = lazyPart(async () => (await codeSteps()).Verify);
const AddWebhook = lazyPart(async () => (await codeSteps()).AddWebhook);
const StepResponse = lazyPart(async () => (await import('./StepResponse.tsx')).StepResponse);

/** Guides a new account to its first verified code. Each step completes when its request arrives, and shows the response. */
export function FirstSteps({ progress }: { progress: FirstStepsProgress }) {
  const done = Object.values(progress.isDone).filter(Boolean).length;
  const current = steps.find(({ name }) => !progress.isDone[name])?.name;
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
              <Suspense fallback={<div className={name === current ? 'min-h-60' : ''} />}>
                {(name === 'send' || name === 'verify') && (progress.isDone[name] || name === current) ? (
                  <StepResponse step={name} isDone={progress.isDone[name]} />
                ) : null}
                {name === current ? (
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
            </div>
          </li>
        ))}
      </ol>
    </section>
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
