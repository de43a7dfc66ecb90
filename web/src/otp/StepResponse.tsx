import { listRequestLogs, type RequestLog } from '@sixdigit/contract/request-logs.ts';
import { getVerification } from '@sixdigit/contract/verifications.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { BuyCredits } from '../accounts/BuyCredits.tsx';
import { refetchEvery } from '../api/live.ts';
import { read } from '../api/read.ts';
import { StatusCode } from '../ui/Badge.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { timeOfDay } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import { REFETCH_MS } from './first-steps.ts';
import { knownResponse } from './known-response.ts';

const NEWEST = 20;
const newestRequests = read(
  listRequestLogs,
  { query: { page_size: NEWEST, mode: 'all', count: 'later' } },
  { select: ({ results }) => results, refetchInterval: refetchEvery(REFETCH_MS) },
);

interface Props {
  step: 'send' | 'verify';
  isDone: boolean;
}

/** The request that completed a step, or else the newest one that was refused, with its response. */
export function StepResponse({ step, isDone }: Props) {
  const { data: requests = [] } = useQuery(newestRequests);
  const of = (type: RequestLog['request_type']) =>
    requests.filter(({ request_type }) => request_type === type);
  const verifies = of('verify_otp');
  const own = step === 'send' ? of('send_otp') : verifies;
  const request = own.find(({ response_status_code: status }) => !isDone || status < 300);
  if (!request) return null;
  return <Shown request={request} isNewest={step === 'verify' || verifies.length === 0} />;
}

interface ShownProps {
  request: RequestLog;
  /** the newest one of all steps, whose response is open */
  isNewest: boolean;
}

function Shown({ request, isNewest }: ShownProps) {
  const [isOpen, setOpen] = useState(isNewest);
  const [wasNewest, setWasNewest] = useState(isNewest);
  // A newer request closes the response of the one before.
  if (isNewest !== wasNewest) {
    setWasNewest(isNewest);
    setOpen(isNewest);
  }
  const otp_id = request.otp?.id;
  const isAccepted = request.response_status_code < 300;
  const { data: otp } = useQuery({
    ...read(getVerification, { params: { id: otp_id ?? '' } }, { key: request.request_type }),
    enabled: isAccepted && Boolean(otp_id),
  });
  const known = knownResponse(request, otp);
  const name = request.request_type === 'send_otp' ? 'send' : 'verify';
  const line = (
    <>
      <StatusCode status={request.response_status_code} />
      <span className="font-mono wrap-anywhere">
        {request.method} {request.endpoint}
      </span>
      <span className="tabular-nums">
        {timeOfDay(request.created_at)} · {Math.round(request.response_time_ms)} ms
      </span>
    </>
  );
  return (
    <div className="mt-1 mb-3">
      {known ? (
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary className={`${LINE} cursor-pointer touch:min-h-11`}>
            {line}
            <span className="text-accent">{isOpen ? 'Hide response' : 'Show response'}</span>
          </summary>
          <div className="mt-2">
            <CodeBlock
              label={`The response to your ${name} request`}
              code={JSON.stringify(known.body, null, 2)}
              language="json"
            />
          </div>
        </details>
      ) : (
        <p className={`${LINE} m-0`}>{line}</p>
      )}
      {isAccepted ? null : (
        <p className="mt-2 mb-0 text-14" role="status">
          {adviceOn(request.reason)}
          {known && !known.isWhole ? ' The response had further fields, which are not stored.' : null}
        </p>
      )}
    </div>
  );
}

const LINE = 'flex flex-wrap items-center gap-x-2.5 gap-y-1 text-13 text-ink-soft';

/** What to do about a refusal, in the first steps. */
function adviceOn(reason: string | null): ReactNode {
  switch (reason) {
    case 'insufficient_credits':
      return (
        <>
          <BuyCredits />. A test key sends free of charge.
        </>
      );
    case 'invalid_code':
      return 'The code was wrong. Copy it from the message, then try again.';
    case 'otp_expired':
    case 'otp_closed':
    case 'max_attempts_reached':
      return 'This code is no longer valid. Send another one.';
    case 'destination_blocked':
      return (
        <>
          <PageLink to="/protection">Protection</PageLink> blocks this destination.
        </>
      );
    case 'missing_scope':
      return (
        <>
          <PageLink to="/api-keys">Allow this call</PageLink> in the key’s scopes.
        </>
      );
    case 'recipient_rate_limited':
      return 'This recipient got too many codes. Wait a few minutes, or send to another recipient.';
    case 'invalid_fields':
      return 'The response names the field and says what is accepted.';
    default:
      return (
        <>
          The <PageLink to="/docs">documentation</PageLink> explains every error.
        </>
      );
  }
}
