import { useLocation } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { LoadingText, Room, type RoomProps } from './Near.tsx';

interface Props extends RoomProps {
  id: string;
  title: string;
  description: string;
  /** loaded when it first opens */
  children: ReactNode;
}

/** A titled card that is closed at first. A link to it opens it. */
export function FoldedPanel({ id, title, description, children, ...room }: Props) {
  const isLinked = useLocation({ select: ({ hash }) => hash === id });
  const [isOpen, setOpen] = useState(isLinked);
  const [wasOpen, setWasOpen] = useState(isOpen);
  useEffect(() => {
    if (isLinked) setOpen(true);
  }, [isLinked]);
  if (isOpen && !wasOpen) setWasOpen(true);
  return (
    <section id={id} className="scroll-mt-(--anchor)" aria-label={title}>
      <details
        className="rounded-12 border border-line bg-surface"
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary className="cursor-pointer rounded-12 px-6 py-4.5 marker:text-ink-soft max-sm:px-4.5">
          <h2 className="m-0 inline text-17 font-650">{title}</h2>
          <span className="mt-[0.15rem] block text-14 text-ink-soft">{description}</span>
        </summary>
        <div className="px-6 pb-6 max-sm:px-4.5 max-sm:pb-5">
          {wasOpen ? (
            <Room {...room}>
              <Suspense fallback={<LoadingText />}>{children}</Suspense>
            </Room>
          ) : null}
        </div>
      </details>
    </section>
  );
}
