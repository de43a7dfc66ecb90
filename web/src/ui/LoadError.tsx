import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { busyButton } from './busy-button.ts';

interface Props {
  title: string;
  message?: string;
  onRetry: () => void;
  isRetrying?: boolean;
}

/** Replaces content that could not be loaded. */
export const LoadError = ({ title, message, onRetry, isRetrying }: Props) => (
  <Alert color="red" variant="light" title={title} icon={<IconAlertTriangle aria-hidden />}>
    {message ? <p style={{ margin: '0 0 0.75rem' }}>{message}</p> : null}
    <Button
      size="compact-sm"
      color="red"
      variant="outline"
      {...busyButton(isRetrying ?? false)}
      onClick={() => {
        if (!isRetrying) onRetry();
      }}
    >
      Try Again
    </Button>
  </Alert>
);
