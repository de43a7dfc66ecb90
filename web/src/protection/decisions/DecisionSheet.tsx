import { Button } from '@mantine/core';
import type { DestinationDecision } from '@sixdigit/contract/protection/decisions.ts';
import { allowDestination, getProtection } from '@sixdigit/contract/protection/protection.ts';
import { isAtLeast } from '@sixdigit/contract/roles.ts';
import { useMay, useRole } from '../../accounts/role.ts';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/call.ts';
import { nowMs } from '../../api/clock.ts';
import { useKeyChoices } from '../../api-keys/api-keys.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { SideSheet } from '../../ui/Dialog.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { countOf } from '../../ui/numbers.ts';
import { prefixText } from '../block-texts.ts';
import { Findings } from '../CheckResult.tsx';
import { RULE_NAMES } from '../rule-texts.ts';
import { destinationOf, OutcomeBadge } from './Outcome.tsx';

interface Props {
  /** stays set during the sheet's closing transition */
  decision: DestinationDecision | undefined;
  isOpen: boolean;
  onClose: () => void;
}

/** One decision with the figures of every rule that objected. */
export const DecisionSheet = ({ decision, isOpen, onClose }: Props) => (
  <SideSheet
    opened={isOpen}
    onClose={onClose}
    title="Decision"
    description="The rules with their figures at the first of these sends"
    size="38rem"
  >
    {decision ? <Details decision={decision} /> : null}
  </SideSheet>
);

const EXEMPTIONS = {
  known: 'The recipient is known',
  allow_list: 'The allow list',
  proof: 'A proof of work',
  no_lookup: 'The look-up gave no answer',
} as const;
const wouldBlock = (value: boolean): string => (value ? 'Blocked' : 'Not blocked');

function Details({ decision }: { decision: DestinationDecision }) {
  const { outcome, rule, sends, exemption, strictest, loosest, prefix, client, api_key_id, findings } =
    decision;
  const key = useKeyChoices()?.find(({ id }) => id === api_key_id);
  return (
    <>
      <Facts nameWidth="9rem">
        <Fact name="Outcome">
          <OutcomeBadge outcome={outcome} />
        </Fact>
        <Fact name="Rule">{RULE_NAMES[rule]}</Fact>
        {exemption === null ? null : <Fact name="Exemption">{EXEMPTIONS[exemption]}</Fact>}
        <Fact name="Date">{fullDateTime(decision.created_at)}</Fact>
        <Fact name="Sends">
          {countOf(sends, 'send')}
          {sends > 1 ? `, the last at ${fullDateTime(decision.last_at)}` : ''}
        </Fact>
        <Fact name="Destination">{destinationOf(decision)}</Fact>
        {client === null ? null : <Fact name="IP Address">{client}</Fact>}
        {api_key_id === null ? null : <Fact name="API Key">{key?.name ?? 'Deleted key'}</Fact>}
        {strictest === null || loosest === null ? null : (
          <>
            <Fact name="Strictest rules">{wouldBlock(strictest)}</Fact>
            <Fact name="Loosest rules">{wouldBlock(loosest)}</Fact>
          </>
        )}
      </Facts>
      {findings.length > 0 ? <Findings title="Rules that objected" findings={findings} /> : null}
      {prefix === null ? null : <TrustPrefix prefix={prefix} />}
    </>
  );
}

const DAY_MS = 86_400_000;

function TrustPrefix({ prefix }: { prefix: string }) {
  const may = useMay()('allowDestination');
  const isAdmin = isAtLeast(useRole(), 'admin');
  const trust = useAction({
    run: () =>
      call(allowDestination, {
        body: {
          kind: 'prefix',
          value: prefix,
          note: 'Trusted for a day from a decision',
          expires_at: new Date(nowMs() + DAY_MS).toISOString(),
        },
      }),
    success: `${prefixText(prefix)} is trusted for a day`,
    failure: 'Failed to change the allow list',
    refresh: [getProtection],
  });
  if (!may || !isAdmin) return null;
  return (
    <Button
      variant="default"
      className="mt-4"
      {...busyButton(trust.isPending)}
      onClick={() => {
        if (!trust.isPending) trust.mutate();
      }}
    >
      Trust This Prefix for a Day
    </Button>
  );
}
