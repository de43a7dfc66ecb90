import { NativeSelect, TextInput } from '@mantine/core';
import {
  checkOwnDestination,
  type Protection as Settings,
} from '@sixdigit/contract/protection/protection.ts';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Restricted } from '../accounts/Restricted.tsx';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { PhoneInput } from '../form/PhoneInput.tsx';
import { phoneOfField } from '../form/phone-value.ts';
import { UnsavedChanges } from '../form/UnsavedChanges.tsx';
import { useMenuOf } from '../frame/sections.ts';
import { pages } from '../pages.ts';
import { Later } from '../ui/Later.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { OnThisPage } from '../ui/OnThisPage.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { PanelSkeletons } from '../ui/PanelSkeletons.tsx';
import { Blocks } from './Blocks.tsx';
import { Countries } from './Countries.tsx';
import { DestinationList } from './DestinationList.tsx';
import classes from './Protection.module.css';
import { blocks, protectionSettings, spending } from './protection.ts';
import { Learning, Rules } from './Rules.tsx';
import { SpendLimits } from './SpendLimits.tsx';

const CheckResult = lazyPart(async () => (await import('./CheckResult.tsx')).CheckResult);

const FAILURE = 'Failed to load the protection settings';

/** Fraud rules with their blocks, lists, countries and spend limits. */
export function Protection() {
  const sections = useMenuOf(pages.protection);
  const { data: blocked, isError: isBlockedLost } = useQuery(blocks);
  const settings = useQuery(protectionSettings);
  // The first panel's height depends on the number of blocks, so the others wait for it and do not move. A link to a section
  // needs them all immediately.
  const isFirstKnown = blocked !== undefined || isBlockedLost || window.location.hash !== '';
  return (
    <UnsavedChanges>
      <PageHeading title={pages.protection.title}>
        Stops sends that look like fraud before they cost credits. The rules apply to SMS and voice.
      </PageHeading>
      <div className="grid grid-cols-1 gap-x-8 gap-y-5 xl:grid-cols-[minmax(0,1fr)_9.5rem]">
        <OnThisPage sections={sections} />
        <div className="@container grid min-w-0 grid-cols-1 content-start gap-5">
          <Blocks />
          {isFirstKnown ? <Others settings={settings} /> : <PanelSkeletons lines={[2, 4]} />}
        </div>
      </div>
    </UnsavedChanges>
  );
}

/** The panels below the blocks. */
function Others({ settings }: { settings: UseQueryResult<Settings> }) {
  const spend = useQuery(spending);
  const may = useMay();
  // The rules, countries and lists come from one call. Only the rules panel shows its error.
  const isLost = settings.isError && settings.data === undefined;
  return (
    <>
      {may('checkOwnDestination') ? <CheckNumber /> : null}
      <Panel
        id="rules"
        title="Rules"
        description="Enforce blocks sends. Monitor only counts the sends that it would block."
      >
        <Loaded query={settings} failure={FAILURE}>
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
      <Later>
        {isLost ? null : (
          <Panel
            id="countries"
            title="Allowed countries"
            description="Sends to any other country are blocked, regardless of the other rules."
          >
            <Loaded query={settings} failure={FAILURE}>
              {(loaded) => (
                <Restricted to="updateProtection">
                  <Countries settings={loaded} />
                </Restricted>
              )}
            </Loaded>
          </Panel>
        )}
        <Panel
          id="spend"
          title="Spend limits"
          description="The most credits that all keys together can spend. Days and months are in UTC. You get an email at 50, 80 and 100%."
        >
          <Loaded query={spend} failure="Failed to load the spend limits">
            {(loaded) => (
              <Restricted to="updateSpend">
                <SpendLimits spend={loaded} />
              </Restricted>
            )}
          </Loaded>
        </Panel>
        {isLost ? null : (
          <div id="lists" className="grid min-w-0 scroll-mt-(--anchor) grid-cols-1 content-start gap-5">
            <Panel
              title="Allow list"
              description="Overrides your rules, but not the deny list or this service’s rules."
            >
              <Loaded query={settings} failure={FAILURE}>
                {({ allow }) => <DestinationList list="allow" entries={allow} />}
              </Loaded>
            </Panel>
            <Panel title="Deny list" description="Overrides everything, including the allow list.">
              <Loaded query={settings} failure={FAILURE}>
                {({ deny }) => <DestinationList list="deny" entries={deny} />}
              </Loaded>
            </Panel>
          </div>
        )}
      </Later>
    </>
  );
}

const channels = [
  { value: 'sms', label: 'SMS' },
  { value: 'voice', label: 'Voice' },
];

/** Shows whether a send would go out now, and why. */
function CheckNumber() {
  const form = useBodyForm({
    schema: checkOwnDestination.body,
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
          <NativeSelect label="Channel" data={channels} {...form.field('channel')} />
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
