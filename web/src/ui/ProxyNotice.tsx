import { IconWorldExclamation } from '@tabler/icons-react';
import { deployment } from '../api/deployment.ts';
import { Banner } from './Banner.tsx';

/** Whether a host name in the address bar is the browser's own machine. */
export const isThisMachine = (hostname: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

/**
 * Warns if other machines reach a service that is configured as private. The service cannot detect a proxy that sends none of
 * the usual headers, but the browser knows its address.
 */
export function ProxyNotice() {
  if (deployment().is_public || isThisMachine(window.location.hostname)) return null;
  return (
    <Banner label="Deployment" icon={<IconWorldExclamation size={16} aria-hidden />}>
      <strong>Other machines can reach this service, but it is configured as private.</strong> Its protections
      are turned off. Operators: set <code>PUBLIC_URL</code> and <code>TRUSTED_PROXIES</code>.
    </Banner>
  );
}
