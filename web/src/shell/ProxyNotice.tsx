import { IconWorldExclamation } from '@tabler/icons-react';
import { deployment } from '../api/deployment.ts';
import { Banner } from '../ui/Banner.tsx';
import { isThisMachine } from './this-machine.ts';

/**
 * Appears where other machines reach a service whose settings say that they do not: a proxy that passes none of the usual headers
 * hides it from the service, but not from the browser.
 */
export function ProxyNotice() {
  if (deployment().is_public || isThisMachine(window.location.hostname)) return null;
  return (
    <Banner label="Deployment" icon={<IconWorldExclamation size={16} aria-hidden />}>
      <strong>Other machines can reach this service, but its settings say that they cannot.</strong> Its
      protections are off. Operators: set <code>PUBLIC_URL</code> and <code>TRUSTED_PROXIES</code>.
    </Banner>
  );
}
