import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';
import { otherPages } from '../pages.ts';
import { LegalPage, type Section } from './LegalPage.tsx';

const sections = (brand: string, support: string): Section[] => [
  {
    heading: 'Service description',
    body: (
      <p>
        {brand} sends one-time passcodes (OTPs) by SMS for login verification. Customers may also have codes
        sent on other channels, such as voice calls or email. A code confirms that the person who signs in
        holds the phone number or address that was given.
      </p>
    ),
  },
  {
    heading: 'Use of service',
    body: (
      <p>
        You may use the service only lawfully and only to verify people who expect a code. You may not use it
        to send advertising, to harass anyone, or to reach numbers without the consent of their owners. You
        are responsible for what is done with your account and your API keys.
      </p>
    ),
  },
  {
    heading: 'Message delivery',
    body: (
      <p>
        Message and data rates may apply, as set by the recipient’s mobile carrier. Delivery depends on
        carriers and on their limits: messages may be delayed, filtered or not delivered at all, and carriers
        are not liable for delayed or undelivered messages.
      </p>
    ),
  },
  {
    heading: 'Opt-in and opt-out',
    body: (
      <p>
        By entering a phone number and asking for a code, the recipient agrees to receive it. The recipient
        can reply <strong>STOP</strong> to any message to opt out, and <strong>HELP</strong> for support.
        After <strong>STOP</strong>, no further codes are sent to that number until it opts in again by
        replying <strong>START</strong>.
      </p>
    ),
  },
  {
    heading: 'Limitation of liability',
    body: (
      <p>
        The service is provided as is and as available, without warranties of any kind. As far as the law
        permits, {brand} is not liable for indirect or consequential damages, nor for damages from delayed,
        undelivered or misdirected messages.
      </p>
    ),
  },
  {
    heading: 'Changes',
    body: (
      <p>
        These terms may change. The current version is always on this page, with the date from which it
        applies. By using the service after that date, you accept it.
      </p>
    ),
  },
  {
    heading: 'Contact',
    body: (
      <p>
        Questions about these terms: <a href={`mailto:${support}`}>{support}</a>. How personal data is handled
        is described in the <Link to="/privacy">Privacy Policy</Link>.
      </p>
    ),
  },
];

export const Terms = () => {
  const { brand_name, support_email } = deployment();
  return <LegalPage title={otherPages.terms.title} sections={sections(brand_name, support_email)} />;
};
