import type { OperatorAccountSettings } from '@sixdigit/contract/operator/account-data.ts';
import {
  LEARNED_RULES,
  LINE_NAMES,
  type ListEntry,
  type ProtectionRules,
  RULES,
  type Rule,
} from '@sixdigit/contract/protection/protection.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { brandOf } from '../../payments/prices.ts';
import { entryText } from '../../protection/block-texts.ts';
import { type CountedRule, RULE_NAMES, RULE_SENTENCES } from '../../protection/rule-texts.ts';
import { DomainFacts, DomainList } from '../../ui/DomainFacts.tsx';
import { duration, shortDateTime } from '../../ui/dates.ts';
import { countryName, languageName } from '../../ui/display-names.ts';
import { LINKS_SENTENCES } from '../../ui/domain-texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/Panel.tsx';
import { usePhoneFormat } from '../../ui/phone-numbers.ts';
import { Facts, number } from '../Facts.tsx';
import classes from '../Operator.module.css';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { ModeBadge } from '../settings/ModeBadge.tsx';
import { WaitingPanel, WaitingPanels } from '../WaitingPanel.tsx';
import { settingsOf } from './data.ts';

/** The account's settings, read-only. */
export function AccountSettings() {
  usePhoneFormat();
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const query = useQuery(settingsOf(id));
  return (
    <Loaded query={query} failure="Failed to load the settings" waiting={<Waiting />}>
      {(settings) => (
        <div className="grid grid-cols-1 gap-5">
          <Messages otp={settings.otp} />
          <div className={`${classes.halves} grid gap-5`}>
            <div className="grid min-w-0 content-start gap-5">
              <Money otp={settings.otp} spend={settings.spend} cards={settings.cards} />
              <Factors factors={settings.second_factors} />
              <Domains domains={settings.message_domains} links={settings.message_links} />
            </div>
            <Protection protection={settings.protection} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

const Waiting = () => (
  <WaitingPanels>
    <WaitingPanel
      title="Messages"
      lastIsWide
      facts={['Sender name', 'Reply to', 'Subject', 'Code length', 'Expiry', 'Message']}
    />
    <div className={`${classes.halves} grid gap-5`}>
      <div className="grid min-w-0 content-start gap-5">
        <WaitingPanel
          title="Credits"
          facts={[
            'Daily limit',
            'Spent today',
            'Monthly limit',
            'Spent this month',
            'Auto-purchase',
            'Saved cards',
          ]}
        />
        <WaitingPanel
          title="Second factors"
          facts={['Passkeys', 'Authenticator app', 'Recovery codes left']}
        />
        <WaitingPanel title="Link domains" rows={1} />
      </div>
      <WaitingPanel title="Protection" rows={RULES.length + 2} />
    </div>
  </WaitingPanels>
);

type Part<K extends keyof OperatorAccountSettings> = OperatorAccountSettings[K];

const Messages = ({ otp }: { otp: Part<'otp'> }) => (
  <Panel title="Messages">
    <Facts
      lastIsWide
      facts={{
        'Sender name': otp.sender_name,
        'Reply to': otp.reply_to_email,
        Language: languageName(otp.default_language),
        Subject: otp.default_subject,
        'Code length': number(otp.default_otp_length),
        Expiry: duration(1_000 * otp.default_expiry_seconds),
        Message: otp.default_message,
      }}
    />
  </Panel>
);

const Domains = ({ domains, links }: { domains: Part<'message_domains'>; links: Part<'message_links'> }) => (
  <Panel title="Link domains">
    <Note>
      {LINKS_SENTENCES[links]}
      {domains.length === 0 && links === 'listed' ? ' The list is empty.' : ''}
    </Note>
    {domains.length === 0 ? null : (
      <div className="mt-3">
        <DomainList>
          {domains.map((domain) => (
            <DomainFacts key={domain.id} domain={domain} />
          ))}
        </DomainList>
      </div>
    )}
  </Panel>
);

const limit = (value: number | null): string => (value === null ? 'No limit' : number(value));

const Money = ({ otp, spend, cards }: { otp: Part<'otp'>; spend: Part<'spend'>; cards: Part<'cards'> }) => (
  <Panel title="Credits">
    <Facts
      facts={{
        'Daily limit': limit(spend.daily_credit_limit),
        'Spent today': number(spend.spent_today),
        'Monthly limit': limit(spend.monthly_credit_limit),
        'Spent this month': number(spend.spent_this_month),
        'Auto-purchase': otp.auto_purchase_enabled
          ? `${number(otp.auto_purchase_amount)} below ${number(otp.auto_purchase_threshold)}`
          : 'Off',
        'Saved cards': cardsText(cards),
      }}
    />
  </Panel>
);

function cardsText(cards: Part<'cards'>): string {
  if (cards === null) return 'The card provider is unavailable';
  if (cards.length === 0) return 'None';
  return cards.map(({ brand, last4 }) => `${brandOf({ brand })} ending in ${last4}`).join(', ');
}

const Factors = ({ factors }: { factors: Part<'second_factors'> }) => (
  <Panel title="Second factors">
    <Facts
      facts={{
        Passkeys:
          factors.passkeys.length === 0 ? 'None' : factors.passkeys.map(({ name }) => name).join(', '),
        'Authenticator app': factors.authenticator
          ? `Since ${shortDateTime(factors.authenticator.created_at)}`
          : 'None',
        // They replace an app or a passkey.
        'Recovery codes left':
          factors.passkeys.length === 0 && !factors.authenticator ? '–' : number(factors.recovery_codes_left),
      }}
    />
  </Panel>
);

const Protection = ({ protection: { rules, learning, allow, deny } }: { protection: Part<'protection'> }) => (
  <Panel title="Protection">
    {learning.is_learning && LEARNED_RULES.some((rule) => rules[rule].mode === 'enforce') ? (
      <p className="mt-0 mb-3 text-13 text-ink-soft">
        Rules that learn from traffic only monitor until {number(learning.finished_needed)} sends have
        finished in seven days. So far: {number(learning.finished)}, of which {number(learning.verified)} were
        verified.
      </p>
    ) : null}
    <Rows>
      {RULES.map((rule) => (
        <Row key={rule}>
          <RowText>
            {RULE_NAMES[rule]}
            <small>{ruleText(rules, rule)}</small>
          </RowText>
          <ModeBadge mode={rules[rule].mode} />
        </Row>
      ))}
      <Row>
        <Entries name="Allowed" entries={allow} />
      </Row>
      <Row>
        <Entries name="Denied" entries={deny} />
      </Row>
    </Rows>
  </Panel>
);

function ruleText(rules: ProtectionRules, rule: Rule): string {
  if (rule === 'line_type')
    return rules.line_type.refused.map((line) => LINE_NAMES[line]).join(', ') || 'No line types.';
  if (rule === 'sim_swap') return simText(rules.sim_swap);
  if (rule !== 'country')
    return (RULE_SENTENCES[rule] as (one: ProtectionRules[CountedRule]) => string)(rules[rule]);
  const { countries } = rules.country;
  return countries === null
    ? 'All countries that the service allows.'
    : countries.map(countryName).join(', ') || 'No countries.';
}

const simText = ({ hours, purposes }: ProtectionRules['sim_swap']): string =>
  `No codes for ${countOf(hours, 'hour')} after a SIM change${purposes === null ? '' : `, for ${purposes.join(', ') || 'no purpose'}`}.`;

const Entries = ({ name, entries }: { name: string; entries: readonly ListEntry[] }) => (
  <RowText>
    {name}
    <small>{entries.length === 0 ? 'No entries.' : entries.map(entryText).join(', ')}</small>
  </RowText>
);
