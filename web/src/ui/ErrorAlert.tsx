import { Alert } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';

/** An error message, announced by screen readers. */
export const ErrorAlert = ({ problem }: { problem: string | undefined }) =>
  problem ? (
    <Alert color="red" variant="light" title="Error" icon={<IconAlertCircle aria-hidden />}>
      {problem}
    </Alert>
  ) : null;
