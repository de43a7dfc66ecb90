import { Button } from '@mantine/core';
import type { DeploymentRules } from '@sixdigit/contract/protection/protection.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { countryText } from '../../payments/send-prices.ts';
import { type CountedRule, MODE_NAMES, RULE_NAMES, RULE_SENTENCES } from '../../protection/rule-texts.ts';
import { COUNTED_RULES } from '../../protection/rule-values.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { Facts, number } from '../Facts.tsx';
import classes from '../Operator.module.css';
import { operatorProtection } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { useIsAdmin } from '../useIsAdmin.ts';
import { DeploymentList } from './DeploymentList.tsx';
import { MonitoringOnly } from './MonitoringOnly.tsx';
import { RuleDialog } from './RuleDialog.tsx';

const tones: Record<DeploymentRules['rules']['country']['mode'], Tone> = {
  enforce: 'green',
  monitor: 'orange',
  off: 'gray',
};

/** The rules over all accounts, the bounds of the accounts' own rules, and what was blocked everywhere. */
export function OperatorProtection() {
  const query = useQuery(operatorProtection);
  const isAdmin = useIsAdmin();
  const [rule, setRule] = useState<CountedRule>();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PageHeading title={operatorPages.protection.title}>
        Rules over all accounts together. Accounts have rules of their own, within the bounds that you set
        here.
      </PageHeading>
      <Loaded query={query} failure="Failed to load the rules" waiting={<PanelSkeletons lines={[2, 6]} />}>
        {(state) => (
          <div className={classes.sections}>
            <MonitoringOnly />
            <Blocked state={state} />
            <Panel title="Rules" description="They count the sends of all accounts together.">
              <ul className={classes.rows}>
                {COUNTED_RULES.map((name) => (
                  <li key={name}>
                    <span className={classes.what}>
                      <span className={classes.setting}>
                        <strong>{RULE_NAMES[name]}</strong>
                        <Badge tone={tones[state.rules[name].mode]}>
                          {MODE_NAMES[state.rules[name].mode]}
                        </Badge>
                      </span>
                      <small>{RULE_SENTENCES[name](state.rules[name] as never)}</small>
                    </span>
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
                  </li>
                ))}
              </ul>
            </Panel>
            <div className={classes.halves}>
              <DeploymentList list="deny" state={state} isAdmin={isAdmin} />
              <DeploymentList list="allow" state={state} isAdmin={isAdmin} />
            </div>
            <RuleDialog opened={isOpen} onClose={() => setOpen(false)} rule={rule} state={state} />
          </div>
        )}
      </Loaded>
    </>
  );
}

const Blocked = ({ state: { blocked, monitored, blocks } }: { state: DeploymentRules }) => (
  <Panel title="Last 24 hours" description="Sends of all accounts, blocked by any rule.">
    <Facts isBig facts={{ Blocked: number(blocked), 'Only monitored': number(monitored) }} />
    {blocks.length === 0 ? (
      <p className={classes.soft}>No rule has found anything.</p>
    ) : (
      <ul className={classes.rows}>
        {blocks.map((block) => (
          <li key={`${block.rule} ${block.scope} ${block.country}`}>
            <span className={classes.what}>
              <span>
                <strong>{RULE_NAMES[block.rule]}</strong>
                {block.country === null ? null : ` · ${countryText(block.country)}`}
              </span>
              <small>
                {block.scope === 'deployment' ? 'Your rule' : 'Rule of the account'} ·{' '}
                {number(block.accounts)} {block.accounts === 1 ? 'account' : 'accounts'},{' '}
                {number(block.prefixes)} {block.prefixes === 1 ? 'prefix' : 'prefixes'} · last{' '}
                {shortDateTime(block.last_at)}
              </small>
            </span>
            <span className={classes.buttons}>
              {block.blocked > 0 ? <Badge tone="red">{`${number(block.blocked)} blocked`}</Badge> : null}
              {block.monitored > 0 ? (
                <Badge tone="gray">{`${number(block.monitored)} monitored`}</Badge>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    )}
  </Panel>
);
