/** A random fault that changes nothing that anyone can observe. */
interface Reason {
  file: string;
  /** The text before and after, as the run prints it, with single spaces. */
  change: readonly [string, string];
  reason: string;
}

export const reasons: readonly Reason[] = [
  {
    file: 'server/src/payments/auto-purchase.ts',
    change: ['if (!(await claimRequest(app.db, order.id))) return;', ';'],
    reason:
      'A second guard: the order was made or claimed a moment ago, and the provider answers a repeated request with the same intent.',
  },
];
