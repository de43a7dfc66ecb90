import { Input, NativeSelect } from '@mantine/core';
import { SSO_PROVIDERS, type SsoProviderName, ssoProviderOf } from '@sixdigit/contract/docs/sso-providers.ts';
import { type ReactNode, useState } from 'react';
import { Inline } from '../docs/Inline.tsx';
import { breakable } from '../ui/CodeBlock.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Folded } from '../ui/Folded.tsx';

export const CopiedUrl = ({
  label,
  description,
  value,
}: {
  label: string;
  description: ReactNode;
  value: string;
}) => (
  <Input.Wrapper label={label} labelElement="div" description={description}>
    <div className="flex items-center justify-between gap-2 rounded-10 bg-sunken py-1 ps-3 pe-1">
      <code className="min-w-0 font-mono text-13 wrap-anywhere">{breakable(value)}</code>
      <CopyButton
        value={value}
        label={`Copy the ${label.replace(/^\w/, (letter) => letter.toLowerCase())}`}
        withToast
      />
    </div>
  </Input.Wrapper>
);

interface Props {
  /** undefined until it is set up */
  issuer: string | undefined;
  redirectUrl: string;
}

/** What to enter at the chosen identity provider. The choice is not stored. */
export function ProviderGuide({ issuer, redirectUrl }: Props) {
  const [name, setName] = useState<SsoProviderName>(issuer ? ssoProviderOf(issuer) : 'Google Workspace');
  const provider = SSO_PROVIDERS.find((one) => one.name === name) ?? SSO_PROVIDERS[0];
  const steps = (
    <>
      <NativeSelect
        label="Identity provider"
        className="max-w-100"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value as SsoProviderName)}
        data={SSO_PROVIDERS.map((one) => one.name)}
      />
      <ol className="m-0 grid gap-2 ps-5 text-14 text-ink-soft [&_code]:wrap-anywhere [&_strong]:font-600 [&_strong]:text-ink">
        <li>
          <Inline text={provider.application} />
        </li>
        <li>
          Enter the redirect URL below in <Inline text={provider.redirect} />.
        </li>
        <li>
          Scopes: <Inline text={provider.scopes} />
        </li>
        <li>
          Issuer: <Inline text={provider.issuer} />
        </li>
      </ol>
    </>
  );
  return (
    <>
      {issuer ? (
        <Folded title="Steps at your provider" about={name}>
          {() => steps}
        </Folded>
      ) : (
        steps
      )}
      <CopiedUrl
        label="Redirect URL"
        description="Register it at your identity provider. It belongs to this account alone."
        value={redirectUrl}
      />
    </>
  );
}
