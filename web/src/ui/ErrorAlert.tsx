import { Alert } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';

interface Props {
  problem: string | undefined;
  /** scrolls into view and takes the focus, where the pressed button may be far below */
  takesFocus?: boolean;
}

/** An error message, announced by screen readers. */
export const ErrorAlert = ({ problem, takesFocus = false }: Props) =>
  problem ? <Shown problem={problem} takesFocus={takesFocus} /> : null;

function Shown({ problem, takesFocus }: { problem: string; takesFocus: boolean }) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!takesFocus) return;
    alert.current?.focus({ preventScroll: true });
    alert.current?.scrollIntoView({ block: 'center' });
  }, [takesFocus]);
  return (
    <Alert
      ref={alert}
      {...(takesFocus && { tabIndex: -1 })}
      color="red"
      variant="light"
      title="Error"
      icon={<IconAlertCircle aria-hidden />}
    >
      {problem}
    </Alert>
  );
}
