import ipaddr from 'ipaddr.js';

/** Whether an address lies in one of these networks (CIDR). An IPv4 address mapped to IPv6 counts as IPv4. */
export function isWithinNetworks(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const own = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    if (own instanceof ipaddr.IPv4) return range instanceof ipaddr.IPv4 && own.match(range, bits);
    return range instanceof ipaddr.IPv6 && own.match(range, bits);
  });
}
