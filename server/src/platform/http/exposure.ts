import ipaddr from 'ipaddr.js';

/** The settings that determine who can reach the service. */
export interface Exposure {
  host: string;
  publicUrl: string | undefined;
  apiUrl: string | undefined;
  trustedProxies: readonly string[];
}

/**
 * Whether other machines may reach the service: it listens beyond loopback, its public address is not a loopback address, or a
 * proxy forwards requests to it.
 */
export function isPublicDeployment({ host, publicUrl, apiUrl, trustedProxies }: Exposure): boolean {
  const hosts = [host, ...[publicUrl, apiUrl].flatMap((url) => (url ? [new URL(url).hostname] : []))];
  return trustedProxies.length > 0 || !hosts.every(isLoopbackHost);
}

/** Whether a host name or address is local to this machine. Accepts URL spelling, such as `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  // RFC 6761: names below localhost always resolve to loopback.
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}

/** The settings that determine whether test cards could pay for real messages. */
export interface TestMoney {
  isPublic: boolean;
  production: boolean;
  /** cards are simulated: a sandbox without Stripe keys */
  hasSandboxCards: boolean;
  stripeKeys: Record<string, string | undefined>;
  /** carriers that send real messages */
  realCarriers: readonly string[];
  /** the settings that choose carriers */
  carrierSettings: readonly string[];
}

/** Prevents strangers from buying real messages with a test card. */
export function testMoneyProblems(money: TestMoney): string[] {
  const testKeys = Object.keys(money.stripeKeys).filter((name) =>
    isStripeTestKey(money.stripeKeys[name] ?? ''),
  );
  const have = testKeys.length > 1 ? 'are Stripe test keys' : 'is a Stripe test key';
  if (money.production && testKeys.length > 0)
    return [
      `${testKeys.join(' and ')} ${have}, and production takes real cards: set the live keys, or leave NODE_ENV=production out for a test deployment`,
    ];
  if (!money.isPublic || money.realCarriers.length === 0) return [];
  const carriers = money.realCarriers.join(', ');
  const settings = new Intl.ListFormat('en-GB').format(money.carrierSettings);
  const others = 'others can reach this service (by PUBLIC_URL, API_URL, HOST or TRUSTED_PROXIES)';
  if (testKeys.length > 0)
    return [
      `${testKeys.join(' and ')} ${have}, and ${others}: test cards would pay for real messages by ${carriers}. Set Stripe's live keys, or send every channel to the inbox with ${settings}=sandbox`,
    ];
  if (money.hasSandboxCards)
    return [
      `Cards are test cards in a sandbox, and ${others}: they would pay for real messages by ${carriers}. Set SANDBOX=0, or Stripe's live keys, or send every channel to the inbox with ${settings}=sandbox`,
    ];
  return [];
}

const isStripeTestKey = (key: string): boolean => /^(sk|rk|pk)_test_/.test(key);
