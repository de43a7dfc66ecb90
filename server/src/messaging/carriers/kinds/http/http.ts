import { REQUIRED } from '@sixdigit/contract/field.ts';
import { FieldErrors } from '../../../../platform/http/failure.ts';
import { guessability } from '../../../../platform/security/key-strength.ts';
import { exactUrl, secret } from '../../../../platform/setting-schemas.ts';
import { readSecret, verifySigned } from '../../../../platform/signing/standard-webhooks.ts';
import { carrierKind, fieldUrlProblems, settingUrlProblems } from '../../kind.ts';
import { checkHttpCarrier } from './examine.ts';
import { httpCarrier, parseHttpInbound, parseHttpStatus } from './send.ts';

export const http = carrierKind({
  create: ({ values, ...setup }) =>
    httpCarrier({ ...setup, url: values.url ?? '', secret: values.secret ?? '' }),
  fieldProblems({ url, secret: entered }, context) {
    const { production, isPublic } = context.config;
    const read = entered ? readSecret(entered) : {};
    const easy =
      entered && !('problem' in read) && (production || isPublic) ? guessability(entered) : undefined;
    const problem = 'problem' in read ? read.problem : easy;
    return {
      ...fieldUrlProblems('url', url, context),
      ...(problem ? { secret: `The secret ${problem}.` } : {}),
    };
  },
  callbacks: {
    isSigned: ({ headers, rawBody, now }, values) =>
      verifySigned({ secret: values.secret ?? '', headers, rawBody, now }),
    namesBy: 'query',
    readReports(body) {
      const report = parseHttpStatus(body);
      if (!report) throw new FieldErrors({ status: ['Must be delivered, undelivered or failed.'] });
      // The query is not signed, so the signed body must contain the verification's id.
      if (report.otp_id === null) throw new FieldErrors({ otp_id: [REQUIRED] });
      return [report];
    },
    inbound: {
      read(body) {
        const inbound = parseHttpInbound(body);
        if (!inbound) throw new FieldErrors({ text: ['Send from and text.'] });
        return [inbound];
      },
      reply: (text) => ({ type: 'application/json; charset=utf-8', body: { reply: text ?? null } }),
    },
  },
  environment: {
    schemas: {
      HTTP_CARRIER_URL: exactUrl.optional(),
      HTTP_CARRIER_SECRET: secret.transform(plainSecret).optional(),
    },
    required: ['HTTP_CARRIER_URL', 'HTTP_CARRIER_SECRET'],
    secrets: { HTTP_CARRIER_SECRET: 'chosen' },
    fields: { url: 'HTTP_CARRIER_URL', secret: 'HTTP_CARRIER_SECRET' },
    // Without a login and a query, which could be secrets.
    shown({ HTTP_CARRIER_URL, HTTP_CARRIER_SECRET }) {
      const url = URL.parse(HTTP_CARRIER_URL ?? '');
      return { url: url ? `${url.origin}${url.pathname}` : undefined, secret: HTTP_CARRIER_SECRET };
    },
    problems({ HTTP_CARRIER_URL, HTTP_CARRIER_SECRET }) {
      const read = HTTP_CARRIER_SECRET ? readSecret(HTTP_CARRIER_SECRET) : {};
      return [
        ...settingUrlProblems('HTTP_CARRIER_URL', HTTP_CARRIER_URL),
        ...('problem' in read ? [`HTTP_CARRIER_SECRET ${read.problem}.`] : []),
      ];
    },
    examine: { about: 'http carrier', check: checkHttpCarrier },
  },
});

/** The secret in the form that the gateway uses. `problems` reports an unreadable one. */
function plainSecret(text: string): string {
  const read = readSecret(text);
  return 'secret' in read ? read.secret : text;
}
