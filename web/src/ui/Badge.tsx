import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import { IconCheck, IconClock, IconHourglass, IconSend, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Ltr } from './Ltr.tsx';

/** `quiet` has no background, for a value that every row has. */
export type Tone = 'blue' | 'violet' | 'green' | 'red' | 'orange' | 'petrol' | 'gray' | 'outline' | 'quiet';

const tones: Record<Tone, string> = {
  blue: 'bg-blue-soft text-on-blue-soft',
  violet: 'bg-(--mantine-color-violet-light) text-(color:--mantine-color-violet-light-color)',
  green: 'bg-green-soft text-on-green-soft',
  red: 'bg-red-soft text-on-red-soft',
  orange: 'bg-orange-soft text-on-orange-soft',
  petrol: 'bg-(--mantine-color-petrol-light) text-(color:--mantine-color-petrol-light-color)',
  gray: 'bg-gray-soft text-on-gray-soft',
  outline: 'border-border text-ink-soft',
  quiet: 'text-on-gray-soft',
};

interface Props {
  tone: Tone;
  icon?: ReactNode;
  children: ReactNode;
}

/** A colored label. A plain element, because tables render many. */
export const Badge = ({ tone, icon, children }: Props) => (
  <span
    className={`inline-flex items-center gap-[0.3rem] rounded-16 border py-[0.1rem] text-[0.78125rem] leading-[1.45] font-550 whitespace-nowrap tabular-nums ${tone === 'quiet' ? '' : 'px-2'} ${tone === 'outline' ? '' : 'border-transparent'} ${tones[tone]}`}
  >
    {icon}
    {children}
  </span>
);

/** The cost of a request or verification: red '-2' with a hyphen, or gray '0'. */
export const costText = (credits: number): string => (credits > 0 ? `-${credits}` : '0');

export const CostBadge = ({ credits }: { credits: number }) => (
  <Badge tone={credits > 0 ? 'red' : 'quiet'}>
    <Ltr>{costText(credits)}</Ltr>
  </Badge>
);

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

/** Marks what was made with a test key. */
export const TestBadge = () => <Badge tone="orange">Test</Badge>;

const codes: Record<string, Tone> = { 2: 'green', 4: 'orange', 5: 'red' };

/** A badge for an HTTP status: success, warning, destructive or outline. */
export const StatusCode = ({ status }: { status: number }) => (
  <Badge tone={codes[Math.floor(status / 100)] ?? 'outline'}>{status}</Badge>
);
