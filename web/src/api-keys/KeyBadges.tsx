import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { nowMs } from '../api/clock.ts';
import { Badge, TestBadge } from '../ui/Badge.tsx';
import { format, relativeTime } from '../ui/dates.ts';
import { expiryOf } from './key-values.ts';

/** The mode, expiry and rotation of a key or a connection. `isShort`: only the most urgent badge, for compact rows. */
export function KeyBadges({
  of: { mode, expires_at },
  isRotated,
  isShort = false,
}: {
  of: Pick<ApiKey, 'mode' | 'expires_at'>;
  /** whether the old secret is still valid */
  isRotated: boolean;
  isShort?: boolean;
}) {
  const expiry = expiryOf(expires_at, nowMs());
  const isUrgent = isShort && (expiry === 'expired' || expiry === 'soon');
  return (
    <>
      {mode === 'test' && !isUrgent ? <TestBadge /> : null}
      {expiry === 'expired' ? <Badge tone="red">Expired</Badge> : null}
      {expiry === 'soon' ? (
        <Badge tone="orange">Expires {relativeTime(expires_at ?? '', nowMs())}</Badge>
      ) : null}
      {expiry === 'later' && !isShort ? <Badge tone="outline">Until {day(expires_at)}</Badge> : null}
      {isRotated && !isShort ? <Badge tone="blue">Rotated</Badge> : null}
    </>
  );
}

const dates = format({ dateStyle: 'medium' });
const day = (iso: string | null): string => dates.format(new Date(iso ?? 0));
