import { Alert, Button, Input, TextInput } from '@mantine/core';
import {
  createOperatorKey,
  deleteOperatorKey,
  listOperatorKeys,
  OPERATOR_KEY_DAYS,
  OPERATOR_SCOPES,
  type OperatorKey,
  type OperatorScope,
} from '@sixdigit/contract/operator/operator.ts';
import { IconKey, IconPlus, IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useMemo, useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/call.ts';
import type { BodyForm } from '../../form/Form.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { headingAction, ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { Checkbox } from '../../ui/Checkbox.ts';
import { ConfirmDialog, Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { NotFound } from '../../ui/NotFound.tsx';
import { NumberInput } from '../../ui/NumberInput.ts';
import { useOpened } from '../../ui/opened.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { SecretValue } from '../../ui/SecretValue.tsx';
import classes from '../Operator.module.css';
import { keyPage, useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { keySearch } from '../searches.ts';
import { compactKey, keyColumns } from './key-columns.tsx';

/** Keys for programs that make operator calls. Only admins see them. */
export const Keys = () => (useIsAdmin() ? <KeyList /> : <NotFound />);

function KeyList() {
  const list = useList(keySearch);
  const query = useQuery(keyPage(list.search));
  const dialog = useOpened('dialog');
  const [created, setCreated] = useState('');
  const [isShown, setShown] = useState(false);
  const [removed, setRemoved] = useState<OperatorKey>();
  const [isRemoving, setRemoving] = useState(false);
  const remove = useAction({
    run: ({ id }: OperatorKey) => call(deleteOperatorKey, { params: { id } }),
    success: 'Operator key deleted',
    failure: 'Failed to delete the operator key',
    refresh: [listOperatorKeys],
    done: () => setRemoving(false),
  });
  const { columns, compact } = useMemo(() => {
    const onDelete = (key: OperatorKey) => {
      setRemoved(key);
      setRemoving(true);
    };
    return { columns: keyColumns(onDelete), compact: compactKey(onDelete) };
  }, []);
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => dialog.open('create')}>
      Create Operator Key
    </Button>
  );
  return (
    <>
      <PageHeading title={operatorPages.keys.title} actions={headingAction(list, query, createButton)}>
        Keys for programs that call the operator API. A key stops working when it expires or its creator is no
        longer an admin.
      </PageHeading>
      <ListScreen
        label="Operator keys"
        noun="key(s)"
        placeholder="Search operator keys..."
        list={list}
        query={query}
        columns={columns}
        compact={compact}
        rowId={({ id }) => id}
        usualRows={3}
        failure="Failed to load the operator keys"
        empty={{
          icon: <IconKey size={24} />,
          title: 'No operator keys',
          action: createButton,
          text: 'Create one for each program, with the scopes that it needs.',
          noMatch: 'No key matches the search.',
        }}
      />
      <CreateKey
        opened={dialog.opened === 'create'}
        onClose={dialog.close}
        onCreated={(key) => {
          dialog.close();
          setCreated(key);
          setShown(true);
        }}
      />
      <Dialog
        opened={isShown}
        onClose={() => setShown(false)}
        onClosed={() => setCreated('')}
        title="Your New Operator Key"
        size="lg"
        closesOnClickOutside={false}
      >
        <Alert color="orange" variant="light" title="Security notice" icon={<IconShieldLock aria-hidden />}>
          This is the only time you will see this key. Send it as Authorization: Bearer, followed by the key.
        </Alert>
        <SecretValue value={created} />
        <DialogActions>
          <Button onClick={() => setShown(false)}>I've Copied the Key</Button>
        </DialogActions>
      </Dialog>
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title="Delete Operator Key"
        confirm="Delete"
        isDangerous
        isBusy={remove.isPending}
        onConfirm={() => removed && remove.mutate(removed)}
      >
        The key “{removed?.name}” stops working immediately. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}

interface CreateProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: string) => void;
}

const capitalized = (name = ''): string => name.charAt(0).toUpperCase() + name.slice(1);

/** 'accounts' with 'accounts:read' and the others */
const RESOURCES = [...new Set(OPERATOR_SCOPES.map((scope) => scope.split(':')[0]))].map((name) => ({
  name,
  scopes: OPERATOR_SCOPES.filter((scope) => scope.startsWith(`${name}:`)),
}));

const newKey = {
  name: '',
  scopes: [] as OperatorScope[],
  expires_in_days: OPERATOR_KEY_DAYS.default as number | string,
};

const CreateKey = ({ onCreated, ...dialog }: CreateProps) => (
  <FormDialog
    {...dialog}
    title="Create Operator Key"
    description="For a program that calls the operator API. The key is shown only once."
    size="lg"
    confirm="Create Operator Key"
    refresh={[listOperatorKeys]}
    form={{
      schema: createOperatorKey.body,
      initialValues: newKey,
      toBody: ({ expires_in_days, ...values }) => ({ ...values, expires_in_days: Number(expires_in_days) }),
      submit: (body) => call(createOperatorKey, { body }),
      failure: 'Failed to create the operator key',
      onSuccess: ({ key }) => onCreated(key),
    }}
  >
    {(form) => <KeyFields form={form} />}
  </FormDialog>
);

function KeyFields({ form }: { form: BodyForm<typeof newKey> }) {
  const { errors } = form.fields;
  const { scopes } = form.fields.values;
  return (
    <>
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
      {/* biome-ignore lint/a11y/useSemanticElements: Mantine's wrapper names the group */}
      <div
        role="group"
        aria-label="Scopes"
        className={`${classes.scopes} grid gap-x-3 [&_input]:scroll-mt-32`}
      >
        <div className="col-span-full flex flex-wrap items-baseline gap-x-3">
          <span className="text-14 font-550">Scopes</span>
          {errors.scopes ? <Input.Error role="alert">{errors.scopes}</Input.Error> : null}
        </div>
        {RESOURCES.map((resource) => (
          <Fragment key={resource.name}>
            <span className="text-14">{capitalized(resource.name)}</span>
            <div className="grid gap-x-3">
              {resource.scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  label={capitalized(scope.split(':')[1])}
                  aria-label={scope}
                  // takes the focus if no scope is chosen
                  {...(scope === OPERATOR_SCOPES[0] && { 'data-path': 'scopes' })}
                  checked={scopes.includes(scope)}
                  onChange={({ currentTarget: { checked } }) =>
                    form.fields.setFieldValue(
                      'scopes',
                      checked ? [...scopes, scope] : scopes.filter((one) => one !== scope),
                    )
                  }
                />
              ))}
            </div>
          </Fragment>
        ))}
      </div>
      <NumberInput
        label="Expires in days"
        description={`From ${OPERATOR_KEY_DAYS.min} to ${OPERATOR_KEY_DAYS.max} days.`}
        min={OPERATOR_KEY_DAYS.min}
        max={OPERATOR_KEY_DAYS.max}
        allowDecimal={false}
        {...form.field('expires_in_days')}
      />
    </>
  );
}
