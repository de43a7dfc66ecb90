import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { labelOf } from '../../otp/channel.ts';
import { carrierName } from '../../otp/route-filters.ts';
import { noteText, statusChange } from '../../otp/status-change.ts';
import { WebhookMessageList, WrongCodeList } from '../../otp/VerificationHistory.tsx';
import { StatusBadge } from '../../ui/Badge.tsx';
import { SideSheet } from '../../ui/Dialog.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageLink } from '../../ui/links.tsx';
import { Facts, number } from '../Facts.tsx';
import { Note, Row, RowText } from '../Rows.tsx';
import { verificationOf, webhooksOf, wrongCodesOf } from './data.ts';
import { ResendCode } from './Resend.tsx';

/** Hidden until an operator reveals it. */
export interface RevealedVerification {
  recipient: string;
  subject: string | null;
  message: string | null;
}

interface Props {
  account_id: string;
  /** kept until the sheet has closed */
  otp_id: string;
  revealed: RevealedVerification | undefined;
  isOpen: boolean;
  onClose: () => void;
  action: ReactNode;
}

/** One verification with its history, to find out why a code did not arrive. */
export const VerificationSheet = ({ account_id, otp_id, revealed, isOpen, onClose, action }: Props) => (
  <SideSheet opened={isOpen} onClose={onClose} title="Verification" size="34rem">
    {otp_id === '' ? null : <Details key={otp_id} {...{ account_id, otp_id, revealed, action }} />}
  </SideSheet>
);

const OPEN: readonly string[] = ['pending', 'sent'];

function Details({
  account_id,
  otp_id,
  revealed,
  action,
}: Pick<Props, 'account_id' | 'otp_id' | 'revealed' | 'action'>) {
  const query = useQuery(verificationOf(account_id, otp_id));
  const status = query.data?.status ?? '';
  const { data: messages } = useQuery(webhooksOf(account_id, { id: otp_id, status }));
  const { data: tries } = useQuery(wrongCodesOf(account_id, { id: otp_id, status }));
  return (
    <Loaded query={query} failure="Failed to load the verification">
      {(otp) => (
        <div className="grid grid-cols-1 gap-5">
          <Facts
            facts={{
              Status: <StatusBadge status={otp.status} />,
              Method: labelOf(otp.channel),
              Recipient: revealed?.recipient ?? otp.recipient,
              ...(revealed?.subject ? { Subject: revealed.subject } : {}),
              ...(revealed?.message ? { Message: revealed.message } : {}),
              ...(otp.failure ? { Failure: otp.failure } : {}),
              ...(otp.carrier ? { Carrier: carrierName(otp.carrier) } : {}),
              ...(otp.segments === null ? {} : { 'SMS segments': number(otp.segments) }),
              'API key': otp.api_key.name,
              Credits: number(otp.cost_credits),
              Created: fullDateTime(otp.created_at),
              ...(otp.sent_at ? { Sent: fullDateTime(otp.sent_at) } : {}),
              ...(otp.delivered_at ? { Delivered: fullDateTime(otp.delivered_at) } : {}),
              ...(otp.verified_at ? { Verified: fullDateTime(otp.verified_at) } : {}),
              Expires: fullDateTime(otp.expires_at),
              ...(otp.provider_message_id ? { 'Provider ID': <code>{otp.provider_message_id}</code> } : {}),
              ID: <code>{otp.id}</code>,
            }}
          />
          <div>
            {revealed ? null : (
              <Note>
                {otp.has_text ? 'The recipient and the text are hidden.' : 'The recipient is hidden.'}
              </Note>
            )}
            <div className="flex flex-wrap items-center gap-2">
              {revealed ? null : action}
              {OPEN.includes(otp.status) ? <ResendCode account_id={account_id} otp_id={otp_id} /> : null}
            </div>
          </div>
          <section>
            <h3 className="mt-0 mb-3 text-15">Status history</h3>
            <ol className="m-0 grid list-none p-0">
              {otp.status_logs.map((log) => (
                <Row key={log.id}>
                  <RowText>
                    {statusChange(log)}
                    {log.notes ? <small>{noteText(log.notes)}</small> : null}
                    <small>
                      {fullDateTime(log.changed_at)}
                      {log.ip_address ? ` from ${log.ip_address}` : ''}
                    </small>
                  </RowText>
                </Row>
              ))}
            </ol>
          </section>
          <WrongCodeList tries={tries} />
          <WebhookMessageList
            messages={messages}
            linkTo={({ id, name }) => (
              <PageLink
                to="/operator/accounts/$id/webhooks"
                params={{ id: account_id }}
                search={{ webhook: id }}
              >
                {name}
              </PageLink>
            )}
          />
        </div>
      )}
    </Loaded>
  );
}
