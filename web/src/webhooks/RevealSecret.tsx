import { Alert, Button } from '@mantine/core';
import { signatureSamples } from '@sixdigit/contract/docs/signature-samples.ts';
import { IconShieldLock } from '@tabler/icons-react';
import { shellWord } from '../api/curl.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { SecretValue } from '../ui/SecretValue.tsx';
import tall from '../ui/TallCode.module.css';
import classes from './Webhooks.module.css';

export interface Revealed {
  name: string;
  secret: string;
  isRotated: boolean;
}

interface Props {
  revealed: Revealed | undefined;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** A shell command that writes the docs' receiver, without the comment on how to start it, and starts it. */
const runReceiver = (secret: string): string =>
  `cat > receive.mjs <<'END'\n${signatureSamples.javascript.replace(/^\/\/.*\n/, '')}\nEND\nWEBHOOK_SECRET=${shellWord(secret)} node receive.mjs`;

/** Shows the signing secret once. The parent must drop it in `onClosed`. */
export const RevealSecret = ({ revealed, opened, onClose, onClosed }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    onClosed={onClosed}
    title={revealed?.isRotated ? 'Your New Signing Secret' : 'Your Signing Secret'}
    description={revealed?.name}
    size="lg"
    closesOnClickOutside={false}
  >
    {revealed ? (
      <>
        <Alert color="orange" variant="light" title="Security notice" icon={<IconShieldLock aria-hidden />}>
          This is the only time you will see this secret. Store it where your endpoint reads its secrets.{' '}
          {revealed.isRotated
            ? 'The old secret stays valid for 24 hours: until then, every message carries both signatures.'
            : 'If you lose it, rotate it to get a new one.'}
        </Alert>
        <SecretValue value={revealed.secret} />
        {revealed.isRotated ? null : (
          <>
            <p className="mt-5 mb-2 text-14 text-ink-soft">
              To run a sample receiver, paste this into a terminal with Node.js. It checks signatures and
              listens on port 4000:
            </p>
            <div className={`${classes.sample} ${tall.tall}`}>
              <CodeBlock
                language="bash"
                label="Sample webhook receiver"
                code={runReceiver(revealed.secret)}
              />
            </div>
          </>
        )}
        <DialogActions>
          <Button onClick={onClose}>I've Copied the Secret</Button>
        </DialogActions>
      </>
    ) : null}
  </Dialog>
);
