import { Suspense } from 'react';
import { deployment } from '../api/deployment.ts';
import { lazyPart } from './lazy-part.ts';

/** Whether a host name in the address bar is the browser's own machine. */
export const isThisMachine = (hostname: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

const ProxyWarning = lazyPart(async () => (await import('./ProxyWarning.tsx')).ProxyWarning);

/**
 * Warns if other machines reach a service that is configured as private. The service cannot detect a proxy that sends none of
 * the usual headers, but the browser knows its address.
 */
export function ProxyNotice() {
  if (deployment().is_public || isThisMachine(window.location.hostname)) return null;
  return (
    <Suspense>
      <ProxyWarning />
    </Suspense>
  );
}
