import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../../platform/finding.ts';
import type { SettingValues } from '../../kind.ts';

const NAME = 'http carrier';
const TIMEOUT_MS = 8_000;

/**
 * Checks that the carrier responds. The request is unsigned, so a carrier that checks signatures does not accept it as a
 * message.
 */
export async function checkHttpCarrier(
  settings: SettingValues,
  { config }: DoctorContext,
): Promise<Finding[]> {
  const { HTTP_CARRIER_URL: url, HTTP_CARRIER_SECRET: secret } = settings;
  if (!url || !secret) return [];
  const { host, protocol, hostname } = new URL(url);
  const found: Finding[] = [];
  try {
    const { status } = await fetch(url, {
      method: 'OPTIONS',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    found.push(
      status >= 500
        ? warning(
            NAME,
            `${host} responds with HTTP ${status}.`,
            'Check the gateway: messages would wait for a retry.',
          )
        : ok(NAME, `${host} responds. Send a test code to check that it accepts messages.`),
    );
  } catch (error) {
    found.push(
      problem(
        NAME,
        `${host} cannot be reached: ${unreachedBecause(error)}.`,
        'Check that HTTP_CARRIER_URL is right and the gateway runs.',
      ),
    );
  }
  if (protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname) && config.production)
    found.push(warning(NAME, 'Codes travel to it unencrypted.', 'Use https:// in HTTP_CARRIER_URL.'));
  return found;
}
