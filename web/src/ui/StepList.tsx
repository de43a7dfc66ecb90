import { CloseButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode, Ref } from 'react';

interface Props {
  id: string;
  title: string;
  steps: readonly Step[];
  /** the step to do next */
  current: string | undefined;
  /** of the current step */
  currentRef?: Ref<HTMLLIElement>;
  /** absent if the list stays */
  onDismiss?: () => void;
  children: (step: Step) => ReactNode;
}

export interface Step {
  name: string;
  title: ReactNode;
  isDone: boolean;
}

/** Numbered steps that complete by themselves, as a card that can be dismissed. */
export const StepList = ({ id, title, steps, current, currentRef, onDismiss, children }: Props) => (
  <section className="lift rounded-12 border border-line bg-surface" aria-labelledby={id}>
    <div className="flex items-center gap-3 pt-[0.8rem] pr-[0.8rem] pb-[0.4rem] pl-5">
      <h2 id={id} className="m-0 text-17 font-650">
        {title}
      </h2>
      <span
        className="me-auto rounded-16 bg-accent-soft px-[0.55rem] py-[0.05rem] text-13 font-550 text-accent"
        role="status"
      >
        {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
      </span>
      {onDismiss ? (
        <CloseButton
          aria-label={`Dismiss ${title.replace(/^\w/, (letter) => letter.toLowerCase())}`}
          onClick={onDismiss}
        />
      ) : null}
    </div>
    <ol className="m-0 list-none px-5 pt-0 pb-3">
      {steps.map((step, index) => (
        <li
          key={step.name}
          ref={step.name === current ? currentRef : undefined}
          className="group grid grid-cols-[1.75rem_minmax(0,1fr)] gap-3 py-2"
          data-done={step.isDone || undefined}
          aria-current={step.name === current ? 'step' : undefined}
        >
          <span
            className="grid size-7 place-items-center rounded-[50%] border-[1.5px] border-border text-13 font-600 text-ink-soft group-aria-[current]:border-accent group-aria-[current]:text-accent group-data-done:border-transparent group-data-done:bg-green-soft group-data-done:text-on-green-soft"
            role="img"
            aria-label={step.isDone ? 'Done' : 'To do'}
          >
            {step.isDone ? <IconCheck size={15} stroke={2.5} aria-hidden /> : index + 1}
          </span>
          <div>
            <h3 className="m-0 text-15 leading-7 font-550 tracking-[0] text-ink-soft group-aria-[current]:text-inherit">
              {step.title}
            </h3>
            {children(step)}
          </div>
        </li>
      ))}
    </ol>
  </section>
);
