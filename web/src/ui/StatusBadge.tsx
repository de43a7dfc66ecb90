import type { OtpStatus } from '@sixdigit/contract/otp.ts';
import { IconCheck, IconClock, IconHourglass, IconSend, IconX } from '@tabler/icons-react';
import { Badge, type Tone } from './Badge.tsx';

const looks: Record<OtpStatus, { tone: Tone; label: string; Icon: typeof IconClock }> = {
  pending: { tone: 'blue', label: 'Pending', Icon: IconClock },
  sent: { tone: 'violet', label: 'Sent', Icon: IconSend },
  verified: { tone: 'green', label: 'Verified', Icon: IconCheck },
  failed: { tone: 'red', label: 'Failed', Icon: IconX },
  expired: { tone: 'orange', label: 'Expired', Icon: IconHourglass },
};

/** The status of a verification. */
export function StatusBadge({ status }: { status: OtpStatus }) {
  const { tone, label, Icon } = looks[status];
  return (
    <Badge tone={tone} icon={<Icon size={13} stroke={2.25} aria-hidden />}>
      {label}
    </Badge>
  );
}

export const statusLabel = (status: OtpStatus): string => looks[status].label;
