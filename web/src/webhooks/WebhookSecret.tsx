import { signatureSamples } from '@sixdigit/contract/docs/signature-samples.ts';
import { rotateWebhookSecret, type Webhook } from '@sixdigit/contract/webhooks.ts';
import { call } from '../api/call.ts';
import { shellWord } from '../api/curl.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { ActionDialog } from '../ui/Dialog.tsx';
import { RevealSecretDialog, useRevealed } from '../ui/RevealSecretDialog.tsx';
import tall from '../ui/TallCode.module.css';
import { CreateWebhook } from './WebhookForm.tsx';
import classes from './Webhooks.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
}

interface Revealed {
  name: string;
  secret: string;
}

/** Adds an endpoint, and shows its secret once if it was generated. */
export function NewWebhook({ opened, onClose }: Props) {
  const { revealed, reveal, dialog } = useRevealed<Revealed>();
  return (
    <>
      <CreateWebhook
        opened={opened}
        onClose={onClose}
        onCreated={({ name }, secret) => {
          onClose();
          if (secret) reveal({ name, secret });
        }}
      />
      <RevealSecretDialog
        {...dialog}
        title="Your Signing Secret"
        description={revealed?.name}
        warning={`${ONCE} If you lose it, rotate it to get a new one.`}
        secret={revealed?.secret}
        done="I've Copied the Secret"
      >
        <p className="mt-5 mb-2 text-14 text-ink-soft">
          To run a sample receiver, paste this into a terminal with Node.js. It checks signatures and listens
          on port 4000:
        </p>
        <div className={`${classes.sample} ${tall.tall}`}>
          <CodeBlock
            language="bash"
            label="Sample webhook receiver"
            code={runReceiver(revealed?.secret ?? '')}
          />
        </div>
      </RevealSecretDialog>
    </>
  );
}

const ONCE =
  'This is the only time you will see this secret. Store it where your endpoint reads its secrets.';

/** A shell command that writes the docs' receiver, without the comment on how to start it, and starts it. */
const runReceiver = (secret: string): string =>
  `cat > receive.mjs <<'END'\n${signatureSamples.javascript.replace(/^\/\/.*\n/, '')}\nEND\nWEBHOOK_SECRET=${shellWord(secret)} node receive.mjs`;

/** Gives an endpoint a new secret, and shows it once. */
export function RotateSecret({ webhook, opened, onClose }: Props & { webhook: Webhook | undefined }) {
  const { revealed, reveal, dialog } = useRevealed<string>();
  return (
    <>
      <ActionDialog
        opened={opened}
        onClose={onClose}
        title="Rotate Secret"
        confirm="Rotate Secret"
        of={webhook}
        run={({ id }) => call(rotateWebhookSecret, { params: { id } })}
        failure="Failed to rotate the secret"
        done={({ secret }) => {
          onClose();
          reveal(secret);
        }}
      >
        <p className="m-0 wrap-anywhere">
          "{webhook?.name}" gets a new signing secret, shown once. The old one stays valid for 24 hours, so no
          message is refused while you replace it.
        </p>
      </ActionDialog>
      <RevealSecretDialog
        {...dialog}
        title="Your New Signing Secret"
        description={webhook?.name}
        warning={`${ONCE} The old secret stays valid for 24 hours: until then, every message carries both signatures.`}
        secret={revealed}
        done="I've Copied the Secret"
      />
    </>
  );
}
