import type { VerificationDetail } from '@sixdigit/contract/otp.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { useQuery } from '@tanstack/react-query';
import { fullDateTime } from '../ui/dates.ts';
import classes from './VerificationDialog.module.css';
import { wrongCodes } from './verification-detail.ts';

/** The wrong codes that were entered, from the request log. Absent without any. */
export function WrongCodes({ otp }: { otp: VerificationDetail }) {
  const { data } = useQuery(wrongCodes(otp));
  return <WrongCodeList tries={data} />;
}

export function WrongCodeList({ tries = [] }: { tries: readonly RequestLog[] | undefined }) {
  if (tries.length === 0) return null;
  return (
    <section className={classes.card} aria-labelledby="wrong-codes">
      <h3 id="wrong-codes">Wrong Codes</h3>
      <ol className={classes.changes}>
        {tries.map(({ id, created_at, ip_address }) => (
          <li key={id} data-status="failed">
            <span className={classes.change}>Wrong code entered</span>
            <span className={classes.when}>
              <time dateTime={created_at}>{fullDateTime(created_at)}</time>
              {ip_address ? ` from ${ip_address}` : null}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
