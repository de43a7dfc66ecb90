/** Whether a host name of the browser's address bar stands for the browser's own machine. */
export const isThisMachine = (hostname: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
