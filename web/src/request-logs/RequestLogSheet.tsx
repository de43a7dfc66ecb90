import { Loader } from '@mantine/core';
import type { Blocker } from '@sixdigit/contract/protection/protection.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMay } from '../accounts/role.ts';
import { shellWord } from '../api/curl.ts';
import { deployment } from '../api/deployment.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { HIDDEN, knownRequest } from '../otp/known-request.ts';
import { nextStep } from '../otp/recipient-story.ts';
import { recipientShown } from '../otp/refused.ts';
import { verificationDetail } from '../otp/verification-detail.ts';
import { RULE_NAMES } from '../protection/rule-texts.ts';
import { type Around, useNeighbors } from '../table/neighbors.ts';
import { StepButtons } from '../table/StepButtons.tsx';
import { CostBadge, StatusBadge, StatusCode } from '../ui/Badge.tsx';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { SideSheet } from '../ui/Dialog.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { Fact, Facts } from '../ui/Facts.tsx';
import { LoadingLines, QueryError } from '../ui/Loaded.tsx';
import { PageLink } from '../ui/links.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { useLastShown } from '../ui/shown.ts';
import { actionOf, isOfConnection, isOwnCall, milliseconds, viaOf, withoutBase } from './columns.tsx';
import { RequestResponse } from './RequestResponse.tsx';
import { requestLogById, requestLogPage, type requestLogSearch } from './request-logs.ts';

interface Props {
  opened: boolean;
  /** undefined while closed */
  requestId: string | undefined;
  /** its current page; a link can name a request that is not on it */
  list: Pick<Around<RequestLog, typeof requestLogSearch.defaults>, 'search' | 'page'>;
  onClose: () => void;
}

/** All stored details of one request. `j` and `k` step through the list. */
export function RequestLogSheet({ opened, requestId, list, onClose }: Props) {
  const [shown] = useLastShown(requestId);
  const steps = useNeighbors(requestId, {
    ...list,
    pageOf: requestLogPage,
    idOf: (log) => log.request_id,
    parameter: 'request',
    failure: 'Failed to fetch OTP requests',
  });
  return (
    <SideSheet
      opened={opened}
      onClose={onClose}
      title="Request Details"
      size="38rem"
      tools={steps ? <StepButtons steps={steps} noun="request" /> : null}
    >
      {shown === undefined ? null : (
        <Found requestId={shown} onPage={list.page?.results.find((log) => log.request_id === shown)} />
      )}
    </SideSheet>
  );
}

function Found({ requestId, onPage }: { requestId: string; onPage: RequestLog | undefined }) {
  const query = useQuery({ ...requestLogById(requestId), enabled: onPage === undefined });
  const log = onPage ?? query.data;
  if (log) return <Request log={log} />;
  if (query.errorUpdateCount > 0) {
    return <QueryError query={query} message="Failed to fetch OTP requests" />;
  }
  if (query.data === null) return <p>This request is no longer stored.</p>;
  return (
    <div className="grid min-h-64 place-items-center" role="status" aria-label="Loading">
      <Loader size="sm" />
    </div>
  );
}

function Request({ log }: { log: RequestLog }) {
  const { data: keys } = useQuery(apiKeyChoices);
  return (
    <RequestDetails
      log={log}
      keys={keys?.results}
      isOwn
      advice={<Advice log={log} />}
      toProtection={<ToDecisions log={log} />}
      toVerification={(otp) => (
        <PageLink to="/" search={{ otp }}>
          View History
        </PageLink>
      )}
    />
  );
}

/** The decisions about the prefix, which a viewer may not read. */
function ToDecisions({ log }: { log: RequestLog }) {
  const may = useMay();
  const recipient = recipientShown(log);
  if (!may('listDecisions') || !recipient?.startsWith('+'))
    return <PageLink to="/protection">Protection</PageLink>;
  return (
    <PageLink to="/protection/decisions" search={{ search: recipient.slice(0, -4) }}>
      Decision
    </PageLink>
  );
}

/** What to do about a refused send. */
function Advice({ log }: { log: RequestLog }) {
  const may = useMay();
  const isRefused = log.request_type === 'send_otp' && log.response_status_code >= 400;
  const next = isRefused ? nextStep(log) : '';
  if (next === '') return null;
  return (
    <Fact name="What to do">
      <span>
        {next}{' '}
        {log.reason === 'insufficient_credits' && may('createIntent') ? (
          <PageLink to="/credits">Buy Credits</PageLink>
        ) : null}
        {log.reason === 'spend_limit_reached' ? (
          <PageLink to="/protection" hash="spend">
            Spend limits
          </PageLink>
        ) : null}
      </span>
    </Fact>
  );
}

interface DetailsProps {
  log: RequestLog;
  /** the account's keys */
  keys: readonly { id: string; prefix: string }[] | undefined;
  /** whether the reader may read the verification */
  isOwn?: boolean;
  /** a further fact */
  advice?: ReactNode;
  /** reveals the recipient */
  reveal?: ReactNode;
  toProtection: ReactNode;
  toVerification: (otp_id: string) => ReactNode;
}

export function RequestDetails({ log, keys, isOwn = false, ...props }: DetailsProps) {
  const { advice, reveal, toProtection, toVerification } = props;
  return (
    <>
      <Facts nameWidth="7rem">
        <Fact name="Request ID">
          <span className="min-w-0 font-mono text-13">{log.request_id}</span>
          <CopyButton value={log.request_id} label="Copy request ID" />
        </Fact>
        <Fact name="Date">{fullDateTime(log.created_at)}</Fact>
        <Fact name="Action">
          {actionOf(log)} {viaOf(log)}
        </Fact>
        <Fact name="Status">
          <StatusCode status={log.response_status_code} />
          {log.reason ? <span className="min-w-0 font-mono text-13">{log.reason}</span> : null}
          {log.count > 1 ? (
            <span className="text-13 font-400 text-ink-soft">{log.count} requests in this second</span>
          ) : null}
        </Fact>
        {log.blocked_by && log.blocked_by.length > 0 ? (
          <Fact name="Blocked by">
            {log.blocked_by.map((rule) => RULE_NAMES[rule as Blocker] ?? rule).join(', ')} {toProtection}
          </Fact>
        ) : null}
        {log.reason === 'proof_required' ? <Fact name="Protection">{toProtection}</Fact> : null}
        {log.refused_fields ? (
          <Fact name="Refused">
            <ul className="m-0 grid list-none gap-1.5 p-0">
              {log.refused_fields.map(({ field, message, value }) => (
                <li key={field} className="wrap-anywhere">
                  <span className="font-mono text-13">{field}</span>: {message}
                  {value === null ? null : (
                    <>
                      {' '}
                      The request had <span className="font-mono text-13">{value}</span>.
                    </>
                  )}
                </li>
              ))}
            </ul>
          </Fact>
        ) : null}
        {advice}
        <Fact name="Recipient">
          <RecipientText recipient={recipientShown(log) ?? 'No recipient'} isWhole /> {reveal}
        </Fact>
        {log.otp?.id ? (
          <Fact name="Verification">
            {log.otp.status ? <StatusBadge status={log.otp.status} /> : null}
            {toVerification(log.otp.id)}
          </Fact>
        ) : null}
        <Fact name={isOfConnection(log) ? 'Connection' : 'API Key'}>{log.api_key.name}</Fact>
        <Fact name="Endpoint">
          <span className="min-w-0 font-mono text-13">
            {log.method} {log.endpoint}
          </span>
        </Fact>
        <Fact name="IP Address">{log.ip_address ?? 'No IP address'}</Fact>
        <Fact name="Response Time">{milliseconds(log.response_time_ms)}</Fact>
        <Fact name="Credits">
          <CostBadge credits={log.credits_used} />
          {log.refunded ? <span className="text-13 text-ink-soft">refunded</span> : null}
        </Fact>
      </Facts>
      {isOwnCall(log) ? (
        <Rebuilt log={log} keys={keys} isOwn={isOwn} />
      ) : (
        <p className="m-0 text-13 text-ink-soft">
          Another system made this request in its own format. Its text is not stored.
        </p>
      )}
    </>
  );
}

/** The request and its response, from the stored fields. */
function Rebuilt({ log, keys, isOwn }: Pick<DetailsProps, 'log' | 'keys'> & { isOwn: boolean }) {
  const prefix = keys?.find(({ id }) => id === log.api_key.id)?.prefix;
  const id = log.otp?.id ?? '';
  // The verification of one's own request completes the request and the response.
  const otp = useQuery({
    ...verificationDetail(id),
    enabled: isOwn && id !== '' && log.response_status_code < 300,
  });
  if (otp.isLoading) return <LoadingLines />;
  const known = knownRequest(log, otp.data);
  return (
    <>
      <h3 className="mt-0 mb-[0.6rem] text-15 font-650">Request</h3>
      {known ? (
        <CodeBlock
          code={asCurl(log, known.body, prefix)}
          language="bash"
          label="The request as cURL"
          copyLabel="Copy as cURL"
          isWrapped
        />
      ) : null}
      <p className="mt-2 mb-0 text-13 text-ink-soft">
        {known
          ? `Rebuilt from the stored fields. ${known.absent} The key is masked and codes are never stored, so fill in your own.`
          : 'Too few of its fields are stored to show this request.'}
      </p>
      <h3 className="mt-5 mb-[0.6rem] text-15 font-650">Response</h3>
      <RequestResponse log={log} otp={otp.data} />
    </>
  );
}

/** A curl command. Masks the key after its public prefix. */
function asCurl(log: RequestLog, body: object, keyPrefix: string | undefined): string {
  return `curl -X ${log.method} ${shellWord(`${deployment().api_url}${withoutBase(log.endpoint)}`)} \\
  -H ${shellWord(`X-API-Key: ${keyPrefix ?? 'sd_live_'}${HIDDEN}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellWord(JSON.stringify(body))}`;
}
