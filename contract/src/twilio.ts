/** The path of the calls of Twilio Verify v2. */
export const TWILIO_PATH = '/compat/twilio';

/** The base URL for Twilio's clients. `apiUrl`: the base URL of our API. */
export const twilioUrl = (apiUrl: string): string => apiUrl.replace(/\/api\/v1$/, TWILIO_PATH);

/** Twilio's identifiers: two letters for the kind, and 32 hexadecimal digits, which here are those of a UUID. */
export type SidKind = 'AC' | 'SK' | 'VA' | 'VE' | 'VL' | 'RK' | 'BL' | 'GN';

export const sidOf = (kind: SidKind, id: string): string => kind + id.replaceAll('-', '');
