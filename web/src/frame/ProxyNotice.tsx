import { Suspense } from 'react';
import { deployment } from '../api/deployment.ts';
import { lazyPart } from '../ui/lazy-part.ts';
import { isThisMachine } from './this-machine.ts';

const ProxyWarning = lazyPart(async () => (await import('./ProxyWarning.tsx')).ProxyWarning);

/**
 * Appears where other machines reach a service whose settings say that they do not: a proxy that passes none of the usual headers
 * hides it from the service, but not from the browser.
 */
export function ProxyNotice() {
  if (deployment().is_public || isThisMachine(window.location.hostname)) return null;
  return (
    <Suspense>
      <ProxyWarning />
    </Suspense>
  );
}
