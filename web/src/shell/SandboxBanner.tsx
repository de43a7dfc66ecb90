import { Anchor } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import classes from './SandboxBanner.module.css';

const names = { sms: 'SMS', voice: 'voice', email: 'e-mail' } as const;
const sentence = (words: readonly string[]): string =>
  new Intl.ListFormat('en-US', { type: 'conjunction' }).format(words);

/** Appears on every screen of a sandbox: names the simulated parts and links to the inbox. */
export function SandboxBanner() {
  const { sandbox } = deployment();
  if (!sandbox) return null;
  const simulated = [
    ...sandbox.channels.map((channel) => names[channel]),
    ...(sandbox.cards ? ['card payments'] : []),
  ];
  if (simulated.length === 0) return null;
  return (
    <aside className={classes.banner} aria-label="Sandbox">
      <IconFlask size={16} aria-hidden />
      <span>
        <strong>Sandbox.</strong> Simulated here: {sentence(simulated)}.
        {sandbox.inbox ? (
          <>
            {' '}
            <Anchor
              component={Link}
              to={'/sandbox' as never}
              inherit
              underline="always"
              className={classes.link}
            >
              Open the message inbox
            </Anchor>
          </>
        ) : null}
      </span>
    </aside>
  );
}
