import {
  confirmAuthenticator,
  getSecondFactors,
  startAuthenticator,
} from '@sixdigit/contract/second-factors/second-factors.ts';
import { useQuery } from '@tanstack/react-query';
import { encode } from 'uqr';
import { CODE_LENGTH_MESSAGE } from '../accounts/VerifyCode.tsx';
import { call } from '../api/call.ts';
import { CodeInput } from '../form/CodeInput.tsx';
import { DialogForm } from '../form/FormDialog.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { QueryError } from '../ui/Loaded.tsx';
import { SetUpDialog } from './RecoveryCodesDialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

export const AuthenticatorDialog = ({ opened, onClose }: Props) => (
  <SetUpDialog opened={opened} onClose={onClose} title="Set Up Authenticator App">
    {(onCodes) => <SetUp onClose={onClose} onCodes={onCodes} />}
  </SetUpDialog>
);

interface SetUpProps {
  onClose: () => void;
  onCodes: (codes: readonly string[]) => void;
}

/** Each opening of the dialog begins with a new secret. */
function SetUp({ onClose, onCodes }: SetUpProps) {
  const query = useQuery({
    queryKey: ['settings', 'authenticator'],
    queryFn: () => call(startAuthenticator),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  if (query.isError) return <QueryError query={query} message="Failed to start the setup" />;
  if (!query.data)
    return (
      <p className="m-0 min-h-64 text-ink-soft" role="status">
        Loading...
      </p>
    );
  return <EnterFirstCode {...query.data} onClose={onClose} onCodes={onCodes} />;
}

type FirstCodeProps = SetUpProps & { secret: string; uri: string };

const EnterFirstCode = ({ secret, uri, onClose, onCodes }: FirstCodeProps) => (
  <DialogForm
    onClose={onClose}
    label="Set Up Authenticator App"
    confirm="Verify Code"
    busy="Verifying..."
    success="Authenticator app added"
    refresh={[getSecondFactors]}
    form={{
      schema: confirmAuthenticator.body,
      initialValues: { code: '' },
      whenEmpty: { code: CODE_LENGTH_MESSAGE },
      submit: (body) => call(confirmAuthenticator, { body }),
      failure: 'Invalid verification code',
      onSuccess: ({ recovery_codes }) => (recovery_codes ? onCodes(recovery_codes) : onClose()),
    }}
  >
    {({ field, onSubmit }) => (
      <>
        <div className="flex flex-wrap items-center gap-5">
          <QrCode text={uri} label="QR code for your authenticator app" />
          <div className="min-w-36 flex-1">
            <p className="m-0 text-ink-soft">
              Scan the QR code with an authenticator app, such as your password manager. Or enter this key in
              the app:
            </p>
            <div className="mt-2 flex items-center gap-2 wrap-anywhere">
              <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
              <CopyButton value={secret} label="Copy key" />
            </div>
          </div>
        </div>
        <CodeInput label="Code from the app" autoFocus onComplete={onSubmit} {...field('code')} />
      </>
    )}
  </DialogForm>
);

/** Black on white in both color schemes, because some scanners cannot read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 2 });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg
      className="size-44 flex-none rounded-10 max-sm:mx-auto border border-line"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}
