import { IconFlask } from '@tabler/icons-react';
import { useDeployment } from '../api/deployment.ts';
import { Banner } from './Banner.tsx';
import { CHANNELS_SHOWN } from './channel.ts';
import { PageLink } from './links.tsx';

const conjunction = new Intl.ListFormat('en-US');

/** Appears on every screen of a sandbox. Names the simulated parts and links to the inbox. */
export function SandboxBanner() {
  const { sandbox } = useDeployment();
  if (!sandbox) return null;
  const simulated = [
    ...sandbox.channels.map((channel) => CHANNELS_SHOWN[channel].noun),
    ...(sandbox.cards ? ['card payments'] : []),
  ];
  if (simulated.length === 0) return null;
  return (
    <Banner
      label="Sandbox"
      tone="gray"
      icon={<IconFlask size={16} aria-hidden />}
      link={
        sandbox.inbox ? (
          <PageLink to="/sandbox" target="_blank">
            Open the message inbox
          </PageLink>
        ) : null
      }
    >
      <strong>Sandbox.</strong>{' '}
      <span className={sandbox.inbox ? 'max-lg:hidden' : undefined}>
        Simulated here: {conjunction.format(simulated)}.
      </span>
    </Banner>
  );
}
