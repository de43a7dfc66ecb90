const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The blocks of the account in the last hours: an attack on a prefix, a busy client, and a slow attack. In a sandbox they only monitor. */
export function seedBlocksOf(account_id: string, now: number) {
  const block = (
    hoursAgo: number,
    rule: string,
    destination: { prefix: string; country: string; client?: string },
    monitored: number,
  ) => {
    const last = now - hoursAgo * HOUR_MS - 3 * MINUTE_MS;
    return {
      account_id,
      hour: Math.floor(last / HOUR_MS),
      rule,
      scope: 'account',
      client: '',
      blocked: 0,
      monitored,
      ...destination,
      first_at: new Date(last - 2 * MINUTE_MS),
      last_at: new Date(last),
    };
  };
  const attacked = { prefix: '+1604555', country: 'CA' };
  return [
    block(2, 'prefix_velocity', attacked, 164),
    block(3, 'prefix_velocity', attacked, 87),
    block(5, 'client_velocity', { prefix: '+1415555', country: 'US', client: '203.0.113.81' }, 6),
    block(9, 'country_unverified', { prefix: '+1647555', country: 'CA' }, 11),
  ];
}
