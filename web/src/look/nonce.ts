/**
 * Style elements made at run time (Mantine's variables, the scroll lock of dialogs) carry the nonce that the
 * server wrote into the page, so that the content security policy needs no 'unsafe-inline' for them.
 */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
