import { randomUUID } from 'node:crypto';
import { expectsCallbacks } from '../../../messaging/carriers/carriers.ts';
import type { Config } from '../../../platform/config.ts';
import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../platform/finding.ts';
import { isLoopbackHost } from '../../../platform/http/client-address.ts';
import { PROBE_PATH, type ProbeResponse, probeRequest } from '../../deployment/deployment.ts';

const TIMEOUT_MS = 8_000;
/** An address from a documentation range (RFC 5737), which no client has. */
const CLAIMED = '192.0.2.77';

/** Checks that the public URLs reach this service over https, and that client addresses arrive unchanged. */
export async function checkPublicUrl(context: DoctorContext): Promise<Finding[]> {
  const { config } = context;
  const named = Object.entries({ 'public url': config.publicUrl, 'api url': config.apiUrl });
  const own = config.port === 0 ? [] : [['service', ownAddress(config)] as const];
  const asked = config.publicUrl ? named : own;
  const found = await Promise.all(
    asked.map(async ([about, url]) => (url ? await checkUrl(about, url, context) : [])),
  );
  return [...meaning(config), ...found.flat()];
}

const ownAddress = ({ host, port }: Config): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** Findings that only need the URL. */
function meaning({ publicUrl, production, carriers, stripe }: Config): Finding[] {
  const isLocal = !publicUrl || isLoopbackHost(new URL(publicUrl).hostname);
  if (isLocal && (expectsCallbacks(carriers) || stripe))
    return [
      warning(
        'public url',
        'It is an address of this machine alone: delivery reports, STOP messages and events of Stripe cannot arrive.',
        'Set PUBLIC_URL to the public address.',
      ),
    ];
  if (production && publicUrl?.startsWith('http:') && !isLocal)
    return [
      problem(
        'public url',
        'It is not https: passwords, codes and API keys travel unencrypted.',
        'Put a proxy with TLS before the service (deploy/ has examples) and set PUBLIC_URL to https://…',
      ),
    ];
  return [];
}

async function checkUrl(
  about: string,
  url: string,
  { config, vault, clock }: DoctorContext,
): Promise<Finding[]> {
  const { host } = new URL(url);
  if (!vault) return [warning(about, 'It cannot be checked without the server key.', 'Set SECRET_KEY.')];
  const { query, proof } = probeRequest(vault, randomUUID(), clock.now());
  const base = url.replace(/\/api\/v1$/, '');
  let answer: Response;
  try {
    answer = await fetch(`${base}${PROBE_PATH}?${query}`, {
      headers: { 'x-forwarded-for': CLAIMED },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const says = `${host} cannot be reached from here: ${unreachedBecause(error)}.`;
    return config.publicUrl
      ? [problem(about, says, 'Start the service, and check DNS, proxy and certificate.')]
      : [warning(about, says, 'Start the service.')];
  }
  if (answer.status >= 300 && answer.status < 400)
    return [problem(about, `${host} redirects to another address.`, 'Set PUBLIC_URL to that address.')];
  if (answer.status >= 500)
    return [
      problem(
        about,
        `${host} responds with HTTP ${answer.status}.`,
        'Check that the service runs behind the proxy.',
      ),
    ];
  const seen = (await answer.json().catch(() => ({}))) as Partial<ProbeResponse>;
  if (seen.proof !== proof)
    return [
      problem(
        about,
        `${host} responds, but not as this service.`,
        'Point it to this service; all processes need this version, the same SECRET_KEY and synchronized clocks.',
      ),
    ];
  const arrived = arrivalFindings(about, url, seen as ProbeResponse);
  return arrived.length > 0
    ? arrived
    : [
        ok(
          about,
          `${host} leads to this service, which sees callers by their own addresses (here: ${seen.ip}).`,
        ),
      ];
}

export function arrivalFindings(about: string, url: string, seen: ProbeResponse): Finding[] {
  const { ip, peer, protocol, believed, forwarded, hidden } = seen;
  if (hidden)
    return [
      problem(
        about,
        `Browsers reach it as ${hidden} through a proxy that passes none of the usual headers, while the settings say that only this machine does. All clients share one rate limit, and the protections of a public deployment are off.`,
        'Set PUBLIC_URL and TRUSTED_PROXIES, and configure the proxy to set X-Forwarded-For and X-Forwarded-Proto (deploy/ has examples).',
      ),
    ];
  // The service itself serves only http, and only a proxy changes the header.
  const isProxied = url.startsWith('https:') || forwarded !== CLAIMED;
  const found: Finding[] = [];
  if (ip === CLAIMED && forwarded === CLAIMED && isProxied)
    found.push(
      problem(
        about,
        'The proxy passes on the X-Forwarded-For of its clients, so clients can choose the address that limits count.',
        'Configure the proxy to replace the header by the address of its client (deploy/ has examples).',
      ),
    );
  else if (ip === CLAIMED)
    found.push(
      warning(
        about,
        `This machine (${peer}) is in TRUSTED_PROXIES, so the service trusts any X-Forwarded-For from it.`,
        isProxied
          ? 'Configure the proxy to replace X-Forwarded-For instead of adding to it.'
          : 'This is right if only a proxy runs here; otherwise remove it.',
      ),
    );
  else if (isProxied && forwarded === null)
    found.push(
      problem(
        about,
        `All clients seem to come from ${peer} and share one rate limit, because the proxy sends no X-Forwarded-For.`,
        'Configure the proxy to set X-Forwarded-For and X-Forwarded-Proto (deploy/ has examples).',
      ),
    );
  else if (isProxied && !believed)
    found.push(
      problem(
        about,
        `All clients seem to come from ${peer} and share one rate limit, because the proxy is not trusted.`,
        `Set TRUSTED_PROXIES=${peer.replace(/^::ffff:/, '')}`,
      ),
    );
  if (url.startsWith('https:') && protocol !== 'https' && found.length === 0)
    found.push(
      problem(
        about,
        'The proxy does not report that clients use https.',
        'Configure it to set X-Forwarded-Proto (deploy/ has examples).',
      ),
    );
  return found;
}
