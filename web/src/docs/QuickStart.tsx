import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { deployment } from '../api/deployment.ts';
import { labelOf } from '../otp/channel.ts';
import { prices } from '../payments/price-list.ts';
import { allPrices, areDefault, countryText, priceText } from '../payments/send-prices.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { PageLink } from '../ui/links.tsx';
import { PlainTable } from '../ui/PlainTable.tsx';
import { Beside, Chapter } from './Chapter.tsx';
import classes from './Docs.module.css';
import { KeyNote, KeyPicker, SampleBar, useChosenKey } from './Sample.tsx';

/** The base URL, the key and the two calls. */
export function QuickStart() {
  const { api_url, sms_max_segments } = deployment();
  return (
    <Chapter id="quick-start" title="Quick Start">
      <ol className={`${classes.steps} m-0 grid list-none grid-cols-1 gap-5 p-0`}>
        <li>
          <Beside
            sample={
              <div className="flex items-center justify-between gap-3 rounded-10 border border-line bg-sunken py-[0.4rem] pr-2 pl-4">
                <code>{api_url}</code>
                <CopyButton value={api_url} label="Copy base URL" withToast />
              </div>
            }
          >
            <h3>Base URL</h3>
            <p>
              Requests and responses are JSON. The OpenAPI description is at{' '}
              <Anchor href={`${api_url}/openapi.json`} target="_blank" rel="noreferrer" inherit>
                openapi.json
              </Anchor>
              .
            </p>
          </Beside>
        </li>
        <li>
          <Beside sample={<KeyInEnvironment />}>
            <h3>Authentication</h3>
            <p>
              Every call carries an API key in the <code>X-API-Key</code> header. Create one under{' '}
              <PageLink to="/api-keys">API Keys</PageLink>, and keep it on your server: never in an app or a
              web page.
            </p>
          </Beside>
        </li>
        <li>
          <h3>Send, then verify</h3>
          <p>
            <SendPriceSentence /> returns an <code>otp_id</code>. Ask the user for the code and verify it with
            that id; verifying is free. Each key may make 30 requests per second.
          </p>
          <SendPrices />
          <p>
            An SMS can have up to {sms_max_segments} {sms_max_segments === 1 ? 'segment' : 'segments'}{' '}
            including the code. A single segment holds 160 characters, and each of several holds 153. With a
            character outside GSM-7, such as an emoji or “ç”, the limits are 70 and 67.
          </p>
        </li>
      </ol>
    </Chapter>
  );
}

/** The service does not store a key's secret, so the reader pastes it. */
function KeyInEnvironment() {
  const key = useChosenKey();
  return (
    <>
      <SampleBar>
        <KeyPicker />
      </SampleBar>
      <CodeBlock
        code={`export API_KEY='${key ? `${key.prefix}...` : 'paste your key here'}'`}
        language="bash"
        label="Set the key in the environment"
      />
      <KeyNote />
    </>
  );
}

/** 'Sending costs 1 credit on every channel', or a reference to the price table. Without a price if loading failed. */
function SendPriceSentence() {
  const { data } = useQuery(prices);
  if (!data) return <>Sending costs credits and</>;
  return !areDefault(data.sends) ? (
    <>Sending costs the credits listed in the table below and</>
  ) : (
    <>Sending costs 1 credit on every channel and</>
  );
}

/** The price of every send to the countries that this deployment accepts. Hidden if every send costs one credit. */
function SendPrices() {
  const { phone_countries } = deployment();
  const { data } = useQuery(prices);
  if (!data || areDefault(data.sends)) return null;
  const sends = data.sends.filter(
    ({ country }) => country === null || phone_countries.includes('*') || phone_countries.includes(country),
  );
  return (
    <div className="mt-3 mb-4 max-w-128">
      <PlainTable label="Message prices" headings={['Channel', 'Country', 'A send costs']}>
        {allPrices(sends).map((price) => (
          <tr key={`${price.channel} ${price.country}`}>
            <td>{labelOf(price.channel)}</td>
            <td>
              {price.channel === 'email' ? '–' : price.isOnly ? 'All countries' : countryText(price.country)}
            </td>
            <td>{priceText(price)}</td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}
