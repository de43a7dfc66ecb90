import { VisuallyHidden } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { type CSSProperties, type ReactNode, type Ref, Suspense, useState } from 'react';
import classes from './Near.module.css';

export interface RoomProps {
  /** height of the loaded content in rem */
  room?: number;
  /** the same below 768 px */
  roomOnPhones?: number;
  children: ReactNode;
}

/** Keeps the room that its content will need, while any of it loads. */
export const Room = ({
  room = 12,
  roomOnPhones = room,
  ref,
  children,
}: RoomProps & { ref?: Ref<HTMLDivElement> | undefined }) => (
  <div
    ref={ref}
    className={`${classes.room} min-w-0`}
    style={{ '--room': room, '--room-on-phones': roomOnPhones } as CSSProperties}
  >
    {children}
  </div>
);

export const LoadingText = ({ isBusy = true }) => (
  <p className="m-0 text-ink-soft" role="status" aria-busy={isBusy}>
    Loading...
  </p>
);

/** Holds the place of content that may be far down the screen. It stands still, because nothing loads until it is near. */
export const Bar = ({ className = 'h-3 w-2/5' }) => (
  <div className={`rounded-10 bg-line ${className}`} aria-hidden />
);

/** What `Near` shows while its part loads, such as panels with a `Bar`. */
export const Waiting = ({ isSeen, children }: { isSeen: boolean; children: ReactNode }) => (
  <>
    <VisuallyHidden role="status" aria-busy={isSeen}>
      Loading...
    </VisuallyHidden>
    {children}
  </>
);

interface NearProps extends RoomProps {
  /** replaces the text that is shown while it loads, for example with `Waiting` */
  waiting?: (isSeen: boolean) => ReactNode;
}

/** A lazy part far down a screen: its code loads when the user scrolls near it. */
export function Near({ children, waiting, ...room }: NearProps) {
  const { ref, isSeen } = useSeen<HTMLDivElement>('300px');
  const loading = waiting ? waiting(isSeen) : <LoadingText isBusy={isSeen} />;
  return (
    <Room ref={ref} {...room}>
      <Suspense fallback={loading}>{isSeen ? children : loading}</Suspense>
    </Room>
  );
}

/** Whether an element has ever been in view, or within `margin` of it ('300px'). */
export function useSeen<T extends HTMLElement>(margin = '0px') {
  const { ref, entry } = useIntersection<T>({ rootMargin: margin });
  const [isSeen, setSeen] = useState(false);
  if (entry?.isIntersecting && !isSeen) setSeen(true);
  return { ref: isSeen ? undefined : ref, isSeen };
}
