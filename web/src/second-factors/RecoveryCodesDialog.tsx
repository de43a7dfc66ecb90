import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { deployment } from '../api/deployment.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';

interface Props {
  opened: boolean;
  codes: readonly string[];
  onClose: () => void;
  onClosed: () => void;
}

/** Shows the codes once. The parent must drop them in `onClosed`. */
export const RecoveryCodesDialog = ({ opened, codes, onClose, onClosed }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    onClosed={onClosed}
    title="Your Recovery Codes"
    closesOnClickOutside={false}
  >
    <RecoveryCodes codes={codes} onDone={onClose} />
  </Dialog>
);

interface SetUpProps {
  opened: boolean;
  onClose: () => void;
  /** shown until there are codes */
  title: string;
  children: (onCodes: (codes: readonly string[]) => void) => ReactNode;
}

/** Sets up a second factor, then shows the recovery codes if it is the account's first one. */
export function SetUpDialog({ opened, onClose, title, children }: SetUpProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onClosed={() => setCodes(undefined)}
      title={codes ? 'Your Recovery Codes' : title}
      closesOnClickOutside={!codes}
    >
      {codes ? <RecoveryCodes codes={codes} onDone={onClose} /> : opened ? children(setCodes) : null}
    </Dialog>
  );
}

const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => (
  <>
    <p className="m-0 text-ink-soft">
      Each code signs you in once if you have lost your second factor. This is the only time you will see
      them.
    </p>
    <ul
      className="my-3.5 grid list-none gap-x-4 gap-y-[0.35rem] rounded-10 border border-line bg-sunken px-4 py-3.5"
      style={{ gridTemplateColumns: 'repeat(auto-fill, minmax(12rem, 1fr))' }}
      aria-label="Recovery codes"
    >
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div className="flex flex-wrap gap-2.5">
      <CopyButton value={codes.join('\n')} label="Copy" withText withToast isFirst />
      <Button
        component="a"
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        href={fileOf(codes)}
        download="recovery-codes.txt"
      >
        Download
      </Button>
    </div>
    <DialogActions>
      <Button onClick={onDone}>I've Stored the Codes</Button>
    </DialogActions>
  </>
);

function fileOf(codes: readonly string[]): string {
  const lines = [`Recovery codes for ${deployment().brand_name}. Each works once.`, '', ...codes, ''];
  return `data:text/plain;charset=utf-8,${encodeURIComponent(lines.join('\n'))}`;
}
