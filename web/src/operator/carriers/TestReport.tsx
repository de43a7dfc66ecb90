import { Alert } from '@mantine/core';
import { CARRIER_KIND_FACTS, type CarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import { carrierName } from '../../otp/route-filters.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { LoneLink } from '../../ui/links.tsx';
import { operatorPages } from '../operator-pages.ts';
import { Note } from '../Rows.tsx';

/** Companies report within seconds. */
const OVERDUE_SECONDS = 60;

/** Whether nothing more is to be expected of the carrier's last test. */
export const isReported = ({ reports_problem, last_test }: CarrierSetup): boolean =>
  last_test?.report?.state === 'delivered' ||
  (reports_problem === 'no_reports' && last_test?.outcome === 'accepted');

/** The delivery report about a carrier's last test message, or why it cannot arrive. */
export function TestReport({ setup }: { setup: CarrierSetup }) {
  const { kind, reports_problem, last_test, report_url } = setup;
  const { report } = last_test ?? {};
  if (report && report.state !== 'sent') return <Reported report={report} />;
  if (reports_problem === 'no_reports')
    return <Note>{CARRIER_KIND_FACTS[kind].label} reports no deliveries. Its messages stay sent.</Note>;
  if (reports_problem === 'private_address')
    return (
      <Alert color="orange" title="Delivery reports cannot arrive">
        The company cannot reach this service. Set <code>PUBLIC_URL</code> in the environment to a public
        https address, and restart. Without reports, messages stay sent, and undelivered ones are not
        refunded.
      </Alert>
    );
  const address = report_url === null ? null : <Register setup={setup} url={report_url} />;
  if (last_test?.outcome !== 'accepted')
    return (
      <>
        <Note>After the test message, the company reports whether the phone received it.</Note>
        {address}
      </>
    );
  if (last_test.seconds_ago < OVERDUE_SECONDS)
    return (
      <>
        <Note>
          {report ? 'The network has the message.' : 'The company has the message.'} Waiting for the delivery
          report. It usually arrives within seconds.
        </Note>
        {address}
      </>
    );
  return (
    <>
      <Alert color="orange" title={report ? 'No final report within a minute' : 'No report within a minute'}>
        {report
          ? 'The phone may be off or without a network.'
          : report_url === null
            ? 'The company got the address for reports with the message. Either it cannot reach that address, or the phone is off.'
            : 'Either the address is not registered at the company, or the phone is off.'}
        <LoneLink to={operatorPages.overview.path} hash="doctor">
          Run the diagnostics of the public address
        </LoneLink>
      </Alert>
      {address}
    </>
  );
}

const Register = ({ setup: { name }, url }: { setup: CarrierSetup; url: string }) => (
  <p className="mt-2 mb-0 flex items-center gap-1 text-13 text-ink-soft">
    <span className="min-w-0 wrap-anywhere">
      Register this address for delivery reports at the company: {url}
    </span>
    <CopyButton value={url} label={`Copy the address for delivery reports of ${carrierName(name)}`} />
  </p>
);

const STATES = {
  delivered: { color: 'green', title: 'Delivered' },
  undelivered: { color: 'red', title: 'Not delivered' },
  other: { color: 'orange', title: 'Not final' },
  unknown: { color: 'orange', title: 'Unknown status' },
} as const;

type Report = NonNullable<NonNullable<CarrierSetup['last_test']>['report']>;

function Reported({ report: { state, status, reason, price, network } }: { report: Report }) {
  const { color, title } = STATES[state === 'sent' ? 'other' : state];
  const facts = Object.entries({ Status: status, Reason: reason, Price: price, Network: network }).flatMap(
    ([name, value]) => (value === null ? [] : [`${name}: ${value}`]),
  );
  return (
    <Alert color={color} title={title}>
      {facts.join(' · ')}
      {state === 'unknown' ? '. Unknown statuses change nothing: add it to the record.' : null}
    </Alert>
  );
}
