import { IconWorldExclamation } from '@tabler/icons-react';
import { Banner } from './Banner.tsx';

export const ProxyWarning = () => (
  <Banner label="Deployment" icon={<IconWorldExclamation size={16} aria-hidden />}>
    <strong>Other machines can reach this service, but it is configured as private.</strong> Its protections
    are turned off. Operators: set <code>PUBLIC_URL</code> and <code>TRUSTED_PROXIES</code>.
  </Banner>
);
