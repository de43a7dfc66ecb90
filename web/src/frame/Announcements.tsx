import { IconAlertTriangle, IconBan, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { deployment } from '../api/deployment.ts';
import { Banner } from '../ui/Banner.tsx';

/** The announcements of the operators, and a notice if they suspended the account. */
export function Announcements() {
  const { data: user } = useQuery(currentUser);
  if (!user) return null;
  return (
    <>
      {user.is_suspended ? (
        <Banner label="Suspended" icon={<IconBan size={16} aria-hidden />}>
          Your account is suspended: its API keys are refused. Please contact {deployment().support_email}.
        </Banner>
      ) : null}
      {user.announcements.map(({ id, text, tone }) => (
        <Banner key={id} label="Announcement" icon={<Icon tone={tone} />}>
          {text}
        </Banner>
      ))}
    </>
  );
}

const Icon = ({ tone }: { tone: 'info' | 'warning' }) =>
  tone === 'warning' ? <IconAlertTriangle size={16} aria-hidden /> : <IconInfoCircle size={16} aria-hidden />;
