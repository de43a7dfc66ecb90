import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { toast } from '../api/toast.ts';
import { isDialogOpen } from './focus-return.ts';
import { TipIcon } from './TipIcon.tsx';

interface Props {
  value: string;
  /** label for screen readers: 'Copy key' */
  label: string;
  /** shows the label next to the icon */
  withText?: boolean;
  /** what distinguishes the button in a list, for screen readers: 'to ann@example.com' */
  detail?: string;
  /** also shows the toast 'Copied to clipboard!', unless it would cover a dialog on a phone */
  withToast?: boolean;
  /** takes the focus when its dialog opens */
  isFirst?: boolean;
}

const isInPhoneDialog = (): boolean => matchMedia('(max-width: 767.98px)').matches && isDialogOpen();

/** Copies, and shows a check for 2 s. */
export function CopyButton({ value, label, withText, detail, withToast, isFirst }: Props) {
  const clipboard = useClipboard({ timeout: 2000 });
  const { copied, error } = clipboard;
  useEffect(() => {
    if (error) toast.error('Failed to copy to clipboard');
  }, [error]);
  useEffect(() => {
    if (copied && withToast && !isInPhoneDialog()) toast.success('Copied to clipboard!');
  }, [copied, withToast]);

  const icon = copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  const copy = (): void => clipboard.copy(value);
  if (withText) {
    return (
      <Button
        variant="default"
        leftSection={icon}
        onClick={copy}
        data-autofocus={isFirst || undefined}
        aria-label={detail && !copied ? `${label} ${detail}` : undefined}
      >
        {copied ? 'Copied' : label}
      </Button>
    );
  }
  return (
    <TipIcon
      label={copied ? 'Copied' : label}
      onClick={copy}
      data-autofocus={isFirst || undefined}
      {...(copied && { color: 'green' })}
    >
      {icon}
    </TipIcon>
  );
}
