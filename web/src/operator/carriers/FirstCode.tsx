import { Alert, Button, Skeleton } from '@mantine/core';
import { factsOf } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  type CarrierKind,
  type CarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { carrierName } from '../../otp/route-filters.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { ButtonLink, LoneLink } from '../../ui/links.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StepList } from '../../ui/StepList.tsx';
import { carrierSetups, useIsAdmin } from '../operator.ts';
import { firstCodePage, operatorPages } from '../operator-pages.ts';
import { Note } from '../Rows.tsx';
import { CompanyChoice, RecipientCountry } from './CompanyChoice.tsx';
import { AddCarrier, checkOf, EditCarrier } from './SetupForm.tsx';
import { SwitchCarrier } from './SwitchCarrier.tsx';
import { TestCarrier } from './TestCarrier.tsx';
import { isReported, TestReport } from './TestReport.tsx';

const servesPhones = ({ channels }: CarrierSetup): boolean =>
  channels.some((channel) => factsOf(channel).recipient === 'phone');

const isLive = ({ is_enabled, problem }: CarrierSetup): boolean => is_enabled && problem === null;

/** The steps to the first real code, done by the state of the carriers and of nothing else. */
export const firstCodeSteps = (setup: CarrierSetup | undefined) => {
  const steps = [
    { name: 'company', title: 'Choose a phone or a message company', isDone: setup !== undefined },
    {
      name: 'test',
      title: 'Send a test message to your phone',
      isDone: setup?.last_test?.outcome === 'accepted',
    },
    {
      name: 'report',
      title: 'See the delivery report arrive',
      isDone: setup !== undefined && isReported(setup),
    },
    { name: 'live', title: 'Go live', isDone: setup !== undefined && isLive(setup) },
  ] as const;
  return { steps, current: steps.find(({ isDone }) => !isDone)?.name };
};

/** The newest carrier that reaches phones; one of the console before those of the environment. */
export const carrierOfSteps = (setups: readonly CarrierSetup[]): CarrierSetup | undefined =>
  setups.findLast(servesPhones);

const route = getRouteApi('/_app/operator/carriers/first-code');

/** Leads an operator from the sandbox to the first code on a real phone. */
export function FirstCode() {
  const query = useQuery(carrierSetups);
  const isAdmin = useIsAdmin();
  const { country } = route.useSearch();
  const navigate = route.useNavigate();
  const [open, setOpen] = useState<'add' | 'edit' | 'test' | 'live'>();
  const [kind, setKind] = useState<CarrierKind>('httpsms');
  const dialog = (what: typeof open) => ({ opened: open === what, onClose: () => setOpen(undefined) });
  const setups = query.data?.setups ?? [];
  const setup = carrierOfSteps(setups);
  const { steps, current } = firstCodeSteps(setup);
  const bodies: Record<(typeof steps)[number]['name'], () => React.ReactNode> = {
    company: () =>
      setup ? (
        <ChosenCarrier
          setup={setup}
          edit={isAdmin && setup.source === 'console' ? () => setOpen('edit') : undefined}
        />
      ) : (
        <CompanyChoice
          country={country}
          choose={
            isAdmin
              ? (next) => {
                  setKind(next);
                  setOpen('add');
                }
              : undefined
          }
        />
      ),
    test: () => <TestStep setup={setup} send={isAdmin ? () => setOpen('test') : undefined} />,
    report: () =>
      setup ? (
        <div aria-live="polite">
          <TestReport setup={setup} />
        </div>
      ) : null,
    live: () => <LiveStep setup={setup} turnOn={isAdmin ? () => setOpen('live') : undefined} />,
  };
  return (
    <>
      <PageHeading title={firstCodePage.title}>
        From the sandbox to a code on a real phone. A phone with an app is enough; no contract is needed.
      </PageHeading>
      <Loaded
        query={query}
        failure="Failed to load the carriers"
        waiting={<Skeleton height={420} radius="md" />}
      >
        {() => (
          <div className="grid grid-cols-1 gap-5">
            <Panel>
              <RecipientCountry
                country={country}
                onChange={(next) =>
                  void navigate({ search: { country: next }, replace: true, resetScroll: false })
                }
              />
            </Panel>
            <StepList id="first-code" title="Steps" steps={steps} current={current}>
              {({ name }) => bodies[name as keyof typeof bodies]()}
            </StepList>
          </div>
        )}
      </Loaded>
      <AddCarrier
        {...dialog('add')}
        taken={setups.map(({ name }) => name)}
        kind={kind}
        startsOff
        onAdded={(added) => setOpen(added && servesPhones(added) ? 'test' : undefined)}
      />
      <EditCarrier {...dialog('edit')} setup={setup} />
      <TestCarrier
        {...dialog('test')}
        name={setup?.name ?? ''}
        channels={setup?.channels ?? []}
        check={setup && checkOf(setup)}
        prepare={setup && CARRIER_KIND_FACTS[setup.kind].prepare}
      />
      <SwitchCarrier {...dialog('live')} setup={setup} />
    </>
  );
}

const ChosenCarrier = ({
  setup: { name, kind },
  edit,
}: {
  setup: CarrierSetup;
  edit: (() => void) | undefined;
}) => (
  <>
    <Note>
      <strong>{carrierName(name)}</strong> · {CARRIER_KIND_FACTS[kind].label}
    </Note>
    <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-14">
      {edit ? (
        <Button variant="default" size="compact-sm" onClick={edit}>
          Edit {carrierName(name)}
        </Button>
      ) : null}
      <LoneLink to={operatorPages.carriers.path}>All carriers</LoneLink>
    </div>
  </>
);

interface StepProps {
  setup: CarrierSetup | undefined;
}

const TestStep = ({ setup, send }: StepProps & { send: (() => void) | undefined }) => {
  if (!setup) return <Note>It has no code and costs no credits.</Note>;
  const outcome = setup.last_test?.outcome;
  return (
    <div className="grid justify-items-start gap-2">
      {outcome === 'refused' ? (
        <Alert color="red" title="The company refused the last test message">
          Check the credentials and the sender, then send another one.
        </Alert>
      ) : null}
      {outcome === 'uncertain' ? (
        <Alert color="orange" title="The company gave no clear response">
          Look at your phone. If nothing arrives, send another test message.
        </Alert>
      ) : null}
      {outcome === undefined ? <Note>It has no code and costs no credits.</Note> : null}
      {send ? (
        <Button variant={outcome === 'accepted' ? 'default' : 'filled'} size="compact-sm" onClick={send}>
          {outcome === undefined ? 'Test the Carrier' : 'Test Again'}
        </Button>
      ) : null}
    </div>
  );
};

const LiveStep = ({ setup, turnOn }: StepProps & { turnOn: (() => void) | undefined }) => {
  if (!setup) return null;
  if (isLive(setup))
    return (
      <div className="grid justify-items-start gap-2">
        <Note>Codes to phones now leave through {carrierName(setup.name)}. They cost what it charges.</Note>
        <ButtonLink to="/" search={{ dialog: 'test-send' }} size="compact-sm">
          Send the First Code
        </ButtonLink>
      </div>
    );
  return (
    <div className="grid justify-items-start gap-2">
      {setup.problem === null ? (
        <Note>
          Until then, {carrierName(setup.name)} gets only test messages, and the sandbox keeps the codes.
        </Note>
      ) : (
        <Alert color="red" title="The carrier is not used yet">
          {setup.problem}
        </Alert>
      )}
      {turnOn && !setup.is_enabled ? (
        <Button size="compact-sm" onClick={turnOn}>
          Turn On {carrierName(setup.name)}
        </Button>
      ) : null}
    </div>
  );
};
