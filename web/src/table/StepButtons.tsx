import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { TipIcon } from '../ui/TipIcon.tsx';
import { hasSingleKeys } from './list-keys.ts';
import type { Steps } from './neighbors.ts';

const TYPED = 'input, textarea, select';

/** The buttons stay focusable at the ends of the list, where a disabled one would lose the focus. */
export function StepButtons({ steps, noun }: { steps: Steps; noun: 'verification' | 'request' }) {
  const previous = useRef<HTMLButtonElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const press = useEffectEvent((event: KeyboardEvent): void => {
    const step = ({ j: 1, k: -1 } as const)[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!hasSingleKeys() || (event.target instanceof Element && event.target.closest(TYPED))) return;
    event.preventDefault();
    // What had the focus in the content will be gone.
    (step === 1 ? next : previous).current?.focus();
    void steps.go(step);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => press(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  const Noun = noun === 'request' ? 'Request' : 'Verification';
  const button = (isPossible: boolean, step: 1 | -1) => ({
    variant: 'subtle',
    color: 'gray',
    // as Close, which follows
    className: '-my-1 touch:-mt-2',
    'aria-disabled': !isPossible,
    ...(!isPossible && { 'data-disabled': true }),
    onClick: () => void steps.go(step),
  });
  return (
    <>
      <TipIcon
        ref={previous}
        label={`Previous ${Noun}`}
        tip={`Previous ${noun} (k)`}
        aria-keyshortcuts="k"
        {...button(steps.hasPrevious, -1)}
      >
        <IconChevronUp size={20} stroke={1.75} aria-hidden />
      </TipIcon>
      <TipIcon
        ref={next}
        label={`Next ${Noun}`}
        tip={`Next ${noun} (j)`}
        aria-keyshortcuts="j"
        {...button(steps.hasNext, 1)}
      >
        <IconChevronDown size={20} stroke={1.75} aria-hidden />
      </TipIcon>
    </>
  );
}
