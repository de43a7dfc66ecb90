import { Button } from '@mantine/core';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import { startPasskeyStepUp, stepUpWithPasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  getStepUp,
  StepUpBody,
  type StepUpMethod,
  sendStepUpCode,
  stepUp,
} from '@sixdigit/contract/second-factors/step-up.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { invalidate, read } from '../api/read.ts';
import { onProofElsewhere } from '../api/step-up.ts';
import { CodeInput } from '../form/CodeInput.tsx';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { QueryError } from '../ui/Loaded.tsx';
import { PasswordInput } from '../ui/PasswordInput.ts';
import { currentUser } from './current-user.ts';
import { PasskeyButton } from './PasskeyButton.tsx';
import { ResendButton } from './ResendButton.tsx';
import { openStepUp, STEP_UP_PAGE } from './sso/sso-login.ts';
import { CODE_LENGTH_MESSAGE } from './VerifyCode.tsx';

type OnClose = (isProven: boolean) => void;

/** Puts this dialog above the dialog whose change requires the proof. */
const ABOVE = 300;

export const StepUpDialog = ({ opened, onClose }: { opened: boolean; onClose: OnClose }) => (
  <Dialog
    opened={opened}
    onClose={() => onClose(false)}
    title="Confirm it is you"
    description="This change requires a proof of identity, which is valid for 15 minutes."
    size="sm"
    zIndex={ABOVE}
  >
    {opened ? <Proof onClose={onClose} /> : null}
  </Dialog>
);

const INSTEAD: Record<StepUpMethod, string> = {
  passkey: 'Use a passkey',
  authenticator: 'Use the authenticator app',
  sms: 'Use a code by SMS',
  email: 'Use a code by email',
  password: 'Use the password',
  sso: 'Use SSO',
};

/** Offers the account's strongest proof first and the others on request. */
function Proof({ onClose }: { onClose: OnClose }) {
  const [chosen, setChosen] = useState<StepUpMethod>();
  const query = useQuery(
    read(getStepUp, {}, { gcTime: 0, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
  );
  if (query.isError) return <QueryError query={query} message="Failed to load the confirmation methods" />;
  if (!query.data) return <Text role="status">Loading...</Text>;
  const { methods } = query.data;
  const method = chosen ?? methods[0];
  const others = methods.filter((other) => other !== method);
  return (
    <>
      <ByMethod method={method} onClose={onClose} />
      {others.length > 0 ? (
        <div className="mt-4 grid justify-items-start gap-1">
          {others.map((other) => (
            <Button key={other} variant="subtle" size="compact-sm" onClick={() => setChosen(other)}>
              {INSTEAD[other]}
            </Button>
          ))}
        </div>
      ) : null}
    </>
  );
}

function ByMethod({ method, onClose }: { method: StepUpMethod | undefined; onClose: OnClose }) {
  if (method === 'password') return <ByPassword onClose={onClose} />;
  if (method === 'passkey') return <ByPasskey onClose={onClose} />;
  if (method === 'authenticator') return <ByAuthenticator onClose={onClose} />;
  if (method === 'sso') return <BySso onClose={onClose} />;
  if (method) return <BySentCode key={method} method={method} onClose={onClose} />;
  return <Text role="alert">We cannot send you a code right now. Please try again later.</Text>;
}

function ByPassword({ onClose }: { onClose: OnClose }) {
  const { data: user } = useQuery(currentUser);
  const form = useBodyForm({
    schema: StepUpBody,
    initialValues: { password: '' },
    whenEmpty: { password: REQUIRED },
    submit: (body) => call(stepUp, { body }),
    failure: 'Failed to confirm',
    onSuccess: () => onClose(true),
  });
  return (
    <Form form={form} label="Confirm it is you">
      {/* tells password managers which account the password belongs to */}
      <input type="hidden" autoComplete="username" value={user?.email ?? ''} readOnly />
      <PasswordInput label="Password" autoComplete="current-password" autoFocus {...form.field('password')} />
      <Actions form={form} onClose={onClose} />
    </Form>
  );
}

function ByPasskey({ onClose }: { onClose: OnClose }) {
  const [problem, setProblem] = useState<string>();
  const queryClient = useQueryClient();
  return (
    <>
      <ErrorAlert problem={problem} />
      <Text>Your device asks for your fingerprint, face, PIN or security key.</Text>
      <DialogActions>
        <Button variant="default" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <PasskeyButton
          start={() => call(startPasskeyStepUp)}
          finish={(credential) => call(stepUpWithPasskey, { body: { credential } })}
          onDone={() => onClose(true)}
          onProblem={setProblem}
          onSuspected={() => void invalidate(queryClient, getStepUp)}
          autoFocus
        >
          Use Passkey
        </PasskeyButton>
      </DialogActions>
    </>
  );
}

const WINDOW_TEXTS = {
  closed: 'Sign in again at your organization’s identity provider. It opens in a new window.',
  open: 'Sign in again in the window that has opened. This page then continues. If the window shows an error, log out and sign in with SSO again.',
  blocked:
    'Your browser has blocked the window. Open it in a new tab instead. This page keeps what you have typed.',
};

function BySso({ onClose }: { onClose: OnClose }) {
  const [state, setState] = useState<keyof typeof WINDOW_TEXTS>('closed');
  const end = useEffectEvent(() => onClose(true));
  useEffect(() => onProofElsewhere(() => end()), []);
  return (
    <>
      <Text role="status">{WINDOW_TEXTS[state]}</Text>
      <DialogActions>
        <Button variant="default" onClick={() => onClose(false)}>
          Cancel
        </Button>
        {state === 'blocked' ? (
          <Button component="a" href={STEP_UP_PAGE} target="_blank" rel="opener" autoFocus>
            Open in a New Tab
          </Button>
        ) : (
          <Button autoFocus onClick={() => setState(openStepUp() ? 'open' : 'blocked')}>
            Confirm with SSO
          </Button>
        )}
      </DialogActions>
    </>
  );
}

const ByAuthenticator = ({ onClose }: { onClose: OnClose }) => (
  <EnterCode onClose={onClose}>Enter the 6-digit code that your authenticator app shows.</EnterCode>
);

const NAMES = { email: 'email', sms: 'SMS' } as const;

interface BySentCodeProps {
  method: Extract<StepUpMethod, 'email' | 'sms'>;
  onClose: OnClose;
}

/** The code is sent on request, because a text message costs money and the user may close the dialog. */
function BySentCode({ method, onClose }: BySentCodeProps) {
  const [sent, setSent] = useState<{ session_token: string; sent_to: string }>();
  const send = useAction({
    run: () => call(sendStepUpCode),
    failure: 'Failed to send a code',
    done: setSent,
  });
  if (sent)
    return (
      <EnterCode onClose={onClose} sessionToken={sent.session_token}>
        We sent a 6-digit code by {NAMES[method]} ({sent.sent_to}).
      </EnterCode>
    );
  return (
    <>
      <Text>Your account uses two-factor authentication. We send you a 6-digit code by {NAMES[method]}.</Text>
      <DialogActions>
        <Button variant="default" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <Button autoFocus loading={send.isPending} onClick={() => send.mutate()}>
          Send Code
        </Button>
      </DialogActions>
    </>
  );
}

interface EnterCodeProps {
  onClose: OnClose;
  /** the session of the sent code; absent for the authenticator app */
  sessionToken?: string;
  children: ReactNode;
}

function EnterCode({ onClose, sessionToken, children }: EnterCodeProps) {
  const form = useBodyForm({
    schema: StepUpBody,
    initialValues: { code: '' },
    toBody: ({ code }: { code: string }) => ({
      code,
      ...(sessionToken !== undefined && { session_token: sessionToken }),
    }),
    whenEmpty: { code: CODE_LENGTH_MESSAGE },
    submit: (body) => call(stepUp, { body }),
    failure: 'Invalid verification code',
    onSuccess: () => onClose(true),
  });
  return (
    <Form form={form} label="Confirm it is you">
      <Text>{children}</Text>
      <CodeInput label="Verification code" autoFocus onComplete={form.onSubmit} {...form.field('code')} />
      {sessionToken === undefined ? null : (
        <ResendButton sessionToken={sessionToken} onProblem={form.setProblem} />
      )}
      <Actions form={form} onClose={onClose} />
    </Form>
  );
}

const Actions = ({ form, onClose }: { form: { isBusy: boolean }; onClose: OnClose }) => (
  <DialogActions>
    <Button variant="default" onClick={() => onClose(false)}>
      Cancel
    </Button>
    <SubmitButton form={form} busy="Confirming...">
      Confirm
    </SubmitButton>
  </DialogActions>
);

const Text = (props: ComponentProps<'p'>) => <p {...props} className="m-0 text-ink-soft" />;
