import { Alert } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';

/** Why something did not work; announced when it appears. */
export const ErrorAlert = ({ problem }: { problem: string | undefined }) =>
  problem ? (
    <Alert color="red" variant="light" title="Error" icon={<IconAlertCircle aria-hidden />}>
      {problem}
    </Alert>
  ) : null;
