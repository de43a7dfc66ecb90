import { deployment } from '../api/deployment.ts';
import { otherPages } from '../pages.ts';
import { LegalPage, type Section } from './LegalPage.tsx';

const sections = (brand: string, support: string): Section[] => [
  {
    heading: 'Information we collect',
    body: (
      <>
        <p>To deliver a one-time passcode, {brand} collects:</p>
        <ul>
          <li>the phone number, or the email address, that the code is sent to;</li>
          <li>delivery log data: the status of the message and its timestamps;</li>
          <li>your IP address, if the application that requests the code passes it, to prevent fraud.</li>
        </ul>
      </>
    ),
  },
  {
    heading: 'How we use information',
    body: (
      <p>
        This information is used only to send one-time passcodes and to prevent fraud and abuse. It is not
        used for advertising.
      </p>
    ),
  },
  {
    heading: 'Sharing of information',
    body: (
      <p>
        We do not sell personal information. It is shared only with the carriers and providers that deliver
        the messages, or when the law requires it. Mobile numbers and opt-in data are not shared with third
        parties for marketing.
      </p>
    ),
  },
  {
    heading: 'Data retention',
    body: (
      <p>
        Delivery logs are kept for as long as they are needed to run the service, to prevent fraud and to meet
        legal duties, and are then deleted. The codes themselves are kept encrypted, and wiped once they can
        no longer be used.
      </p>
    ),
  },
  {
    heading: 'Security',
    body: (
      <p>
        Information is encrypted in transit, and secrets and codes at rest. No method of transmission or
        storage is perfectly secure, but we work to protect what is entrusted to us.
      </p>
    ),
  },
  {
    heading: 'Your choices',
    body: (
      <p>
        A recipient can reply <strong>STOP</strong> to any message to receive no more, and{' '}
        <strong>HELP</strong> for support. You can request the deletion of your data by writing to{' '}
        <a href={`mailto:${support}`}>{support}</a>.
      </p>
    ),
  },
  {
    heading: 'Children’s privacy',
    body: (
      <p>
        The service is not intended for children under 13, and we do not knowingly collect information from
        them.
      </p>
    ),
  },
  {
    heading: 'Changes and contact',
    body: (
      <p>
        This policy may change; the current version is always on this page, with the date from which it
        applies. Questions: <a href={`mailto:${support}`}>{support}</a>.
      </p>
    ),
  },
];

export const Privacy = () => {
  const { brand_name, support_email } = deployment();
  return <LegalPage title={otherPages.privacy.title} sections={sections(brand_name, support_email)} />;
};
