/** The seconds of a Retry-After header: a number or a date (RFC 9110, 10.2.3). Undefined for anything else. */
export function retryAfterSeconds(header: string, now: Date): number | undefined {
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : (at - now.getTime()) / 1000;
}
