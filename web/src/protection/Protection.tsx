import { Button, NativeSelect, Skeleton, TextInput } from '@mantine/core';
import { factsOf } from '@sixdigit/contract/channels.ts';
import {
  checkOwnDestination,
  type ListName,
  playWorstDay,
  type Protection as Settings,
} from '@sixdigit/contract/protection/protection.ts';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { Restricted } from '../accounts/Restricted.tsx';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { useDeployment } from '../api/deployment.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { PhoneInput } from '../form/PhoneInput.tsx';
import { phoneOfField } from '../form/phone-value.ts';
import { UnsavedChanges } from '../form/UnsavedChanges.tsx';
import { useMenuOf } from '../frame/sections.ts';
import { otherPages, pages } from '../pages.ts';
import { Later } from '../ui/Later.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { ButtonLink } from '../ui/links.tsx';
import { OnThisPage } from '../ui/OnThisPage.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Blocks } from './Blocks.tsx';
import { Countries } from './Countries.tsx';
import { DestinationList } from './DestinationList.tsx';
import classes from './Protection.module.css';
import { blocks, protectionSettings, spending } from './protection.ts';
import { Learning, Rules, RulesWaiting } from './Rules.tsx';
import { COUNTED_RULES } from './rule-values.ts';
import { SpendLimits } from './SpendLimits.tsx';
import { PlayWorstDay } from './worst-day/PlayWorstDay.tsx';

const Limits = lazyPart(async () => (await import('./Limits.tsx')).Limits);
const LookupRules = lazyPart(async () => (await import('./LookupRules.tsx')).LookupRules);
const KnownRecipients = lazyPart(async () => (await import('./known/KnownRecipients.tsx')).KnownRecipients);
const ProofSetting = lazyPart(async () => (await import('./ProofSetting.tsx')).ProofSetting);
const WorstDay = lazyPart(async () => (await import('./worst-day/WorstDay.tsx')).WorstDay);
const CheckResult = lazyPart(async () => (await import('./CheckResult.tsx')).CheckResult);

/** Fraud rules with their blocks, lists, countries and spend limits. */
export function Protection() {
  const sections = useMenuOf(pages.protection);
  const may = useMay();
  const { data: blocked, isError: isBlockedLost } = useQuery(blocks);
  const settings = useQuery(protectionSettings);
  // The suspicious sends' height depends on their number, so the panels below wait for them and do not move. A link to a section
  // needs them all immediately.
  const isHeightKnown = blocked !== undefined || isBlockedLost || window.location.hash !== '';
  return (
    <UnsavedChanges>
      <PageHeading title={pages.protection.title}>
        Stops sends that look like fraud before they cost credits. The rules apply to sends to phone numbers.
      </PageHeading>
      <div className="grid grid-cols-1 gap-x-8 gap-y-5 xl:grid-cols-[minmax(0,1fr)_9.5rem]">
        <OnThisPage sections={sections} />
        <div className="@container grid min-w-0 grid-cols-1 content-start gap-5">
          {may('checkOwnDestination') ? <CheckNumber /> : null}
          <Blocks />
          {isHeightKnown ? <Others settings={settings} /> : <OthersWaiting />}
        </div>
      </div>
    </UnsavedChanges>
  );
}

const MONITOR = 'Monitor only counts the sends that it would block.';

const PANELS = {
  rules: {
    title: 'Rules',
    description: `Enforce blocks sends. ${MONITOR}`,
  },
  countries: {
    title: 'Allowed countries',
    description: 'Sends to any other country are blocked, regardless of the other rules.',
  },
  spend: {
    title: 'Spend limits',
    description:
      'The most credits that all keys together can spend. Days and months are in UTC. You get an email at 50, 80 and 100%.',
  },
  limits: {
    title: 'Limits of your own',
    description: 'How many codes one value may cause, such as an IP address.',
  },
  known: {
    title: 'Known recipients',
    description:
      'Codes to recipients who verified one before pass the rules about what others do, such as an attack on their prefix.',
  },
  proof: {
    title: 'Proof of work',
    description: 'The page that requests a code solves a puzzle first, which costs bots computing time.',
  },
  worstDay: {
    title: 'Worst day',
    description:
      'What a day of fraud can cost with these settings. Plays attacks against them in virtual time; nothing is sent.',
  },
  lookups: {
    title: 'Number look-ups',
    description: 'Refuses codes to some types of lines, or after a recent change of the SIM card.',
  },
  allow: {
    title: 'Allow list',
    description: 'Overrides your rules, but not the deny list or this service’s rules.',
  },
  deny: { title: 'Deny list', description: 'Overrides everything, including the allow list.' },
};

/** As high as the content that takes their place. */
const WAITING = {
  countries: (
    <div className={`${classes.countries} grid content-between`}>
      <Skeleton height={36} width="15rem" radius="md" />
      <Skeleton height={12} width="40%" radius="xl" />
      <Skeleton height={36} width="8.5rem" radius="md" />
    </div>
  ),
  spend: (
    <div className={`${classes.spend} grid grid-cols-2 content-between gap-x-4`}>
      <Skeleton height={40} width="40%" radius="md" />
      <Skeleton height={40} width="40%" radius="md" />
      <Skeleton height={58} radius="md" />
      <Skeleton height={58} radius="md" />
      <Skeleton height={36} width="9.75rem" radius="md" />
    </div>
  ),
};

/** The panels below the suspicious sends. */
function Others({ settings }: { settings: UseQueryResult<Settings> }) {
  const spend = useQuery(spending);
  const may = useMay();
  return (
    <>
      <Panel
        id="rules"
        title={PANELS.rules.title}
        description={
          settings.data && COUNTED_RULES.every((rule) => settings.data.rules[rule].mode !== 'enforce')
            ? `No rule is set to Enforce, so none blocks sends. ${MONITOR}`
            : PANELS.rules.description
        }
      >
        <Loaded query={settings} failure="Failed to load the rules" waiting={<RulesWaiting />}>
          {(loaded) => (
            <>
              <Learning learning={loaded.learning} rules={loaded.rules} />
              <Restricted to="updateProtection">
                <Rules settings={loaded} />
              </Restricted>
            </>
          )}
        </Loaded>
      </Panel>
      <Later instead={<LowerWaiting />}>
        <Panel id="countries" {...PANELS.countries}>
          <Loaded query={settings} failure="Failed to load the allowed countries" waiting={WAITING.countries}>
            {(loaded) => (
              <Restricted to="updateProtection">
                <Countries settings={loaded} />
              </Restricted>
            )}
          </Loaded>
        </Panel>
        <Panel id="spend" {...PANELS.spend}>
          <Loaded query={spend} failure="Failed to load the spend limits" waiting={WAITING.spend}>
            {(loaded) => (
              <Restricted to="updateSpend">
                <SpendLimits spend={loaded} />
              </Restricted>
            )}
          </Loaded>
        </Panel>
        <OnRequest id="limits" show="Show Limits" panel={PANELS.limits}>
          <Limits />
        </OnRequest>
        <OnRequest id="known" show="Show Known Recipients" panel={PANELS.known}>
          <KnownRecipients />
        </OnRequest>
        <OnRequest id="proof" show="Show Setting" panel={PANELS.proof}>
          <ProofSetting />
        </OnRequest>
        {may('playWorstDay') ? (
          <Panel id="worst-day" {...PANELS.worstDay}>
            <PlayWorstDay run={() => call(playWorstDay, { body: {} })}>
              {(worst) => <WorstDay worst={worst} />}
            </PlayWorstDay>
          </Panel>
        ) : null}
        {settings.data?.has_lookup ? (
          <OnRequest id="lookups" show="Show Look-ups" panel={PANELS.lookups}>
            <Restricted to="updateProtection">
              <LookupRules settings={settings.data} />
            </Restricted>
          </OnRequest>
        ) : null}
        <div id="lists" className="grid min-w-0 scroll-mt-(--anchor) grid-cols-1 content-start gap-5">
          <ListPanel list="allow" settings={settings} />
          <ListPanel list="deny" settings={settings} />
        </div>
        {SUPPRESSED}
      </Later>
    </>
  );
}

interface OnRequestProps {
  id: string;
  panel: { title: string; description: string };
  /** on the button */
  show: string;
  children: ReactNode;
}

/** A panel that few accounts need, so it loads on request. */
function OnRequest({ id, panel, show, children }: OnRequestProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel id={id} {...panel}>
      {isOpen ? (
        <Suspense>{children}</Suspense>
      ) : (
        <Button variant="default" onClick={() => setOpen(true)}>
          {show}
        </Button>
      )}
    </Panel>
  );
}

function ListPanel({ list, settings }: { list: ListName; settings: UseQueryResult<Settings> }) {
  const [isAdding, setAdding] = useState(false);
  const canAdd = useMay()(list === 'allow' ? 'allowDestination' : 'denyDestination');
  return (
    <Panel
      {...PANELS[list]}
      actions={
        canAdd && !isAdding ? (
          <Button
            variant="default"
            aria-label={`Add Entry to the ${list} list`}
            onClick={() => setAdding(true)}
          >
            Add Entry
          </Button>
        ) : undefined
      }
    >
      <Loaded query={settings} failure={`Failed to load the ${list} list`} waiting={LIST_WAITING}>
        {(loaded) => <DestinationList list={list} entries={loaded[list]} isAdding={isAdding} />}
      </Loaded>
    </Panel>
  );
}

const SUPPRESSED = (
  <Panel
    title="Suppressed addresses"
    description="Email addresses that get no codes, because earlier ones came back or were reported as spam."
    actions={
      <ButtonLink to={otherPages.suppressions.path} variant="default">
        View Addresses
      </ButtonLink>
    }
  />
);

const LIST_WAITING = <Skeleton height={12} width="6rem" my={5} radius="xl" />;

const OthersWaiting = () => (
  <>
    <Panel {...PANELS.rules}>
      <RulesWaiting />
    </Panel>
    <LowerWaiting />
  </>
);

const LowerWaiting = () => (
  <>
    <Panel {...PANELS.countries}>{WAITING.countries}</Panel>
    <Panel {...PANELS.spend}>{WAITING.spend}</Panel>
    <Panel {...PANELS.allow}>{LIST_WAITING}</Panel>
    <Panel {...PANELS.deny}>{LIST_WAITING}</Panel>
    {SUPPRESSED}
  </>
);

/** Shows whether a send would go out now, and why. */
function CheckNumber() {
  const channels = useDeployment().channels.filter((channel) => factsOf(channel).recipient === 'phone');
  const form = useBodyForm({
    schema: async () =>
      (await import('@sixdigit/contract/protection/protection.ts')).checkOwnDestination.body,
    initialValues: { channel: 'sms', recipient: '', client_ip: '' },
    toBody: ({
      client_ip,
      recipient,
      ...values
    }: {
      channel: string;
      recipient: string;
      client_ip: string;
    }) => ({
      ...values,
      recipient: phoneOfField(recipient),
      ...(client_ip.trim() === '' ? {} : { client_ip }),
    }),
    whenEmpty: { recipient: 'Enter a phone number.' },
    submit: (body) => call(checkOwnDestination, { body }),
    failure: 'Failed to check the number',
  });
  return (
    <Panel
      id="check"
      title="Check a number"
      description="Shows whether a send would go out now, and why. Nothing is sent, counted or charged."
    >
      <Form form={form} label="Check a number">
        <div className={`${classes.check} grid grid-cols-1 items-start gap-3`}>
          <NativeSelect
            label="Channel"
            data={channels.map((value) => ({ value, label: factsOf(value).label }))}
            {...form.field('channel')}
          />
          <PhoneInput label="Phone number" autoComplete="off" {...form.field('recipient')} />
          <TextInput
            label="End user’s IP address (optional)"
            autoCapitalize="none"
            autoComplete="off"
            placeholder="203.0.113.7"
            maxLength={64}
            spellCheck={false}
            {...form.field('client_ip')}
          />
          <SubmitButton form={form} busy="Checking..." variant="default">
            Check
          </SubmitButton>
        </div>
      </Form>
      <div role="status">
        {form.result ? (
          <Suspense>
            <CheckResult check={form.result} />
          </Suspense>
        ) : null}
      </div>
    </Panel>
  );
}
