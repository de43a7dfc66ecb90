import { Button } from '@mantine/core';
import { getOperatorWorstDay } from '@sixdigit/contract/operator/protection.ts';
import {
  type DeploymentRules,
  LARGEST_ACCOUNTS,
  LOOKUP_RULES,
} from '@sixdigit/contract/protection/protection.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { countryText } from '../../payments/send-prices.ts';
import { type CountedRule, RULE_NAMES, RULE_SENTENCES } from '../../protection/rule-texts.ts';
import { COUNTED_RULES } from '../../protection/rule-values.ts';
import { PlayWorstDay } from '../../protection/worst-day/PlayWorstDay.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { countOf } from '../../ui/numbers.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Facts, number } from '../Facts.tsx';
import classes from '../Operator.module.css';
import { operatorProtection, useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { Details, Note, Row, Rows, RowText } from '../Rows.tsx';
import { WaitingPanel, WaitingPanels } from '../WaitingPanel.tsx';
import { DeploymentList, TEXTS } from './DeploymentList.tsx';
import { ModeBadge } from './ModeBadge.tsx';
import { MonitoringOnly } from './MonitoringOnly.tsx';
import { RuleDialog } from './RuleDialog.tsx';

const LookupRulesDialog = lazyDialog(async () => (await import('./LookupRulesDialog.tsx')).LookupRulesDialog);
const OperatorWorstDay = lazyPart(async () => (await import('./OperatorWorstDay.tsx')).OperatorWorstDay);

/** The rules across all accounts, the bounds of the accounts' own rules, and the blocks of all accounts. */
export function OperatorProtection() {
  const query = useQuery(operatorProtection);
  const isAdmin = useIsAdmin();
  const [rule, setRule] = useState<CountedRule>();
  const [isOpen, setOpen] = useState(false);
  const [isLookupsOpen, setLookupsOpen] = useState(false);
  return (
    <>
      <PageHeading title={operatorPages.protection.title}>
        Rules across all accounts, and the bounds for the accounts’ own rules.
      </PageHeading>
      <Loaded query={query} failure="Failed to load the rules" waiting={<Waiting />}>
        {(state) => (
          <div className="grid grid-cols-1 gap-5">
            <MonitoringOnly />
            <Blocked state={state} />
            <Panel {...RULES}>
              <Rows>
                {COUNTED_RULES.map((name) => (
                  <Row key={name}>
                    <RowText>
                      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                        <strong>{RULE_NAMES[name]}</strong>
                        <ModeBadge mode={state.rules[name].mode} />
                      </span>
                      <small>{RULE_SENTENCES[name](state.rules[name] as never)}</small>
                    </RowText>
                    {isAdmin ? (
                      <Button
                        variant="default"
                        size="compact-sm"
                        aria-label={`Change ${RULE_NAMES[name]}`}
                        onClick={() => {
                          setRule(name);
                          setOpen(true);
                        }}
                      >
                        Change
                      </Button>
                    ) : null}
                  </Row>
                ))}
              </Rows>
            </Panel>
            <Panel
              {...LOOKUPS}
              actions={
                isAdmin ? (
                  <Button variant="default" onClick={() => setLookupsOpen(true)}>
                    Change Look-up Rules
                  </Button>
                ) : undefined
              }
            >
              <Rows>
                {LOOKUP_RULES.map((name) => (
                  <Row key={name}>
                    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                      <strong>{RULE_NAMES[name]}</strong>
                      <ModeBadge mode={state.rules[name].mode} />
                    </span>
                  </Row>
                ))}
              </Rows>
            </Panel>
            <div className={`${classes.halves} grid gap-5`}>
              <DeploymentList list="deny" state={state} isAdmin={isAdmin} />
              <DeploymentList list="allow" state={state} isAdmin={isAdmin} />
            </div>
            <Panel
              title="Worst day"
              description={`What a day of fraud can cost the ${LARGEST_ACCOUNTS} accounts that spent most credits in this month (UTC), with their own settings and the rules above.`}
            >
              <PlayWorstDay run={() => call(getOperatorWorstDay, {})}>
                {(worst) => <OperatorWorstDay worst={worst} />}
              </PlayWorstDay>
            </Panel>
            <LookupRulesDialog opened={isLookupsOpen} onClose={() => setLookupsOpen(false)} state={state} />
            <RuleDialog opened={isOpen} onClose={() => setOpen(false)} rule={rule} state={state} />
          </div>
        )}
      </Loaded>
    </>
  );
}

const LAST_DAY = {
  title: 'Last 24 hours',
  description: 'Suspicious sends that these rules and the accounts’ own rules blocked or monitored.',
};
const RULES = { title: 'Rules', description: 'Each rule counts the sends of all accounts together.' };

const LOOKUPS = {
  title: 'Number look-ups',
  description: 'Rules on what a look-up finds. They do nothing while none is set up on the Carriers page.',
};

const Waiting = () => (
  <WaitingPanels>
    <WaitingPanel {...LAST_DAY} isBig facts={['Blocked', 'Monitored only']} rows={3} />
    <WaitingPanel {...RULES} rows={COUNTED_RULES.length} hasButtons />
    <WaitingPanel {...LOOKUPS} rows={LOOKUP_RULES.length} />
    <div className={`${classes.halves} grid gap-5`}>
      <WaitingPanel {...TEXTS.deny} rows={1} />
      <WaitingPanel {...TEXTS.allow} rows={1} />
    </div>
  </WaitingPanels>
);

const Blocked = ({ state: { blocked, monitored, blocks } }: { state: DeploymentRules }) => (
  <Panel {...LAST_DAY}>
    <Facts isBig facts={{ Blocked: number(blocked), 'Monitored only': number(monitored) }} />
    {blocks.length === 0 ? (
      <Note>No suspicious sends.</Note>
    ) : (
      <Rows>
        {blocks.map((block) => (
          <Row key={`${block.rule} ${block.scope} ${block.country}`}>
            <RowText>
              <span>
                <strong>{RULE_NAMES[block.rule]}</strong>
                {block.country === null ? null : (
                  <span className="max-sm:block">
                    <span className="max-sm:hidden"> · </span>
                    {countryText(block.country)}
                  </span>
                )}
              </span>
              <small>
                <Details
                  texts={[
                    block.scope === 'deployment' ? 'Rule for all accounts' : 'Account’s own rule',
                    `${countOf(block.accounts, 'account')}, ${countOf(block.prefixes, 'prefix', 'prefixes')}`,
                    `last ${shortDateTime(block.last_at)}`,
                  ]}
                />
              </small>
            </RowText>
            <span className="flex flex-wrap items-center gap-2">
              {block.blocked > 0 ? <Badge tone="red">{`${number(block.blocked)} blocked`}</Badge> : null}
              {block.monitored > 0 ? (
                <Badge tone="gray">{`${number(block.monitored)} monitored`}</Badge>
              ) : null}
            </span>
          </Row>
        ))}
      </Rows>
    )}
  </Panel>
);
