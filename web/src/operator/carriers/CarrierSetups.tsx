import { Alert, Button, Skeleton } from '@mantine/core';
import { factsOf } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  type CarrierKind,
  type CarrierSetup,
  removeCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { IconBuildingBroadcastTower, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../api/call.ts';
import { deployment } from '../../api/deployment.ts';
import { carrierName } from '../../otp/route-filters.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageLink } from '../../ui/links.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { carrierSetups } from '../operator.ts';
import { firstCodePage } from '../operator-pages.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { Row, Rows, RowText } from '../Rows.tsx';
import { WaitingPanel, WaitingPanels } from '../WaitingPanel.tsx';
import { AddCarrier, checkOf, EditCarrier, setText, useShowSetups } from './SetupForm.tsx';
import { SwitchCarrier } from './SwitchCarrier.tsx';
import { TestCarrier } from './TestCarrier.tsx';

type Open = 'edit' | 'switch' | 'delete' | 'test';

interface Props {
  isAdmin: boolean;
  /** whether the dialog for a new carrier is open */
  isAdding: boolean;
  setAdding: (isAdding: boolean) => void;
}

const CONFIGURED = {
  title: 'Configured carriers',
  description: 'Secrets are stored encrypted and are never shown.',
};

/** The configured carriers: those of the console, which an admin adds and changes, and those of the environment. */
export function CarrierSetups({ isAdmin, isAdding, setAdding }: Props) {
  const query = useQuery(carrierSetups);
  const showSetups = useShowSetups();
  const [open, setOpen] = useState<Open>();
  const [chosen, setChosen] = useState<CarrierSetup>();
  const choose = (what: Open) => (setup: CarrierSetup) => {
    setChosen(setup);
    setOpen(what);
  };
  const dialog = (what: Open) => ({ opened: open === what, onClose: () => setOpen(undefined) });
  const name = chosen?.name ?? '';
  return (
    <>
      <Loaded
        query={query}
        failure="Failed to load the carriers"
        waiting={
          isSandbox() ? (
            <Skeleton height={86} radius="md" />
          ) : (
            <WaitingPanels>
              <WaitingPanel {...CONFIGURED} rows={2} hasButtons />
            </WaitingPanels>
          )
        }
      >
        {({ setups }) =>
          setups.length === 0 ? (
            <NoSetups
              add={
                isAdmin ? (
                  <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
                    Add Carrier
                  </Button>
                ) : null
              }
            />
          ) : (
            <Panel {...CONFIGURED}>
              <Rows>
                {setups.map((setup) => (
                  <Setup
                    key={setup.name}
                    setup={setup}
                    isAdmin={isAdmin}
                    onSwitch={choose('switch')}
                    onEdit={choose('edit')}
                    onTest={choose('test')}
                    onDelete={choose('delete')}
                  />
                ))}
              </Rows>
            </Panel>
          )
        }
      </Loaded>
      <AddCarrier
        opened={isAdding}
        onClose={() => setAdding(false)}
        taken={query.data?.setups.map((setup) => setup.name) ?? []}
        kind={missingKind(query.data?.setups ?? [])}
        onAdded={(setup) => {
          setAdding(false);
          if (setup) choose('test')(setup);
        }}
      />
      <EditCarrier {...dialog('edit')} setup={chosen} />
      <TestCarrier
        {...dialog('test')}
        name={name}
        channels={chosen?.channels ?? []}
        check={chosen && checkOf(chosen)}
        prepare={chosen && CARRIER_KIND_FACTS[chosen.kind].prepare}
      />
      <SwitchCarrier {...dialog('switch')} setup={chosen} />
      <ReasonDialog
        {...dialog('delete')}
        title={`Delete ${carrierName(name)}`}
        description="Its credentials and routes are deleted. Delivery reports that arrive later are refused. This cannot be undone."
        schema={removeCarrierSetup.body.pick({ reason: true })}
        confirm="Delete"
        isDangerous
        success="Carrier deleted"
        submit={async ({ reason }) => {
          if (!chosen) return;
          const body = { version: chosen.version, reason };
          await showSetups((await call(removeCarrierSetup, { params: { name }, body })).setups);
        }}
      />
    </>
  );
}

/** Email first: the dashboard's own codes need it. Then a phone, which needs no contract. */
const missingKind = (setups: readonly CarrierSetup[]): CarrierKind =>
  setups.some(({ channels }) => channels.includes('email')) ? 'httpsms' : 'smtp';

/** Its inbox accepts every message. */
export const isSandbox = (): boolean => deployment().sandbox !== null;

const NoSetups = ({ add }: { add: ReactNode }) =>
  isSandbox() ? (
    <Alert
      color="orange"
      variant="light"
      icon={<IconBuildingBroadcastTower aria-hidden />}
      title={<h2 className="m-0 [font:inherit]">No real carrier yet</h2>}
    >
      All messages go to the sandbox inbox.{' '}
      <PageLink to={firstCodePage.path}>Send the first real code step by step</PageLink>
    </Alert>
  ) : (
    <EmptyState icon={<IconBuildingBroadcastTower size={24} />} title="Add your first carrier" action={add}>
      Until a carrier is set up, codes cannot be sent, and new customers cannot sign up. Begin with a mail
      server: the dashboard’s own codes need it.
    </EmptyState>
  );

interface SetupProps {
  setup: CarrierSetup;
  isAdmin: boolean;
  onSwitch: (setup: CarrierSetup) => void;
  onEdit: (setup: CarrierSetup) => void;
  onTest: (setup: CarrierSetup) => void;
  onDelete: (setup: CarrierSetup) => void;
}

const Setup = ({ setup, isAdmin, onSwitch, onEdit, onTest, onDelete }: SetupProps) => {
  const { name, kind, source, channels, is_enabled, inbound_url, report_url, verify_token, problem } = setup;
  const isOurs = source === 'console';
  return (
    <Row>
      <RowText>
        <span className="flex flex-wrap items-center gap-2">
          <strong>{carrierName(name)}</strong>
          <Badge tone="gray">{CARRIER_KIND_FACTS[kind].label}</Badge>
          {is_enabled ? null : <Badge tone="orange">Off</Badge>}
          {problem === null ? null : <Badge tone="red">Not used</Badge>}
        </span>
        <small>{channels.map((channel) => factsOf(channel).label).join(', ') || 'No channel'}</small>
        <small className="flex flex-wrap gap-x-3">
          {fieldTexts(setup).map((text) => (
            <span key={text}>{text}</span>
          ))}
        </small>
        {isOurs ? null : <small>{settingsText(setup)}</small>}
        {problem === null ? null : <small className="text-red">{problem}</small>}
        {setup.sender_warnings.map((warning) => (
          <small key={warning} className="text-orange">
            {warning}
          </small>
        ))}
        <Copied
          says={kind === 'smtp' ? 'Bounces go to' : 'Delivery reports go to'}
          label={`Copy the address for delivery reports of ${carrierName(name)}`}
          value={report_url}
        />
        <Copied
          says="Verify token:"
          label={`Copy the verify token of ${carrierName(name)}`}
          value={verify_token}
        />
        <Copied
          says="Replies such as STOP go to"
          label={`Copy the address for replies of ${carrierName(name)}`}
          value={inbound_url}
        />
      </RowText>
      {isAdmin ? (
        <span className="flex flex-wrap items-center gap-2.5">
          {isOurs ? (
            <RowAction
              name={`Turn ${is_enabled ? 'Off' : 'On'} ${carrierName(name)}`}
              onClick={() => onSwitch(setup)}
            >
              {is_enabled ? 'Turn Off' : 'Turn On'}
            </RowAction>
          ) : null}
          <RowAction name={`Test ${carrierName(name)}`} onClick={() => onTest(setup)}>
            Test
          </RowAction>
          {isOurs ? (
            <>
              <RowAction name={`Edit ${carrierName(name)}`} onClick={() => onEdit(setup)}>
                Edit
              </RowAction>
              <RowAction name={`Delete ${carrierName(name)}`} onClick={() => onDelete(setup)}>
                Delete
              </RowAction>
            </>
          ) : null}
        </span>
      ) : null}
    </Row>
  );
};

/** An address that the operator registers at the company. */
const Copied = ({ says, label, value }: { says: string; label: string; value: string | null }) =>
  value === null ? null : (
    <small className="flex items-center gap-1">
      <span className="min-w-0 wrap-anywhere">
        {says} {value}
      </span>
      <CopyButton value={value} label={label} />
    </small>
  );

const RowAction = ({ name, onClick, children }: { name: string; onClick: () => void; children: string }) => (
  <Button variant="default" size="compact-sm" aria-label={name} onClick={onClick}>
    {children}
  </Button>
);

/** "Mail server: smtp.example.com", "Password: set · ends in 4f2a" */
function fieldTexts({ kind, fields }: CarrierSetup): string[] {
  return fields.flatMap((field) => {
    const facts = CARRIER_KIND_FACTS[kind].fields.find(({ name }) => name === field.name);
    if (!facts || !field.is_set || facts.options || facts.isLong) return [];
    return [`${facts.label}: ${facts.isSecret ? setText(field).toLowerCase() : field.value}`];
  });
}

/** "Set by SMTP_URL and EMAIL_FROM in the environment" */
function settingsText({ fields }: CarrierSetup): string {
  const names = fields.flatMap(({ setting, is_set }) => (setting && is_set ? [setting] : []));
  return `Set by ${new Intl.ListFormat('en-GB').format(new Set(names))} in the environment. Change it there.`;
}
